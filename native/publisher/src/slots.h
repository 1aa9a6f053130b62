/* Slots on the control page, and the doorbell. */
#include "frame.h"

static seamscope_slot* ssc_slot(const ssc_state* state, const ssc_ring* ring, uint32_t slot) {
  return &state->page->outputs[ring->output].slots[ring->generation % 2][slot];
}

static int ssc_swap_state(seamscope_slot* slot, uint32_t from, uint32_t to) {
  return __atomic_compare_exchange_n(&slot->state, &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* A free slot, else the oldest ready one; -1: all are being written or read. */
static int ssc_take_slot(const ssc_state* state, const ssc_ring* ring) {
  for (int attempt = 0; attempt < 4; ++attempt) {
    int oldest = -1;
    uint64_t oldest_frame = UINT64_MAX;
    for (uint32_t i = 0; i < ring->slot_count; ++i) {
      seamscope_slot* slot = ssc_slot(state, ring, i);
      if (ssc_swap_state(slot, SEAMSCOPE_SLOT_FREE, SEAMSCOPE_SLOT_WRITING)) return (int)i;
      if (SSC_LOAD(&slot->state) == SEAMSCOPE_SLOT_READY && slot->frame < oldest_frame) {
        oldest = (int)i;
        oldest_frame = slot->frame;
      }
    }
    if (oldest < 0) return -1;
    seamscope_slot* slot = ssc_slot(state, ring, (uint32_t)oldest);
    if (ssc_swap_state(slot, SEAMSCOPE_SLOT_READY, SEAMSCOPE_SLOT_WRITING)) return oldest;
  }
  return -1;
}

static void ssc_header(void* message, uint32_t type, size_t size) {
  seamscope_header* header = (seamscope_header*)message;
  memset(message, 0, size);
  header->magic = SEAMSCOPE_WIRE_MAGIC;
  header->version = SEAMSCOPE_WIRE_VERSION;
  header->type = (uint16_t)type;
  header->size = (uint32_t)size;
}

/* A full socket buffer is no error: a doorbell is already in it. */
static void ssc_ring_doorbell(const ssc_state* state, const ssc_ring* ring) {
  seamscope_ring_answer message;
  const int socket = SSC_LOAD(&state->socket);
  if (socket < 0) return;
  ssc_header(&message, SEAMSCOPE_DOORBELL, sizeof message);
  message.output = ring->output;
  message.generation = ring->generation;
  if (send(socket, &message, sizeof message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) return;
}

/* The bytes are there, or never will be. */
static void ssc_finish_slot(const ssc_state* state, const ssc_ring* ring, uint32_t slot, int is_there) {
  seamscope_slot* place = ssc_slot(state, ring, slot);
  if (is_there) place->ready_ns = ssc_now();
  if (!ssc_swap_state(place, SEAMSCOPE_SLOT_WRITING, is_there ? SEAMSCOPE_SLOT_READY : SEAMSCOPE_SLOT_FREE)) return;
  if (is_there) ssc_ring_doorbell(state, ring);
}

/* The same from a thread that holds no lock: the connection may have ended, and its page with it. */
static void ssc_finish_from_driver(ssc_ring* ring, uint32_t slot, int is_there) {
  ssc_state* state = ring->state;
  __atomic_fetch_add(&state->inside, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&state->epoch, __ATOMIC_SEQ_CST) == ring->epoch) ssc_finish_slot(state, ring, slot, is_there);
  __atomic_fetch_sub(&state->inside, 1, __ATOMIC_SEQ_CST);
  SSC_ADD(&ring->in_flight, -1); /* from here on the worker may free the ring */
}
