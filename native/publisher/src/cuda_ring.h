/* Rings that CUDA writes: GPU memory exported as file descriptors, or host memory that the driver knows. */
#include "cuda_api.h"

static int ssc_cuda_make_slot(const ssc_cuda_api* api, ssc_ring* ring, uint32_t slot, const ssc_cuda_prop* prop) {
  ssc_cuda_ring* cuda = &ring->cuda;
  const size_t bytes = ring->allocation_size;
  const ssc_cuda_access access = {prop->location.type, prop->location.id, 3 /* read and write */};
  if (api->create(&cuda->handles[slot], bytes, prop, 0) != 0) {
    cuda->handles[slot] = 0;
    return 0;
  }
  if (api->reserve(&cuda->pointers[slot], bytes, 0, 0, 0) != 0) {
    cuda->pointers[slot] = 0;
    return 0;
  }
  if (api->map(cuda->pointers[slot], bytes, 0, cuda->handles[slot], 0) != 0) {
    api->unreserve(cuda->pointers[slot], bytes);
    cuda->pointers[slot] = 0;
    return 0;
  }
  return api->set_access(cuda->pointers[slot], bytes, &access, 1) == 0;
}

static int ssc_cuda_make_memory(const ssc_cuda_api* api, ssc_ring* ring) {
  ssc_cuda_prop prop;
  size_t unit = 0;
  memset(&prop, 0, sizeof prop);
  prop.type = 1;         /* pinned */
  prop.handle_types = 1; /* POSIX file descriptors */
  prop.location.type = 1;
  prop.location.id = ring->need.cuda_device;
  if (api->granularity(&unit, &prop, 0) != 0 || unit == 0) return 0;
  ring->slot_size = ring->allocation_size = ssc_round_up(ring->slot_size, unit);
  for (uint32_t i = 0; i < ring->slot_count; ++i)
    if (!ssc_cuda_make_slot(api, ring, i, &prop)) return 0;
  return 1;
}

#define SSC_FLAG_BYTES 4096u

/* Shared, so that a fork does not part what the GPU writes from what is read here. */
static int ssc_cuda_make_flags(const ssc_cuda_api* api, ssc_cuda_ring* cuda) {
  if (!api->host_pointer || !api->write_value) return 0;
  void* page = mmap(NULL, SSC_FLAG_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (page == MAP_FAILED) return 0;
  if (api->host_register(page, SSC_FLAG_BYTES, 3 /* in every context, for the GPU to address */) == 0) {
    if (api->host_pointer(&cuda->flags_there, page, 0) == 0) {
      cuda->flags = (uint32_t*)page;
      return 1;
    }
    api->host_unregister(page);
  }
  munmap(page, SSC_FLAG_BYTES);
  return 0;
}

static int ssc_cuda_make_streams(const ssc_cuda_api* api, ssc_ring* ring) {
  if (api->stream_create(&ring->cuda.stream, 1 /* non-blocking */) != 0) return 0;
  for (uint32_t i = 0; i < ring->slot_count; ++i)
    if (api->event_create(&ring->cuda.events[i], 2 /* no timing */) != 0) return 0;
  return 1;
}

/* The ring's host memory, if any, is there already. */
static int ssc_cuda_make(ssc_ring* ring) {
  const ssc_cuda_api* api = ssc_cuda();
  ssc_cuda_scope scope;
  if (!api || !ssc_cuda_enter(&scope, api, ring->need.cuda_context)) return 0;
  int made = api->ctx_device(&ring->need.cuda_device) == 0 && api->uuid(ring->cuda.uuid, ring->need.cuda_device) == 0 &&
             (ssc_cuda_make_flags(api, &ring->cuda) || ssc_cuda_make_streams(api, ring));
  if (made && ring->memory == SEAMSCOPE_MEMORY_CUDA) {
    made = ssc_cuda_make_memory(api, ring);
  } else if (made) {
    made = ring->cuda.registered = api->host_register(ring->bytes, ring->mapped, 1 /* in every context */) == 0;
  }
  ssc_cuda_leave(&scope);
  return made;
}

static void ssc_cuda_free(ssc_ring* ring) {
  const ssc_cuda_api* api = ssc_cuda();
  ssc_cuda_ring* cuda = &ring->cuda;
  ssc_cuda_scope scope;
  void* flags = cuda->flags;
  if (!api || !ssc_cuda_enter(&scope, api, ring->need.cuda_context)) { /* the context took the rest along */
    if (flags) munmap(flags, SSC_FLAG_BYTES);
    return;
  }
  if (flags) api->host_unregister(flags);
  if (flags) munmap(flags, SSC_FLAG_BYTES);
  if (cuda->registered) api->host_unregister(ring->bytes);
  if (cuda->stream) api->stream_destroy(cuda->stream);
  for (uint32_t i = 0; i < SEAMSCOPE_MAX_SLOTS; ++i) {
    if (cuda->events[i]) api->event_destroy(cuda->events[i]);
    if (cuda->pointers[i]) {
      api->unmap(cuda->pointers[i], ring->allocation_size);
      api->unreserve(cuda->pointers[i], ring->allocation_size);
    }
    if (cuda->handles[i]) api->release(cuda->handles[i]);
  }
  memset(cuda, 0, sizeof *cuda);
  ssc_cuda_leave(&scope);
}

/* A new file descriptor of a slot, or -1. */
static int ssc_cuda_export(const ssc_ring* ring, uint32_t slot) {
  const ssc_cuda_api* api = ssc_cuda();
  ssc_cuda_scope scope;
  int fd = -1;
  if (!api || !ssc_cuda_enter(&scope, api, ring->need.cuda_context)) return -1;
  if (api->export_fd(&fd, ring->cuda.handles[slot], 1, 0) != 0) fd = -1;
  ssc_cuda_leave(&scope);
  return fd;
}
