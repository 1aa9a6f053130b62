// seamscope.h declares the few structures of CUDA and Vulkan that it uses itself: they must be laid out as the drivers'
// own.

#include <doctest/doctest.h>
#include <vulkan/vulkan.h>

#include <cstddef>

#include "drivers/cuda_interop_types.hpp"

// A copy of the implementation for this file alone; most of it is not called here.
#pragma GCC diagnostic ignored "-Wunused-function"
#define SEAMSCOPE_API static
#define SEAMSCOPE_IMPLEMENTATION
#include "../publisher/seamscope.h"

namespace {

#define SAME_SIZE(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs))
#define SAME_PLACE(ours, our_field, theirs, their_field) \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field))

SAME_SIZE(ssc_vk_buffer_info, VkBufferCreateInfo);
SAME_PLACE(ssc_vk_buffer_info, usage, VkBufferCreateInfo, usage);
SAME_PLACE(ssc_vk_buffer_info, families, VkBufferCreateInfo, pQueueFamilyIndices);
SAME_SIZE(ssc_vk_allocate_info, VkMemoryAllocateInfo);
SAME_PLACE(ssc_vk_allocate_info, memory_type, VkMemoryAllocateInfo, memoryTypeIndex);
SAME_SIZE(ssc_vk_handle_types, VkExportMemoryAllocateInfo);
SAME_SIZE(ssc_vk_handle_types, VkExternalMemoryBufferCreateInfo);
SAME_SIZE(ssc_vk_dedicated, VkMemoryDedicatedAllocateInfo);
SAME_PLACE(ssc_vk_dedicated, buffer, VkMemoryDedicatedAllocateInfo, buffer);
SAME_SIZE(ssc_vk_requirements, VkMemoryRequirements);
SAME_PLACE(ssc_vk_requirements, types, VkMemoryRequirements, memoryTypeBits);
SAME_SIZE(ssc_vk_memory_properties, VkPhysicalDeviceMemoryProperties);
SAME_PLACE(ssc_vk_memory_properties, heaps, VkPhysicalDeviceMemoryProperties, memoryHeaps);
SAME_SIZE(ssc_vk_id_properties, VkPhysicalDeviceIDProperties);
SAME_PLACE(ssc_vk_id_properties, driver_uuid, VkPhysicalDeviceIDProperties, driverUUID);
static_assert(sizeof(ssc_vk_properties) >= sizeof(VkPhysicalDeviceProperties2));
SAME_SIZE(ssc_vk_family, VkQueueFamilyProperties);
SAME_SIZE(ssc_vk_get_fd, VkMemoryGetFdInfoKHR);
SAME_PLACE(ssc_vk_get_fd, handle_type, VkMemoryGetFdInfoKHR, handleType);
SAME_SIZE(ssc_vk_range, VkMappedMemoryRange);
SAME_SIZE(ssc_vk_event_info, VkEventCreateInfo);
SAME_SIZE(ssc_vk_barrier, VkMemoryBarrier);
SAME_SIZE(ssc_vk_image_barrier, VkImageMemoryBarrier);
SAME_PLACE(ssc_vk_image_barrier, image, VkImageMemoryBarrier, image);
SAME_PLACE(ssc_vk_image_barrier, range, VkImageMemoryBarrier, subresourceRange);
SAME_SIZE(ssc_vk_buffer_barrier, VkBufferMemoryBarrier);
SAME_PLACE(ssc_vk_buffer_barrier, size, VkBufferMemoryBarrier, size);
SAME_SIZE(ssc_vk_copy, VkBufferCopy);
SAME_SIZE(ssc_vk_image_copy, VkBufferImageCopy);
SAME_PLACE(ssc_vk_image_copy, extent, VkBufferImageCopy, imageExtent);

namespace cuda = seamscope::cuda;
SAME_SIZE(ssc_cuda_prop, cuda::CUmemAllocationProp);
SAME_PLACE(ssc_cuda_prop, location, cuda::CUmemAllocationProp, location);
SAME_SIZE(ssc_cuda_access, cuda::CUmemAccessDesc);
SAME_SIZE(ssc_cuda_array_desc, cuda::CUDA_ARRAY3D_DESCRIPTOR);
SAME_PLACE(ssc_cuda_array_desc, channels, cuda::CUDA_ARRAY3D_DESCRIPTOR, NumChannels);
// Of cuda.h's CUDA_MEMCPY2D.
static_assert(sizeof(ssc_cuda_copy) == 128 && offsetof(ssc_cuda_copy, from_array) == 40 &&
              offsetof(ssc_cuda_copy, to_type) == 72 && offsetof(ssc_cuda_copy, height) == 120);

struct Format {
  VkFormat format;
  uint32_t dtype, channels;
};

}  // namespace

