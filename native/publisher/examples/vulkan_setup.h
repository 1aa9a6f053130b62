/* A Vulkan device and little helpers, found at run time: what every Vulkan program has already. */
#ifndef SEAMSCOPE_EXAMPLE_VULKAN_SETUP_H
#define SEAMSCOPE_EXAMPLE_VULKAN_SETUP_H

#define VK_NO_PROTOTYPES
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

/* clang-format off */
#define VULKAN_INSTANCE_FUNCTIONS(X)                                                                          \
  X(vkEnumeratePhysicalDevices) X(vkGetPhysicalDeviceQueueFamilyProperties)                                   \
  X(vkGetPhysicalDeviceMemoryProperties) X(vkGetPhysicalDeviceProperties2)                                    \
  X(vkEnumerateDeviceExtensionProperties) X(vkCreateDevice) X(vkGetDeviceProcAddr) X(vkDestroyInstance)
#define VULKAN_DEVICE_FUNCTIONS(X)                                                                            \
  X(vkGetDeviceQueue) X(vkDestroyDevice) X(vkDeviceWaitIdle) X(vkQueueSubmit) X(vkCreateFence)                \
  X(vkDestroyFence) X(vkWaitForFences) X(vkResetFences) X(vkCreateCommandPool) X(vkDestroyCommandPool)        \
  X(vkAllocateCommandBuffers) X(vkBeginCommandBuffer) X(vkEndCommandBuffer) X(vkCreateImage)                  \
  X(vkDestroyImage) X(vkGetImageMemoryRequirements) X(vkBindImageMemory) X(vkCreateImageView)                 \
  X(vkDestroyImageView) X(vkCreateBuffer) X(vkDestroyBuffer) X(vkGetBufferMemoryRequirements)                 \
  X(vkBindBufferMemory) X(vkAllocateMemory) X(vkFreeMemory) X(vkCreateShaderModule) X(vkDestroyShaderModule)  \
  X(vkCreateDescriptorSetLayout) X(vkDestroyDescriptorSetLayout) X(vkCreatePipelineLayout)                    \
  X(vkDestroyPipelineLayout) X(vkCreateComputePipelines) X(vkDestroyPipeline) X(vkCreateDescriptorPool)       \
  X(vkDestroyDescriptorPool) X(vkAllocateDescriptorSets) X(vkUpdateDescriptorSets) X(vkCmdBindPipeline)       \
  X(vkCmdBindDescriptorSets) X(vkCmdPushConstants) X(vkCmdDispatch) X(vkCmdPipelineBarrier)
/* clang-format on */

static PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;
#define VULKAN_DECLARE(name) static PFN_##name name;
VULKAN_INSTANCE_FUNCTIONS(VULKAN_DECLARE)
VULKAN_DEVICE_FUNCTIONS(VULKAN_DECLARE)
#undef VULKAN_DECLARE

#define VULKAN_CHECK(call)                                        \
  do {                                                            \
    const VkResult vulkan_result = (call);                        \
    if (vulkan_result != VK_SUCCESS) {                            \
      fprintf(stderr, "%s: VkResult %d\n", #call, vulkan_result); \
      exit(1);                                                    \
    }                                                             \
  } while (0)

typedef struct {
  VkInstance instance;
  VkPhysicalDevice physical;
  VkDevice device;
  VkQueue queue;
  VkCommandPool pool;
  VkCommandBuffer commands;
  VkFence fence;
} vulkan_setup;

static inline void vulkan_fail(const char* text) {
  fprintf(stderr, "%s\n", text);
  exit(1);
}

static inline void vulkan_create_instance(vulkan_setup* vk) {
  void* library = dlopen("libvulkan.so.1", RTLD_NOW);
  void* symbol = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
  if (!symbol) vulkan_fail("This example needs the Vulkan loader: install libvulkan1.");
  memcpy(&vkGetInstanceProcAddr, &symbol, sizeof symbol);
  const PFN_vkCreateInstance create = (PFN_vkCreateInstance)vkGetInstanceProcAddr(NULL, "vkCreateInstance");
  VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO, NULL, NULL, 0, NULL, 0, VK_API_VERSION_1_1};
  VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, NULL, 0, &application, 0, NULL, 0, NULL};
  VULKAN_CHECK(create(&info, NULL, &vk->instance));
