#pragma once
// The CUDA part of the benchmark: CPU time of a publish on a stream that has other work, over both memory paths. Prints
// nothing where there is no CUDA driver.

#include <chrono>
#include <thread>

#include "bench_print.hpp"
#include "publisher_session.hpp"

extern "C" {
#include "../examples/cuda_driver.h"
}

namespace seamscope::bench {

class CudaProgram {
 public:
  static constexpr size_t kBytes = size_t{1920} * 1080 * 4;
  CudaProgram() {
    cuda_load();
    if (cuInit(0) != 0 || cuDevicePrimaryCtxRetain(&context_, 0) != 0) return;
    cuCtxSetCurrent(context_);
    is_there_ = cuStreamCreate(&stream_, 1) == 0 && cuMemAlloc(&frame_, kBytes) == 0;
  }
  bool is_there() const { return is_there_; }
  // Something to be behind: the upload of the frame.
  void render() {
    static const std::vector<uint8_t> pixels(kBytes, 3);
    cuMemcpyHtoDAsync(frame_, pixels.data(), kBytes, stream_);
  }
  int publish() const {
    seamscope_frame_desc desc{};
    desc.width = 1920;
    desc.height = 1080;
    return seamscope_publish_cuda("cuda", reinterpret_cast<const void*>(static_cast<uintptr_t>(frame_)), &desc,
                                  stream_);
  }
  void finish() const { cuStreamSynchronize(stream_); }

 private:
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  CUdeviceptr frame_ = 0;
  bool is_there_ = false;
};

// `between`: what the program does after each frame.
inline void measure_cuda_path(CudaProgram& program, uint32_t paths, const char* metric, const char* note,
                              std::chrono::milliseconds between) {
  test::TestHub hub({paths, true});
  const test::PublisherSession session(hub.path());
  const auto output = test::watch(hub, "cuda");
  if (!output) return;
  std::vector<double> times;
  for (int i = 0; i < 5000 && times.size() < 300; ++i) {
    program.render();
    int result = 0;
    const double time = microseconds([&] { result = program.publish(); });
    if (result == SEAMSCOPE_PUBLISHED && i > 50) times.push_back(time);
    program.finish();
    if (between.count()) std::this_thread::sleep_for(between);
    hub.pump(0);
    if (const auto frame = hub.begin_read(*output)) hub.end_read(*output, *frame);
  }
  if (!times.empty()) print(metric, median(times), "us", note);
}

inline void measure_cuda() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) return;
  CudaProgram program;
  if (!program.is_there()) return;
  constexpr uint32_t kHost = SEAMSCOPE_PATH_HOST, kDevice = kHost | SEAMSCOPE_PATH_DEVICE;
  const auto busy = std::chrono::milliseconds(0), sparse = std::chrono::milliseconds(3);
  measure_cuda_path(program, kDevice, "publish from CUDA memory, watched, 1920x1080 RGBA8", "CPU time, busy", busy);
  measure_cuda_path(program, kDevice, "the same, a frame now and then", "CPU time, 3 ms between frames", sparse);
  measure_cuda_path(program, kHost, "publish from CUDA memory to host memory, watched", "CPU time, busy", busy);
}

}  // namespace seamscope::bench