TEST_CASE("publisher: numbers of Vulkan's enumerations") {
  CHECK(SSC_LAYOUT_GENERAL == VK_IMAGE_LAYOUT_GENERAL);
  CHECK(SSC_LAYOUT_TRANSFER_SRC == VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  CHECK(SSC_STAGE_TRANSFER == VK_PIPELINE_STAGE_TRANSFER_BIT);
  CHECK(SSC_STAGE_HOST == VK_PIPELINE_STAGE_HOST_BIT);
  CHECK(SSC_STAGE_ALL == VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  CHECK(SSC_ACCESS_TRANSFER_READ == VK_ACCESS_TRANSFER_READ_BIT);
  CHECK(SSC_ACCESS_TRANSFER_WRITE == VK_ACCESS_TRANSFER_WRITE_BIT);
  CHECK(SSC_ACCESS_HOST_READ == VK_ACCESS_HOST_READ_BIT);
  CHECK(SSC_ACCESS_READ == VK_ACCESS_MEMORY_READ_BIT);
  CHECK(SSC_ACCESS_WRITE == VK_ACCESS_MEMORY_WRITE_BIT);
  CHECK(SSC_FAMILY_EXTERNAL == VK_QUEUE_FAMILY_EXTERNAL);
  CHECK(SSC_VK_OPAQUE_FD == VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT);
}

TEST_CASE("publisher: what a VkFormat stands for") {
  const Format formats[] = {
      {VK_FORMAT_R8_UNORM, SEAMSCOPE_U8, 1},
      {VK_FORMAT_R8G8B8A8_SRGB, SEAMSCOPE_U8, 4},
      {VK_FORMAT_B8G8R8A8_UNORM, SEAMSCOPE_U8, 4},
      {VK_FORMAT_R16G16B16A16_SFLOAT, SEAMSCOPE_F16, 4},
      {VK_FORMAT_R32G32B32A32_SFLOAT, SEAMSCOPE_F32, 4},
      {VK_FORMAT_R32_UINT, SEAMSCOPE_U32, 1},
      {VK_FORMAT_R16G16_SFLOAT, SEAMSCOPE_F16, 2},
      {VK_FORMAT_A2B10G10R10_UNORM_PACK32, SEAMSCOPE_RGB10A2, 4},
      {VK_FORMAT_B10G11R11_UFLOAT_PACK32, SEAMSCOPE_R11G11B10F, 3},
      {VK_FORMAT_D32_SFLOAT, SEAMSCOPE_F32, 1},
      {VK_FORMAT_D24_UNORM_S8_UINT, SEAMSCOPE_D24S8, 1},
      {VK_FORMAT_D16_UNORM, SEAMSCOPE_U16, 1},
      {VK_FORMAT_S8_UINT, SEAMSCOPE_U8, 1},
  };
  for (const Format& row : formats) {
    CAPTURE(row.format);
    seamscope_vulkan_source source{};
    seamscope_frame_desc desc{};
    source.format = static_cast<uint32_t>(row.format);
    const uint32_t aspect = ssc_vk_apply_format(&source, &desc);
    CHECK(desc.dtype == row.dtype);
    CHECK(desc.channels == row.channels);
    const bool is_depth = desc.kind == SEAMSCOPE_DEPTH;
    CHECK(is_depth == (aspect == VK_IMAGE_ASPECT_DEPTH_BIT));
  }
  seamscope_vulkan_source compressed{};
  seamscope_frame_desc desc{};
  compressed.format = VK_FORMAT_BC7_UNORM_BLOCK;
  CHECK(ssc_vk_apply_format(&compressed, &desc) == 0);
}
