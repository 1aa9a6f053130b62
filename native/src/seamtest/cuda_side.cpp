#include "seamtest/cuda_side.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "seam_ptx.h"

namespace seamscope::seamtest {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kWait = std::chrono::seconds(10);
constexpr auto kBusySpin = std::chrono::milliseconds(2);
constexpr unsigned kBlock = 256, kBlocksPerMultiprocessor = 8;

}  // namespace

Result<std::unique_ptr<CudaSide>> CudaSide::create(std::shared_ptr<interop::CudaContext> cuda, interop::Ledger& ledger,
                                                   const Cell& cell) {
  std::unique_ptr<CudaSide> side(new CudaSide(std::move(cuda), ledger, cell));
  if (auto made = side->make_stream(); !made) return made.error();
  if (auto made = side->make_kernels(); !made) return made.error();
  return side;
}

Result<void> CudaSide::make_stream() {
  const auto& api = cuda_->api();
  auto done = cuda_->check("cuStreamCreate", api.cuStreamCreate(&stream_, cuda::CU_STREAM_NON_BLOCKING));
  for (auto& event : events_)
    if (done) done = cuda_->check("cuEventCreate", api.cuEventCreate(&event, cuda::CU_EVENT_DISABLE_TIMING));
  return done;
}

Result<void> CudaSide::make_kernels() {
  const auto& api = cuda_->api();
  const bool image = cell_.resource == Resource::Image;
  auto done = cuda_->check("cuModuleLoadData", api.cuModuleLoadData(&module_, seam_ptx));
  if (!done) return done;
  const char* write = image ? "seam_write_surface" : "seam_write_linear";
  done = cuda_->check("cuModuleGetFunction", api.cuModuleGetFunction(&write_, module_, write));
  if (!done) return done;
  const char* check = image ? "seam_check_surface" : "seam_check_linear";
  done = cuda_->check("cuModuleGetFunction", api.cuModuleGetFunction(&check_, module_, check));
  if (!done) return done;
  const size_t count = size_t{cell_.total_frames()} + 1;
  done = cuda_->check("cuMemAlloc", api.cuMemAlloc(&totals_, count * 4));
  if (!done) return done;
  done = cuda_->check("cuMemsetD32", api.cuMemsetD32(totals_, 0, count));
  if (!done) return done;
  // It runs on the default stream, which ours does not wait for.
  return cuda_->check("cuStreamSynchronize", api.cuStreamSynchronize(nullptr));
}

Result<void> CudaSide::import_slots(std::vector<interop::MemoryHandover> handovers) {
  for (auto& handover : handovers) {
    const std::string label = "slot " + std::to_string(slots_.size());
    auto slot = interop::import_into_cuda(cuda_, ledger_, cell_.shape, cell_.resource, label, std::move(handover));
    if (!slot) return slot.error();
    slots_.push_back(std::move(*slot));
  }
  return {};
}

Result<std::vector<interop::MemoryHandover>> CudaSide::allocate_slots(uint32_t count) {
  std::vector<interop::MemoryHandover> handovers;
  for (uint32_t i = 0; i < count; ++i) {
    auto slot = interop::CudaAllocation::create(cuda_, ledger_, cell_.shape.bytes(), "slot " + std::to_string(i));
    if (!slot) return slot.error();
    auto handover = (*slot)->export_memory();
    slots_.push_back(std::move(*slot));
    if (!handover) return handover.error();
    handovers.push_back(std::move(*handover));
  }
  return handovers;
}

Result<void> CudaSide::import_timelines(interop::MemoryHandover ready, interop::MemoryHandover released) {
  auto first = interop::CudaTimeline::import(cuda_, ledger_, "ready", std::move(ready));
  if (!first) return first.error();
  ready_ = std::move(*first);
  auto second = interop::CudaTimeline::import(cuda_, ledger_, "released", std::move(released));
  if (!second) return second.error();
  released_ = std::move(*second);
  return {};
}

Result<void> CudaSide::launch(cuda::CUfunction kernel, void** parameters) {
  const unsigned most = static_cast<unsigned>(cuda_->multiprocessors()) * kBlocksPerMultiprocessor;
  const unsigned blocks = std::max(1u, std::min((cell_.shape.words() + kBlock - 1) / kBlock, most));
  const auto result = cuda_->api().cuLaunchKernel(kernel, blocks, 1, 1, kBlock, 1, 1, 0, stream_, parameters, nullptr);
  return cuda_->check("cuLaunchKernel", result);
}

Result<void> CudaSide::launch_write(uint32_t slot, uint32_t frame) {
  uint32_t count = cell_.shape.words(), width = cell_.shape.width;
  auto pointer = slots_[slot]->pointer();
  auto surface = slots_[slot]->surface();
  void* linear[] = {&pointer, &count, &frame};
  void* image[] = {&surface, &width, &count, &frame};
  return launch(write_, surface ? image : linear);
}

