#pragma once
// A publisher as a source of the preview.

#include <functional>

#include "frames/import_devices.hpp"
#include "frames/publisher.hpp"
#include "preview/frame_source.hpp"

namespace seamscope::frames {

class PublishedSource final : public FrameSource {
 public:
  // `closed` runs when the source goes.
  PublishedSource(std::shared_ptr<Publisher> publisher, std::shared_ptr<const ImportDevices> devices,
                  std::function<void()> closed);
  ~PublishedSource() override;

  const std::shared_ptr<Publisher>& publisher() const { return publisher_; }

  std::vector<OutputInfo> outputs() const override;
  std::string device() const override;
  std::shared_ptr<gpu::Device> spare_device() const override { return devices_->any_gpu(); }
  bool pushes() const override { return true; }
  void listen(std::function<void()> changed) override { publisher_->listen(std::move(changed)); }
  void want(std::span<const uint32_t> outputs, double max_rate) override { publisher_->want(outputs, max_rate); }
  uint64_t gpu_memory_bytes() const override { return devices_->gpu_memory_bytes(); }
  std::string problem() const override { return publisher_->problem(); }
  Result<std::shared_ptr<const Frame>> render(uint64_t number, std::span<const uint32_t> wanted) override;

 private:
  std::shared_ptr<Publisher> publisher_;
  std::shared_ptr<const ImportDevices> devices_;
  std::function<void()> closed_;
  std::shared_ptr<const Frame> last_;
};

}  // namespace seamscope::frames
