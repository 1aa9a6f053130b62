/* Who makes rings: the worker, except for frames out of CUDA memory. While the program keeps CUDA's queue of launches
 * full, its own thread waits inside the driver and lets no other in, for as long as the program goes on so; but what
 * that thread asks itself is answered. So it makes its ring in the one publish that finds none: some milliseconds,
 * once. */
#include "rings.h"

/* What is to be made. */
typedef struct {
  ssc_need need;
  uint32_t memory, generation;
} ssc_wish;

static uint32_t ssc_choose_memory(const ssc_state* state, const ssc_output* output, const ssc_need* need) {
  const int device = SSC_LOAD(&state->paths) & SEAMSCOPE_PATH_DEVICE && !output->host_only && !output->stays_host;
  if (need->feeder == SSC_FROM_CUDA && device) return SEAMSCOPE_MEMORY_CUDA;
  if (need->feeder == SSC_FROM_VULKAN && device && need->vulkan->get_fd) return SEAMSCOPE_MEMORY_VULKAN;
  return SEAMSCOPE_MEMORY_HOST;
}

/* Under the lock. Capacity only grows. */
static ssc_wish ssc_wish_for(const ssc_state* state, const ssc_output* output, const ssc_need* need) {
  ssc_wish wish;
  wish.need = *need;
  wish.memory = ssc_choose_memory(state, output, need);
  wish.generation = output->generation + 1;
  if (output->ring && output->ring->need.bytes > wish.need.bytes) wish.need.bytes = output->ring->need.bytes;
  return wish;
}

/* Host memory where GPU memory cannot be had. */
static ssc_ring* ssc_make_wished(ssc_state* state, uint32_t output, const ssc_wish* wish) {
  ssc_ring* ring = ssc_ring_make(state, output, wish->generation, &wish->need, wish->memory);
  if (ring || wish->memory == SEAMSCOPE_MEMORY_HOST) return ring;
  return ssc_ring_make(state, output, wish->generation, &wish->need, SEAMSCOPE_MEMORY_HOST);
}

/* Under the lock. */
static void ssc_take_made(ssc_output* output, const ssc_wish* wish, ssc_ring* ring) {
  static const char* const reason = "There is no memory for the preview's frames.";
  if (!ring) {
    output->retry_ns = ssc_now() + SSC_SECOND;
    SSC_STORE(&output->trouble, reason);
    return;
  }
  if (ring->memory != wish->memory) {
    ssc_say("%s: no GPU memory to share, frames go through host memory", output->name);
    output->host_only = 1;
  }
  output->generation = ring->generation;
  SSC_STORE(&output->next, ring);
}

/* The next ring would share a bank with one in use. */
static int ssc_bank_is_taken(const ssc_output* output) {
  return output->ring && output->ring->generation % 2 == (output->generation + 1) % 2;
}

/* Under the lock, on the caller's thread, with its context current. */
static void ssc_make_here(const ssc_publish* publish, const ssc_need* need) {
  ssc_state* state = publish->state;
  ssc_output* output = publish->output;
  if (output->old || SSC_LOAD(&state->paths) == 0 || publish->now < output->retry_ns) return;
  if (ssc_bank_is_taken(output)) {
    output->wanted = *need; /* the worker knows what to do */
    return;
  }
  if (pthread_mutex_trylock(&state->dead_lock) == 0) {
    ssc_free_list(&state->dead_cuda, UINT64_MAX);
    pthread_mutex_unlock(&state->dead_lock);
  }
  const ssc_wish wish = ssc_wish_for(state, output, need);
  ssc_take_made(output, &wish, ssc_make_wished(state, output->index, &wish));
}
