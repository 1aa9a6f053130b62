/* The part of Vulkan that publishing uses: own declarations, so that no headers are needed. */
#include "cuda_publish.h"

typedef struct {
  int type;
  const void* next;
  uint32_t flags;
  uint64_t size;
  uint32_t usage, sharing, family_count;
  const uint32_t* families;
} ssc_vk_buffer_info;

typedef struct {
  int type;
  const void* next;
  uint64_t size;
  uint32_t memory_type;
} ssc_vk_allocate_info;

typedef struct {
  int type;
  const void* next;
  uint32_t handle_types;
} ssc_vk_handle_types; /* VkExportMemoryAllocateInfo, VkExternalMemoryBufferCreateInfo */

typedef struct {
  int type;
  const void* next;
  uint64_t image, buffer;
} ssc_vk_dedicated;

typedef struct {
  uint64_t size, alignment;
  uint32_t types;
} ssc_vk_requirements;

typedef struct {
  uint32_t type_count;
  struct {
    uint32_t flags, heap;
  } types[32];
  uint32_t heap_count;
  struct {
    uint64_t size;
    uint32_t flags;
  } heaps[16];
} ssc_vk_memory_properties;

typedef struct {
  int type;
  void* next;
  uint8_t device_uuid[16], driver_uuid[16], device_luid[8];
  uint32_t node_mask, luid_valid;
} ssc_vk_id_properties;

typedef struct {
  int type;
  void* next;
  uint64_t properties[256]; /* more than VkPhysicalDeviceProperties has */
} ssc_vk_properties;

typedef struct {
  uint32_t flags, count, timestamp_bits, granularity[3];
} ssc_vk_family;

typedef struct {
  int type;
  const void* next;
  uint64_t memory;
  uint32_t handle_type;
} ssc_vk_get_fd;

typedef struct {
  int type;
  const void* next;
  uint64_t memory, offset, size;
} ssc_vk_range;

typedef struct {
  int type;
  const void* next;
  uint32_t flags;
} ssc_vk_event_info;

typedef struct {
  uint32_t aspect, level, level_count, layer, layer_count;
} ssc_vk_image_range;

typedef struct {
  int type;
  const void* next;
  uint32_t from_access, to_access;
} ssc_vk_barrier;

typedef struct {
  int type;
  const void* next;
  uint32_t from_access, to_access, from_layout, to_layout, from_family, to_family;
  uint64_t image;
  ssc_vk_image_range range;
} ssc_vk_image_barrier;

typedef struct {
  int type;
  const void* next;
  uint32_t from_access, to_access, from_family, to_family;
  uint64_t buffer, offset, size;
} ssc_vk_buffer_barrier;

typedef struct {
  uint64_t from, to, size;
} ssc_vk_copy;

typedef struct {
  uint64_t offset;
  uint32_t row_length, image_height;
  uint32_t aspect, level, layer, layer_count;
  int32_t place[3];
  uint32_t extent[3];
} ssc_vk_image_copy;

/* X(result, name, exported symbol, parameters) */
#define SSC_VULKAN_FUNCTIONS(X)                                                                                       \
  X(int, create_buffer, "vkCreateBuffer",                                                                             \
    (void* device, const ssc_vk_buffer_info* info, const void* allocator, uint64_t* buffer))                          \
  X(void, destroy_buffer, "vkDestroyBuffer", (void* device, uint64_t buffer, const void* allocator))                  \
  X(void, requirements, "vkGetBufferMemoryRequirements", (void* device, uint64_t buffer, ssc_vk_requirements* needs)) \
  X(int, allocate, "vkAllocateMemory",                                                                                \
    (void* device, const ssc_vk_allocate_info* info, const void* allocator, uint64_t* memory))                        \
  X(void, free, "vkFreeMemory", (void* device, uint64_t memory, const void* allocator))                               \
  X(int, bind, "vkBindBufferMemory", (void* device, uint64_t buffer, uint64_t memory, uint64_t offset))               \
  X(int, map, "vkMapMemory",                                                                                          \
    (void* device, uint64_t memory, uint64_t offset, uint64_t size, uint32_t flags, void** mapped))                   \
  X(int, invalidate, "vkInvalidateMappedMemoryRanges", (void* device, uint32_t count, const ssc_vk_range* ranges))    \
  X(int, create_event, "vkCreateEvent",                                                                               \
    (void* device, const ssc_vk_event_info* info, const void* allocator, uint64_t* event))                            \
  X(void, destroy_event, "vkDestroyEvent", (void* device, uint64_t event, const void* allocator))                     \
  X(int, event_status, "vkGetEventStatus", (void* device, uint64_t event))                                            \
  X(int, reset_event, "vkResetEvent", (void* device, uint64_t event))                                                 \
  X(int, fence_status, "vkGetFenceStatus", (void* device, uint64_t fence))                                            \
  X(void, set_event, "vkCmdSetEvent", (void* commands, uint64_t event, uint32_t stages))                              \
  X(void, barrier, "vkCmdPipelineBarrier",                                                                            \
    (void* commands, uint32_t from, uint32_t to, uint32_t flags, uint32_t count, const ssc_vk_barrier* barriers,      \
     uint32_t buffer_count, const ssc_vk_buffer_barrier* buffers, uint32_t image_count,                               \
     const ssc_vk_image_barrier* images))                                                                             \
  X(void, copy_buffer, "vkCmdCopyBuffer",                                                                             \
    (void* commands, uint64_t from, uint64_t to, uint32_t count, const ssc_vk_copy* regions))                         \
  X(void, copy_image, "vkCmdCopyImageToBuffer",                                                                       \
    (void* commands, uint64_t image, uint32_t layout, uint64_t buffer, uint32_t count,                                \
     const ssc_vk_image_copy* regions))

