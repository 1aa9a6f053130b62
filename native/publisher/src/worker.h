/* The one thread: connects, answers the hub, makes rings, watches Vulkan's completion. Started by the first publish. */
#include "connect.h"

static void ssc_announce(ssc_state* state, ssc_output* output) {
  seamscope_output_message message;
  ssc_header(&message, SEAMSCOPE_OUTPUT, sizeof message);
  message.output = output->index;
  memcpy(message.name, output->name, sizeof message.name);
  message.desc = output->desc;
  const int sent = ssc_send(state, &message, sizeof message, NULL, 0);
  if (sent > 0) {
    output->announced = state->epoch;
    output->told = NULL;
  }
  if (sent < 0) state->lost = 1;
}

/* A sentence for the panel, at most one a second. */
static void ssc_tell(ssc_state* state, ssc_output* output) {
  const char* trouble = SSC_LOAD(&output->trouble);
  seamscope_status message;
  if (trouble == output->told || ssc_now() < output->tell_ns) return;
  ssc_header(&message, SEAMSCOPE_STATUS, sizeof message);
  message.output = output->index;
  ssc_text(message.text, sizeof message.text, trouble ? trouble : "");
  const int sent = ssc_send(state, &message, sizeof message, NULL, 0);
  if (sent > 0) {
    output->told = trouble;
    output->tell_ns = ssc_now() + SSC_SECOND;
  }
  if (sent < 0) state->lost = 1;
  if (trouble) ssc_say("%s: %s", output->name, trouble);
}

/* What names became no output, once a connection. Says whether that is still to be sent. */
static int ssc_tell_refusal(ssc_state* state) {
  const char* reason = SSC_LOAD(&state->refusal);
  seamscope_status message;
  if (!reason || state->refusal_told == state->epoch) return 0;
  ssc_header(&message, SEAMSCOPE_STATUS, sizeof message);
  message.output = UINT32_MAX; /* of the program */
  memset(message.text, 0, sizeof message.text);
  snprintf(message.text, sizeof message.text, "%s: %s", state->refused, reason);
  const int sent = ssc_send(state, &message, sizeof message, NULL, 0);
  if (sent > 0) {
    state->refusal_told = state->epoch;
    ssc_say("%s", message.text);
  }
  if (sent < 0) state->lost = 1;
  return sent == 0;
}

/* What a publish has asked for; 0: nothing that is the worker's to make. */
static int ssc_take_wish(ssc_state* state, ssc_output* output, ssc_wish* wish) {
  pthread_mutex_lock(&output->lock);
  const ssc_need need = output->wanted;
  memset(&output->wanted, 0, sizeof output->wanted);
  int makes = need.bytes > 0 && ssc_now() >= output->retry_ns && !ssc_takes(output->ring, &need);
  if (need.vulkan && SSC_LOAD(&need.vulkan->closing)) makes = 0;
  if (makes && ssc_bank_is_taken(output)) { /* as after a refusal: begin anew, with host memory */
    output->stays_host = 1;
    state->lost = 1;
    makes = 0;
  }
  if (makes) *wish = ssc_wish_for(state, output, &need);
  pthread_mutex_unlock(&output->lock);
  return makes;
}

static void ssc_prepare_ring(ssc_state* state, ssc_output* output) {
  ssc_wish wish;
  if (!ssc_take_wish(state, output, &wish)) return;
  ssc_ring* ring = ssc_make_wished(state, output->index, &wish);
  pthread_mutex_lock(&output->lock);
  if (output->next)
    ssc_ring_bury(state, ring); /* a caller was faster */
  else
    ssc_take_made(output, &wish, ring);
  pthread_mutex_unlock(&output->lock);
}

static void ssc_offer_next(ssc_state* state, ssc_ring* next) {
  const int sent = ssc_offer_ring(state, next);
  if (sent == 1) next->sent = 1;
  if (sent == -1) state->lost = 1;
}

