/* Opening, closing, the end of the process and fork. */
#include "worker.h"

static void ssc_stop(ssc_state* state, uint64_t limit_ns) {
  const uint64_t limit = ssc_now() + limit_ns;
  if (!state->has_worker) return;
  SSC_STORE(&state->stop, 1);
  ssc_wake(state);
  while (!SSC_LOAD(&state->stopped) && ssc_now() < limit) ssc_sleep(100000);
  if (SSC_LOAD(&state->stopped)) {
    pthread_join(state->worker, NULL);
    state->has_worker = 0;
  }
}

/* The process ends: the thread must not be inside a driver that is being torn down. Memory goes with the process. */
static void ssc_at_exit(void) {
  SSC_STORE(&ssc_ended, 1);
  ssc_state* state = __atomic_exchange_n(&ssc_global, (ssc_state*)NULL, __ATOMIC_ACQ_REL);
  if (!state) return;
  ssc_spare = state;
  ssc_stop(state, SSC_SECOND / 2);
}

static void ssc_let_go(const ssc_ring* ring) {
  if (!ring) return;
  for (uint32_t i = 0; i < ring->fd_count; ++i) close(ring->fds[i]);
  if (ring->fd < 0) return;
  close(ring->fd);
  if (ring->bytes) munmap(ring->bytes, ring->mapped);
}

/* In the child: the connection and its memory are the parent's. Only what is allowed between fork and exec. */
static void ssc_after_fork(void) {
  ssc_state* state = ssc_global;
  const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;
  ssc_start_lock = ssc_cuda_lock = unlocked;
  ssc_global = ssc_spare = NULL;
  memset(&ssc_device, 0, sizeof ssc_device);
  if (!state) return;
  if (state->socket >= 0) close(state->socket);
  if (state->wake >= 0) close(state->wake);
  ssc_blank_page(state);
  for (uint32_t i = 0; i < state->output_count; ++i) {
    ssc_let_go(state->outputs[i]->ring);
    ssc_let_go(state->outputs[i]->next);
    ssc_let_go(state->outputs[i]->old);
  }
  for (const ssc_ring* ring = state->dead; ring; ring = ring->next) ssc_let_go(ring);
  for (const ssc_ring* ring = state->dead_cuda; ring; ring = ring->next) ssc_let_go(ring);
}

