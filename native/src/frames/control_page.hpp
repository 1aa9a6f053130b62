#pragma once
// The page that a publisher and the hub share: slot states and what is wanted. The publisher may write anything into
// it at any time, so every field is read once and checked after that.

#include <memory>
#include <optional>

#include "frames/sealed_memory.hpp"
#include "frames/wire.hpp"

namespace seamscope::frames {

class ControlPage {
 public:
  static Result<std::shared_ptr<ControlPage>> map(UniqueFd fd);

  // `output` < SEAMSCOPE_MAX_OUTPUTS in all of these. millihertz 0 = no limit.
  void want(uint32_t output, bool wanted, uint32_t millihertz);
  uint64_t skipped(uint32_t output) const;
  bool any_ready(uint32_t output, uint32_t generation, uint32_t slots) const;

  struct Taken {
    uint32_t slot;
    seamscope_slot header;  // a copy: what the publisher writes from now on changes nothing
  };
  // The newest READY slot of the generation's bank becomes READING, older ones become FREE. Nothing when there is none
  // newer than `after`.
  std::optional<Taken> take_newest(uint32_t output, uint32_t generation, uint32_t slots, uint64_t after);
  void give_back(uint32_t output, uint32_t generation, uint32_t slot);

 private:
  explicit ControlPage(SealedMemory memory) : memory_(std::move(memory)) {}
  seamscope_output& output(uint32_t index) const;
  seamscope_slot* bank(uint32_t index, uint32_t generation) const { return output(index).slots[generation % 2]; }

  SealedMemory memory_;
};

}  // namespace seamscope::frames