/* Says whether something could not be sent and is to be tried again soon. */
static int ssc_serve_output(ssc_state* state, ssc_output* output) {
  if (output->announced != state->epoch) ssc_announce(state, output);
  if (output->announced != state->epoch) return 1;
  ssc_tell(state, output);
  ssc_settle_old(state, output);
  if (!SSC_LOAD(&output->next) && !output->old && !output->refused) ssc_prepare_ring(state, output);
  ssc_ring* next = SSC_LOAD(&output->next);
  if (next && !next->sent) ssc_offer_next(state, next);
  return (next && !next->sent) || (output->old && output->old->released) || SSC_LOAD(&output->trouble) != output->told;
}

static ssc_output* ssc_output_at(const ssc_state* state, uint32_t index) {
  return index < SSC_LOAD(&state->output_count) ? state->outputs[index] : NULL;
}

static void ssc_on_accepted(ssc_output* output, uint32_t generation) {
  ssc_ring* next = SSC_LOAD(&output->next);
  if (!next || next->generation != generation) return;
  pthread_mutex_lock(&output->lock);
  if (output->ring) output->old = output->ring;
  output->ring = next;
  SSC_STORE(&output->next, (ssc_ring*)NULL);
  pthread_mutex_unlock(&output->lock);
}

static void ssc_on_refused(ssc_state* state, ssc_output* output, const seamscope_ring_answer* answer) {
  ssc_ring* next = SSC_LOAD(&output->next);
  if (!next || next->generation != answer->generation) return;
  ssc_say("%s: %.*s", output->name, (int)sizeof answer->reason, answer->reason);
  if (next->memory == SEAMSCOPE_MEMORY_HOST) SSC_POKE(&output->refused, 1);
  pthread_mutex_lock(&output->lock);
  output->host_only = 1;
  SSC_STORE(&output->next, (ssc_ring*)NULL);
  pthread_mutex_unlock(&output->lock);
  ssc_ring_bury(state, next);
}

static void ssc_on_released(ssc_state* state, ssc_output* output, uint32_t generation) {
  ssc_ring* ring = output->ring;
  if (output->old && output->old->generation == generation) output->old->released = 1;
  if (!ring || ring->generation != generation) return;
  const int is_first = !output->old;
  pthread_mutex_lock(&output->lock);
  output->ring = NULL;
  ring->released = 1;
  if (is_first) output->old = ring;
  pthread_mutex_unlock(&output->lock);
  if (is_first) return;
  state->lost = 1; /* two rings wait for their banks: a case that no hub makes */
  ssc_ring_bury(state, ring);
}

static void ssc_on_answer(ssc_state* state, const seamscope_ring_answer* answer) {
  ssc_output* output = ssc_output_at(state, answer->output);
  if (!output) return;
  if (answer->header.type == SEAMSCOPE_RING_ACCEPTED) ssc_on_accepted(output, answer->generation);
  if (answer->header.type == SEAMSCOPE_RING_REFUSED) ssc_on_refused(state, output, answer);
  if (answer->header.type == SEAMSCOPE_RING_RELEASED) ssc_on_released(state, output, answer->generation);
}

static size_t ssc_size_of(uint32_t type) {
  if (type == SEAMSCOPE_WELCOME) return sizeof(seamscope_welcome);
  if (type == SEAMSCOPE_REFUSED) return sizeof(seamscope_refused);
  const int is_answer =
      type == SEAMSCOPE_RING_ACCEPTED || type == SEAMSCOPE_RING_REFUSED || type == SEAMSCOPE_RING_RELEASED;
  return is_answer ? sizeof(seamscope_ring_answer) : 0;
}

