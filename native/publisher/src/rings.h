/* A ring's life: made, offered, accepted, replaced, released, freed. */
#include "vulkan_publish.h"

static void ssc_ring_close_fds(ssc_ring* ring) {
  while (ring->fd_count > 0) close(ring->fds[--ring->fd_count]);
}

static void ssc_ring_free(ssc_ring* ring) {
  ssc_ring_close_fds(ring);
  if (ring->need.feeder == SSC_FROM_CUDA) ssc_cuda_free(ring);
  if (ring->need.feeder == SSC_FROM_VULKAN) ssc_vk_free(ring);
  if (ring->bytes) munmap(ring->bytes, ring->mapped);
  if (ring->fd >= 0) close(ring->fd);
  free(ring);
}

static int ssc_make_host_memory(ssc_ring* ring) {
  ring->slot_size = ring->slot_stride = ssc_round_up(ring->slot_size, 65536);
  ring->allocation_size = ring->mapped = ring->slot_stride * ring->slot_count;
  ring->fd = ssc_shared_memory("seamscope-frames", ring->mapped, &ring->bytes);
  return ring->fd >= 0;
}

/* One slot is read, one is ready, one is written; very large frames do without the second. */
#define SSC_LARGE_BYTES ((uint64_t)256 << 20)

/* The descriptors that the hub needs. 0: one cannot be made. */
static int ssc_export_ring(ssc_ring* ring) {
  if (ring->memory == SEAMSCOPE_MEMORY_HOST) return 1;
  for (; ring->fd_count < ring->slot_count; ++ring->fd_count) {
    const uint32_t slot = ring->fd_count;
    ring->fds[slot] = ring->memory == SEAMSCOPE_MEMORY_CUDA ? ssc_cuda_export(ring, slot) : ssc_vk_export(ring, slot);
    if (ring->fds[slot] < 0) return 0;
  }
  return 1;
}

static void ssc_ring_lay_out(ssc_ring* ring) {
  ring->slot_count = ring->need.bytes > SSC_LARGE_BYTES ? 2 : 3;
  ring->slot_size = ring->need.bytes;
  ring->fd = -1;
  for (uint32_t i = 0; i < SEAMSCOPE_MAX_SLOTS; ++i) {
    ring->places[i].ring = ring;
    ring->places[i].slot = i;
  }
}

static int ssc_ring_fill(ssc_ring* ring) {
  int made = ring->memory != SEAMSCOPE_MEMORY_HOST || ssc_make_host_memory(ring);
  if (made && ring->need.feeder == SSC_FROM_CUDA) made = ssc_cuda_make(ring);
  if (made && ring->need.feeder == SSC_FROM_VULKAN) {
    ring->slot_size = ssc_round_up(ring->slot_size, 65536);
    made = ssc_vk_make(ring);
  }
  return made && ssc_export_ring(ring);
}

/* NULL: there is no memory of that kind, or it cannot be shared. */
static ssc_ring* ssc_ring_make(ssc_state* state, uint32_t output, uint32_t generation, const ssc_need* need,
                               uint32_t memory) {
  ssc_ring* ring = (ssc_ring*)calloc(1, sizeof *ring);
  if (!ring) return NULL;
  ring->state = state;
  ring->need = *need;
  ring->output = output;
  ring->generation = generation;
  ring->epoch = SSC_LOAD(&state->epoch);
  ring->memory = memory;
  ssc_ring_lay_out(ring);
  if (ssc_ring_fill(ring)) return ring;
  ssc_ring_free(ring);
  return NULL;
}

/* Freed once no driver writes into it. */
static void ssc_ring_bury(ssc_state* state, ssc_ring* ring) {
  if (!ring) return;
  const int is_cuda = ring->need.feeder == SSC_FROM_CUDA;
  ssc_ring** list = is_cuda ? &state->dead_cuda : &state->dead;
  ring->buried_ns = ssc_now();
  if (is_cuda) pthread_mutex_lock(&state->dead_lock);
  ring->next = *list;
  *list = ring;
  if (is_cuda) pthread_mutex_unlock(&state->dead_lock);
}

