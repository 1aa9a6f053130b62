#pragma once
// A ring of slots with one write index, which the producer owns. A reader derives its slot from it and keeps no counter
// of its own, so that the two cannot drift apart. Frames count from 1.

#include <cstdint>

namespace seamscope::interop {

class SlotRing {
 public:
  struct Place {
    uint64_t frame;  // 0: nothing yet
    uint32_t slot;
  };

  explicit SlotRing(uint32_t slots) : slots_(slots) {}
  uint32_t slots() const { return slots_; }

  // Where the next frame goes. A frame that is skipped afterwards leaves the index untouched.
  Place next_write() const { return place(published_ + 1); }
  void publish() { ++published_; }

  // The newest published frame.
  Place latest() const { return place(published_); }
  // The frame that must have left the slot of `frame` before it is written; 0 = the slot was never used.
  uint64_t predecessor(uint64_t frame) const { return frame > slots_ ? frame - slots_ : 0; }

 private:
  Place place(uint64_t frame) const { return {frame, static_cast<uint32_t>(frame % slots_)}; }

  uint32_t slots_;
  uint64_t published_ = 0;
};

}  // namespace seamscope::interop
