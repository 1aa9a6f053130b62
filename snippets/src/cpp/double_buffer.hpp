#pragma once

#include <atomic>
#include <cstdint>

// snippet: begin seam-double-buffer | Two slots and one index: the producer owns it, readers derive theirs
// snippet: placeholders DoubleBuffer
class DoubleBuffer {
 public:
  struct Slot {
    unsigned index;  // 0 or 1
    uint64_t ready_value;  // signalled by the producer when this frame is complete
  };

  // Producer: where the next frame goes. Overwrites the frame before the last, so first wait on the
  // GPU until the reader's `released` timeline has reached ready_value - 2 (0 for the first two).
  Slot next_write() const {
    const uint64_t next = published_.load(std::memory_order_relaxed) + 1;
    return {static_cast<unsigned>(next & 1), next};
  }

  // Producer: after the frame and its signal have been submitted. A skipped frame does not call
  // this, so readers see the last good slot again.
  void publish() { published_.fetch_add(1, std::memory_order_release); }

  // Reader: the slot that is not being written, read = 1 - write, from one load of the one index.
  // A second counter here would drift from the producer's on the first skipped frame.
  Slot latest() const {
    const uint64_t last = published_.load(std::memory_order_acquire);
    const unsigned write_index = static_cast<unsigned>((last + 1) & 1);
    return {1 - write_index, last};  // ready_value 0: nothing published yet
  }

 private:
  std::atomic<uint64_t> published_{0};
};
// snippet: end
