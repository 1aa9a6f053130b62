#pragma once
// The last frames of every source that somebody looked at, in host memory under one budget: the oldest go first,
// whosever they are.

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "preview/frame_info.hpp"
#include "preview/kept_frame.hpp"

namespace seamscope {

constexpr uint64_t kHistoryBudget = uint64_t{512} << 20;
constexpr size_t kMostFrames = 1024;

// Thread-safe.
class History {
 public:
  // The process's own; never destroyed.
  static History& shared();

  // 0 keeps nothing. Takes effect at once.
  void set_budget(uint64_t bytes);

  // Keeps a copy of an output unless it is the newest one kept already, or no memory may be used. `owner` is any
  // address that is the source's own.
  void keep(const void* owner, const std::shared_ptr<const Frame>& frame, uint32_t output, const FrameDesc& desc,
            double produced_at);
  void forget(const void* owner);

  // The newest frame with that number; nullptr when it is not kept (any more).
  std::shared_ptr<const KeptFrame> find(const void* owner, uint32_t output, uint64_t number) const;
  // Oldest first.
  std::vector<uint64_t> numbers(const void* owner, uint32_t output) const;
  HistoryState state(const void* owner, uint32_t output) const;

 private:
  struct Entry {
    const void* owner;
    std::shared_ptr<const KeptFrame> frame;
  };
  using Frames = std::vector<std::shared_ptr<const KeptFrame>>;
  bool newest_is(const void* owner, uint32_t output, uint64_t number) const;
  void make_room(uint64_t bytes, Frames& dropped);

  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
  uint64_t budget_ = kHistoryBudget;
};

}  // namespace seamscope
