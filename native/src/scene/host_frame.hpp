#pragma once
// A frame in host memory, one byte array an output.

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "preview/frame_source.hpp"
#include "scene/scene.hpp"

namespace seamscope::scene {

// Byte arrays that go from frame to frame: fresh ones would have to be zeroed and faulted in.
class HostPool {
 public:
  std::vector<std::byte> take(size_t bytes);
  void give(std::vector<std::byte> bytes);

 private:
  std::mutex mutex_;
  std::vector<std::vector<std::byte>> free_;
};

class HostFrame final : public Frame {
 public:
  HostFrame(std::shared_ptr<HostPool> pool, uint64_t number) : pool_(std::move(pool)), number_(number) {}
  ~HostFrame() override;

  void add_output(uint32_t output, size_t bytes) { bytes_[output] = pool_->take(bytes); }
  // Null when the output is not part of the frame.
  std::byte* writable(uint32_t output) { return has(output) ? bytes_[output].data() : nullptr; }

  uint64_t number() const override { return number_; }
  bool has(uint32_t output) const override { return output < kSceneOutputs && !bytes_[output].empty(); }
  Result<std::span<const std::byte>> host_bytes(uint32_t output) const override;
  bool own_memory(uint32_t) const override { return true; }

 private:
  std::shared_ptr<HostPool> pool_;
  uint64_t number_;
  std::array<std::vector<std::byte>, kSceneOutputs> bytes_;
};

// What asking a frame for an output it lacks is answered with.
Error not_rendered(uint64_t number);

}  // namespace seamscope::scene
