#include "preview/kept_frame.hpp"

#include <atomic>
#include <cstring>
#include <new>

#include "preview/host_output.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {
std::atomic<uint64_t> total{0};
}

Result<std::shared_ptr<const KeptFrame>> KeptFrame::keep(std::shared_ptr<const Frame> frame, uint32_t output,
                                                         const FrameDesc& desc, double produced_at) {
  const auto bytes = host_output({*frame, output, desc});
  if (!bytes) return bytes.error();
  const uint64_t needed = batch_bytes(desc);
  if (bytes->size() < needed)
    return Error{"The frame has fewer images than its batch says.", "Check the strides of the producer.", {}};
  try {
    return std::shared_ptr<const KeptFrame>(
        new KeptFrame(std::move(frame), output, desc, produced_at, bytes->first(needed)));
  } catch (const std::bad_alloc&) {
    return Error{"There is not enough memory to keep the frame.", "Lower the memory for kept frames.", {}};
  }
}

KeptFrame::KeptFrame(std::shared_ptr<const Frame> frame, uint32_t output, const FrameDesc& desc, double produced_at,
                     std::span<const std::byte> bytes)
    : number_(frame->number()),
      skipped_(frame->skipped()),
      output_(output),
      desc_(desc),
      produced_at_(produced_at),
      handoff_(frame->handoff_ms()),
      size_(bytes.size()),
      bytes_(bytes.data()) {
  if (frame->own_memory(output)) {
    frame_ = std::move(frame);
  } else {
    copy_.reset(new std::byte[bytes.size()]);  // not cleared: it is overwritten at once
    std::memcpy(copy_.get(), bytes.data(), bytes.size());
    bytes_ = copy_.get();
  }
  total += size_;
}

KeptFrame::~KeptFrame() {
  total -= size_;
}

uint64_t KeptFrame::total_bytes() {
  return total;
}

Result<std::span<const std::byte>> KeptFrame::host_bytes(uint32_t output) const {
  if (has(output)) return std::span<const std::byte>(bytes_, size_);
  return Error{"The frame was kept without this output.", "Go back to the live picture.", {}};
}

}  // namespace seamscope
