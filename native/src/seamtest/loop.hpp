#pragma once
// The frame loops: both sides on one thread, or one half in each of two processes.

#include <vector>

#include "interop/peer_channel.hpp"
#include "seamtest/cell.hpp"
#include "seamtest/measure.hpp"
#include "seamtest/side.hpp"

namespace seamscope::seamtest {

struct LoopResult {
  Measurement measurement;        // frames_wrong is not filled in
  std::vector<double> latencies;  // microseconds from the producer's submit to the consumer's end, frame by frame
};

// `stale_reader`: the control run whose reader derives its slot from a counter of its own, one behind.
Result<LoopResult> run_both(Side& producer, Side& consumer, const Cell& cell, bool stale_reader = false);

// In the fence mode the halves tell each other each frame through `link`; with timelines they only share semaphores.
Result<Measurement> run_producer(Side& producer, const Cell& cell, interop::PeerChannel& link);
Result<Measurement> run_consumer(Side& consumer, const Cell& cell, interop::PeerChannel& link);

}  // namespace seamscope::seamtest
