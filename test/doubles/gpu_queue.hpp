#pragma once
// Work that the stand-in's GPU does later. With "gpuDelayMs" in the file that SEAMSCOPE_DOUBLES names, copies and
// events pass that long after they were put on a stream, one after the other, whatever the stream; without it they pass
// at once. Host functions always run on a thread of the driver's own, as on a real one.

#include <functional>

namespace doubles {

// Runs `work` on the queue, or at once where there is no delay.
void put_on_gpu(std::function<void()> work);

// Runs `work` on the queue's thread, behind everything put there before.
void put_on_driver_thread(std::function<void()> work);

// Returns once everything put there before has run.
void wait_for_gpu();

}  // namespace doubles
