#pragma once
// What a publish works with: three slots of GPU memory that can be exported, a stream and events beside the program's,
// flags in host memory that the GPU writes, and a thread that waits for them.

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "calls/driver.hpp"
#include "interop/cuda_memory.hpp"

namespace seamscope::measure {

// Sleeps until it is woken, then looks every 200 us whether the flag has the value it should have.
class Watcher {
 public:
  Watcher() : wake_(eventfd(0, EFD_CLOEXEC)), thread_([this] { loop(); }) {}
  ~Watcher() {
    stop_ = true;
    expect(nullptr, 0);
    thread_.join();
    close(wake_);
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  int expect(const uint32_t* flag, uint32_t value) {
    flag_ = flag;
    value_ = value;
    const uint64_t one = 1;
    if (woken_.exchange(true)) return 0;
    return write(wake_, &one, sizeof one) == sizeof one ? 0 : 1;
  }

 private:
  void loop() {
    while (!stop_) {
      uint64_t count = 0;
      if (read(wake_, &count, sizeof count) < 0) return;
      woken_ = false;
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
      while (!stop_ && !there() && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  bool there() const {
    const uint32_t* flag = flag_;
    return !flag || __atomic_load_n(flag, __ATOMIC_ACQUIRE) == value_;
  }

  std::atomic<bool> stop_{false}, woken_{false};
  std::atomic<const uint32_t*> flag_{nullptr};
  std::atomic<uint32_t> value_{0};
  int wake_;
  std::thread thread_;
};

class Ring {
 public:
  static constexpr uint32_t kSlots = 3;

  Ring(std::shared_ptr<interop::CudaContext> cuda, const Driver& driver) : cuda_(std::move(cuda)), driver_(driver) {}
  ~Ring() {
    if (registered_) driver_.host_unregister(flags_);
    if (flags_ != MAP_FAILED) munmap(flags_, kFlagBytes);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  Result<void> open(size_t bytes) {
    const auto& api = cuda_->api();
    auto done = cuda_->check("cuStreamCreate", api.cuStreamCreate(&side, cuda::CU_STREAM_NON_BLOCKING));
    for (auto& event : events)
      if (done) done = cuda_->check("cuEventCreate", api.cuEventCreate(&event, cuda::CU_EVENT_DISABLE_TIMING));
    if (!done) return done;
    for (auto& slot : slots_) {
      auto made = interop::CudaAllocation::create(cuda_, ledger_, bytes, "slot");
      if (!made) return made.error();
      slot = std::move(*made);
    }
    flags_ = mmap(nullptr, kFlagBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    constexpr unsigned kPortableAndMapped = 3;
    if (!driver_.host_register || !driver_.host_pointer || flags_ == MAP_FAILED) return {};
    registered_ = driver_.host_register(flags_, kFlagBytes, kPortableAndMapped) == 0;
    if (registered_ && driver_.host_pointer(&flags_there_, flags_, 0) != 0) flags_there_ = 0;
    return {};
  }

  CUdeviceptr slot() const { return slots_[number_ % kSlots]->pointer(); }
  CUdeviceptr slot(uint32_t index) const { return slots_[index]->pointer(); }
  CUevent event() const { return events[number_ % kSlots]; }
  uint32_t index() const { return number_ % kSlots; }
  uint32_t number() const { return number_; }
  const uint32_t* flag() const { return static_cast<const uint32_t*>(flags_) + index(); }
  CUdeviceptr flag_there(uint32_t index) const { return flags_there_ + index * sizeof(uint32_t); }
  bool has_flags() const { return flags_there_ != 0; }
  void next() { ++number_; }

  CUstream side = nullptr;
  CUevent events[kSlots] = {};
  Watcher watcher;

 private:
  static constexpr size_t kFlagBytes = 4096;
  std::shared_ptr<interop::CudaContext> cuda_;
  const Driver& driver_;
  interop::Ledger ledger_;
  std::unique_ptr<interop::CudaAllocation> slots_[kSlots];
  void* flags_ = MAP_FAILED;
  CUdeviceptr flags_there_ = 0;
  bool registered_ = false;
  uint32_t number_ = 1;
};

}  // namespace seamscope::measure
