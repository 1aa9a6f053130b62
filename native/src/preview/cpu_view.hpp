#pragma once
// The view pass in threaded C++: a panel's rectangle of a frame in host memory as an RGBA8 picture. gpu_view.hpp is its
// twin, and view_math.hpp the text that both implement.

#include <cstddef>

#include "preview/frame.hpp"
#include "preview/thread_pool.hpp"

namespace seamscope {

// `bytes` reaches frame_bytes(desc); `stats` are the frame's own. The storage of `picture` is reused.
void cpu_view(ThreadPool& pool, const std::byte* bytes, const FrameDesc& desc, const ViewParams& params,
              const FrameStats& stats, Picture& picture);

}  // namespace seamscope