/* 0: what came is no message of the hub's, or ends the connection. */
static int ssc_on_message(ssc_state* state, const void* bytes, size_t size) {
  const seamscope_header* header = (const seamscope_header*)bytes;
  if (size < sizeof *header || header->magic != SEAMSCOPE_WIRE_MAGIC || header->version != SEAMSCOPE_WIRE_VERSION)
    return 0;
  if (header->size != size || size != ssc_size_of(header->type)) return 0;
  if (header->type == SEAMSCOPE_REFUSED) {
    const seamscope_refused* refused = (const seamscope_refused*)bytes;
    ssc_say("the editor refused: %.*s", (int)sizeof refused->reason, refused->reason);
    return 0;
  }
  if (header->type == SEAMSCOPE_WELCOME) {
    SSC_STORE(&state->paths, ((const seamscope_welcome*)bytes)->paths);
    state->greeted = 1;
    ssc_say("connected");
  } else if (state->greeted) {
    ssc_on_answer(state, (const seamscope_ring_answer*)bytes);
  }
  return 1;
}

static void ssc_receive(ssc_state* state) {
  uint64_t bytes[SEAMSCOPE_MAX_MESSAGE / 8 + 1];
  for (int i = 0; i < 64 && !state->lost; ++i) {
    const ssize_t size = recv(state->socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
    if (size <= 0 || !ssc_on_message(state, bytes, (size_t)size)) state->lost = 1;
  }
}

/* Says whether some Vulkan commands have still to pass. */
static int ssc_poll_vulkan(ssc_state* state) {
  int waiting = 0;
  for (uint32_t i = 0; i < SSC_LOAD(&state->output_count); ++i) {
    const ssc_output* output = state->outputs[i];
    if (output->ring && output->ring->need.vulkan) waiting |= ssc_vk_poll_ring(output->ring);
    if (output->old && output->old->need.vulkan) waiting |= ssc_vk_poll_ring(output->old);
  }
  for (ssc_ring* ring = state->dead; ring; ring = ring->next)
    if (ring->need.vulkan) waiting |= ssc_vk_poll_ring(ring);
  return waiting;
}

/* How long until the next look at a ring that CUDA writes (ns); UINT64_MAX: not before it is woken. Around the time of
 * the next frame it looks by itself, which spares the program the system call that would wake it. */
static uint64_t ssc_look_at(const ssc_output* output, ssc_ring* ring) {
  uint64_t pause = ssc_cuda_poll_ring(ring);
  const uint64_t now = ssc_now(), due = SSC_PEEK(&output->due_ns);
  if (pause == UINT64_MAX && SSC_PEEK(&output->page->wanted) && now < due + SSC_SECOND / 50)
    pause = now < due ? due - now : SSC_SECOND / 1000;
  __atomic_store_n(&ring->cuda.looked_at, pause != UINT64_MAX, __ATOMIC_SEQ_CST);
  return pause == UINT64_MAX ? ssc_cuda_poll_ring(ring) : pause; /* what was published before it could see that */
}

static uint64_t ssc_sooner(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t ssc_poll_cuda(ssc_state* state) {
  uint64_t pause = UINT64_MAX;
  for (uint32_t i = 0; i < SSC_LOAD(&state->output_count); ++i) {
    const ssc_output* output = state->outputs[i];
    if (output->ring && output->ring->cuda.flags) pause = ssc_sooner(pause, ssc_look_at(output, output->ring));
    if (output->old && output->old->cuda.flags) pause = ssc_sooner(pause, ssc_cuda_poll_ring(output->old));
  }
  if (pthread_mutex_trylock(&state->dead_lock) != 0) return ssc_sooner(pause, SSC_SECOND / 1000);
  for (ssc_ring* ring = state->dead_cuda; ring; ring = ring->next)
    if (ring->cuda.flags) pause = ssc_sooner(pause, ssc_cuda_poll_ring(ring));
  pthread_mutex_unlock(&state->dead_lock);
  return pause;
}

static int ssc_uses(const ssc_ring* ring, const seamscope_vulkan* vulkan) {
  return ring && ring->need.vulkan == vulkan;
}

/* The device is idle and about to be destroyed: nothing of it may be left. */
static void ssc_drop_device(ssc_state* state, seamscope_vulkan* vulkan) {
  for (uint32_t i = 0; i < SSC_LOAD(&state->output_count); ++i) {
    const ssc_output* output = state->outputs[i];
    if (ssc_uses(output->ring, vulkan) || ssc_uses(output->next, vulkan) || ssc_uses(output->old, vulkan))
      ssc_disconnect(state);
  }
  for (ssc_ring* ring = state->dead; ring; ring = ring->next)
    if (ssc_uses(ring, vulkan)) SSC_STORE(&ring->in_flight, 0);
  ssc_free_list(&state->dead, UINT64_MAX);
}

static void ssc_close_devices(ssc_state* state) {
  pthread_mutex_lock(&state->register_lock);
  seamscope_vulkan* vulkan = state->devices;
  state->devices = NULL;
  pthread_mutex_unlock(&state->register_lock);
  while (vulkan) {
    seamscope_vulkan* next = vulkan->next;
    ssc_drop_device(state, vulkan);
    SSC_STORE(&vulkan->closing, 2);
    vulkan = next;
  }
}

/* How long to sleep, in nanoseconds; UINT64_MAX: until something comes. */
static uint64_t ssc_work(ssc_state* state) {
  if (state->socket < 0 && ssc_now() >= state->try_ns) ssc_connect(state);
  uint64_t pause = UINT64_MAX;
  int busy = 0;
  if (state->socket >= 0 && state->greeted) busy = ssc_tell_refusal(state);
  if (state->socket >= 0 && state->greeted)
    for (uint32_t i = 0; i < SSC_LOAD(&state->output_count) && !state->lost; ++i)
      busy |= ssc_serve_output(state, state->outputs[i]);
  if (state->socket >= 0 && !state->greeted) {
    busy = 1;
    state->lost |= ssc_now() > state->greet_ns;
  }
  const int waiting = ssc_poll_vulkan(state);
  const uint64_t look = ssc_poll_cuda(state);
  ssc_close_devices(state);
  if (state->lost) ssc_disconnect(state);
  state->lost = 0;
  const int has_dead = ssc_free_dead(state, SSC_LEAVE_CUDA_NS);
  if (state->socket < 0) pause = ssc_now() < state->try_ns ? state->try_ns - ssc_now() : 0;
  if (has_dead && pause > SSC_SECOND / 10) pause = SSC_SECOND / 10;
  if (busy && pause > SSC_SECOND / 100) pause = SSC_SECOND / 100;
  if (waiting && pause > SSC_SECOND / 5000) pause = SSC_SECOND / 5000;
  return ssc_sooner(pause, look);
}

static void ssc_rest(ssc_state* state, uint64_t pause) {
  struct pollfd fds[2];
  struct timespec time;
  uint64_t count;
  memset(fds, 0, sizeof fds);
  fds[0].fd = state->wake;
  fds[1].fd = state->socket; /* a negative one is passed over */
  fds[0].events = fds[1].events = POLLIN;
  time.tv_sec = (time_t)(pause / SSC_SECOND);
  time.tv_nsec = (long)(pause % SSC_SECOND);
  if (syscall(SYS_ppoll, fds, 2, pause == UINT64_MAX ? NULL : &time, NULL, (size_t)0) <= 0) return;
  if (fds[0].revents && read(state->wake, &count, sizeof count) > 0)
    __atomic_exchange_n(&state->woken, 0, __ATOMIC_ACQ_REL);
  if (fds[1].revents) ssc_receive(state);
}

static void* ssc_worker(void* argument) {
  ssc_state* state = (ssc_state*)argument;
  prctl(PR_SET_NAME, "seamscope");
  while (!SSC_LOAD(&state->stop)) ssc_rest(state, ssc_work(state));
  ssc_close_devices(state);
  SSC_STORE(&state->stopped, 1);
  return NULL;
}
