#include "frames/control_page.hpp"

#include <atomic>
#include <cstring>

namespace seamscope::frames {
namespace {

using State = std::atomic_ref<uint32_t>;

bool change(seamscope_slot& slot, uint32_t from, uint32_t to) {
  return State(slot.state).compare_exchange_strong(from, to, std::memory_order_acq_rel, std::memory_order_acquire);
}

// A hint only: the slot is not ours.
uint64_t frame_of(seamscope_slot& slot) {
  return std::atomic_ref<uint64_t>(slot.frame).load(std::memory_order_relaxed);
}

// The READY slot with the highest frame number; nullptr when none is READY.
seamscope_slot* newest_ready(seamscope_slot* bank, uint32_t slots) {
  seamscope_slot* best = nullptr;
  for (seamscope_slot* slot = bank; slot != bank + slots; ++slot) {
    if (State(slot->state).load(std::memory_order_acquire) != SEAMSCOPE_SLOT_READY) continue;
    if (!best || frame_of(*slot) > frame_of(*best)) best = slot;
  }
  return best;
}

}  // namespace

Result<std::shared_ptr<ControlPage>> ControlPage::map(UniqueFd fd) {
  auto memory = SealedMemory::map(std::move(fd), sizeof(seamscope_control), true);
  if (!memory) return memory.error();
  const Error unfit{"The publisher's control page is of another version.",
                    "Add the publisher of this Seamscope to the project again.", ""};
  if (memory->size() != sizeof(seamscope_control)) return unfit;
  const auto* page = reinterpret_cast<const seamscope_control*>(memory->data());
  if (page->magic != SEAMSCOPE_WIRE_MAGIC || page->version != SEAMSCOPE_WIRE_VERSION) return unfit;
  return std::shared_ptr<ControlPage>(new ControlPage(*std::move(memory)));
}

seamscope_output& ControlPage::output(uint32_t index) const {
  return reinterpret_cast<seamscope_control*>(memory_.data())->outputs[index];
}

void ControlPage::want(uint32_t index, bool wanted, uint32_t millihertz) {
  std::atomic_ref<uint32_t>(output(index).max_rate_millihertz).store(millihertz, std::memory_order_relaxed);
  std::atomic_ref<uint32_t>(output(index).wanted).store(wanted, std::memory_order_release);
}

uint64_t ControlPage::skipped(uint32_t index) const {
  return std::atomic_ref<uint64_t>(output(index).skipped).load(std::memory_order_relaxed);
}

bool ControlPage::any_ready(uint32_t index, uint32_t generation, uint32_t slots) const {
  return newest_ready(bank(index, generation), slots) != nullptr;
}

std::optional<ControlPage::Taken> ControlPage::take_newest(uint32_t index, uint32_t generation, uint32_t slots,
                                                           uint64_t after) {
  seamscope_slot* const first = bank(index, generation);
  std::optional<Taken> best;
  // Each turn takes a slot out of READY; a publisher that fills them faster than this is answered with what there is.
  for (uint32_t turn = 0; turn < 2 * slots; ++turn) {
    seamscope_slot* slot = newest_ready(first, slots);
    if (!slot) break;
    if (!change(*slot, SEAMSCOPE_SLOT_READY, SEAMSCOPE_SLOT_READING)) continue;
    Taken taken{static_cast<uint32_t>(slot - first), {}};
    std::memcpy(&taken.header, slot, sizeof taken.header);
    const bool newer = taken.header.generation == generation && taken.header.frame > after;
    if (!newer) {
      change(*slot, SEAMSCOPE_SLOT_READING, SEAMSCOPE_SLOT_FREE);
      continue;
    }
    if (best) change(first[best->slot], SEAMSCOPE_SLOT_READING, SEAMSCOPE_SLOT_FREE);
    after = taken.header.frame;
    best = taken;
  }
  return best;
}

void ControlPage::give_back(uint32_t index, uint32_t generation, uint32_t slot) {
  change(bank(index, generation)[slot], SEAMSCOPE_SLOT_READING, SEAMSCOPE_SLOT_FREE);
}

}  // namespace seamscope::frames
