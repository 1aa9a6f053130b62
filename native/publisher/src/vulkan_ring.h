/* Rings that Vulkan commands write: exportable buffers, or staging buffers beside shared host memory. */
#include "vulkan_api.h"

enum { SSC_VK_OPAQUE_FD = 1, SSC_VK_DEVICE_LOCAL = 1, SSC_VK_HOST_VISIBLE = 2, SSC_VK_COHERENT = 4, SSC_VK_CACHED = 8 };

static int ssc_vk_make_buffer(seamscope_vulkan* vulkan, const ssc_ring* ring, uint64_t* buffer) {
  const int exported = ring->memory == SEAMSCOPE_MEMORY_VULKAN;
  ssc_vk_handle_types types;
  ssc_vk_buffer_info info;
  memset(&types, 0, sizeof types);
  memset(&info, 0, sizeof info);
  types.type = 1000072000;
  types.handle_types = SSC_VK_OPAQUE_FD;
  info.type = 12;
  info.next = exported ? &types : NULL;
  info.size = ring->slot_size;
  info.usage = 0x1u | 0x2u | 0x20u; /* transfer source and destination, storage */
  return vulkan->create_buffer(vulkan->device, &info, NULL, buffer) == 0;
}

/* Cached memory is read many times faster by the host. */
static uint32_t ssc_vk_choose_type(const seamscope_vulkan* vulkan, const ssc_ring* ring, uint32_t allowed) {
  if (ring->memory == SEAMSCOPE_MEMORY_VULKAN) {
    const uint32_t local = ssc_vk_memory_type(vulkan, allowed, SSC_VK_DEVICE_LOCAL);
    return local != UINT32_MAX ? local : ssc_vk_memory_type(vulkan, allowed, 0);
  }
  const uint32_t cached = ssc_vk_memory_type(vulkan, allowed, SSC_VK_HOST_VISIBLE | SSC_VK_CACHED);
  return cached != UINT32_MAX ? cached : ssc_vk_memory_type(vulkan, allowed, SSC_VK_HOST_VISIBLE);
}

static int ssc_vk_make_memory(seamscope_vulkan* vulkan, ssc_ring* ring, uint32_t slot) {
  ssc_vulkan_ring* own = &ring->vulkan;
  ssc_vk_requirements needs;
  ssc_vk_dedicated dedicated;
  ssc_vk_handle_types exported;
  ssc_vk_allocate_info info;
  vulkan->requirements(vulkan->device, own->buffers[slot], &needs);
  own->memory_type = ssc_vk_choose_type(vulkan, ring, needs.types);
  if (own->memory_type == UINT32_MAX) return 0;
  memset(&dedicated, 0, sizeof dedicated);
  memset(&exported, 0, sizeof exported);
  memset(&info, 0, sizeof info);
  dedicated.type = 1000127001;
  dedicated.buffer = own->buffers[slot];
  exported.type = 1000072002;
  exported.next = &dedicated;
  exported.handle_types = SSC_VK_OPAQUE_FD;
  info.type = 5;
  info.next = ring->memory == SEAMSCOPE_MEMORY_VULKAN ? &exported : NULL;
  info.size = needs.size;
  info.memory_type = own->memory_type;
  if (ring->memory == SEAMSCOPE_MEMORY_VULKAN) ring->allocation_size = needs.size;
  own->coherent = (vulkan->memory.types[own->memory_type].flags & SSC_VK_COHERENT) != 0;
  return vulkan->allocate(vulkan->device, &info, NULL, &own->memories[slot]) == 0 &&
         vulkan->bind(vulkan->device, own->buffers[slot], own->memories[slot], 0) == 0;
}

static int ssc_vk_make_slot(seamscope_vulkan* vulkan, ssc_ring* ring, uint32_t slot) {
  ssc_vulkan_ring* own = &ring->vulkan;
  ssc_vk_event_info event;
  memset(&event, 0, sizeof event);
  event.type = 10;
  if (!ssc_vk_make_buffer(vulkan, ring, &own->buffers[slot])) return 0;
  if (!ssc_vk_make_memory(vulkan, ring, slot)) return 0;
  if (vulkan->has_events && vulkan->create_event(vulkan->device, &event, NULL, &own->events[slot]) != 0) return 0;
  if (ring->memory == SEAMSCOPE_MEMORY_VULKAN) return 1;
  return vulkan->map(vulkan->device, own->memories[slot], 0, UINT64_MAX, 0, &own->mapped[slot]) == 0;
}

