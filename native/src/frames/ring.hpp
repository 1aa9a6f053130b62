#pragma once
// The memory that a publisher offers for an output's frames: a few slots of one size.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/unique_fd.hpp"
#include "frames/image.hpp"
#include "frames/message.hpp"
#include "frames/slot_desc.hpp"

namespace seamscope::frames {

// What a ring's slots are read through. Calls come from one thread at a time.
class SlotReader {
 public:
  virtual ~SlotReader() = default;
  // Copies the frame out of its slot and waits for the end, within a bounded time. The frame has been checked against
  // the slot's size. An error costs this frame alone, unless lost() is true after it: then nothing more can be read
  // here.
  virtual Result<std::shared_ptr<HostBytes>> read(uint32_t slot, const CheckedFrame& frame) = 0;
  virtual bool lost() const { return false; }
  // "host memory, 1 host copy"
  virtual std::string path() const = 0;
};

// What came with a RING message.
struct RingOffer {
  seamscope_ring message;
  std::vector<UniqueFd> fds;
};

class Ring {
 public:
  // `gone` runs when nothing of the ring is read or mapped any more, `failed` when it cannot be read; both on whatever
  // thread saw it.
  Ring(const seamscope_ring& message, std::unique_ptr<SlotReader> slots_reader, std::function<void()> gone,
       std::function<void(const std::string&)> failed)
      : generation(message.generation),
        slots(message.slot_count),
        slot_bytes(message.slot_size),
        reader(std::move(slots_reader)),
        failed_(std::move(failed)),
        gone_(std::move(gone)) {}
  ~Ring() {
    reader.reset();
    gone_();
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  void fail(const std::string& reason) const { failed_(reason); }

  const uint32_t generation, slots;
  const uint64_t slot_bytes;
  std::unique_ptr<SlotReader> reader;

 private:
  std::function<void(const std::string&)> failed_;
  std::function<void()> gone_;
};

// Sizes that contradict each other or pass the limits; nothing when they are fine.
std::optional<Refusal> check_ring(const seamscope_ring& ring);

using OpenedRing = std::variant<std::unique_ptr<SlotReader>, Refusal>;
OpenedRing open_host_ring(RingOffer offer, std::shared_ptr<BytePool> pool);

}  // namespace seamscope::frames