/* Those that were buried before that time. Says whether some are left. */
static int ssc_free_list(ssc_ring** place, uint64_t before) {
  ssc_ring** first = place;
  while (*place) {
    ssc_ring* ring = *place;
    if (SSC_LOAD(&ring->in_flight) > 0 || ring->buried_ns > before) {
      place = &ring->next;
    } else {
      *place = ring->next;
      ssc_ring_free(ring);
    }
  }
  return *first != NULL;
}

/* A program that keeps CUDA's queue full shuts other threads out of the driver for seconds: its own thread frees what
 * it can when it next makes a ring, and the worker what is left after that time. */
#define SSC_LEAVE_CUDA_NS (3 * SSC_SECOND)

static int ssc_free_dead(ssc_state* state, uint64_t cuda_age) {
  int left = ssc_free_list(&state->dead, UINT64_MAX);
  pthread_mutex_lock(&state->dead_lock);
  left |= ssc_free_list(&state->dead_cuda, ssc_now() - cuda_age);
  pthread_mutex_unlock(&state->dead_lock);
  return left;
}

/* The hub has let go of a replaced ring: its bank is free once our own copies have ended too. */
static void ssc_settle_old(ssc_state* state, ssc_output* output) {
  ssc_ring* old = output->old;
  if (!old || !old->released || SSC_LOAD(&old->in_flight) > 0) return;
  for (uint32_t i = 0; i < old->slot_count; ++i) SSC_STORE(&ssc_slot(state, old, i)->state, SEAMSCOPE_SLOT_FREE);
  pthread_mutex_lock(&output->lock);
  output->old = NULL;
  pthread_mutex_unlock(&output->lock);
  ssc_ring_bury(state, old);
}

/* 1: sent; 0: the socket is full; -1: the connection is gone. The fds stay ours. */
static int ssc_send(const ssc_state* state, const void* message, size_t size, const int* fds, uint32_t fd_count) {
  union {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int) * SEAMSCOPE_MAX_SLOTS)];
  } control;
  struct iovec part;
  struct msghdr header;
  memset(&control, 0, sizeof control);
  memset(&header, 0, sizeof header);
  part.iov_base = (void*)(uintptr_t)message;
  part.iov_len = size;
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (fd_count > 0) {
    header.msg_control = control.bytes;
    header.msg_controllen = CMSG_SPACE(sizeof(int) * fd_count);
    struct cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int) * fd_count);
    memcpy(CMSG_DATA(rights), fds, sizeof(int) * fd_count);
  }
  if (sendmsg(state->socket, &header, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return 1;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ENOBUFS ? 0 : -1;
}

static void ssc_fill_ring_message(const ssc_ring* ring, seamscope_ring* message) {
  ssc_header(message, SEAMSCOPE_RING, sizeof *message);
  message->output = ring->output;
  message->generation = ring->generation;
  message->memory = ring->memory;
  message->slot_count = ring->slot_count;
  message->slot_size = ring->slot_size;
  message->allocation_size = ring->allocation_size;
  message->slot_stride = ring->slot_stride;
  if (ring->memory == SEAMSCOPE_MEMORY_CUDA) {
    message->flags = SEAMSCOPE_HAS_DEVICE_UUID;
    memcpy(message->device_uuid, ring->cuda.uuid, 16);
  } else if (ring->memory == SEAMSCOPE_MEMORY_VULKAN) {
    const seamscope_vulkan* vulkan = ring->need.vulkan;
    message->flags = vulkan->uuid_flags;
    message->memory_type_index = ring->vulkan.memory_type;
    memcpy(message->device_uuid, vulkan->device_uuid, 16);
    memcpy(message->driver_uuid, vulkan->driver_uuid, 16);
  }
}

/* As ssc_send. */
static int ssc_offer_ring(const ssc_state* state, ssc_ring* ring) {
  const int is_host = ring->memory == SEAMSCOPE_MEMORY_HOST;
  seamscope_ring message;
  ssc_fill_ring_message(ring, &message);
  const int sent =
      ssc_send(state, &message, sizeof message, is_host ? &ring->fd : ring->fds, is_host ? 1 : ring->fd_count);
  if (sent == 1) ssc_ring_close_fds(ring);
  return sent;
}
