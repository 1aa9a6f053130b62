#include "seamtest/loop.hpp"

#include "interop/slots.hpp"

namespace seamscope::seamtest {
namespace {

constexpr int kFrameWaitMs = 10'000;

class BothSides {
 public:
  BothSides(Side& producer, Side& consumer, const Cell& cell, bool stale)
      : producer_(producer), consumer_(consumer), cell_(cell), stale_(stale), ring_(cell.slots) {}

  Result<void> step() {
    const auto write = ring_.next_write();
    const uint64_t free_after = ring_.predecessor(write.frame);
    if (!timeline())
      if (auto done = consumer_.wait_done(free_after); !done) return done;
    const FrameSync produce = timeline() ? FrameSync{free_after, write.frame} : FrameSync{};
    if (auto done = producer_.write(write.slot, write.frame, produce); !done) return done;
    if (!timeline())
      if (auto done = producer_.wait_done(write.frame); !done) return done;
    ring_.publish();
    const auto read = ring_.latest();
    const FrameSync consume = timeline() ? FrameSync{read.frame, read.frame} : FrameSync{};
    const uint32_t slot = stale_ ? (read.slot + cell_.slots - 1) % cell_.slots : read.slot;
    return consumer_.check(slot, read.frame, read.frame, consume);
  }

  Result<void> drain() {
    const uint64_t last = ring_.latest().frame;
    if (auto done = producer_.wait_done(last); !done) return done;
    return consumer_.wait_done(last);
  }

 private:
  bool timeline() const { return cell_.mode == SyncMode::Timeline; }

  Side& producer_;
  Side& consumer_;
  const Cell& cell_;
  bool stale_;
  interop::SlotRing ring_;
};

// The newest frame that the other half has reported.
class Progress {
 public:
  explicit Progress(interop::PeerChannel& link) : link_(link) {}

  Result<void> reach(uint64_t frame) {
    while (reached_ < frame) {
      auto next = link_.receive_number(kFrameWaitMs);
      if (!next) return next.error();
      reached_ = *next;
    }
    return {};
  }

 private:
  interop::PeerChannel& link_;
  uint64_t reached_ = 0;
};

}  // namespace

Result<LoopResult> run_both(Side& producer, Side& consumer, const Cell& cell, bool stale_reader) {
  BothSides sides(producer, consumer, cell, stale_reader);
  LoopResult result;
  for (uint32_t i = 0; i < cell.warmup; ++i)
    if (auto done = sides.step(); !done) return done.error();
  if (auto done = sides.drain(); !done) return done.error();
  Window window;
  window.open();
  for (uint32_t i = 0; i < cell.frames; ++i)
    if (auto done = sides.step(); !done) return done.error();
  if (auto done = sides.drain(); !done) return done.error();
  result.measurement = window.close();
  for (uint32_t i = 0; i < cell.latency_frames; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (auto done = sides.step(); !done) return done.error();
    if (auto done = sides.drain(); !done) return done.error();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    result.latencies.push_back(took.count());
  }
  return result;
}

Result<Measurement> run_producer(Side& producer, const Cell& cell, interop::PeerChannel& link) {
  const bool timeline = cell.mode == SyncMode::Timeline;
  interop::SlotRing ring(cell.slots);
  Progress released(link);
  Window window;
  for (uint32_t i = 0; i < cell.total_frames(); ++i) {
    if (i == cell.warmup) window.open();
    const auto place = ring.next_write();
    const uint64_t free_after = ring.predecessor(place.frame);
    if (!timeline)
      if (auto done = released.reach(free_after); !done) return done.error();
    const FrameSync sync = timeline ? FrameSync{free_after, place.frame} : FrameSync{};
    if (auto done = producer.write(place.slot, place.frame, sync); !done) return done.error();
    ring.publish();
    if (timeline) continue;
    if (auto done = producer.wait_done(place.frame); !done) return done.error();
    if (auto done = link.send_number(place.frame); !done) return done.error();
  }
  if (auto done = producer.wait_done(cell.total_frames()); !done) return done.error();
  return window.close();
}

Result<Measurement> run_consumer(Side& consumer, const Cell& cell, interop::PeerChannel& link) {
  const bool timeline = cell.mode == SyncMode::Timeline;
  Progress ready(link);
  Window window;
  for (uint64_t frame = 1; frame <= cell.total_frames(); ++frame) {
    if (frame == cell.warmup + 1) window.open();
    if (!timeline)
      if (auto done = ready.reach(frame); !done) return done.error();
    const auto slot = static_cast<uint32_t>(frame % cell.slots);  // the producer's index, not one of our own
    const FrameSync sync = timeline ? FrameSync{frame, frame} : FrameSync{};
    if (auto done = consumer.check(slot, frame, frame, sync); !done) return done.error();
    if (timeline) continue;
    if (auto done = consumer.wait_done(frame); !done) return done.error();
    if (auto done = link.send_number(frame); !done) return done.error();
  }
  if (auto done = consumer.wait_done(cell.total_frames()); !done) return done.error();
  return window.close();
}

}  // namespace seamscope::seamtest
