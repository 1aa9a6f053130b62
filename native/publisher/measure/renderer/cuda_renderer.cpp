#include <dlfcn.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "bench_print.hpp"
#include "interop/cuda_context.hpp"
#include "publisher_session.hpp"
#include "render_load_ptx.h"
#include "renderer/renderer.hpp"

namespace seamscope::measure {
namespace {

using interop::CudaContext;
constexpr unsigned kSide = 16;  // of a block of threads
constexpr auto kFrameTimeout = std::chrono::seconds(20);

// Pinned where the driver can, as a program that cares for its copies has it.
void* pinned(size_t bytes, std::vector<std::byte>& instead) {
  using Allocate = int (*)(void**, size_t);
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  const auto allocate = library ? reinterpret_cast<Allocate>(dlsym(library, "cuMemAllocHost_v2")) : nullptr;
  void* memory = nullptr;
  if (allocate && allocate(&memory, bytes) == 0) return memory;
  instead.resize(bytes);
  return instead.data();
}

class CudaRenderer final : public Renderer {
 public:
  CudaRenderer(std::shared_ptr<CudaContext> cuda, FrameSize size) : cuda_(std::move(cuda)), size_(size) {}
  ~CudaRenderer() override;
  Result<void> open();
  std::string device() const override { return "CUDA device " + std::to_string(cuda_->ordinal()); }
  Result<Drawn> draw(After after) override;
  Result<void> finish() override {
    return cuda_->check("cuStreamSynchronize", cuda_->api().cuStreamSynchronize(stream_));
  }

 private:
  Result<void> wait_for(cuda::CUevent event);
  Result<void> launch();
  Drawn publish() const;
  Result<void> copy();

  std::shared_ptr<CudaContext> cuda_;
  FrameSize size_;
  cuda::CUstream stream_ = nullptr;
  cuda::CUmodule module_ = nullptr;
  cuda::CUfunction kernel_ = nullptr;
  cuda::CUevent done_[kInFlight] = {};
  cuda::CUdeviceptr images_[2] = {};
  void* host_ = nullptr;
  std::vector<std::byte> pageable_;
};

// The process ends next: pinned memory goes with its context.
CudaRenderer::~CudaRenderer() {
  const auto& api = cuda_->api();
  for (const auto image : images_)
    if (image) api.cuMemFree(image);
  for (const auto event : done_)
    if (event) api.cuEventDestroy(event);
  if (module_) api.cuModuleUnload(module_);
  if (stream_) api.cuStreamDestroy(stream_);
}

Result<void> CudaRenderer::open() {
  const auto& api = cuda_->api();
  auto done = cuda_->check("cuStreamCreate", api.cuStreamCreate(&stream_, cuda::CU_STREAM_NON_BLOCKING));
  if (done) done = cuda_->check("cuModuleLoadData", api.cuModuleLoadData(&module_, render_load_ptx));
  if (done) done = cuda_->check("cuModuleGetFunction", api.cuModuleGetFunction(&kernel_, module_, "render_load"));
  for (auto& event : done_)
    if (done) done = cuda_->check("cuEventCreate", api.cuEventCreate(&event, cuda::CU_EVENT_DISABLE_TIMING));
  for (auto& image : images_)
    if (done) done = cuda_->check("cuMemAlloc", api.cuMemAlloc(&image, size_.bytes()));
  if (done) done = cuda_->check("cuMemsetD32", api.cuMemsetD32(images_[1], 0, size_.bytes() / 4));
  host_ = pinned(size_.bytes(), pageable_);
  return done;
}

Result<void> CudaRenderer::wait_for(cuda::CUevent event) {
  const auto end = std::chrono::steady_clock::now() + kFrameTimeout;
  for (;;) {
    const cuda::CUresult state = cuda_->api().cuEventQuery(event);
    if (state != cuda::CUDA_ERROR_NOT_READY) return cuda_->check("cuEventQuery", state);
    if (std::chrono::steady_clock::now() > end)
      return Error{"A frame took longer than 20 s.", "Look at nvidia-smi.", ""};
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

Result<void> CudaRenderer::launch() {
  for (uint32_t pass = 0; pass < kPasses; ++pass) {
    cuda::CUdeviceptr image = images_[pass & 1], before = images_[1 - (pass & 1)];
    void* parameters[] = {&image, &before, &size_.width, &size_.height, &steps_, &frame_};
    const auto launched =
        cuda_->api().cuLaunchKernel(kernel_, (size_.width + kSide - 1) / kSide, (size_.height + kSide - 1) / kSide, 1,
                                    kSide, kSide, 1, 0, stream_, parameters, nullptr);
    if (auto done = cuda_->check("cuLaunchKernel", launched); !done) return done;
  }
  return {};
}

Drawn CudaRenderer::publish() const {
  const auto desc = test::frame_of(size_.width, size_.height);
  const auto* pixels = reinterpret_cast<const void*>(static_cast<uintptr_t>(images_[1]));
  Drawn drawn;
  drawn.publish_us =
      bench::microseconds([&] { drawn.published = seamscope_publish_cuda("color", pixels, &desc, stream_); });
  return drawn;
}

Result<void> CudaRenderer::copy() {
  if (auto done = finish(); !done) return done;
  return cuda_->check("cuMemcpyDtoH", cuda_->api().cuMemcpyDtoH(host_, images_[1], size_.bytes()));
}

Result<Drawn> CudaRenderer::draw(After after) {
  cuda::CUevent& done = done_[frame_ % kInFlight];
  if (frame_ >= kInFlight)
    if (auto waited = wait_for(done); !waited) return waited.error();
  if (auto launched = launch(); !launched) return launched.error();
  const Drawn drawn = after == After::Publish ? publish() : Drawn{};
  if (after == After::Copy)
    if (auto copied = copy(); !copied) return copied.error();
  if (auto recorded = cuda_->check("cuEventRecord", cuda_->api().cuEventRecord(done, stream_)); !recorded)
    return recorded.error();
  ++frame_;
  return drawn;
}

}  // namespace

Result<std::unique_ptr<Renderer>> make_cuda_renderer(FrameSize size) {
  auto cuda = CudaContext::create(0);
  if (!cuda) return cuda.error();
  auto renderer = std::make_unique<CudaRenderer>(std::move(*cuda), size);
  if (auto opened = renderer->open(); !opened) return opened.error();
  return std::unique_ptr<Renderer>(std::move(renderer));
}

}  // namespace seamscope::measure
