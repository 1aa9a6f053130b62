/* A ring's life: made, offered, accepted, replaced, released, freed. All but the lock holders' view of it is the
 * worker's. */
#include "vulkan_publish.h"

static void ssc_ring_free(ssc_ring* ring) {
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

/* NULL: there is no memory of that kind. */
static ssc_ring* ssc_ring_make(ssc_state* state, const ssc_output* output, const ssc_need* need, uint32_t memory) {
  ssc_ring* ring = (ssc_ring*)calloc(1, sizeof *ring);
  if (!ring) return NULL;
  ring->state = state;
  ring->need = *need;
  ring->output = output->index;
  ring->generation = output->generation + 1;
  ring->epoch = SSC_LOAD(&state->epoch);
  ring->memory = memory;
  ring->slot_count = need->bytes > SSC_LARGE_BYTES ? 2 : 3;
  ring->slot_size = need->bytes;
  ring->fd = -1;
  for (uint32_t i = 0; i < SEAMSCOPE_MAX_SLOTS; ++i) {
    ring->places[i].ring = ring;
    ring->places[i].slot = i;
  }
  int made = memory != SEAMSCOPE_MEMORY_HOST || ssc_make_host_memory(ring);
  if (made && need->feeder == SSC_FROM_CUDA) made = ssc_cuda_make(ring);
  if (made && need->feeder == SSC_FROM_VULKAN) {
    ring->slot_size = ssc_round_up(ring->slot_size, 65536);
    made = ssc_vk_make(ring);
  }
  if (made) return ring;
  ssc_ring_free(ring);
  return NULL;
}

/* Freed by the worker once no driver writes into it. */
static void ssc_ring_bury(ssc_state* state, ssc_ring* ring) {
  if (!ring) return;
  ring->next = state->dead;
  state->dead = ring;
}

/* Says whether some are left. */
static int ssc_free_dead(ssc_state* state) {
  ssc_ring** place = &state->dead;
  while (*place) {
    ssc_ring* ring = *place;
    if (SSC_LOAD(&ring->in_flight) > 0) {
      place = &ring->next;
    } else {
      *place = ring->next;
      ssc_ring_free(ring);
    }
  }
  return state->dead != NULL;
}

/* The hub has let go of a replaced ring: its bank is free once our own copies have ended too. */
static void ssc_settle_old(ssc_state* state, ssc_output* output) {
  ssc_ring* old = output->old;
  if (!old || !old->released || SSC_LOAD(&old->in_flight) > 0) return;
  for (uint32_t i = 0; i < old->slot_count; ++i) SSC_STORE(&ssc_slot(state, old, i)->state, SEAMSCOPE_SLOT_FREE);
  output->old = NULL;
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

/* The descriptors that the hub needs; 0 when one cannot be made. */
static uint32_t ssc_export_ring(const ssc_ring* ring, int* fds) {
  if (ring->memory == SEAMSCOPE_MEMORY_HOST) {
    fds[0] = ring->fd;
    return 1;
  }
  for (uint32_t i = 0; i < ring->slot_count; ++i) {
    fds[i] = ring->memory == SEAMSCOPE_MEMORY_CUDA ? ssc_cuda_export(ring, i) : ssc_vk_export(ring, i);
    if (fds[i] >= 0) continue;
    while (i > 0) close(fds[--i]);
    return 0;
  }
  return ring->slot_count;
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

/* As ssc_send; -2: the memory cannot be exported. */
static int ssc_offer_ring(const ssc_state* state, const ssc_ring* ring) {
  int fds[SEAMSCOPE_MAX_SLOTS];
  seamscope_ring message;
  const uint32_t count = ssc_export_ring(ring, fds);
  if (count == 0) return -2;
  ssc_fill_ring_message(ring, &message);
  const int sent = ssc_send(state, &message, sizeof message, fds, count);
  if (ring->memory != SEAMSCOPE_MEMORY_HOST)
    for (uint32_t i = 0; i < count; ++i) close(fds[i]);
  return sent;
}