static int ssc_vk_make(ssc_ring* ring) {
  seamscope_vulkan* vulkan = ring->need.vulkan;
  if (ring->memory == SEAMSCOPE_MEMORY_VULKAN && !vulkan->get_fd) return 0;
  for (uint32_t i = 0; i < ring->slot_count; ++i)
    if (!ssc_vk_make_slot(vulkan, ring, i)) return 0;
  return 1;
}

static void ssc_vk_free(ssc_ring* ring) {
  seamscope_vulkan* vulkan = ring->need.vulkan;
  ssc_vulkan_ring* own = &ring->vulkan;
  for (uint32_t i = 0; i < SEAMSCOPE_MAX_SLOTS; ++i) {
    if (own->events[i]) vulkan->destroy_event(vulkan->device, own->events[i], NULL);
    if (own->buffers[i]) vulkan->destroy_buffer(vulkan->device, own->buffers[i], NULL);
    if (own->memories[i]) vulkan->free(vulkan->device, own->memories[i], NULL); /* unmaps it */
  }
  memset(own, 0, sizeof *own);
}

static int ssc_vk_export(const ssc_ring* ring, uint32_t slot) {
  seamscope_vulkan* vulkan = ring->need.vulkan;
  ssc_vk_get_fd info;
  int fd = -1;
  memset(&info, 0, sizeof info);
  info.type = 1000074002;
  info.memory = ring->vulkan.memories[slot];
  info.handle_type = SSC_VK_OPAQUE_FD;
  return vulkan->get_fd(vulkan->device, &info, &fd) == 0 ? fd : -1;
}

/* 1: the commands have run; 0: not yet; -1: the device is lost. */
static int ssc_vk_has_passed(const ssc_ring* ring, uint32_t slot) {
  const seamscope_vulkan* vulkan = ring->need.vulkan;
  const ssc_vulkan_ring* own = &ring->vulkan;
  uint64_t value = 0;
  int result;
  if (own->timelines[slot]) {
    if (!vulkan->timeline_value) return -1;
    result = vulkan->timeline_value(vulkan->device, own->timelines[slot], &value);
    return result < 0 ? -1 : value >= own->values[slot];
  }
  if (own->fences[slot]) {
    result = vulkan->fence_status(vulkan->device, own->fences[slot]);
    return result < 0 ? -1 : result == 0;
  }
  if (!own->events[slot]) return -1;
  result = vulkan->event_status(vulkan->device, own->events[slot]);
  return result < 0 ? -1 : result == 3 /* set */;
}

/* The host path: out of the staging buffer into the memory that the hub sees. */
static void ssc_vk_fetch(const ssc_ring* ring, uint32_t slot) {
  seamscope_vulkan* vulkan = ring->need.vulkan;
  ssc_vk_range range;
  memset(&range, 0, sizeof range);
  range.type = 6;
  range.memory = ring->vulkan.memories[slot];
  range.size = UINT64_MAX;
  if (!ring->vulkan.coherent) vulkan->invalidate(vulkan->device, 1, &range);
  memcpy(ssc_host_slot(ring, slot), ring->vulkan.mapped[slot], ring->vulkan.used[slot]);
}

/* The submitted slot whose frame follows `after`; -1: none. */
static int ssc_vk_next(const ssc_ring* ring, uint64_t after) {
  int next = -1;
  for (uint32_t i = 0; i < ring->slot_count; ++i) {
    if (SSC_LOAD(&ring->vulkan.phases[i]) != SSC_SUBMITTED || ring->vulkan.frames[i] <= after) continue;
    if (next < 0 || ring->vulkan.frames[i] < ring->vulkan.frames[next]) next = (int)i;
  }
  return next;
}

/* Frames whose commands have run become ready, in their order; says whether some have not. The worker's. */
static int ssc_vk_poll_ring(ssc_ring* ring) {
  ssc_vulkan_ring* own = &ring->vulkan;
  int waiting = 0, next;
  for (uint64_t after = 0; (next = ssc_vk_next(ring, after)) >= 0;) {
    const uint32_t slot = (uint32_t)next;
    const int passed = ssc_vk_has_passed(ring, slot);
    after = own->frames[slot];
    if (passed == 0) {
      waiting = 1;
      continue;
    }
    if (passed > 0 && ring->memory == SEAMSCOPE_MEMORY_HOST && SSC_LOAD(&ring->state->epoch) == ring->epoch)
      ssc_vk_fetch(ring, slot);
    SSC_STORE(&own->phases[slot], SSC_IDLE);
    ssc_finish_from_driver(ring, slot, passed > 0);
  }
  return waiting;
}
