#include "preview/history.hpp"

#include <malloc.h>

#include <algorithm>

#include "preview/texel.hpp"

namespace seamscope {
namespace {

// What frames took stays with the allocator's arena of the thread that took it, and the next session, on another
// thread, would take as much once more.
void give_back() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace

History& History::shared() {
  static auto& history = *new History;
  return history;
}

void History::set_budget(uint64_t bytes) {
  Frames dropped;
  {
    std::lock_guard lock(mutex_);
    budget_ = bytes;
    make_room(0, dropped);
  }
  if (dropped.empty()) return;
  dropped.clear();
  give_back();
}

void History::keep(const void* owner, const std::shared_ptr<const Frame>& frame, uint32_t output, const FrameDesc& desc,
                   double produced_at) {
  const uint64_t bytes = batch_bytes(desc);
  Frames dropped;
  {
    std::lock_guard lock(mutex_);
    if (bytes == 0 || bytes > budget_ || newest_is(owner, output, frame->number())) return;
    make_room(bytes, dropped);
  }
  dropped.clear();
  auto kept = KeptFrame::keep(frame, output, desc, produced_at);
  if (!kept) return;  // a frame that cannot be kept is shown all the same
  std::lock_guard lock(mutex_);
  entries_.push_back({owner, *std::move(kept)});
  make_room(0, dropped);
}

void History::forget(const void* owner) {
  std::deque<Entry> rest, gone;
  {
    std::lock_guard lock(mutex_);
    for (Entry& entry : entries_) (entry.owner == owner ? gone : rest).push_back(std::move(entry));
    entries_.swap(rest);
  }
  if (gone.empty()) return;
  gone.clear();
  give_back();
}

std::shared_ptr<const KeptFrame> History::find(const void* owner, uint32_t output, uint64_t number) const {
  std::lock_guard lock(mutex_);
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) {
    return entry.owner == owner && entry.frame->output() == output && entry.frame->number() == number;
  });
  return found == entries_.rend() ? nullptr : found->frame;
}

std::vector<uint64_t> History::numbers(const void* owner, uint32_t output) const {
  std::vector<uint64_t> numbers;
  std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_)
    if (entry.owner == owner && entry.frame->output() == output) numbers.push_back(entry.frame->number());
  return numbers;
}

HistoryState History::state(const void* owner, uint32_t output) const {
  HistoryState state;
  std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) {
    if (entry.owner != owner || entry.frame->output() != output) continue;
    if (state.frames++ == 0) state.oldest = entry.frame->number();
    state.newest = entry.frame->number();
  }
  state.bytes = KeptFrame::total_bytes();
  state.budget = budget_;
  return state;
}

bool History::newest_is(const void* owner, uint32_t output, uint64_t number) const {
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) {
    return entry.owner == owner && entry.frame->output() == output;
  });
  return found != entries_.rend() && found->frame->number() == number;
}

// References count as well, but only kept frames can go for others.
void History::make_room(uint64_t bytes, Frames& dropped) {
  uint64_t used = KeptFrame::total_bytes();
  for (const auto& frame : dropped) used -= std::min(used, frame->bytes());
  while (!entries_.empty() && (used + bytes > budget_ || entries_.size() > kMostFrames)) {
    used -= std::min(used, entries_.front().frame->bytes());
    dropped.push_back(std::move(entries_.front().frame));
    entries_.pop_front();
  }
}

}  // namespace seamscope
