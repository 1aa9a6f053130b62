#pragma once
// Stand-ins for the CUDA driver API, Vulkan and ovrtx functions that the snippets call: they record the call, adopt fds
// on success as the real ones do, and do nothing else.

#include <cuda.h>
#include <ovrtx/ovrtx.h>
#include <vulkan/vulkan.h>

#include <cstring>

#include "calls.hpp"
#include "closes.hpp"

inline CUresult cu(const char* name) {
  return called(name) ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

#define CU(name, parameters)            \
  extern "C" CUresult name parameters { \
    return cu(#name);                   \
  }
#define CU_OUT(name, parameters, ...)   \
  extern "C" CUresult name parameters { \
    const CUresult result = cu(#name);  \
    if (result == CUDA_SUCCESS) {       \
      __VA_ARGS__;                      \
    }                                   \
    return result;                      \
  }

CU(cuInit, (unsigned))
CU_OUT(cuDeviceGet, (CUdevice * device, int ordinal), *device = ordinal)
CU_OUT(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device), std::memset(uuid->bytes, device, 16))
CU_OUT(cuGetErrorName, (CUresult, const char** name), *name = "CUDA_ERROR_UNKNOWN")
CU_OUT(cuImportExternalMemory, (CUexternalMemory * memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* desc),
       *memory = fake<CUexternalMemory>();
       close(desc->handle.fd))
CU_OUT(cuExternalMemoryGetMappedBuffer,
       (CUdeviceptr * pointer, CUexternalMemory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC*), *pointer = 0x20)
CU_OUT(cuExternalMemoryGetMappedMipmappedArray,
       (CUmipmappedArray * array, CUexternalMemory, const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC*),
       *array = fake<CUmipmappedArray>())
CU_OUT(cuMipmappedArrayGetLevel, (CUarray * array, CUmipmappedArray, unsigned), *array = fake<CUarray>())
CU(cuMipmappedArrayDestroy, (CUmipmappedArray))
CU(cuMemFree, (CUdeviceptr))
CU(cuDestroyExternalMemory, (CUexternalMemory))
CU_OUT(cuImportExternalSemaphore, (CUexternalSemaphore * semaphore, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC* desc),
       *semaphore = fake<CUexternalSemaphore>();
       close(desc->handle.fd))
CU(cuDestroyExternalSemaphore, (CUexternalSemaphore))
extern "C" CUresult cuWaitExternalSemaphoresAsync(const CUexternalSemaphore*,
                                                  const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS* p, unsigned, CUstream) {
  return cu(("wait:" + std::to_string(p->params.fence.value)).c_str());
}
extern "C" CUresult cuSignalExternalSemaphoresAsync(const CUexternalSemaphore*,
                                                    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* p, unsigned,
                                                    CUstream) {
  return cu(("signal:" + std::to_string(p->params.fence.value)).c_str());
}
CU_OUT(cuMemGetAllocationGranularity, (size_t * unit, const CUmemAllocationProp*, CUmemAllocationGranularity_flags),
       *unit = 2 << 20)
CU_OUT(cuMemCreate, (CUmemGenericAllocationHandle * handle, size_t, const CUmemAllocationProp*, unsigned long long),
       *handle = 1)
CU_OUT(cuMemAddressReserve, (CUdeviceptr * range, size_t, size_t, CUdeviceptr, unsigned long long), *range = 0x30)
CU(cuMemMap, (CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long))
CU(cuMemSetAccess, (CUdeviceptr, size_t, const CUmemAccessDesc*, size_t))
CU(cuMemUnmap, (CUdeviceptr, size_t))
CU(cuMemAddressFree, (CUdeviceptr, size_t))
CU(cuMemRelease, (CUmemGenericAllocationHandle))
CU_OUT(cuMemExportToShareableHandle,
       (void* fd, CUmemGenericAllocationHandle, CUmemAllocationHandleType, unsigned long long),
       *static_cast<int*>(fd) = open_null())
CU_OUT(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice), *context = fake<CUcontext>())
CU(cuDevicePrimaryCtxRelease, (CUdevice))
CU(cuCtxPushCurrent, (CUcontext))
CU(cuCtxPopCurrent, (CUcontext*))
CU(cuStreamWaitEvent, (CUstream, CUevent, unsigned))
CU(cuEventRecord, (CUevent, CUstream))
CU(cuStreamSynchronize, (CUstream))
CU(cuStreamDestroy, (CUstream))
CU(cuSurfObjectDestroy, (CUsurfObject))
CU(cuMemcpyDtoDAsync, (CUdeviceptr, CUdeviceptr, size_t, CUstream))
CU(cuMemcpy2DAsync, (const CUDA_MEMCPY2D*, CUstream))
CU_OUT(cuArrayGetDescriptor, (CUDA_ARRAY_DESCRIPTOR * desc, CUarray), *desc = {8, 4, CU_AD_FORMAT_HALF, 4})

// What ovrtx maps: the test sets tensor and event.
inline DLTensor fake_tensor{};
inline ovrtx_render_var_tensor_t fake_slot{&fake_tensor};
inline uintptr_t fake_wait_event = 0x40;
extern "C" inline ovrtx_result_t ovrtx_map_render_var_output(ovrtx_renderer_t*, ovrtx_render_var_output_handle_t,
                                                             const ovrtx_map_output_description_t* desc,
                                                             ovrtx_timeout_t, ovrtx_render_var_output_t* output) {
  if (!called("map:" + std::to_string(desc->sync_stream))) return {OVRTX_API_ERROR};
  *output = {5, {0, fake_wait_event}, 1, &fake_slot};
  return {OVRTX_API_SUCCESS};
}
extern "C" inline ovrtx_result_t ovrtx_unmap_render_var_output(ovrtx_renderer_t*, ovrtx_render_var_output_map_handle_t,
                                                               ovrtx_cuda_sync_t sync) {
  called(sync.wait_event ? "unmap:event" : sync.stream ? "unmap:stream" : "unmap:nothing");
  return {OVRTX_API_SUCCESS};
}

#define VK(name, parameters)        \
  extern "C" void name parameters { \
    called(#name);                  \
  }
extern "C" VkResult vkDeviceWaitIdle(VkDevice) {
  called("vkDeviceWaitIdle");
  return VK_SUCCESS;
}
VK(vkDestroyCommandPool, (VkDevice, VkCommandPool, const VkAllocationCallbacks*))
VK(vkDestroyDescriptorPool, (VkDevice, VkDescriptorPool, const VkAllocationCallbacks*))
VK(vkDestroyImageView, (VkDevice, VkImageView, const VkAllocationCallbacks*))
VK(vkDestroyImage, (VkDevice, VkImage, const VkAllocationCallbacks*))
VK(vkDestroyBuffer, (VkDevice, VkBuffer, const VkAllocationCallbacks*))
VK(vkFreeMemory, (VkDevice, VkDeviceMemory, const VkAllocationCallbacks*))
VK(vkFreeCommandBuffers, (VkDevice, VkCommandPool, uint32_t, const VkCommandBuffer*))
VK(vkDestroySemaphore, (VkDevice, VkSemaphore, const VkAllocationCallbacks*))
VK(vkDestroyDevice, (VkDevice, const VkAllocationCallbacks*))
extern "C" VkResult vkAllocateMemory(VkDevice, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks*,
                                     VkDeviceMemory* memory) {
  if (!called("vkAllocateMemory")) return VK_ERROR_INVALID_EXTERNAL_HANDLE;
  *memory = fake<VkDeviceMemory>();
  close(static_cast<const VkImportMemoryFdInfoKHR*>(info->pNext)->fd);
  return VK_SUCCESS;
}
