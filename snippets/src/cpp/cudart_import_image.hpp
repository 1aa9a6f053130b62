#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "check_cudart.hpp"
#include "unique_fd.hpp"

// snippet: begin seam-cudart-import-image | Import a dedicated Vulkan RGBA8 image into CUDA (runtime API) as a CUDA array
// snippet: placeholders ImportedImage
class ImportedImage {
 public:
  ImportedImage(UniqueFd fd, uint64_t allocation_size, size_t width, size_t height)
      : ImportedImage() {
    cudaExternalMemoryHandleDesc handle{};
    handle.type = cudaExternalMemoryHandleTypeOpaqueFd;
    handle.handle.fd = fd.get();
    handle.size = allocation_size;
    handle.flags = cudaExternalMemoryDedicated;  // as VkMemoryDedicatedAllocateInfo said
    check(cudaImportExternalMemory(&memory_, &handle), "cudaImportExternalMemory");
    fd.release();  // the transfer point: CUDA adopted the fd; on failure UniqueFd closes it

    cudaExternalMemoryMipmappedArrayDesc image{};
    image.formatDesc = cudaChannelFormatDesc{8, 8, 8, 8, cudaChannelFormatKindUnsigned};
    image.extent = cudaExtent{width, height, 0};
    image.flags = cudaArraySurfaceLoadStore;  // + cudaArrayColorAttachment if rendered to
    image.numLevels = 1;
    check(
        cudaExternalMemoryGetMappedMipmappedArray(&levels_, memory_, &image), "map imported image");
    check(cudaGetMipmappedArrayLevel(&array_, levels_, 0), "cudaGetMipmappedArrayLevel");
  }
  ImportedImage(const ImportedImage&) = delete;
  ImportedImage& operator=(const ImportedImage&) = delete;
  ~ImportedImage() {
    if (levels_) cudaFreeMipmappedArray(levels_);  // the chain, never the level: it is borrowed
    if (memory_) cudaDestroyExternalMemory(memory_);  // last: the chain refers to it
  }
  cudaArray_t array() const { return array_; }

 private:
  ImportedImage() = default;
  cudaExternalMemory_t memory_ = nullptr;
  cudaMipmappedArray_t levels_ = nullptr;
  cudaArray_t array_ = nullptr;
};
// snippet: end
