/* Names of outputs, and the few nanoseconds of a publish that nobody watches. */
#include "slots.h"

static ssc_state* ssc_start(const seamscope_options* options);
typedef struct ssc_publish ssc_publish;
static void ssc_make_here(const ssc_publish* publish, const ssc_need* need);

static ssc_output* ssc_find(const ssc_state* state, const char* name) {
  const uint32_t count = SSC_LOAD(&state->output_count);
  for (uint32_t i = 0; i < count; ++i)
    if (strcmp(state->outputs[i]->name, name) == 0) return state->outputs[i];
  return NULL;
}

/* A name that becomes no output: the panel says which and why. Under register_lock. */
static void ssc_refuse_name(ssc_state* state, const char* name, const char* reason) {
  if (state->refusal) return;
  ssc_text(state->refused, sizeof state->refused, name);
  SSC_STORE(&state->refusal, reason);
  ssc_wake(state);
}

static ssc_output* ssc_make_output(ssc_state* state, const char* name, const seamscope_frame_desc* desc) {
  const uint32_t index = state->output_count;
  if (index >= SEAMSCOPE_MAX_OUTPUTS) ssc_refuse_name(state, name, "a program has at most 128 outputs");
  if (index >= SEAMSCOPE_MAX_OUTPUTS) return NULL;
  ssc_output* output = (ssc_output*)calloc(1, sizeof *output);
  if (!output) return NULL;
  ssc_text(output->name, sizeof output->name, name);
  output->index = index;
  output->page = &state->page->outputs[index];
  pthread_mutex_init(&output->lock, NULL);
  if (desc) {
    output->desc = *desc;
    ssc_complete(&output->desc);
    output->desc.flags &= SEAMSCOPE_FLAG_BOTTOM_UP | SEAMSCOPE_FLAG_BGR;
  }
  state->outputs[index] = output;
  SSC_STORE(&state->output_count, index + 1);
  ssc_wake(state);
  return output;
}

/* The first publish of a name. One that does not fit is refused: cut off, it would be one with others. */
static ssc_output* ssc_register(ssc_state* state, const char* name, const seamscope_frame_desc* desc) {
  pthread_mutex_lock(&state->register_lock);
  const int fits = strlen(name) < SEAMSCOPE_NAME_BYTES;
  ssc_output* output = fits ? ssc_find(state, name) : NULL;
  if (!fits) ssc_refuse_name(state, name, "an output's name has 1 to 63 bytes");
  if (!output && fits) output = ssc_make_output(state, name, desc);
  pthread_mutex_unlock(&state->register_lock);
  return output;
}

static size_t ssc_hash(const char* name) {
  const uintptr_t place = (uintptr_t)name;
  return (place ^ place >> 8 ^ place >> 16) % 256;
}

/* In place: a call of strcmp is most of what an unwatched publish costs. */
static int ssc_is_named(const ssc_output* output, const char* name) {
  for (size_t i = 0; output->name[i] == name[i]; ++i)
    if (!name[i]) return 1;
  return 0;
}

static ssc_output* ssc_output_of(ssc_state* state, const char* name, const seamscope_frame_desc* desc) {
  ssc_output** recent = &state->recent[ssc_hash(name)];
  ssc_output* output = SSC_LOAD(recent);
  if (output && ssc_is_named(output, name)) return output;
  if (!*name) name = "output";
  output = ssc_find(state, name);
  if (!output) output = ssc_register(state, name, desc);
  if (output) SSC_STORE(recent, output);
  return output;
}

struct ssc_publish {
  ssc_state* state;
  ssc_output* output;
  uint64_t now, frame;
  int unasked; /* the answer of a publish that ends here */
};

/* 1 when somebody watches and a frame is due. `counts`: there is a frame. */
static int ssc_asks(const char* name, const seamscope_frame_desc* desc, int counts, ssc_publish* publish) {
  ssc_state* state = SSC_LOAD(&ssc_global);
  publish->unasked = SEAMSCOPE_UNWATCHED;
  if (!state && !(state = ssc_start(NULL))) return 0;
  ssc_output* output = ssc_output_of(state, name ? name : "", desc);
  if (!output) publish->unasked = SEAMSCOPE_SKIPPED;
  if (!output) return 0;
  const uint64_t frame = SSC_PEEK(&output->frames) + 1;
  if (counts) SSC_POKE(&output->frames, frame);
  if (!SSC_PEEK(&output->page->wanted)) return 0;
  publish->state = state;
  publish->output = output;
  publish->frame = frame;
  publish->now = ssc_now();
  return publish->now >= SSC_PEEK(&output->due_ns);
}

static int ssc_is_watched(const char* name, const seamscope_frame_desc* desc, ssc_publish* publish) {
  return ssc_asks(name, desc, 1, publish);
}

