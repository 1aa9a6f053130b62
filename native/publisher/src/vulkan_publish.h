/* Publishing from Vulkan: the caller's command buffer and queue, an event or the caller's semaphore for completion. */
#include "vulkan_formats.h"

SEAMSCOPE_API const char* const* seamscope_vulkan_extensions(int level, uint32_t* count) {
  static const char* const instance[] = {"VK_KHR_get_physical_device_properties2",
                                         "VK_KHR_external_memory_capabilities"};
  static const char* const device[] = {"VK_KHR_external_memory", "VK_KHR_external_memory_fd",
                                       "VK_KHR_get_memory_requirements2", "VK_KHR_dedicated_allocation"};
  const int is_device = level == SEAMSCOPE_VULKAN_DEVICE;
  if (count) *count = is_device ? 4 : 2;
  return is_device ? device : instance;
}

static void ssc_vk_introduce(const seamscope_vulkan* vulkan) {
  pthread_mutex_lock(&ssc_cuda_lock);
  if (!ssc_device.flags && vulkan->uuid_flags) {
    memcpy(ssc_device.device_uuid, vulkan->device_uuid, 16);
    memcpy(ssc_device.driver_uuid, vulkan->driver_uuid, 16);
    ssc_device.cuda_ordinal = -1;
    SSC_STORE(&ssc_device.flags, vulkan->uuid_flags);
  }
  pthread_mutex_unlock(&ssc_cuda_lock);
}

SEAMSCOPE_API seamscope_vulkan* seamscope_vulkan_open(const seamscope_vulkan_desc* desc) {
  if (!desc || !desc->instance || !desc->physical_device || !desc->device) return NULL;
  const ssc_vk_get get = ssc_vk_loader(desc);
  seamscope_vulkan* vulkan = get ? (seamscope_vulkan*)calloc(1, sizeof *vulkan) : NULL;
  if (!vulkan) return NULL;
  vulkan->instance = desc->instance;
  vulkan->physical = desc->physical_device;
  vulkan->device = desc->device;
  vulkan->family = desc->queue_family;
  if (ssc_vk_load_device(vulkan, get) && ssc_vk_load_physical(vulkan, get)) {
    ssc_vk_introduce(vulkan);
    return vulkan;
  }
  ssc_say("Vulkan's functions cannot be found");
  free(vulkan);
  return NULL;
}

enum {
  SSC_STAGE_TRANSFER = 0x1000,
  SSC_STAGE_HOST = 0x4000,
  SSC_STAGE_ALL = 0x10000,
  SSC_ACCESS_TRANSFER_READ = 0x800,
  SSC_ACCESS_TRANSFER_WRITE = 0x1000,
  SSC_ACCESS_HOST_READ = 0x2000,
  SSC_ACCESS_READ = 0x8000,
  SSC_ACCESS_WRITE = 0x10000
};
enum { SSC_LAYOUT_GENERAL = 1, SSC_LAYOUT_TRANSFER_SRC = 6 };
#define SSC_FAMILY_IGNORED 0xFFFFFFFFu
#define SSC_FAMILY_EXTERNAL 0xFFFFFFFEu

/* One copy on its way into a command buffer. */
typedef struct {
  seamscope_vulkan* vulkan;
  void* commands;
  const seamscope_vulkan_source* source;
  const seamscope_frame_desc* desc;
  uint32_t aspect;
  uint64_t bytes;
} ssc_vk_record;

static uint32_t ssc_given(uint32_t value, uint32_t usual) {
  return value ? value : usual;
}

static uint32_t ssc_vk_copy_layout(const seamscope_vulkan_source* source) {
  const uint32_t layout = ssc_given(source->layout, SSC_LAYOUT_GENERAL);
  return layout == SSC_LAYOUT_GENERAL ? layout : (uint32_t)SSC_LAYOUT_TRANSFER_SRC;
}

static ssc_vk_image_barrier ssc_vk_image_step(const ssc_vk_record* record, uint32_t from, uint32_t to) {
  ssc_vk_image_barrier barrier;
  memset(&barrier, 0, sizeof barrier);
  barrier.type = 45;
  barrier.from_layout = from;
  barrier.to_layout = to;
  barrier.from_family = barrier.to_family = SSC_FAMILY_IGNORED;
  barrier.image = (uint64_t)(uintptr_t)record->source->image;
  barrier.range.aspect = record->aspect;
  if (record->source->format >= 128 && record->source->format <= 130)
    barrier.range.aspect = 6; /* both, as one layout */
  barrier.range.level = record->source->mip_level;
  barrier.range.level_count = 1;
  barrier.range.layer = record->source->array_layer;
  barrier.range.layer_count = 1;
  return barrier;
}

