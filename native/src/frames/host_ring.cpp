// Rings in sealed host memory.

#include <cstring>
#include <optional>

#include "frames/ring.hpp"
#include "frames/sealed_memory.hpp"

namespace seamscope::frames {
namespace {

class HostReader final : public SlotReader {
 public:
  HostReader(SealedMemory memory, uint64_t stride, std::shared_ptr<BytePool> pool)
      : memory_(std::move(memory)), stride_(stride), pool_(std::move(pool)) {}

  Result<std::shared_ptr<HostBytes>> read(uint32_t slot, const CheckedFrame& frame) override {
    auto copy = PooledBytes::create(pool_, frame.bytes);
    if (!copy) return copy.error();
    std::memcpy((*copy)->writable().data(), memory_.data() + slot * stride_ + frame.offset, frame.bytes);
    return std::shared_ptr<HostBytes>(*std::move(copy));
  }
  std::string path() const override { return "host memory, 1 host copy"; }

 private:
  SealedMemory memory_;
  uint64_t stride_;
  std::shared_ptr<BytePool> pool_;
};

Refusal too_small(const std::string& what) {
  return {SEAMSCOPE_REFUSED_MEMORY, "The ring's " + what + "."};
}

}  // namespace

std::optional<Refusal> check_ring(const seamscope_ring& ring) {
  if (ring.slot_size == 0 || ring.slot_size > kMaxSlotBytes)
    return too_small("slots have " + std::to_string(ring.slot_size) + " bytes; 1 to " + std::to_string(kMaxSlotBytes) +
                     " are possible");
  if (ring.memory != SEAMSCOPE_MEMORY_HOST) {
    if (ring.allocation_size >= ring.slot_size) return std::nullopt;
    return too_small("allocations are smaller than its slots");
  }
  if (ring.slot_count > 1 && ring.slot_stride < ring.slot_size) return too_small("slots overlap");
  uint64_t end = 0;
  if (__builtin_mul_overflow(ring.slot_stride, ring.slot_count - 1, &end) ||
      __builtin_add_overflow(end, ring.slot_size, &end) || end > ring.allocation_size)
    return too_small("slots reach behind its " + std::to_string(ring.allocation_size) + " bytes");
  return std::nullopt;
}

OpenedRing open_host_ring(RingOffer offer, std::shared_ptr<BytePool> pool) {
  auto memory = SealedMemory::map(std::move(offer.fds.at(0)), offer.message.allocation_size, false);
  if (!memory) return Refusal{SEAMSCOPE_REFUSED_MEMORY, memory.error().message};
  return std::make_unique<HostReader>(*std::move(memory), offer.message.slot_stride, std::move(pool));
}

}  // namespace seamscope::frames
