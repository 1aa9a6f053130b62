#pragma once
// Runs one cell of the matrix: sets both sides up, hands the memory over, loops, tears down in the documented order.

#include <memory>
#include <string>
#include <vector>

#include "seamtest/measure.hpp"
#include "seamtest/peer_process.hpp"
#include "seamtest/workplace.hpp"

namespace seamscope::seamtest {

struct CellResult {
  Measurement measurement;
  std::vector<double> latencies;  // microseconds; empty with two processes
  // After the teardown: handles and descriptors that are still there.
  std::vector<std::string> open_handles;
  int64_t fds_left = 0;
};

nlohmann::json to_json(const CellResult& result, const Cell& cell);

Result<CellResult> run_in_one_process(Workplace& workplace, const Cell& cell);
Result<CellResult> run_in_two_processes(Workplace& workplace, const Cell& cell, PeerProcess& peer);

}  // namespace seamscope::seamtest
