// Pending CUDA waits against Vulkan submits: the stall that CUDA_DEVICE_MAX_CONNECTIONS=1 is said to avoid on Linux.

#include <cstdlib>
#include <thread>

#include "seamtest/cuda_side.hpp"
#include "seamtest/measure.hpp"
#include "seamtest/probes.hpp"
#include "seamtest/side_pair.hpp"

namespace seamscope::seamtest {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
constexpr uint32_t kStreams = 4, kRounds = 50;
constexpr auto kBlocked = std::chrono::milliseconds(500);

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Streams of their own that wait for values which are signalled at the end of this object's life at the latest.
class PendingWaits {
 public:
  PendingWaits(interop::CudaContext& cuda, interop::VulkanTimeline& gate, interop::CudaTimeline& imported)
      : cuda_(cuda), gate_(gate), imported_(imported) {}
  ~PendingWaits() {
    release();
    for (const auto stream : streams_) {
      cuda_.api().cuStreamSynchronize(stream);
      cuda_.api().cuStreamDestroy(stream);
    }
  }
  Result<void> enqueue() {
    for (uint32_t i = 0; i < kStreams; ++i) {
      cuda::CUstream stream = nullptr;
      auto done = cuda_.check("cuStreamCreate", cuda_.api().cuStreamCreate(&stream, cuda::CU_STREAM_NON_BLOCKING));
      if (!done) return done;
      streams_.push_back(stream);
      if (done = imported_.wait(stream, 1); !done) return done;
    }
    return {};
  }
  void release() {
    if (!std::exchange(released_, true)) static_cast<void>(gate_.signal(1));
  }

 private:
  interop::CudaContext& cuda_;
  interop::VulkanTimeline& gate_;
  interop::CudaTimeline& imported_;
  std::vector<cuda::CUstream> streams_;
  bool released_ = false;
};

class ConnectionsProbe {
 public:
  ConnectionsProbe(Workplace& workplace, const Cell& cell) : workplace_(workplace), cell_(cell) {}

  Result<json> run() {
    if (auto built = build(); !built) return built.error();
    auto idle = vulkan_us();
    if (!idle) return idle.error();
    auto idle_kernel = kernel_us();
    if (!idle_kernel) return idle_kernel.error();
    PendingWaits waits(*cuda_, *gate_, *imported_);
    if (auto done = waits.enqueue(); !done) return done.error();
    auto waiting = vulkan_us();
    auto waiting_kernel = kernel_us();
    waits.release();
    if (!waiting) return waiting.error();
    if (!waiting_kernel) return waiting_kernel.error();
    const char* setting = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    return json{{"maxConnections", setting ? json(setting) : json()},
                {"streams", kStreams},
                {"vulkanUsIdle", *idle},
                {"vulkanUsWaiting", *waiting},
                {"kernelUsIdle", *idle_kernel},
                {"kernelUsWaiting", *waiting_kernel}};
  }

 private:
  Result<void> build() {
    auto device = workplace_.vulkan();
    if (!device) return device.error();
    auto context = workplace_.cuda();
    if (!context) return context.error();
    cuda_ = *context;
    auto vulkan = VulkanSide::create(*device, ledger_, cell_, false);
    if (!vulkan) return vulkan.error();
    pair_.vulkan = std::move(*vulkan);
    if (auto slots = pair_.vulkan->create_slots(); !slots) return slots.error();
    auto side = CudaSide::create(cuda_, ledger_, cell_);
    if (!side) return side.error();
    side_ = side->get();
    pair_.partner = std::move(*side);
    if (auto slots = side_->allocate_slots(1); !slots) return slots.error();
    auto gate = interop::VulkanTimeline::create(*device, ledger_, "gate");
    if (!gate) return gate.error();
    gate_ = std::move(*gate);
    auto handover = gate_->export_semaphore();
    if (!handover) return handover.error();
    auto imported = interop::CudaTimeline::import(cuda_, ledger_, "gate", std::move(*handover));
    if (!imported) return imported.error();
    imported_ = std::move(*imported);
    return {};
  }

  // A submit and the host's wait for it.
  Result<double> vulkan_us() {
    std::vector<double> times;
    for (uint32_t i = 0; i < kRounds; ++i) {
      const auto start = Clock::now();
      if (auto done = pair_.vulkan->write(0, ++vulkan_frame_, {}); !done) return done.error();
      if (auto done = pair_.vulkan->wait_done(vulkan_frame_); !done) return done.error();
      times.push_back(microseconds_since(start));
    }
    return percentile(times, 50);
  }

  // A kernel on a stream that waits for nothing; null when it did not run within half a second.
  Result<json> kernel_us() {
    std::vector<double> times;
    for (uint32_t i = 0; i < kRounds; ++i) {
      const auto start = Clock::now();
      ++cuda_frame_;
      if (auto done = side_->check(0, cuda_frame_, cuda_frame_, {}); !done) return done.error();
      for (;;) {
        auto ended = side_->is_done(cuda_frame_);
        if (!ended) return ended.error();
        if (*ended) break;
        if (Clock::now() - start > kBlocked) return json();
      }
      times.push_back(microseconds_since(start));
    }
    return json(percentile(times, 50));
  }

  Workplace& workplace_;
  Cell cell_;
  interop::Ledger ledger_;
  std::shared_ptr<interop::CudaContext> cuda_;
  std::unique_ptr<interop::VulkanTimeline> gate_;
  std::unique_ptr<interop::CudaTimeline> imported_;
  SidePair pair_;
  CudaSide* side_ = nullptr;
  uint64_t vulkan_frame_ = 0, cuda_frame_ = 0;
};

}  // namespace

Result<json> measure_connections(Workplace& workplace, const Cell& base) {
  Cell cell = base;
  cell.slots = 1;
  cell.mode = SyncMode::Timeline;
  cell.frames = 2 * kRounds;
  auto skipped = workplace.skip_reason(cell);
  if (!skipped) return skipped.error();
  if (!skipped->empty()) return json{{"skipped", *skipped}};
  cell.mode = SyncMode::Fence;  // the frames themselves need no semaphore
  return ConnectionsProbe(workplace, cell).run();
}

}  // namespace seamscope::seamtest
