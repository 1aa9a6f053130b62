#pragma once
// A frame of host memory where shaders can read it.

#include <memory>
#include <span>

#include "gpu/staged_buffer.hpp"
#include "preview/thread_pool.hpp"

namespace seamscope {

// Larger frames stay where they are: an upload reads every byte, a view pass on the host only those that are seen.
constexpr uint64_t kMostUpload = uint64_t{256} << 20;

class GpuUpload {
 public:
  static Result<std::unique_ptr<GpuUpload>> create(std::shared_ptr<gpu::Device> device);

  // The buffer keeps the bytes until the next run; its size is that of the largest frame so far. Waits for the end.
  Result<const gpu::Buffer*> run(std::span<const std::byte> bytes);

 private:
  explicit GpuUpload(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {}

  std::shared_ptr<gpu::Device> device_;
  std::unique_ptr<gpu::Commands> commands_;
  gpu::StagedBuffer buffer_;
  ThreadPool copiers_{4};
};

}  // namespace seamscope
