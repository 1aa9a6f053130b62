#pragma once
// A renderer's work on the GPU: some milliseconds a frame, two frames in flight.

#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <utility>

#include "interop/cuda_context.hpp"
#include "render_load_ptx.h"

namespace seamscope::measure {

class Load {
 public:
  static constexpr uint32_t kWidth = 1920, kHeight = 1080;
  static constexpr size_t kBytes = size_t{kWidth} * kHeight * 4;

  explicit Load(std::shared_ptr<interop::CudaContext> cuda) : cuda_(std::move(cuda)) {}
  // The process ends with it: what the context holds goes with the context.
  Result<void> open() {
    const auto& api = cuda_->api();
    auto done = cuda_->check("cuStreamCreate", api.cuStreamCreate(&stream_, cuda::CU_STREAM_NON_BLOCKING));
    if (done) done = cuda_->check("cuModuleLoadData", api.cuModuleLoadData(&module_, render_load_ptx));
    if (done) done = cuda_->check("cuModuleGetFunction", api.cuModuleGetFunction(&kernel_, module_, "render_load"));
    for (auto& event : done_)
      if (done) done = cuda_->check("cuEventCreate", api.cuEventCreate(&event, cuda::CU_EVENT_DISABLE_TIMING));
    for (auto& image : images_)
      if (done) done = cuda_->check("cuMemAlloc", api.cuMemAlloc(&image, kBytes));
    if (done) done = cuda_->check("cuMemsetD32", api.cuMemsetD32(images_[1], 0, kBytes / 4));
    return done;
  }

  cuda::CUstream stream() const { return stream_; }
  cuda::CUdeviceptr image() const { return images_[1]; }

  // Waits for the frame before the last, then puts the next one on the stream.
  void begin_frame() {
    while (cuda_->api().cuEventQuery(done_[frame_ % 2]) == cuda::CUDA_ERROR_NOT_READY)
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    queue_frame();
  }
  // Without waiting for any.
  void queue_frame() {
    constexpr unsigned kSide = 16, kPasses = 8;
    uint32_t width = kWidth, height = kHeight;
    for (uint32_t pass = 0; pass < kPasses; ++pass) {
      cuda::CUdeviceptr image = images_[pass & 1], before = images_[1 - (pass & 1)];
      void* parameters[] = {&image, &before, &width, &height, &steps_, &frame_};
      cuda_->api().cuLaunchKernel(kernel_, (kWidth + kSide - 1) / kSide, (kHeight + kSide - 1) / kSide, 1, kSide, kSide,
                                  1, 0, stream_, parameters, nullptr);
    }
  }
  void end_frame() { cuda_->api().cuEventRecord(done_[frame_++ % 2], stream_); }
  void finish() const { cuda_->api().cuStreamSynchronize(stream_); }

  // Finds the work that makes a frame take that long; returns what it takes.
  double calibrate(double milliseconds) {
    double measured = 0;
    for (int turn = 0; turn < 8; ++turn) {
      measured = frame_ms();
      const double ratio = milliseconds / measured;
      if (std::abs(ratio - 1) < 0.1 || (ratio < 1 && steps_ <= 1)) break;
      steps_ = static_cast<uint32_t>(std::min(std::max(std::round(steps_ * std::min(ratio, 32.0)), 1.0), 1e6));
    }
    return measured;
  }

 private:
  double frame_ms() {
    constexpr int kFrames = 20;
    finish();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kFrames; ++i) {
      begin_frame();
      end_frame();
    }
    finish();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() / kFrames;
  }

  std::shared_ptr<interop::CudaContext> cuda_;
  cuda::CUstream stream_ = nullptr;
  cuda::CUmodule module_ = nullptr;
  cuda::CUfunction kernel_ = nullptr;
  cuda::CUevent done_[2] = {};
  cuda::CUdeviceptr images_[2] = {};
  uint32_t steps_ = 16, frame_ = 0;
};

}  // namespace seamscope::measure