static void ssc_vk_record_image(const ssc_vk_record* record, uint64_t target) {
  const seamscope_vulkan_source* source = record->source;
  const uint32_t layout = ssc_given(source->layout, SSC_LAYOUT_GENERAL);
  const uint32_t copy_layout = ssc_vk_copy_layout(source);
  const uint32_t stage = ssc_given(source->stage, SSC_STAGE_ALL);
  ssc_vk_image_copy region;
  ssc_vk_image_barrier barrier = ssc_vk_image_step(record, layout, copy_layout);
  barrier.from_access = ssc_given(source->access, SSC_ACCESS_WRITE);
  barrier.to_access = SSC_ACCESS_TRANSFER_READ;
  record->vulkan->barrier(record->commands, stage, SSC_STAGE_TRANSFER, 0, 0, NULL, 0, NULL, 1, &barrier);
  memset(&region, 0, sizeof region);
  region.aspect = record->aspect;
  region.level = source->mip_level;
  region.layer = source->array_layer;
  region.layer_count = 1;
  region.extent[0] = record->desc->width;
  region.extent[1] = record->desc->height;
  region.extent[2] = 1;
  record->vulkan->copy_image(record->commands, barrier.image, copy_layout, target, 1, &region);
  barrier = ssc_vk_image_step(record, copy_layout, layout);
  barrier.to_access = SSC_ACCESS_READ | SSC_ACCESS_WRITE;
  record->vulkan->barrier(record->commands, SSC_STAGE_TRANSFER, SSC_STAGE_ALL, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static void ssc_vk_record_buffer(const ssc_vk_record* record, uint64_t target) {
  const seamscope_vulkan_source* source = record->source;
  const ssc_vk_copy region = {record->desc->offset, 0, record->bytes};
  ssc_vk_barrier barrier;
  memset(&barrier, 0, sizeof barrier);
  barrier.type = 46;
  barrier.from_access = ssc_given(source->access, SSC_ACCESS_WRITE);
  barrier.to_access = SSC_ACCESS_TRANSFER_READ;
  record->vulkan->barrier(record->commands, ssc_given(source->stage, SSC_STAGE_ALL), SSC_STAGE_TRANSFER, 0, 1, &barrier,
                          0, NULL, 0, NULL);
  record->vulkan->copy_buffer(record->commands, (uint64_t)(uintptr_t)source->buffer, target, 1, &region);
  record->vulkan->barrier(record->commands, SSC_STAGE_TRANSFER, SSC_STAGE_ALL, 0, 0, NULL, 0, NULL, 0, NULL);
}

/* What was written goes to another process, or to the host; then the event. */
static void ssc_vk_record_end(const ssc_vk_record* record, const ssc_ring* ring, uint32_t slot) {
  const int is_host = ring->memory == SEAMSCOPE_MEMORY_HOST;
  ssc_vk_buffer_barrier barrier;
  memset(&barrier, 0, sizeof barrier);
  barrier.type = 44;
  barrier.from_access = SSC_ACCESS_TRANSFER_WRITE;
  barrier.to_access = is_host ? SSC_ACCESS_HOST_READ : 0;
  barrier.from_family = is_host ? SSC_FAMILY_IGNORED : record->vulkan->family;
  barrier.to_family = is_host ? SSC_FAMILY_IGNORED : SSC_FAMILY_EXTERNAL;
  barrier.buffer = ring->vulkan.buffers[slot];
  barrier.size = UINT64_MAX;
  const uint32_t to = is_host ? SSC_STAGE_ALL | SSC_STAGE_HOST : SSC_STAGE_ALL;
  record->vulkan->barrier(record->commands, SSC_STAGE_TRANSFER, to, 0, 0, NULL, 1, &barrier, 0, NULL);
  if (ring->vulkan.events[slot]) record->vulkan->set_event(record->commands, ring->vulkan.events[slot], SSC_STAGE_ALL);
}

static uint64_t ssc_vk_record_copy(const ssc_vk_record* record, ssc_ring* ring, uint32_t slot) {
  ssc_vulkan_ring* own = &ring->vulkan;
  if (own->events[slot]) record->vulkan->reset_event(record->vulkan->device, own->events[slot]);
  own->fences[slot] = own->timelines[slot] = own->values[slot] = 0;
  own->used[slot] = record->bytes;
  own->frames[slot] = ssc_slot(ring->state, ring, slot)->frame;
  SSC_ADD(&ring->in_flight, 1);
  SSC_STORE(&own->phases[slot], SSC_RECORDED);
  if (record->source->image) {
    ssc_vk_record_image(record, own->buffers[slot]);
  } else {
    ssc_vk_record_buffer(record, own->buffers[slot]);
  }
  ssc_vk_record_end(record, ring, slot);
  return (uint64_t)(uintptr_t)&ring->places[slot];
}

/* Completes the description and says how many bytes are copied; 0: it cannot be shown. */
static uint64_t ssc_vk_describe(ssc_vk_record* record, const seamscope_vulkan_source* source,
                                seamscope_frame_desc* desc) {
  record->aspect = ssc_vk_apply_format(source, desc);
  if (source->image)
    desc->offset = desc->row_stride = desc->pixel_stride = desc->channel_stride = desc->batch_stride = 0;
  if (source->image) desc->flags &= ~(uint32_t)SEAMSCOPE_FLAG_PLANAR;
  if (source->image) desc->batch = 1;
  ssc_complete(desc);
  return record->aspect && ssc_is_valid(desc) ? ssc_span(desc) : 0;
}

static SSC_APART uint64_t ssc_vk_publish(const ssc_publish* publish, ssc_vk_record* record,
                                         const seamscope_frame_desc* desc) {
  const seamscope_vulkan_source* source = record->source;
  ssc_need need;
  seamscope_frame_desc complete;
  uint32_t slot = 0;
  if (!source || !desc || !record->commands || (!source->image && !source->buffer)) {
    ssc_skip(publish, "Neither an image nor a buffer was given.");
    return 0;
  }
  complete = *desc;
  record->desc = &complete;
  memset(&need, 0, sizeof need);
  need.feeder = SSC_FROM_VULKAN;
  need.vulkan = record->vulkan;
  record->bytes = need.bytes = ssc_vk_describe(record, source, &complete);
  ssc_ring* ring = need.bytes ? ssc_begin(publish, &need, &slot) : NULL;
  if (!ring) {
    const char* refusal = record->aspect ? ssc_refusal(&complete) : "The image has a format that cannot be shown.";
    ssc_skip(publish, need.bytes ? NULL : refusal);
    return 0;
  }
  seamscope_frame_desc shown = complete;
  shown.offset = 0;
  shown.flags &= SEAMSCOPE_FLAG_BOTTOM_UP | SEAMSCOPE_FLAG_BGR;
  ssc_describe(publish, ring, slot, &shown);
  const uint64_t ticket = ssc_vk_record_copy(record, ring, slot);
  ssc_end(publish, 1);
  return ticket;
}

SEAMSCOPE_API uint64_t seamscope_vulkan_record(seamscope_vulkan* vulkan, void* command_buffer, const char* name,
                                               const seamscope_vulkan_source* source,
                                               const seamscope_frame_desc* desc) {
  ssc_publish publish;
  if (!vulkan || !ssc_is_watched(name, desc, &publish)) return 0;
  ssc_vk_record record = {vulkan, command_buffer, source, NULL, 0, 0};
  return ssc_vk_publish(&publish, &record, desc);
}

SEAMSCOPE_API void seamscope_vulkan_submitted(uint64_t ticket, void* fence, void* timeline, uint64_t value) {
  const ssc_place* place = (const ssc_place*)(uintptr_t)ticket;
  if (!place) return;
  ssc_ring* ring = place->ring;
  ring->vulkan.fences[place->slot] = (uint64_t)(uintptr_t)fence;
  ring->vulkan.timelines[place->slot] = (uint64_t)(uintptr_t)timeline;
  ring->vulkan.values[place->slot] = value;
  ssc_state* state = ring->state;
  SSC_STORE(&ring->vulkan.phases[place->slot], SSC_SUBMITTED);
  ssc_wake(state);
}

SEAMSCOPE_API void seamscope_vulkan_abandoned(uint64_t ticket) {
  const ssc_place* place = (const ssc_place*)(uintptr_t)ticket;
  if (!place) return;
  SSC_STORE(&place->ring->vulkan.phases[place->slot], SSC_IDLE);
  ssc_finish_from_driver(place->ring, place->slot, 0);
}
