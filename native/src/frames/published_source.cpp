#include "frames/published_source.hpp"

#include <algorithm>
#include <map>

namespace seamscope::frames {
namespace {

using Images = std::map<uint32_t, std::shared_ptr<const Image>>;

class PublishedFrame final : public Frame {
 public:
  PublishedFrame(Images images, uint64_t skipped) : images_(std::move(images)), skipped_(skipped) {
    newest_ = images_.begin()->second.get();
    for (const auto& [output, image] : images_)
      if (image->produced_at > newest_->produced_at) newest_ = image.get();
  }

  uint64_t number() const override { return newest_->number; }
  bool has(uint32_t output) const override { return images_.count(output) != 0; }
  Result<std::span<const std::byte>> host_bytes(uint32_t output) const override {
    const auto found = images_.find(output);
    if (found != images_.end()) return found->second->memory->bytes();
    return Error{"This frame was published without the output.", "Wait for the next frame.", ""};
  }
  const gpu::Buffer* buffer(uint32_t output) const override {
    const auto found = images_.find(output);
    return found == images_.end() ? nullptr : found->second->memory->buffer();
  }
  bool shares_gpu() const override { return true; }
  bool own_memory(uint32_t output) const override {
    const auto found = images_.find(output);
    return found != images_.end() && dynamic_cast<const PooledBytes*>(found->second->memory.get());
  }
  const FrameDesc* desc(uint32_t output) const override {
    const auto found = images_.find(output);
    return found == images_.end() ? nullptr : &found->second->desc;
  }
  double produced_at() const override { return newest_->produced_at; }
  double handoff_ms() const override { return newest_->handoff_ms; }
  uint64_t skipped() const override { return skipped_; }

  const Images& images() const { return images_; }

 private:
  Images images_;
  const Image* newest_;
  uint64_t skipped_;
};

}  // namespace

PublishedSource::PublishedSource(std::shared_ptr<Publisher> publisher, std::shared_ptr<const ImportDevices> devices,
                                 std::function<void()> closed)
    : publisher_(std::move(publisher)), devices_(std::move(devices)), closed_(std::move(closed)) {}

PublishedSource::~PublishedSource() {
  publisher_->listen(nullptr);
  publisher_->want({}, 0);
  closed_();
}

std::vector<OutputInfo> PublishedSource::outputs() const {
  std::vector<OutputInfo> outputs;
  for (PublishedOutput& output : publisher_->info().outputs) outputs.push_back({std::move(output.name), output.desc});
  return outputs;
}

std::string PublishedSource::device() const {
  return "process " + std::to_string(publisher_->info().pid);
}

Result<std::shared_ptr<const Frame>> PublishedSource::render(uint64_t, std::span<const uint32_t> wanted) {
  Images images;
  uint64_t skipped = 0;
  for (const uint32_t output : wanted) {
    if (auto image = publisher_->newest(output)) images[output] = std::move(image);
    skipped += publisher_->skipped(output);
  }
  if (images.empty()) return std::shared_ptr<const Frame>();
  const auto* last = static_cast<const PublishedFrame*>(last_.get());
  if (!last || last->images() != images) last_ = std::make_shared<PublishedFrame>(std::move(images), skipped);
  return last_;
}

}  // namespace seamscope::frames