static int ssc_reserve_page(ssc_state* state) {
  const uint64_t unit = (uint64_t)sysconf(_SC_PAGESIZE);
  state->page_bytes = ssc_round_up(sizeof(seamscope_control), unit);
  void* page = mmap(NULL, state->page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return 0;
  state->page = (seamscope_control*)page;
  return 1;
}

static ssc_state* ssc_new_state(void) {
  ssc_state* state = ssc_spare ? ssc_spare : (ssc_state*)calloc(1, sizeof *state);
  if (!state) return NULL;
  ssc_spare = NULL;
  if (!state->page && !ssc_reserve_page(state)) {
    free(state);
    return NULL;
  }
  pthread_mutex_init(&state->register_lock, NULL);
  pthread_mutex_init(&state->dead_lock, NULL);
  state->socket = state->wake = -1;
  state->stop = state->stopped = state->woken = state->has_worker = state->lost = state->greeted = 0;
  state->try_ns = 0;
  state->refusal = NULL;
  return state;
}

/* 0: publishing is turned off. */
static int ssc_configure(ssc_state* state, const seamscope_options* options) {
  const char* path = options && options->socket ? options->socket : getenv("SEAMSCOPE_SOCKET");
  if (options && options->name) {
    ssc_text(state->program, sizeof state->program, options->name);
  } else {
    ssc_program_name(state->program, sizeof state->program);
  }
  state->discover = !path || !*path;
  if (state->discover) return 1;
  if (strcmp(path, "off") == 0) return 0;
  if (strlen(path) >= sizeof state->socket_path) {
    ssc_say("the socket's path has more than 107 bytes: %s", path);
    return 0;
  }
  ssc_text(state->socket_path, sizeof state->socket_path, path);
  return 1;
}

/* With all signals blocked: they are for the program's own threads. */
static void ssc_start_worker(ssc_state* state) {
  sigset_t all, before;
  pthread_attr_t attributes;
  state->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (state->wake < 0 || pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setstacksize(&attributes, 1u << 20);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  state->has_worker = pthread_create(&state->worker, &attributes, ssc_worker, state) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
}

static ssc_state* ssc_start(const seamscope_options* options) {
  static int has_hooks;
  if (SSC_LOAD(&ssc_ended)) return NULL;
  pthread_mutex_lock(&ssc_start_lock);
  ssc_state* state = SSC_LOAD(&ssc_global);
  if (!state && (state = ssc_new_state()) != NULL) {
    if (!has_hooks) has_hooks = pthread_atfork(NULL, NULL, ssc_after_fork) == 0 && atexit(ssc_at_exit) == 0;
    if (ssc_configure(state, options)) ssc_start_worker(state);
    SSC_STORE(&ssc_global, state);
  }
  pthread_mutex_unlock(&ssc_start_lock);
  return state;
}

SEAMSCOPE_API int seamscope_open(const seamscope_options* options) {
  const ssc_state* state = ssc_start(options);
  return state && state->has_worker;
}

/* After the worker has ended, its work is the caller's. */
static void ssc_dismantle(ssc_state* state) {
  const uint64_t limit = ssc_now() + SSC_SECOND;
  ssc_disconnect(state);
  do {
    ssc_poll_vulkan(state);
    ssc_poll_cuda(state);
    if (!ssc_free_dead(state, 0)) break;
    ssc_sleep(SSC_SECOND / 1000);
  } while (ssc_now() < limit);
  state->dead = state->dead_cuda = NULL; /* a driver still writes into what is left */
  for (uint32_t i = 0; i < state->output_count; ++i) {
    pthread_mutex_destroy(&state->outputs[i]->lock);
    free(state->outputs[i]);
    state->outputs[i] = NULL;
  }
  state->output_count = 0;
  memset(state->recent, 0, sizeof state->recent);
  pthread_mutex_destroy(&state->register_lock);
  pthread_mutex_destroy(&state->dead_lock);
  if (state->wake >= 0) close(state->wake);
  state->wake = -1;
}

SEAMSCOPE_API void seamscope_close(void) {
  pthread_mutex_lock(&ssc_start_lock);
  ssc_state* state = __atomic_exchange_n(&ssc_global, (ssc_state*)NULL, __ATOMIC_ACQ_REL);
  if (state) {
    ssc_stop(state, SSC_SECOND);
    if (!state->has_worker) {
      ssc_dismantle(state);
      ssc_spare = state;
    }
  }
  pthread_mutex_unlock(&ssc_start_lock);
}

static void ssc_ask_to_close(ssc_state* state, seamscope_vulkan* vulkan) {
  pthread_mutex_lock(&state->register_lock);
  vulkan->next = state->devices;
  state->devices = vulkan;
  pthread_mutex_unlock(&state->register_lock);
  ssc_wake(state);
}

SEAMSCOPE_API void seamscope_vulkan_close(seamscope_vulkan* vulkan) {
  const uint64_t limit = ssc_now() + 2 * SSC_SECOND;
  ssc_state* state = SSC_LOAD(&ssc_global);
  if (!vulkan) return;
  SSC_STORE(&vulkan->closing, 1);
  if (!state || !state->has_worker) {
    free(vulkan); /* nothing was made with it, or seamscope_close freed it */
    return;
  }
  ssc_ask_to_close(state, vulkan);
  while (SSC_LOAD(&vulkan->closing) != 2 && ssc_now() < limit) ssc_sleep(100000);
  if (SSC_LOAD(&vulkan->closing) == 2) free(vulkan);
}

#ifdef __cplusplus
}
#endif

#endif /* SEAMSCOPE_IMPLEMENTATION */
