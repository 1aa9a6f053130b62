#pragma once
// One job of the sacrificial process, as helper/protocol/seamtest.ts describes it. Events go out while it runs, so that
// what a crash interrupts is known.

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "base/result.hpp"

namespace seamscope::seamtest {

using EventSink = std::function<void(const nlohmann::json&)>;

// Only an unusable job is an error; what goes wrong in a run is an event.
Result<void> run_job(const nlohmann::json& job, const EventSink& emit);

// The whole of a sacrificial process: parses, writes events as lines to `event_fd`, dies with its parent. Returns the
// exit code.
int run_seam_process(const std::string& job_text, int event_fd);

}  // namespace seamscope::seamtest
