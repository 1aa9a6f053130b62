/* Publishing CUDA memory and arrays. */
#include "cuda_ring.h"

static int ssc_cuda_is_default_stream(const void* stream) {
  return (uintptr_t)stream <= 2;
}

/* Of the stream; the default streams belong to whichever context is meant: the memory's own, else the current one. */
static void* ssc_cuda_context_of(const ssc_cuda_api* api, const void* pointer, void* stream) {
  void* context = NULL;
  if (!ssc_cuda_is_default_stream(stream)) return api->stream_ctx(stream, &context) == 0 ? context : NULL;
  if (pointer) api->pointer_attribute(&context, SSC_CUDA_POINTER_CONTEXT, (uint64_t)(uintptr_t)pointer);
  if (!context && api->ctx_get(&context) != 0) return NULL;
  return context;
}

/* What is copied: from a pointer or an array. */
typedef struct {
  const void* pointer;
  void* array;
} ssc_cuda_source;

static int ssc_cuda_copy_plane(const ssc_cuda_api* api, const ssc_plan* plan, uint64_t from,
                               const ssc_cuda_source* source, const ssc_ring* ring, uint32_t slot, uint64_t to,
                               void* stream) {
  ssc_cuda_copy copy;
  memset(&copy, 0, sizeof copy);
  if (source->array) {
    copy.from_type = SSC_CUDA_ARRAY;
    copy.from_array = source->array;
  } else {
    copy.from_type = SSC_CUDA_UNIFIED;
    copy.from_device = (uint64_t)(uintptr_t)source->pointer + from;
    copy.from_pitch = plan->rows > 1 ? plan->from_pitch : plan->row_bytes;
  }
  if (ring->memory == SEAMSCOPE_MEMORY_CUDA) {
    copy.to_type = SSC_CUDA_DEVICE;
    copy.to_device = ring->cuda.pointers[slot] + to;
  } else {
    copy.to_type = SSC_CUDA_HOST;
    copy.to_host = ssc_host_slot(ring, slot) + to;
  }
  copy.to_pitch = plan->to_pitch;
  copy.width_bytes = plan->row_bytes;
  copy.height = plan->rows;
  return api->copy_2d(&copy, stream);
}

static int ssc_cuda_copy_all(const ssc_cuda_api* api, const ssc_plan* plan, const ssc_cuda_source* source,
                             const ssc_ring* ring, uint32_t slot, void* stream) {
  int error = 0;
  for (uint64_t image = 0; image < plan->images && !error; ++image)
    for (uint64_t plane = 0; plane < plan->planes && !error; ++plane)
      error = ssc_cuda_copy_plane(api, plan, image * plan->from_image + plane * plan->from_plane, source, ring, slot,
                                  image * plan->to_image + plane * plan->to_plane, stream);
  return error;
}

/* Behind the copy on the same stream: one call, and no thread of the driver's that runs while the next frame is
 * published. The worker finds the flag. */
static int ssc_cuda_flag(const ssc_cuda_api* api, ssc_ring* ring, uint32_t slot, void* stream) {
  ssc_cuda_ring* cuda = &ring->cuda;
  if (++cuda->copies == 0) cuda->copies = 1;
  const int error = api->write_value(stream, cuda->flags_there + slot * sizeof(uint32_t), cuda->copies, 0);
  if (error) return error;
  SSC_STORE(&cuda->since_ns, ssc_now());
  __atomic_store_n(&cuda->awaited[slot], cuda->copies, __ATOMIC_SEQ_CST);
  if (!__atomic_load_n(&cuda->looked_at, __ATOMIC_SEQ_CST)) ssc_wake(ring->state);
  return 0;
}

/* The worker's: frames become ready in the order of publishing, whichever streams they came from. Returns how long to
 * wait before the next look (ns); UINT64_MAX: nothing is on its way. */
static uint64_t ssc_cuda_poll_ring(ssc_ring* ring) {
  ssc_cuda_ring* cuda = &ring->cuda;
  for (uint32_t turn = 0; cuda->flags && turn < ring->slot_count; ++turn) {
    int first = -1;
    uint32_t oldest = 0;
    for (uint32_t i = 0; i < ring->slot_count; ++i) {
      const uint32_t number = __atomic_load_n(&cuda->awaited[i], __ATOMIC_SEQ_CST);
      if (!number || (first >= 0 && (int32_t)(number - oldest) > 0)) continue;
      first = (int)i;
      oldest = number;
    }
    if (first < 0) return UINT64_MAX;
    if (SSC_LOAD(&cuda->flags[first]) != oldest) {
      /* A queue may be seconds long: whoever has waited long looks seldom. */
      const uint64_t pause = (ssc_now() - SSC_LOAD(&cuda->since_ns)) / 16;
      return pause < SSC_SECOND / 10000 ? SSC_SECOND / 10000 : pause > SSC_SECOND / 10 ? SSC_SECOND / 10 : pause;
    }
    SSC_STORE(&cuda->awaited[first], 0u);
    ssc_finish_from_driver(ring, (uint32_t)first, 1);
  }
  return UINT64_MAX;
}

