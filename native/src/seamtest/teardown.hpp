#pragma once
// Tears a working seam down in the documented order or in a wrong one, and uses what is left. Runs in a process of its
// own, because undefined behaviour is what it is after.

#include "seamtest/job.hpp"
#include "seamtest/workplace.hpp"

namespace seamscope::seamtest {

enum class TeardownOrder {
  Documented,   // idle, importer, allocator
  OwnerFirst,   // the allocator frees while the importer still holds and uses the memory
  DeviceFirst,  // the Vulkan device goes before the memory that was made from it
};

// Emits "predicted" before anything is destroyed, "step" before each step, and "teardown" at the end.
Result<void> run_teardown(Workplace& workplace, const Cell& cell, TeardownOrder order, const EventSink& emit);

}  // namespace seamscope::seamtest
