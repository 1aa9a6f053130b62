/* One buffer in both APIs: Vulkan allocates and exports it, CUDA writes frames into it. The preview gets each frame
 * twice, through CUDA ("cuda") and through Vulkan ("vulkan"): a real program needs one of the two.
 *
 *   cc -O2 vulkan_cuda.c -o vulkan_cuda && ./vulkan_cuda    (needs Vulkan's headers; glibc before 2.34: add -pthread
 * -ldl) */
#define SEAMSCOPE_IMPLEMENTATION
#include "../seamscope.h"
#include "cuda_driver.h"
#include "pattern.h"
#include "vulkan_setup.h"

typedef struct {
  VkBuffer buffer;
  VkDeviceMemory memory;
  VkDeviceSize size;
  CUexternalMemory imported;
  CUdeviceptr pointer;
} shared_buffer;

static void create_exported(const vulkan_setup* vk, shared_buffer* shared, size_t bytes) {
  VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                               .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                             .pNext = &external,
                             .size = bytes,
                             .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
  VULKAN_CHECK(vkCreateBuffer(vk->device, &info, NULL, &shared->buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(vk->device, shared->buffer, &needs);
  VkMemoryDedicatedAllocateInfo dedicated = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                             .buffer = shared->buffer};
  VkExportMemoryAllocateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                         .pNext = &dedicated,
                                         .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = &exported,
                                 .allocationSize = needs.size,
                                 .memoryTypeIndex = vulkan_memory_type(vk, needs.memoryTypeBits)};
  VULKAN_CHECK(vkAllocateMemory(vk->device, &memory, NULL, &shared->memory));
  VULKAN_CHECK(vkBindBufferMemory(vk->device, shared->buffer, shared->memory, 0));
  shared->size = needs.size;
}

static void import_into_cuda(const vulkan_setup* vk, shared_buffer* shared, size_t bytes) {
  const PFN_vkGetMemoryFdKHR get_fd = (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(vk->device, "vkGetMemoryFdKHR");
  if (!get_fd) vulkan_fail("The Vulkan device exports no memory (VK_KHR_external_memory_fd).");
  VkMemoryGetFdInfoKHR request = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                  .memory = shared->memory,
                                  .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC memory;
  memset(&memory, 0, sizeof memory);
  memory.type = 1;  /* opaque fd */
  memory.flags = 1; /* dedicated */
  memory.size = shared->size;
  VULKAN_CHECK(get_fd(vk->device, &request, &memory.handle.fd));
  CUDA_CHECK(cuImportExternalMemory(&shared->imported, &memory)); /* the descriptor is CUDA's now */
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC range;
  memset(&range, 0, sizeof range);
  range.size = bytes;
  CUDA_CHECK(cuExternalMemoryGetMappedBuffer(&shared->pointer, shared->imported, &range));
}

int main(int count, char** arguments) {
  const example_options options = example_parse(count, arguments);
  const size_t bytes = (size_t)options.width * options.height * 4;
  vulkan_setup vk = {0};
  shared_buffer shared = {0};
  CUcontext context;
  CUstream stream;
  uint8_t uuid[16];
  uint32_t extension_count = 0;
  cuda_load();
  CUDA_CHECK(cuInit(0));
  CUDA_CHECK(cuDeviceGetUuid(uuid, 0));
  CUDA_CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CUDA_CHECK(cuCtxSetCurrent(context));
  CUDA_CHECK(cuStreamCreate(&stream, 1));
  vulkan_create_instance(&vk);
  vulkan_choose(&vk, getenv("EXAMPLE_ANY_DEVICE") ? NULL : uuid);
  const char* const* extensions = seamscope_vulkan_extensions(SEAMSCOPE_VULKAN_DEVICE, &extension_count);
  vulkan_create_device(&vk, extensions, extension_count);
  create_exported(&vk, &shared, bytes);
  import_into_cuda(&vk, &shared, bytes);

  const seamscope_vulkan_desc device = {vk.instance, vk.physical, vk.device, 0, (void (*)(void))vkGetInstanceProcAddr};
  seamscope_vulkan* preview = seamscope_vulkan_open(&device);
  uint8_t* pixels = (uint8_t*)malloc(bytes);
  if (!pixels) return 1;
  for (uint32_t frame = 0; example_next(&options, frame); ++frame) {
    seamscope_frame_desc image = {0};
    image.width = options.width;
    image.height = options.height;
    example_draw(pixels, &options, frame); /* stands in for a kernel */
    CUDA_CHECK(cuMemcpyHtoDAsync(shared.pointer, pixels, bytes, stream));
    seamscope_publish_cuda("cuda", (const void*)(uintptr_t)shared.pointer, &image, stream);
    CUDA_CHECK(cuStreamSynchronize(stream)); /* a real program hands over with a semaphore */

    vulkan_begin(&vk);
    seamscope_vulkan_source source = {0};
    source.buffer = shared.buffer;
    const uint64_t ticket = seamscope_vulkan_record(preview, vk.commands, "vulkan", &source, &image);
    vulkan_submit(&vk);
    seamscope_vulkan_submitted(ticket, NULL, NULL, 0);
    vulkan_wait(&vk);
  }
  vkDeviceWaitIdle(vk.device);
  seamscope_vulkan_close(preview);
  seamscope_close();
  free(pixels);
  CUDA_CHECK(cuMemFree(shared.pointer)); /* the mapping, then the import, then the exporter's memory */
  CUDA_CHECK(cuDestroyExternalMemory(shared.imported));
  vkDestroyBuffer(vk.device, shared.buffer, NULL);
  vkFreeMemory(vk.device, shared.memory, NULL);
  vulkan_destroy(&vk);
  CUDA_CHECK(cuStreamDestroy(stream));
  CUDA_CHECK(cuDevicePrimaryCtxRelease(0));
  return 0;
}