/* On a thread of the driver, behind the copy. */
static void ssc_cuda_done(void* argument) {
  const ssc_place* place = (const ssc_place*)argument;
  ssc_finish_from_driver(place->ring, place->slot, 1);
}

/* The user's stream goes on: a stream of ours waits for the copy, and frames become ready in the order of publishing,
 * whichever streams they came from. */
static int ssc_cuda_watch(const ssc_cuda_api* api, ssc_ring* ring, uint32_t slot, void* stream) {
  if (ring->cuda.flags) return ssc_cuda_flag(api, ring, slot, stream);
  void* event = ring->cuda.events[slot];
  int error = api->event_record(event, stream);
  if (!error) error = api->stream_wait(ring->cuda.stream, event, 0);
  if (!error) error = api->host_function(ring->cuda.stream, ssc_cuda_done, &ring->places[slot]);
  return error;
}

/* What the driver has said of a stream and a pointer, so that it is not asked again for each frame: code that runs 30
 * times a second is cold, and each call costs its microsecond. Forgotten when the driver refuses one. */
typedef struct {
  const void *stream, *pointer;
  void* context;
} ssc_cuda_pair;
#define SSC_CUDA_PAIRS 8
typedef struct {
  ssc_cuda_pair pairs[SSC_CUDA_PAIRS];
  unsigned next;
} ssc_cuda_memory;
static __thread ssc_cuda_memory ssc_cuda_seen;

/* NULL: not yet. */
static void* ssc_cuda_known(const void* pointer, const void* stream) {
  if (!pointer || ssc_cuda_is_default_stream(stream)) return NULL;
  for (int i = 0; i < SSC_CUDA_PAIRS; ++i) {
    const ssc_cuda_pair* pair = &ssc_cuda_seen.pairs[i];
    if (pair->pointer == pointer && pair->stream == stream) return pair->context;
  }
  return NULL;
}

static void ssc_cuda_remember(const void* pointer, const void* stream, void* context) {
  const ssc_cuda_pair pair = {stream, pointer, context};
  ssc_cuda_seen.pairs[ssc_cuda_seen.next++ % SSC_CUDA_PAIRS] = pair;
}

static int ssc_cuda_send(const ssc_publish* publish, const ssc_cuda_api* api, const ssc_plan* plan,
                         const ssc_cuda_source* source, const ssc_need* need, void* stream) {
  uint32_t slot = 0;
  int capturing = 0;
  if (api->is_capturing(stream, &capturing) != 0 || capturing) {
    memset(&ssc_cuda_seen, 0, sizeof ssc_cuda_seen);
    return ssc_skip(publish, "The stream is being captured into a graph.");
  }
  ssc_ring* ring = ssc_begin(publish, need, &slot);
  if (!ring) return ssc_skip(publish, NULL);
  ssc_describe(publish, ring, slot, &plan->packed);
  SSC_ADD(&ring->in_flight, 1);
  int error = ssc_cuda_copy_all(api, plan, source, ring, slot, stream);
  if (error) {
    ssc_finish_from_driver(ring, slot, 0);
  } else {
    /* A copy that nobody watches keeps its slot: the driver may still write into it. */
    error = ssc_cuda_watch(api, ring, slot, stream);
  }
  if (error) {
    memset(&ssc_cuda_seen, 0, sizeof ssc_cuda_seen);
    ssc_skip(publish, "CUDA refused to copy the frame.");
  }
  return ssc_end(publish, !error);
}

static int ssc_cuda_is_cudas(const ssc_cuda_api* api, const void* pointer) {
  unsigned type = 0;
  return !pointer || api->pointer_attribute(&type, SSC_CUDA_POINTER_TYPE, (uint64_t)(uintptr_t)pointer) == 0;
}

static int ssc_cuda_publish(const ssc_publish* publish, const ssc_cuda_api* api, const ssc_plan* plan,
                            const ssc_cuda_source* source, void* stream) {
  void* known = ssc_cuda_known(source->pointer, stream);
  ssc_cuda_scope scope;
  ssc_need need;
  memset(&need, 0, sizeof need);
  need.feeder = SSC_FROM_CUDA;
  need.bytes = plan->bytes;
  need.cuda_context = known ? known : ssc_cuda_context_of(api, source->pointer, stream);
  if (!need.cuda_context || !ssc_cuda_enter(&scope, api, need.cuda_context)) {
    memset(&ssc_cuda_seen, 0, sizeof ssc_cuda_seen);
    return ssc_skip(publish, "No CUDA context belongs to this stream and memory.");
  }
  int result;
  if (!known && !ssc_cuda_is_cudas(api, source->pointer)) {
    result = ssc_skip(publish, "The pointer is not CUDA's: publish host memory with seamscope_publish_host.");
  } else {
    if (!known) ssc_cuda_remember(source->pointer, stream, need.cuda_context);
    result = ssc_cuda_send(publish, api, plan, source, &need, stream);
  }
  ssc_cuda_leave(&scope);
  return result;
}

