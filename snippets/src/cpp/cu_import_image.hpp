#pragma once

#include <cuda.h>

#include <cstdint>

#include "check_cuda.hpp"
#include "unique_fd.hpp"

// snippet: begin seam-cu-import-image | Import a dedicated Vulkan RGBA8 image into CUDA (driver API) as a CUDA array
// snippet: placeholders ImportedImage
class ImportedImage {
 public:
  ImportedImage(UniqueFd fd, uint64_t allocation_size, size_t width, size_t height)
      : ImportedImage() {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle{};
    handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    handle.handle.fd = fd.get();
    handle.size = allocation_size;
    handle.flags = CUDA_EXTERNAL_MEMORY_DEDICATED;  // as VkMemoryDedicatedAllocateInfo said
    check(cuImportExternalMemory(&memory_, &handle), "cuImportExternalMemory");
    fd.release();  // the transfer point: CUDA adopted the fd; on failure UniqueFd closes it

    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC image{};
    image.arrayDesc.Width = width;
    image.arrayDesc.Height = height;
    image.arrayDesc.Format = CU_AD_FORMAT_UNSIGNED_INT8;
    image.arrayDesc.NumChannels = 4;
    // Add CUDA_ARRAY3D_COLOR_ATTACHMENT if Vulkan renders into the image.
    image.arrayDesc.Flags = CUDA_ARRAY3D_SURFACE_LDST;
    image.numLevels = 1;
    check(cuExternalMemoryGetMappedMipmappedArray(&levels_, memory_, &image), "map imported image");
    check(cuMipmappedArrayGetLevel(&array_, levels_, 0), "cuMipmappedArrayGetLevel");
  }
  ImportedImage(const ImportedImage&) = delete;
  ImportedImage& operator=(const ImportedImage&) = delete;
  ~ImportedImage() {
    if (levels_) cuMipmappedArrayDestroy(levels_);  // the chain, never the level: it is borrowed
    if (memory_) cuDestroyExternalMemory(memory_);  // last: the chain refers to it
  }
  CUarray array() const { return array_; }

 private:
  ImportedImage() = default;
  CUexternalMemory memory_ = nullptr;
  CUmipmappedArray levels_ = nullptr;
  CUarray array_ = nullptr;
};
// snippet: end