struct seamscope_vulkan {
  void *instance, *physical, *device;
  uint32_t family;
  int has_events; /* the family's commands can set one */
  int closing;    /* atomic: 1 asked for, 2 done */
  uint32_t uuid_flags;
  uint8_t device_uuid[16], driver_uuid[16];
  ssc_vk_memory_properties memory;
#define SSC_MEMBER(result, name, symbol, parameters) result(*name) parameters;
  SSC_VULKAN_FUNCTIONS(SSC_MEMBER)
#undef SSC_MEMBER
  int (*get_fd)(void* device, const ssc_vk_get_fd* info, int* fd);          /* null: host path only */
  int (*timeline_value)(void* device, uint64_t semaphore, uint64_t* value); /* null: no timelines */
  seamscope_vulkan* next;
};

typedef void (*ssc_vk_function)(void);
typedef ssc_vk_function (*ssc_vk_get)(void* handle, const char* name);

/* The entry point of a function, stored where `place` points; both are pointers to functions. */
static int ssc_vk_load(ssc_vk_get get, void* handle, const char* name, void* place) {
  const ssc_vk_function function = get(handle, name);
  if (function) memcpy(place, &function, sizeof function);
  return function != NULL;
}

static ssc_vk_get ssc_vk_loader(const seamscope_vulkan_desc* desc) {
  ssc_vk_get get = NULL;
  if (desc->get_instance_proc_addr) {
    memcpy(&get, &desc->get_instance_proc_addr, sizeof get);
    return get;
  }
  void* library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library) ssc_symbol(library, "vkGetInstanceProcAddr", &get);
  return get;
}

static int ssc_vk_load_device(seamscope_vulkan* vulkan, ssc_vk_get get_instance) {
  ssc_vk_get get = NULL;
  int found = ssc_vk_load(get_instance, vulkan->instance, "vkGetDeviceProcAddr", &get);
#define SSC_LOOK_UP(result, name, symbol, parameters) \
  found = found && ssc_vk_load(get, vulkan->device, symbol, &vulkan->name);
  SSC_VULKAN_FUNCTIONS(SSC_LOOK_UP)
#undef SSC_LOOK_UP
  if (!found) return 0;
  ssc_vk_load(get, vulkan->device, "vkGetMemoryFdKHR", &vulkan->get_fd);
  if (!ssc_vk_load(get, vulkan->device, "vkGetSemaphoreCounterValue", &vulkan->timeline_value))
    ssc_vk_load(get, vulkan->device, "vkGetSemaphoreCounterValueKHR", &vulkan->timeline_value);
  return 1;
}

/* Which device and driver it is: memory can be handed over only where both agree. */
static void ssc_vk_identify(seamscope_vulkan* vulkan, ssc_vk_get get) {
  void (*properties2)(void* physical, ssc_vk_properties* properties) = NULL;
  ssc_vk_id_properties ids;
  ssc_vk_properties properties;
  if (!ssc_vk_load(get, vulkan->instance, "vkGetPhysicalDeviceProperties2", &properties2) &&
      !ssc_vk_load(get, vulkan->instance, "vkGetPhysicalDeviceProperties2KHR", &properties2))
    return;
  memset(&ids, 0, sizeof ids);
  memset(&properties, 0, sizeof properties);
  ids.type = 1000071004;
  properties.type = 1000059001;
  properties.next = &ids;
  properties2(vulkan->physical, &properties);
  memcpy(vulkan->device_uuid, ids.device_uuid, 16);
  memcpy(vulkan->driver_uuid, ids.driver_uuid, 16);
  vulkan->uuid_flags = SEAMSCOPE_HAS_DEVICE_UUID | SEAMSCOPE_HAS_DRIVER_UUID;
}

static int ssc_vk_load_physical(seamscope_vulkan* vulkan, ssc_vk_get get) {
  void (*memory)(void* physical, ssc_vk_memory_properties* properties) = NULL;
  void (*families)(void* physical, uint32_t* count, ssc_vk_family* list) = NULL;
  ssc_vk_family list[32];
  uint32_t count = 32;
  if (!ssc_vk_load(get, vulkan->instance, "vkGetPhysicalDeviceMemoryProperties", &memory) ||
      !ssc_vk_load(get, vulkan->instance, "vkGetPhysicalDeviceQueueFamilyProperties", &families))
    return 0;
  memory(vulkan->physical, &vulkan->memory);
  families(vulkan->physical, &count, list);
  vulkan->has_events = vulkan->family < count && (list[vulkan->family].flags & 3u /* graphics, compute */) != 0;
  ssc_vk_identify(vulkan, get);
  return 1;
}

/* The first fitting type with all of `flags`; UINT32_MAX: none. */
static uint32_t ssc_vk_memory_type(const seamscope_vulkan* vulkan, uint32_t allowed, uint32_t flags) {
  for (uint32_t i = 0; i < vulkan->memory.type_count; ++i)
    if (allowed & (1u << i) && (vulkan->memory.types[i].flags & flags) == flags) return i;
  return UINT32_MAX;
}
