// Frames between two CUDA devices: what it costs when the renderer and the consumer are not on the same GPU.

#include <algorithm>
#include <chrono>
#include <vector>

#include "seamtest/probes.hpp"

namespace seamscope::seamtest {
namespace {

using interop::CudaContext;
using nlohmann::json;
using Clock = std::chrono::steady_clock;
constexpr uint32_t kPattern = 0x5EA45C0Eu;

class DeviceBytes {
 public:
  explicit DeviceBytes(const CudaContext& cuda) : cuda_(cuda) {}
  ~DeviceBytes() {
    if (pointer_ && cuda_.make_current()) cuda_.api().cuMemFree(pointer_);
  }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;

  Result<void> fill(size_t words, uint32_t value) {
    if (auto done = cuda_.make_current(); !done) return done;
    if (!pointer_)
      if (auto done = cuda_.check("cuMemAlloc", cuda_.api().cuMemAlloc(&pointer_, words * 4)); !done) return done;
    return cuda_.check("cuMemsetD32", cuda_.api().cuMemsetD32(pointer_, value, words));
  }
  Result<size_t> words_other_than(uint32_t value, size_t words) const {
    if (auto done = cuda_.make_current(); !done) return done.error();
    std::vector<uint32_t> host(words);
    const auto result = cuda_.api().cuMemcpyDtoH(host.data(), pointer_, words * 4);
    if (auto done = cuda_.check("cuMemcpyDtoH", result); !done) return done.error();
    return words - static_cast<size_t>(std::count(host.begin(), host.end(), value));
  }
  cuda::CUdeviceptr pointer() const { return pointer_; }

 private:
  const CudaContext& cuda_;
  cuda::CUdeviceptr pointer_ = 0;
};

class Stream {
 public:
  explicit Stream(const CudaContext& cuda) : cuda_(cuda) {}
  ~Stream() {
    if (stream_ && cuda_.make_current()) cuda_.api().cuStreamDestroy(stream_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  Result<void> open() {
    if (auto done = cuda_.make_current(); !done) return done;
    return cuda_.check("cuStreamCreate", cuda_.api().cuStreamCreate(&stream_, cuda::CU_STREAM_NON_BLOCKING));
  }
  Result<void> wait() const { return cuda_.check("cuStreamSynchronize", cuda_.api().cuStreamSynchronize(stream_)); }
  cuda::CUstream get() const { return stream_; }

 private:
  const CudaContext& cuda_;
  cuda::CUstream stream_ = nullptr;
};

// Access from one context to another's memory, for the length of a measurement.
class PeerAccess {
 public:
  PeerAccess(const CudaContext& from, const CudaContext& to) : from_(from), to_(to) {}
  ~PeerAccess() {
    if (enabled_ && from_.make_current()) from_.api().cuCtxDisablePeerAccess(to_.handle());
  }
  PeerAccess(const PeerAccess&) = delete;
  PeerAccess& operator=(const PeerAccess&) = delete;
  Result<void> enable() {
    if (auto done = from_.make_current(); !done) return done;
    const auto result = from_.api().cuCtxEnablePeerAccess(to_.handle(), 0);
    if (auto done = from_.check("cuCtxEnablePeerAccess", result); !done) return done;
    enabled_ = true;
    return {};
  }

 private:
  const CudaContext &from_, &to_;
  bool enabled_ = false;
};

class PeerProbe {
 public:
  PeerProbe(const CudaContext& from, const CudaContext& to, const Cell& cell)
      : from_(from),
        to_(to),
        words_(cell.shape.words()),
        frames_(cell.frames),
        source_(from),
        target_(to),
        stream_(from) {}

  Result<json> run() {
    int can = 0;
    auto done =
        from_.check("cuDeviceCanAccessPeer", from_.api().cuDeviceCanAccessPeer(&can, from_.device(), to_.device()));
    if (!done) return done.error();
    if (done = source_.fill(words_, kPattern); !done) return done.error();
    if (done = stream_.open(); !done) return done.error();
    size_t wrong = 0;
    auto staged = time_copies(wrong);
    if (!staged) return staged.error();
    json direct;
    if (can) {
      PeerAccess access(from_, to_);
      if (done = access.enable(); !done) return done.error();
      auto us = time_copies(wrong);
      if (!us) return us.error();
      direct = *us;
    }
    return json{{"ordinal", to_.ordinal()}, {"canAccess", can != 0}, {"bytes", words_ * 4},
                {"stagedUs", *staged},      {"directUs", direct},    {"wordsWrong", wrong}};
  }

 private:
  Result<void> copy() {
    const auto result = from_.api().cuMemcpyPeerAsync(target_.pointer(), to_.handle(), source_.pointer(),
                                                      from_.handle(), words_ * 4, stream_.get());
    return from_.check("cuMemcpyPeerAsync", result);
  }

  // Microseconds a frame, after one that is not counted.
  Result<double> time_copies(size_t& wrong) {
    if (auto done = target_.fill(words_, 0); !done) return done.error();
    if (auto done = from_.make_current(); !done) return done.error();
    if (auto done = copy(); !done) return done.error();
    if (auto done = stream_.wait(); !done) return done.error();
    const auto start = Clock::now();
    for (uint32_t frame = 0; frame < frames_; ++frame)
      if (auto done = copy(); !done) return done.error();
    if (auto done = stream_.wait(); !done) return done.error();
    const std::chrono::duration<double, std::micro> took = Clock::now() - start;
    auto other = target_.words_other_than(kPattern, words_);
    if (!other) return other.error();
    wrong += *other;
    return took.count() / frames_;
  }

  const CudaContext &from_, &to_;
  const size_t words_;
  const uint32_t frames_;
  DeviceBytes source_, target_;
  Stream stream_;
};

}  // namespace

Result<json> measure_peers(Workplace& workplace, const Cell& cell) {
  if (!workplace.has_cuda()) return json{{"skipped", "There is no CUDA here."}};
  auto from = workplace.cuda();
  if (!from) return from.error();
  int count = 0;
  if (auto done = (*from)->check("cuDeviceGetCount", (*from)->api().cuDeviceGetCount(&count)); !done)
    return done.error();
  json rows = json::array();
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    if (ordinal == (*from)->ordinal()) continue;
    auto to = CudaContext::create(ordinal);
    if (!to) return to.error();
    auto row = PeerProbe(**from, **to, cell).run();
    if (!row) return row.error();
    rows.push_back(*row);
  }
  return json{{"rows", rows}};
}

}  // namespace seamscope::seamtest
