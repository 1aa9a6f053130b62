// Vulkan's memory imported into CUDA, as a linear buffer or as an array behind a surface.

#include <utility>

#include "interop/cuda_memory.hpp"

namespace seamscope::interop {
namespace {

class CudaImport : public CudaMemory {
 public:
  CudaImport(std::shared_ptr<CudaContext> cuda, Ledger& ledger) : cuda_(std::move(cuda)), ledger_(ledger) {}
  ~CudaImport() override { destroy(); }

  Result<void> import(MemoryHandover handover, const std::string& label) {
    cuda::CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc{};
    desc.type = cuda::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    desc.handle.fd = handover.fd.get();
    desc.size = handover.size;
    desc.flags = handover.dedicated ? cuda::CUDA_EXTERNAL_MEMORY_DEDICATED : 0;
    auto done = check("cuImportExternalMemory", cuda_->api().cuImportExternalMemory(&memory_, &desc));
    if (!done) return done;
    handover.consumed();  // the transfer point: CUDA owns the fd from here on
    std::vector<LedgerId> needs;
    if (handover.exporter) needs.push_back(handover.exporter);
    id_ = ledger_.acquire("CUDA", "import of " + label, needs);
    return {};
  }

  Result<void> map_buffer(uint64_t bytes) {
    cuda::CUDA_EXTERNAL_MEMORY_BUFFER_DESC desc{};
    desc.size = bytes;
    const auto result = cuda_->api().cuExternalMemoryGetMappedBuffer(&pointer_, memory_, &desc);
    return check("cuExternalMemoryGetMappedBuffer", result);
  }

  Result<void> map_image(FrameShape shape) {
    cuda::CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC desc{};
    // Vulkan copies into the image: with rendering into it CUDA_ARRAY3D_COLOR_ATTACHMENT would have to be set as well.
    desc.arrayDesc = {
        shape.width, shape.height, 0, cuda::CU_AD_FORMAT_UNSIGNED_INT8, 4, cuda::CUDA_ARRAY3D_SURFACE_LDST};
    desc.numLevels = 1;
    const auto& api = cuda_->api();
    auto done = check("cuExternalMemoryGetMappedMipmappedArray",
                      api.cuExternalMemoryGetMappedMipmappedArray(&levels_, memory_, &desc));
    if (!done) return done;
    cuda::CUDA_RESOURCE_DESC resource{};
    resource.resType = cuda::CU_RESOURCE_TYPE_ARRAY;
    done = check("cuMipmappedArrayGetLevel", api.cuMipmappedArrayGetLevel(&resource.res.hArray, levels_, 0));
    if (!done) return done;
    return check("cuSurfObjectCreate", api.cuSurfObjectCreate(&surface_, &resource));
  }

  // Views before what they look into, and that before the imported memory.
  void destroy() override {
    const auto& api = cuda_->api();
    if (surface_) api.cuSurfObjectDestroy(std::exchange(surface_, 0));
    if (levels_) api.cuMipmappedArrayDestroy(std::exchange(levels_, nullptr));
    if (pointer_) api.cuMemFree(std::exchange(pointer_, 0));
    if (memory_) api.cuDestroyExternalMemory(std::exchange(memory_, nullptr));
    ledger_.release(id_);
  }
  LedgerId id() const override { return id_; }
  cuda::CUdeviceptr pointer() const override { return pointer_; }
  cuda::CUsurfObject surface() const override { return surface_; }

 private:
  Result<void> check(const char* call, cuda::CUresult result) const { return cuda_->check(call, result); }

  std::shared_ptr<CudaContext> cuda_;
  Ledger& ledger_;
  cuda::CUexternalMemory memory_ = nullptr;
  cuda::CUdeviceptr pointer_ = 0;
  cuda::CUmipmappedArray levels_ = nullptr;
  cuda::CUsurfObject surface_ = 0;
  LedgerId id_ = 0;
};

}  // namespace

Result<std::unique_ptr<CudaMemory>> import_into_cuda(std::shared_ptr<CudaContext> cuda, Ledger& ledger,
                                                     FrameShape shape, Resource resource, const std::string& label,
                                                     MemoryHandover handover) {
  auto memory = std::make_unique<CudaImport>(std::move(cuda), ledger);
  if (auto done = memory->import(std::move(handover), label); !done) return done.error();
  auto mapped = resource == Resource::Buffer ? memory->map_buffer(shape.bytes()) : memory->map_image(shape);
  if (!mapped) return mapped.error();
  return std::unique_ptr<CudaMemory>(std::move(memory));
}

}  // namespace seamscope::interop