#define VULKAN_LOAD(name) name = (PFN_##name)vkGetInstanceProcAddr(vk->instance, #name);
  VULKAN_INSTANCE_FUNCTIONS(VULKAN_LOAD)
#undef VULKAN_LOAD
}

/* The first device, or the one with this UUID. */
static inline void vulkan_choose(vulkan_setup* vk, const uint8_t* uuid) {
  VkPhysicalDevice devices[16];
  uint32_t count = 16;
  vkEnumeratePhysicalDevices(vk->instance, &count, devices);
  for (uint32_t i = 0; i < count; ++i) {
    VkPhysicalDeviceIDProperties ids = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &ids};
    vkGetPhysicalDeviceProperties2(devices[i], &properties);
    if (uuid && memcmp(ids.deviceUUID, uuid, 16) != 0) continue;
    vk->physical = devices[i];
    printf("%s\n", properties.properties.deviceName);
    return;
  }
  vulkan_fail(uuid ? "No Vulkan device is CUDA's device." : "There is no Vulkan device.");
}

/* Those of `wanted` that the device offers, as the publisher wants them: without them frames go through host memory. */
static inline uint32_t vulkan_offered(const vulkan_setup* vk, const char* const* wanted, uint32_t count,
                                      const char** offered) {
  static VkExtensionProperties list[512];
  uint32_t all = 512, found = 0;
  vkEnumerateDeviceExtensionProperties(vk->physical, NULL, &all, list);
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t k = 0; k < all; ++k)
      if (strcmp(wanted[i], list[k].extensionName) == 0) {
        offered[found++] = wanted[i];
        break;
      }
  return found;
}

static inline void vulkan_create_device(vulkan_setup* vk, const char* const* wanted, uint32_t count) {
  const char* extensions[16];
  const float priority = 1;
  VkDeviceQueueCreateInfo queue = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                             .queueCreateInfoCount = 1,
                             .pQueueCreateInfos = &queue,
                             .enabledExtensionCount = vulkan_offered(vk, wanted, count, extensions),
                             .ppEnabledExtensionNames = extensions};
  VULKAN_CHECK(vkCreateDevice(vk->physical, &info, NULL, &vk->device));
#define VULKAN_LOAD(name) name = (PFN_##name)vkGetDeviceProcAddr(vk->device, #name);
  VULKAN_DEVICE_FUNCTIONS(VULKAN_LOAD)
#undef VULKAN_LOAD
  vkGetDeviceQueue(vk->device, 0, 0, &vk->queue);
  VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, NULL,
                                  VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, 0};
  VULKAN_CHECK(vkCreateCommandPool(vk->device, &pool, NULL, &vk->pool));
  VkCommandBufferAllocateInfo commands = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, vk->pool,
                                          VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VULKAN_CHECK(vkAllocateCommandBuffers(vk->device, &commands, &vk->commands));
  VkFenceCreateInfo fence = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, NULL, 0};
  VULKAN_CHECK(vkCreateFence(vk->device, &fence, NULL, &vk->fence));
}

static inline uint32_t vulkan_memory_type(const vulkan_setup* vk, uint32_t allowed) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(vk->physical, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
    if (allowed & (1u << i) && memory.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) return i;
  vulkan_fail("There is no memory of the device's own.");
  return 0;
}

static inline void vulkan_begin(const vulkan_setup* vk) {
  VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                   .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
  VULKAN_CHECK(vkBeginCommandBuffer(vk->commands, &info));
}

static inline void vulkan_submit(const vulkan_setup* vk) {
  VULKAN_CHECK(vkEndCommandBuffer(vk->commands));
  VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &vk->commands};
  VULKAN_CHECK(vkQueueSubmit(vk->queue, 1, &info, vk->fence));
}

/* Before the one command buffer of these examples is recorded again. */
static inline void vulkan_wait(const vulkan_setup* vk) {
  VULKAN_CHECK(vkWaitForFences(vk->device, 1, &vk->fence, VK_TRUE, UINT64_MAX));
  VULKAN_CHECK(vkResetFences(vk->device, 1, &vk->fence));
}

static inline void vulkan_destroy(vulkan_setup* vk) {
  vkDestroyFence(vk->device, vk->fence, NULL);
  vkDestroyCommandPool(vk->device, vk->pool, NULL);
  vkDestroyDevice(vk->device, NULL);
  vkDestroyInstance(vk->instance, NULL);
}

#endif