Result<void> CudaSide::launch_check(uint32_t slot, uint32_t expected, cuda::CUdeviceptr total) {
  uint32_t count = cell_.shape.words(), width = cell_.shape.width;
  auto pointer = slots_[slot]->pointer();
  auto surface = slots_[slot]->surface();
  void* linear[] = {&pointer, &count, &expected, &total};
  void* image[] = {&surface, &width, &count, &expected, &total};
  return launch(check_, surface ? image : linear);
}

Result<void> CudaSide::before(const interop::CudaTimeline* timeline, uint64_t frame, FrameSync sync) {
  if (auto done = wait_done(frame); !done) return done;  // the frame that used this event before
  recorded_[frame % kInFlight] = false;
  return sync.wait ? timeline->wait(stream_, sync.wait) : Result<void>();
}

Result<void> CudaSide::after(const interop::CudaTimeline* timeline, uint64_t frame, FrameSync sync) {
  if (sync.signal)
    if (auto done = timeline->signal(stream_, sync.signal); !done) return done;
  const auto result = cuda_->api().cuEventRecord(events_[frame % kInFlight], stream_);
  if (result == cuda::CUDA_SUCCESS) recorded_[frame % kInFlight] = true;
  return cuda_->check("cuEventRecord", result);
}

Result<void> CudaSide::write(uint32_t slot, uint64_t frame, FrameSync sync) {
  if (auto done = before(released_.get(), frame, sync); !done) return done;
  if (auto done = launch_write(slot, static_cast<uint32_t>(frame)); !done) return done;
  return after(ready_.get(), frame, sync);
}

Result<void> CudaSide::check(uint32_t slot, uint64_t frame, uint64_t expected, FrameSync sync) {
  if (auto done = before(ready_.get(), frame, sync); !done) return done;
  if (auto done = launch_check(slot, static_cast<uint32_t>(expected), totals_ + frame * 4); !done) return done;
  return after(released_.get(), frame, sync);
}

Result<bool> CudaSide::is_done(uint64_t frame) const {
  if (frame == 0 || !recorded_[frame % kInFlight]) return true;
  const auto result = cuda_->api().cuEventQuery(events_[frame % kInFlight]);
  if (result == cuda::CUDA_ERROR_NOT_READY) return false;
  if (result != cuda::CUDA_SUCCESS) return cuda_->error("cuEventQuery", result);
  return true;
}

// Polled, because a driver's own wait has no time-out; without a pause while the frame is likely to end soon.
Result<void> CudaSide::wait_done(uint64_t frame) {
  const auto start = Clock::now();
  for (;;) {
    auto done = is_done(frame);
    if (!done) return done.error();
    if (*done) return {};
    const auto waited = Clock::now() - start;
    if (waited > kWait)
      return Error{"cuEventQuery: CUDA did not finish frame " + std::to_string(frame) + " within 10 s.",
                   "Another program may keep the GPU busy, or a wait is never satisfied: run the test again.",
                   "CUDA_ERROR_NOT_READY"};
    if (waited > kBusySpin) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

Result<void> CudaSide::synchronize() {
  return cuda_->check("cuStreamSynchronize", cuda_->api().cuStreamSynchronize(stream_));
}

Result<std::vector<uint32_t>> CudaSide::matches() {
  std::vector<uint32_t> words(cell_.total_frames());
  const auto result = cuda_->api().cuMemcpyDtoH(words.data(), totals_ + 4, words.size() * 4);
  if (auto done = cuda_->check("cuMemcpyDtoH", result); !done) return done.error();
  return words;
}

Result<void> CudaSide::upload(uint32_t slot, const void* bytes) {
  const auto result = cuda_->api().cuMemcpyHtoDAsync(slots_[slot]->pointer(), bytes, cell_.shape.bytes(), stream_);
  return cuda_->check("cuMemcpyHtoDAsync", result);
}

void CudaSide::release_timelines() {
  if (stream_) cuda_->api().cuStreamSynchronize(stream_);
  released_.reset();
  ready_.reset();
}

// Idle first; then the semaphores, the views of the slots, and last what the stream ran.
CudaSide::~CudaSide() {
  const auto& api = cuda_->api();
  release_timelines();
  slots_.clear();
  if (totals_) api.cuMemFree(std::exchange(totals_, 0));
  if (module_) api.cuModuleUnload(std::exchange(module_, nullptr));
  for (auto& event : events_)
    if (event) api.cuEventDestroy(std::exchange(event, nullptr));
  if (stream_) api.cuStreamDestroy(std::exchange(stream_, nullptr));
}

}  // namespace seamscope::seamtest
