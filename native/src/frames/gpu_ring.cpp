#include "frames/gpu_ring.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "gpu/commands.hpp"

namespace seamscope::frames {
namespace {

using gpu::Buffer;

// Host-cached memory that the GPU copies into; goes from frame to frame.
class PinnedPool {
 public:
  explicit PinnedPool(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {}

  Result<std::shared_ptr<Buffer>> take(uint64_t bytes) {
    {
      std::lock_guard lock(mutex_);
      const auto fits = [bytes](const auto& buffer) { return buffer->size() >= bytes && buffer->size() / 4 <= bytes; };
      const auto found = std::find_if(free_.begin(), free_.end(), fits);
      if (found != free_.end()) {
        auto buffer = std::move(*found);
        free_.erase(found);
        return buffer;
      }
    }
    return Buffer::create(device_, bytes, gpu::MemoryUse::ReadBack);
  }
  void give(std::shared_ptr<Buffer> buffer) {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(buffer));
    if (free_.size() > kKept) free_.erase(free_.begin());
  }

 private:
  static constexpr size_t kKept = 4;

  std::shared_ptr<gpu::Device> device_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Buffer>> free_;
};

class PinnedBytes final : public HostBytes {
 public:
  PinnedBytes(std::shared_ptr<PinnedPool> pool, std::shared_ptr<Buffer> buffer, uint64_t bytes)
      : pool_(std::move(pool)), buffer_(std::move(buffer)), bytes_(bytes) {}
  ~PinnedBytes() override { pool_->give(std::move(buffer_)); }

  std::span<const std::byte> bytes() const override { return buffer_->mapped().first(bytes_); }
  std::span<std::byte> writable() override { return buffer_->mapped().first(bytes_); }
  const Buffer* buffer() const override { return buffer_.get(); }

 private:
  std::shared_ptr<PinnedPool> pool_;
  std::shared_ptr<Buffer> buffer_;
  uint64_t bytes_;
};

class GpuReader final : public SlotReader {
 public:
  GpuReader(std::shared_ptr<gpu::Device> device, std::vector<std::shared_ptr<Buffer>> slots,
            std::unique_ptr<gpu::Commands> commands, FrameMemory memory)
      : device_(std::move(device)),
        slots_(std::move(slots)),
        commands_(std::move(commands)),
        memory_(std::move(memory)),
        pinned_(std::make_shared<PinnedPool>(device_)) {}

  Result<std::shared_ptr<HostBytes>> read(uint32_t slot, const CheckedFrame& frame) override {
    if (frame.bytes > memory_.band_bytes) return read_in_bands(slot, frame);
    auto to = pinned_->take(frame.bytes);
    if (!to) return to.error();
    if (auto done = copy(slot, frame.offset, **to, frame.bytes); !done) return done.error();
    return std::shared_ptr<HostBytes>(std::make_shared<PinnedBytes>(pinned_, *std::move(to), frame.bytes));
  }
  bool lost() const override { return device_->given_up(); }
  std::string path() const override {
    const char* way = device_->has_transfer_queue() ? ", read by its copy engine" : "";
    return "memory of " + device_->text() + way + ", 1 device copy, 0 host copies";
  }

 private:
  Result<void> copy(uint32_t slot, uint64_t offset, const Buffer& to, uint64_t bytes) {
    if (auto begun = commands_->begin(); !begun) return begun;
    commands_->acquire(*slots_[slot]);
    commands_->copy(*slots_[slot], offset, to, bytes);
    commands_->barrier_to_host();
    if (auto done = commands_->submit_and_wait(); !done) return done;
    return to.invalidate();
  }

  // Pinned memory cannot be swapped out: a frame that would take much of it comes through a part at a time.
  Result<std::shared_ptr<HostBytes>> read_in_bands(uint32_t slot, const CheckedFrame& frame) {
    auto band = pinned_->take(memory_.band_bytes);
    if (!band) return band.error();
    auto all = PooledBytes::create(memory_.pool, frame.bytes);
    if (!all) return all.error();
    for (uint64_t at = 0; at < frame.bytes; at += memory_.band_bytes) {
      const uint64_t bytes = std::min(memory_.band_bytes, frame.bytes - at);
      if (auto done = copy(slot, frame.offset + at, **band, bytes); !done) return done.error();
      std::memcpy((*all)->writable().data() + at, (*band)->mapped().data(), bytes);
    }
    pinned_->give(*std::move(band));
    return std::shared_ptr<HostBytes>(*std::move(all));
  }

  std::shared_ptr<gpu::Device> device_;
  std::vector<std::shared_ptr<Buffer>> slots_;
  std::unique_ptr<gpu::Commands> commands_;
  FrameMemory memory_;
  std::shared_ptr<PinnedPool> pinned_;
};

}  // namespace

OpenedRing open_gpu_ring(RingOffer offer, ImportDevices& devices, FrameMemory memory) {
  const seamscope_ring& message = offer.message;
  auto found = devices.find(message);
  if (auto* refusal = std::get_if<Refusal>(&found)) return std::move(*refusal);
  auto device = std::get<std::shared_ptr<gpu::Device>>(std::move(found));
  std::vector<std::shared_ptr<Buffer>> slots;
  for (UniqueFd& fd : offer.fds) {
    const bool is_vulkan = message.memory == SEAMSCOPE_MEMORY_VULKAN;
    const auto type = is_vulkan ? std::optional(message.memory_type_index) : std::nullopt;
    auto slot = Buffer::import(device, {std::move(fd), message.slot_size, message.allocation_size, is_vulkan, type});
    if (!slot)
      return Refusal{SEAMSCOPE_REFUSED_IMPORT, device->text() + " does not take the memory: " + slot.error().message};
    slots.push_back(*std::move(slot));
  }
  auto commands = gpu::Commands::create(device, device->transfer());
  if (!commands) return Refusal{SEAMSCOPE_REFUSED_IMPORT, commands.error().message};
  return std::make_unique<GpuReader>(std::move(device), std::move(slots), *std::move(commands), std::move(memory));
}

}  // namespace seamscope::frames
