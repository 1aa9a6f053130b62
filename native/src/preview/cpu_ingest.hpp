#pragma once
// The ingest pass in threaded C++: extremes and counts of a frame in host memory. gpu_ingest.hpp is its twin.

#include <cstddef>

#include "preview/frame.hpp"
#include "preview/thread_pool.hpp"

namespace seamscope {

// `bytes` reaches frame_bytes(desc). Stored values of the first stat_channels(desc) channels.
FrameStats cpu_ingest(ThreadPool& pool, const std::byte* bytes, const FrameDesc& desc);

}  // namespace seamscope
