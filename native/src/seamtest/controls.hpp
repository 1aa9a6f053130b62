#pragma once
// Runs that do one thing wrong on purpose: the counter that watches for it must trip, or the test is asleep.

#include "seamtest/job.hpp"
#include "seamtest/workplace.hpp"

namespace seamscope::seamtest {

// Emits one "control" event for each of staging, leakingImporter and staleReader, or "failed" when it could not run.
void run_controls(Workplace& workplace, FrameShape shape, uint32_t frames, const EventSink& emit);

}  // namespace seamscope::seamtest