/* A wanted frame that is not shown: counted, and the reason (a literal) goes to the panel. */
static int ssc_skip(const ssc_publish* publish, const char* reason) {
  __atomic_fetch_add(&publish->output->page->skipped, 1, __ATOMIC_RELAXED);
  if (reason && SSC_PEEK(&publish->output->trouble) != reason) {
    SSC_STORE(&publish->output->trouble, reason);
    ssc_wake(publish->state);
  }
  return SEAMSCOPE_SKIPPED;
}

static int ssc_takes(const ssc_ring* ring, const ssc_need* need) {
  return ring && ring->slot_size >= need->bytes && ring->need.feeder == need->feeder &&
         ring->need.cuda_context == need->cuda_context && ring->need.vulkan == need->vulkan;
}

/* The time of the next frame. On average the rate is kept even where frames do not fall on its beat. */
static void ssc_set_due(const ssc_publish* publish) {
  const uint64_t rate = SSC_PEEK(&publish->output->page->max_rate_millihertz);
  const uint64_t interval = rate ? 1000 * SSC_SECOND / rate : 0, due = SSC_PEEK(&publish->output->due_ns);
  const int is_steady = publish->now < due + interval;
  SSC_POKE(&publish->output->due_ns, (is_steady ? due : publish->now) + interval);
}

/* Takes the output's lock and a slot. NULL: not now. Otherwise ssc_end follows. */
static ssc_ring* ssc_begin(const ssc_publish* publish, const ssc_need* need, uint32_t* slot) {
  ssc_output* output = publish->output;
  if (pthread_mutex_trylock(&output->lock) != 0) return NULL;
  ssc_ring* ring = output->ring;
  if (!ssc_takes(ring, need)) {
    if (!SSC_PEEK(&output->next) && !SSC_PEEK(&output->refused)) {
      if (need->feeder == SSC_FROM_CUDA)
        ssc_make_here(publish, need);
      else
        output->wanted = *need;
      ssc_wake(publish->state);
    }
    ring = NULL;
  }
  const int taken = ring ? ssc_take_slot(publish->state, ring) : -1;
  if (taken < 0) {
    pthread_mutex_unlock(&output->lock);
    return NULL;
  }
  *slot = (uint32_t)taken;
  return ring;
}

/* Says what will be in the slot. */
static void ssc_describe(const ssc_publish* publish, const ssc_ring* ring, uint32_t slot,
                         const seamscope_frame_desc* desc) {
  ssc_output* output = publish->output;
  seamscope_slot* place = ssc_slot(publish->state, ring, slot);
  output->last_frame = publish->frame > output->last_frame ? publish->frame : output->last_frame + 1;
  place->generation = ring->generation;
  place->frame = output->last_frame;
  place->published_ns = publish->now;
  place->ready_ns = 0;
  place->desc = *desc;
}

static int ssc_end(const ssc_publish* publish, int published) {
  ssc_output* output = publish->output;
  if (published) {
    ssc_set_due(publish);
    __atomic_fetch_add(&output->page->published, 1, __ATOMIC_RELAXED);
    if (SSC_PEEK(&output->trouble)) {
      SSC_STORE(&output->trouble, (const char*)NULL);
      ssc_wake(publish->state); /* to say so: nothing else may ever wake it */
    }
  }
  pthread_mutex_unlock(&output->lock);
  return published ? SEAMSCOPE_PUBLISHED : SEAMSCOPE_SKIPPED;
}

SEAMSCOPE_API int seamscope_wanted(const char* name) {
  ssc_publish publish;
  return ssc_asks(name, NULL, 0, &publish);
}

static uint8_t* ssc_host_slot(const ssc_ring* ring, uint32_t slot) {
  return (uint8_t*)ring->bytes + (uint64_t)slot * ring->slot_stride;
}

static SSC_APART int ssc_publish_host(const ssc_publish* publish, const void* pixels,
                                      const seamscope_frame_desc* desc) {
  seamscope_frame_desc complete;
  ssc_plan plan;
  if (!desc) return ssc_skip(publish, "The frame has no description.");
  complete = *desc;
  ssc_complete(&complete);
  if (!pixels || !ssc_plan_frame(&complete, &plan)) return ssc_skip(publish, ssc_refusal(&complete));
  ssc_need need;
  uint32_t slot = 0;
  memset(&need, 0, sizeof need);
  need.feeder = SSC_FROM_HOST;
  need.bytes = plan.bytes;
  ssc_ring* ring = ssc_begin(publish, &need, &slot);
  if (!ring) return ssc_skip(publish, NULL);
  ssc_describe(publish, ring, slot, &plan.packed);
  ssc_copy_rows(&plan, ssc_host_slot(ring, slot), (const uint8_t*)pixels + complete.offset);
  ssc_finish_slot(publish->state, ring, slot, 1);
  return ssc_end(publish, 1);
}

SEAMSCOPE_API int seamscope_publish_host(const char* name, const void* pixels, const seamscope_frame_desc* desc) {
  ssc_publish publish;
  return ssc_is_watched(name, desc, &publish) ? ssc_publish_host(&publish, pixels, desc) : publish.unasked;
}
