/* What the implementation keeps. */
#include "base.h"

/* Who puts bytes into a ring, and therefore what the ring is made of. */
enum { SSC_FROM_HOST, SSC_FROM_CUDA, SSC_FROM_VULKAN };

typedef struct ssc_ring ssc_ring;
typedef struct ssc_state ssc_state;

/* What a ring must be to take a frame. */
typedef struct {
  int feeder;
  uint64_t bytes;
  void* cuda_context;
  int cuda_device;
  seamscope_vulkan* vulkan;
} ssc_need;

/* A slot as callbacks and tickets name it. */
typedef struct {
  ssc_ring* ring;
  uint32_t slot;
} ssc_place;

typedef struct {
  /* How the end of a copy is learnt: the GPU writes its number into host memory, where the worker looks. One flag a
   * slot. NULL: this driver cannot. */
  uint32_t* flags;
  uint64_t flags_there;                  /* as the GPU addresses them */
  uint32_t awaited[SEAMSCOPE_MAX_SLOTS]; /* atomic: numbers to come; 0: nothing is on its way */
  uint32_t copies;                       /* so far: the last number */
  uint64_t since_ns;                     /* atomic: of the newest copy */
  int looked_at;                         /* atomic: the worker will look soon, without being woken */
  /* Instead of flags: a private stream that waits for the copies, so that nobody else does. */
  void* stream;
  void* events[SEAMSCOPE_MAX_SLOTS];
  uint64_t pointers[SEAMSCOPE_MAX_SLOTS], handles[SEAMSCOPE_MAX_SLOTS]; /* of GPU memory */
  int registered;                                                       /* host memory is known to the driver */
  uint8_t uuid[16];
} ssc_cuda_ring;

enum { SSC_IDLE, SSC_RECORDED, SSC_SUBMITTED };

typedef struct {
  uint64_t buffers[SEAMSCOPE_MAX_SLOTS], memories[SEAMSCOPE_MAX_SLOTS], events[SEAMSCOPE_MAX_SLOTS];
  void* mapped[SEAMSCOPE_MAX_SLOTS]; /* staging memory of the host path */
  uint64_t fences[SEAMSCOPE_MAX_SLOTS], timelines[SEAMSCOPE_MAX_SLOTS], values[SEAMSCOPE_MAX_SLOTS];
  uint64_t used[SEAMSCOPE_MAX_SLOTS], frames[SEAMSCOPE_MAX_SLOTS]; /* bytes and number of the frame */
  int phases[SEAMSCOPE_MAX_SLOTS];                                 /* atomic */
  uint32_t memory_type;
  int coherent;
} ssc_vulkan_ring;

struct ssc_ring {
  ssc_state* state;
  ssc_need need;
  uint32_t output, generation, memory, slot_count;
  uint64_t slot_size, allocation_size, slot_stride;
  uint32_t epoch;               /* the connection that it belongs to */
  int fds[SEAMSCOPE_MAX_SLOTS]; /* exported and not sent yet */
  uint32_t fd_count;
  int sent, released;
  uint64_t buried_ns;
  int in_flight; /* atomic: frames that a driver has still to finish */
  int fd;        /* host memory */
  void* bytes;
  uint64_t mapped;
  ssc_cuda_ring cuda;
  ssc_vulkan_ring vulkan;
  ssc_place places[SEAMSCOPE_MAX_SLOTS];
  ssc_ring* next;
};

typedef struct {
  char name[SEAMSCOPE_NAME_BYTES];
  uint32_t index;
  seamscope_frame_desc desc; /* of the first frame */
  seamscope_output* page;    /* where it stays for ever: connections come and go underneath */
  uint64_t frames;           /* atomic: publishes so far */
  uint64_t due_ns;           /* atomic: the viewer wants nothing sooner */
  const char* trouble;       /* atomic: why the last frame was skipped, a literal */

  /* Callers only ever try it. What it guards is written under it; the worker reads what it alone writes without. */
  pthread_mutex_t lock;
  uint64_t last_frame;
  uint32_t generation;         /* of the newest ring */
  ssc_ring *ring, *next, *old; /* accepted; offered (atomic); replaced and not yet released */
  ssc_need wanted;             /* a ring that the worker is to make; bytes 0: none */
  int host_only, refused;      /* the hub would not take GPU memory; nor any (atomic) */
  int stays_host;              /* so much so that a connection was given up for it */
  uint64_t retry_ns;           /* no ring is made sooner */

  uint32_t announced; /* the worker's: epoch in which the hub was told of it */
  const char* told;
  uint64_t tell_ns;
} ssc_output;

/* Never freed, so that a late callback of a driver finds it; closing keeps it for the next opening. */
struct ssc_state {
  ssc_output* outputs[SEAMSCOPE_MAX_OUTPUTS];
  uint32_t output_count; /* atomic; an output never goes */
  ssc_output* recent[256];
  pthread_mutex_t register_lock;

  seamscope_control* page; /* one address for the life of this state */
  uint64_t page_bytes;
  int socket;      /* atomic; -1: none */
  uint32_t epoch;  /* atomic: counts connections, odd while there is one */
  uint32_t inside; /* atomic: callbacks that may still use page and socket */
  uint32_t paths;  /* atomic: what the hub said; 0 before it has */
  int greeted, lost;
  uint64_t try_ns, greet_ns;

  pthread_t worker;
  int has_worker, stop, stopped; /* stop, stopped: atomic */
  int wake, woken;               /* an eventfd, and whether it was written (atomic) */
  ssc_ring* dead;                /* to be freed once no driver writes into them */
  ssc_ring* dead_cuda;           /* the same, by any thread that is in the driver anyway; under dead_lock */
  pthread_mutex_t dead_lock;
  seamscope_vulkan* devices; /* those that are closing; under register_lock */

  const char* refusal;                /* atomic: why a name became no output, a literal; the first one stays */
  char refused[SEAMSCOPE_NAME_BYTES]; /* how that name begins; written before */
  uint32_t refusal_told;              /* the worker's: epoch in which the hub was told of it */

  char program[SEAMSCOPE_NAME_BYTES];
  char socket_path[108];
  int discover; /* no path was given */
};

/* The device that the hub hears of first: that of the first frame out of GPU memory. */
typedef struct {
  uint32_t flags; /* atomic: SEAMSCOPE_HAS_*; the rest is there before they are */
  uint8_t device_uuid[16], driver_uuid[16];
  int cuda_ordinal;
} ssc_identity;
static ssc_identity ssc_device;

static ssc_state* ssc_global; /* atomic; null: closed */
static int ssc_ended;         /* atomic: the process is about to */
static ssc_state* ssc_spare;  /* the closed one */
static pthread_mutex_t ssc_start_lock = PTHREAD_MUTEX_INITIALIZER;

static void ssc_wake(ssc_state* state) {
  const uint64_t one = 1;
  if (__atomic_exchange_n(&state->woken, 1, __ATOMIC_ACQ_REL)) return;
  if (write(state->wake, &one, sizeof one) < 0) SSC_STORE(&state->woken, 0);
}