/* The very first publish tells which device this program works on. */
static SSC_APART void ssc_cuda_introduce(const void* pointer, void* stream) {
  const ssc_cuda_api* api = ssc_cuda();
  void* context = api ? ssc_cuda_context_of(api, pointer, stream) : NULL;
  ssc_cuda_scope scope;
  int device = -1;
  if (!context || pthread_mutex_trylock(&ssc_cuda_lock) != 0) return;
  if (!ssc_device.flags && ssc_cuda_enter(&scope, api, context)) {
    if (api->ctx_device(&device) == 0 && api->uuid(ssc_device.device_uuid, device) == 0) {
      ssc_device.cuda_ordinal = device;
      SSC_STORE(&ssc_device.flags, (uint32_t)SEAMSCOPE_HAS_DEVICE_UUID);
    }
    ssc_cuda_leave(&scope);
  }
  pthread_mutex_unlock(&ssc_cuda_lock);
}

static SSC_APART int ssc_publish_cuda(const ssc_publish* publish, const void* pointer, const seamscope_frame_desc* desc,
                                      void* stream) {
  const ssc_cuda_api* api = ssc_cuda();
  seamscope_frame_desc complete;
  ssc_plan plan;
  if (!api) return ssc_skip(publish, "The program has not loaded CUDA, or its driver is older than 10.2.");
  if (!desc) return ssc_skip(publish, "The frame has no description.");
  complete = *desc;
  ssc_complete(&complete);
  if (!pointer || !ssc_plan_frame(&complete, &plan)) return ssc_skip(publish, ssc_refusal(&complete));
  const ssc_cuda_source source = {(const uint8_t*)pointer + complete.offset, NULL};
  return ssc_cuda_publish(publish, api, &plan, &source, stream);
}

SEAMSCOPE_API int(seamscope_publish_cuda)(const char* name, const void* pointer, const seamscope_frame_desc* desc,
                                          void* stream) {
  ssc_publish publish;
  if (!SSC_PEEK(&ssc_device.flags)) ssc_cuda_introduce(pointer, stream);
  return ssc_is_watched(name, desc, &publish) ? ssc_publish_cuda(&publish, pointer, desc, stream) : publish.unasked;
}

/* CUarray_format to dtype; UINT32_MAX: one that cannot be shown. */
static uint32_t ssc_cuda_dtype(int format) {
  switch (format) {
    case 0x01:
      return SEAMSCOPE_U8;
    case 0x02:
      return SEAMSCOPE_U16;
    case 0x03:
      return SEAMSCOPE_U32;
    case 0x08:
      return SEAMSCOPE_I8;
    case 0x09:
      return SEAMSCOPE_I16;
    case 0x0A:
      return SEAMSCOPE_I32;
    case 0x10:
      return SEAMSCOPE_F16;
    case 0x20:
      return SEAMSCOPE_F32;
    default:
      return UINT32_MAX;
  }
}

/* The array's own shape in place of zeros. A layered or three-dimensional array shows its first layer. */
static int ssc_cuda_describe_array(const ssc_cuda_api* api, void* array, seamscope_frame_desc* desc) {
  ssc_cuda_array_desc shape;
  if (api->array_desc(&shape, array) != 0) return 0;
  const uint32_t dtype = ssc_cuda_dtype(shape.format);
  if (dtype == UINT32_MAX) return 0;
  desc->dtype = dtype;
  desc->channels = shape.channels;
  desc->batch = 1;
  if (!desc->width || desc->width > shape.width) desc->width = (uint32_t)shape.width;
  if (!desc->height || desc->height > shape.height) desc->height = (uint32_t)(shape.height ? shape.height : 1);
  desc->flags &= SEAMSCOPE_FLAG_BOTTOM_UP | SEAMSCOPE_FLAG_BGR;
  desc->offset = desc->row_stride = desc->pixel_stride = desc->channel_stride = desc->batch_stride = 0;
  return 1;
}

static SSC_APART int ssc_publish_array(const ssc_publish* publish, const void* array, const seamscope_frame_desc* desc,
                                       void* stream) {
  const ssc_cuda_api* api = ssc_cuda();
  const ssc_cuda_source source = {NULL, (void*)(uintptr_t)array};
  seamscope_frame_desc complete;
  ssc_plan plan;
  if (!api) return ssc_skip(publish, "The program has not loaded CUDA, or its driver is older than 10.2.");
  memset(&complete, 0, sizeof complete);
  if (desc) complete = *desc;
  if (!array || !ssc_cuda_describe_array(api, source.array, &complete))
    return ssc_skip(publish, "The array has a format that cannot be shown.");
  ssc_complete(&complete);
  if (!ssc_plan_frame(&complete, &plan)) return ssc_skip(publish, ssc_refusal(&complete));
  return ssc_cuda_publish(publish, api, &plan, &source, stream);
}

SEAMSCOPE_API int(seamscope_publish_cuda_array)(const char* name, const void* array, const seamscope_frame_desc* desc,
                                                void* stream) {
  ssc_publish publish;
  if (!SSC_PEEK(&ssc_device.flags)) ssc_cuda_introduce(NULL, stream);
  return ssc_is_watched(name, desc, &publish) ? ssc_publish_array(&publish, array, desc, stream) : publish.unasked;
}
