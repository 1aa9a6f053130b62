/* Seamscope publisher: shows frames of this program in the Seamscope preview. One header, C99 and C++, Linux, nothing
 * to link. docs/publishing.md is the guide. In exactly one source file of the program:
 *
 *   #define SEAMSCOPE_IMPLEMENTATION
 *   #include "seamscope.h"
 *
 * The first part is the wire: what passes between a publisher and the hub. docs/publisher-protocol.md says what happens
 * when; seamscope.py keeps the same numbers and a test holds them to this header. Define SEAMSCOPE_WIRE_ONLY to get
 * this part alone. */
#ifndef SEAMSCOPE_H
#define SEAMSCOPE_H

/* memfd, peer credentials and the like; without effect where a header came first. */
#if defined(SEAMSCOPE_IMPLEMENTATION) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SEAMSCOPE_WIRE_VERSION 1u
#define SEAMSCOPE_WIRE_MAGIC 0x4D414553u /* "SEAM" in memory */
#define SEAMSCOPE_MAX_MESSAGE 1024u      /* bytes of one message; longer ones end the connection */
#define SEAMSCOPE_MAX_OUTPUTS 128u       /* a connection */
#define SEAMSCOPE_MAX_SLOTS 8u           /* a ring; also the most fds of one message */
#define SEAMSCOPE_NAME_BYTES 64u         /* UTF-8, ended by a zero byte */
#define SEAMSCOPE_TEXT_BYTES 256u        /* UTF-8, ended by a zero byte */

/* helper/protocol/frames.ts and native/src/preview/frame.hpp number these alike. */
enum {
  SEAMSCOPE_BOOL,
  SEAMSCOPE_U8,
  SEAMSCOPE_I8,
  SEAMSCOPE_U16,
  SEAMSCOPE_I16,
  SEAMSCOPE_U32,
  SEAMSCOPE_I32,
  SEAMSCOPE_I64,
  SEAMSCOPE_F16,
  SEAMSCOPE_BF16,
  SEAMSCOPE_F32,
  SEAMSCOPE_F64,
  SEAMSCOPE_R11G11B10F,
  SEAMSCOPE_RGB10A2,
  SEAMSCOPE_D24S8
};
enum {
  SEAMSCOPE_COLOR,
  SEAMSCOPE_HDR,
  SEAMSCOPE_DEPTH,
  SEAMSCOPE_ID,
  SEAMSCOPE_NORMAL,
  SEAMSCOPE_MOTION,
  SEAMSCOPE_TENSOR
};
enum { SEAMSCOPE_SRGB, SEAMSCOPE_LINEAR, SEAMSCOPE_DATA };
enum { SEAMSCOPE_FLAG_BOTTOM_UP = 1, SEAMSCOPE_FLAG_BGR = 2 };

/* Bytes of one frame inside its slot. Strides are bytes and not negative; offset is that of the first channel of the
 * first texel. */
typedef struct {
  uint32_t width, height, channels, batch; /* batch: 1, or the N of NCHW and NHWC */
  uint32_t dtype, kind, color_space, flags;
  uint64_t offset, row_stride, pixel_stride, channel_stride, batch_stride;
} seamscope_frame_desc;

enum { SEAMSCOPE_SLOT_FREE, SEAMSCOPE_SLOT_WRITING, SEAMSCOPE_SLOT_READY, SEAMSCOPE_SLOT_READING };

/* One slot on the control page. `state` is atomic: WRITING belongs to the publisher, READING to the hub; who owns it
 * writes or reads the rest. */
typedef struct {
  uint32_t state;
  uint32_t generation;             /* of the ring whose memory holds the frame */
  uint64_t frame;                  /* counts from 1 and grows by publish, skipped ones included */
  uint64_t published_ns, ready_ns; /* CLOCK_MONOTONIC: publish was called; the bytes were there */
  seamscope_frame_desc desc;
  uint8_t reserved[24];
} seamscope_slot;

/* One output on the control page. Two banks, so that a larger ring takes over while the last one is still read: bank =
 * generation % 2. */
typedef struct {
  uint32_t wanted;              /* atomic, the hub's: 0 = nobody watches, copy nothing */
  uint32_t max_rate_millihertz; /* atomic, the hub's: 0 = no limit */
  uint64_t published, skipped;  /* atomic, the publisher's; skipped: wanted, but no slot, or the stream was capturing */
  uint8_t reserved[104];
  seamscope_slot slots[2][SEAMSCOPE_MAX_SLOTS];
} seamscope_output;

/* The control page: a memfd of exactly this size, sealed against shrinking and growing, made by the publisher for each
 * connection. */
typedef struct {
  uint32_t magic, version;
  uint8_t reserved[120];
  seamscope_output outputs[SEAMSCOPE_MAX_OUTPUTS];
} seamscope_control;

enum {
  SEAMSCOPE_HELLO = 1,         /* publisher: seamscope_hello + the fd of the control page */
  SEAMSCOPE_WELCOME = 2,       /* hub: seamscope_welcome */
  SEAMSCOPE_REFUSED = 3,       /* hub: seamscope_refused; it closes the connection after it */
  SEAMSCOPE_OUTPUT = 4,        /* publisher: seamscope_output_message */
  SEAMSCOPE_OUTPUT_GONE = 5,   /* publisher: seamscope_ring_answer, generation and code 0 */
  SEAMSCOPE_RING = 6,          /* publisher: seamscope_ring + fds: one for host memory, one a slot for GPU memory */
  SEAMSCOPE_RING_ACCEPTED = 7, /* hub: seamscope_ring_answer */
  SEAMSCOPE_RING_REFUSED =
      8, /* hub: seamscope_ring_answer; the publisher offers host memory next, or leaves the output alone */
  SEAMSCOPE_RING_RELEASED = 9, /* hub: seamscope_ring_answer; nothing of that generation is read or mapped any more */
  SEAMSCOPE_DOORBELL = 10,     /* publisher: seamscope_ring_answer, code 0; a slot became READY */
  SEAMSCOPE_STATUS = 11        /* publisher: seamscope_status: a sentence for the panel */
};

typedef struct {
  uint32_t magic;
  uint16_t version, type;
  uint32_t size; /* of the whole message */
  uint32_t reserved;
} seamscope_header;

enum { SEAMSCOPE_HAS_DEVICE_UUID = 1, SEAMSCOPE_HAS_DRIVER_UUID = 2 };

typedef struct {
  seamscope_header header;
  uint32_t pid, flags;
  uint8_t device_uuid[16], driver_uuid[16]; /* the device that most frames come from; the ring's own decides */
  int32_t cuda_ordinal;                     /* -1: none */
  uint32_t reserved;
  char name[SEAMSCOPE_NAME_BYTES];            /* the program's */
  char visible_devices[SEAMSCOPE_TEXT_BYTES]; /* CUDA_VISIBLE_DEVICES, cut when longer */
} seamscope_hello;

enum { SEAMSCOPE_PATH_HOST = 1, SEAMSCOPE_PATH_DEVICE = 2 };

typedef struct {
  seamscope_header header;
  uint32_t pid, paths;               /* bits SEAMSCOPE_PATH_* */
  char reason[SEAMSCOPE_TEXT_BYTES]; /* why DEVICE is not among the paths; empty when it is */
} seamscope_welcome;

enum {
  SEAMSCOPE_REFUSED_VERSION = 1,
  SEAMSCOPE_REFUSED_USER,      /* another uid */
  SEAMSCOPE_REFUSED_MESSAGE,   /* malformed, too long, wrong number of fds, out of order */
  SEAMSCOPE_REFUSED_CONTROL,   /* the control page is too small or not sealed */
  SEAMSCOPE_REFUSED_MEMORY,    /* a ring's memory is too small, of another kind or not sealed */
  SEAMSCOPE_REFUSED_DEVICE,    /* no Vulkan device with these UUIDs */
  SEAMSCOPE_REFUSED_IMPORT,    /* the driver refused the import */
  SEAMSCOPE_REFUSED_FULL,      /* too many publishers, outputs or slots */
  SEAMSCOPE_REFUSED_QUARANTINE /* this program's memory lost the device before */
};

typedef struct {
  seamscope_header header;
  uint32_t code, reserved;
  char reason[SEAMSCOPE_TEXT_BYTES];
} seamscope_refused;

/* Names an output before its first frame passes; `desc` is of the first frame published (offset and strides may be 0).
 */
typedef struct {
  seamscope_header header;
  uint32_t output, reserved; /* index on the control page, chosen by the publisher */
  char name[SEAMSCOPE_NAME_BYTES];
  seamscope_frame_desc desc;
} seamscope_output_message;

enum {
  SEAMSCOPE_MEMORY_HOST,  /* one sealed memfd, slot i at i * slot_stride */
  SEAMSCOPE_MEMORY_CUDA,  /* CUDA VMM allocations exported as POSIX fds, a slot each */
  SEAMSCOPE_MEMORY_VULKAN /* opaque fds of dedicated VkDeviceMemory, a slot each */
};

typedef struct {
  seamscope_header header;
  uint32_t output, generation; /* grows by one with each ring of an output, from 1 */
  uint32_t memory, slot_count;
  uint64_t slot_size;         /* usable bytes of a slot */
  uint64_t allocation_size;   /* of each fd, rounded as the exporter's API wants */
  uint64_t slot_stride;       /* host memory only */
  uint32_t flags;             /* SEAMSCOPE_HAS_*_UUID */
  uint32_t memory_type_index; /* Vulkan only: the exporter's; the buffer is TRANSFER_SRC | TRANSFER_DST | STORAGE,
                                 exclusive */
  uint8_t device_uuid[16], driver_uuid[16];
} seamscope_ring;

typedef struct {
  seamscope_header header;
  uint32_t output, generation, code, reserved;
  char reason[SEAMSCOPE_TEXT_BYTES];
} seamscope_ring_answer;

typedef struct {
  seamscope_header header;
  uint32_t output, reserved; /* UINT32_MAX: the whole program */
  char text[SEAMSCOPE_TEXT_BYTES];
} seamscope_status;

#ifdef __cplusplus
}
#endif

#endif /* SEAMSCOPE_H */

/* What a program calls. None of these functions waits, prints (unless SEAMSCOPE_VERBOSE is in the environment) or ends
 * the program; all but the two that close may be called from any thread. */
#if !defined(SEAMSCOPE_WIRE_ONLY) && !defined(SEAMSCOPE_API_INCLUDED)
#define SEAMSCOPE_API_INCLUDED

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Define as `static` to keep the functions inside one source file. */
#ifndef SEAMSCOPE_API
#define SEAMSCOPE_API extern
#endif

/* What a publish answers. SKIPPED: somebody watches, but there was no free slot, the stream was being captured, or the
 * frame cannot be shown; the panel says why. So does a name of more than 63 bytes, watched or not. */
enum { SEAMSCOPE_SKIPPED = -1, SEAMSCOPE_UNWATCHED = 0, SEAMSCOPE_PUBLISHED = 1 };

/* A frame is described by seamscope_frame_desc (above), in which zeros mean the usual:
 *   width, height   texels; needed, except for a CUDA array
 *   channels        4; of a packed dtype as many as it has
 *   batch           1
 *   dtype           SEAMSCOPE_U8
 *   kind            what the dtype suggests: float colour is HDR, wide integers are ids, D24S8 is depth
 *   color_space     sRGB of integers, linear of floats, data of what is no colour
 *   offset          from the pointer to the first texel, bytes
 *   strides         bytes; tightly packed rows of texels, or planes with SEAMSCOPE_FLAG_PLANAR
 * Three enumerators are zero themselves. To insist on one of them write, for example, dtype =
 * SEAMSCOPE_EXACTLY(SEAMSCOPE_BOOL). */
#define SEAMSCOPE_EXACTLY(value) (0x100u | (unsigned)(value))
enum { SEAMSCOPE_FLAG_PLANAR = 0x10000 }; /* default strides are those of CHW and NCHW */

/* Optional: the first publish opens by itself. */
typedef struct {
  const char* name;   /* of this program in the panel; null: the executable's */
  const char* socket; /* null: the environment variable SEAMSCOPE_SOCKET, or the newest editor of this user */
} seamscope_options;

/* 1 when publishing can work, 0 when it is turned off (SEAMSCOPE_SOCKET=off) or out of memory. */
SEAMSCOPE_API int seamscope_open(const seamscope_options* options);

/* Takes all outputs back and frees what was made for them, waiting at most a second for copies that are still being
 * made. No other thread may publish meanwhile. Publishing afterwards opens again. */
SEAMSCOPE_API void seamscope_close(void);

/* Whether the next frame of this output would be copied: somebody watches it, and the rate that the viewer allows
 * permits one now. To leave out work that only the preview needs. The first call offers the output. */
SEAMSCOPE_API int seamscope_wanted(const char* output);

/* Copies a frame out of host memory before it returns. */
SEAMSCOPE_API int seamscope_publish_host(const char* output, const void* pixels, const seamscope_frame_desc* desc);

/* Device memory (CUdeviceptr or the pointer of cudaMalloc), managed or pinned memory. The copy goes onto `stream`
 * (cudaStream_t or CUstream; null: the default stream) behind the work that makes the frame: the memory may be written
 * again by later work of the same stream. */
SEAMSCOPE_API int seamscope_publish_cuda(const char* output, const void* pointer, const seamscope_frame_desc* desc,
                                         void* stream);

/* A cudaArray_t or CUarray. `desc` may be null; what is zero in it is the array's own. */
SEAMSCOPE_API int seamscope_publish_cuda_array(const char* output, const void* array, const seamscope_frame_desc* desc,
                                               void* stream);

/* Vulkan. Handles are passed as they are (64-bit systems). */
enum { SEAMSCOPE_VULKAN_INSTANCE, SEAMSCOPE_VULKAN_DEVICE };

/* The extensions to enable at the instance or the device, where the driver offers them; without them each frame takes
 * one copy through host memory. All of the instance's are part of Vulkan 1.1. */
SEAMSCOPE_API const char* const* seamscope_vulkan_extensions(int level, uint32_t* count);

typedef struct {
  void *instance, *physical_device, *device;
  uint32_t queue_family; /* of the queues that the recorded command buffers are submitted to */
  /* (void (*)(void))vkGetInstanceProcAddr; null: that of the Vulkan loader which the program has loaded. */
  void (*get_instance_proc_addr)(void);
} seamscope_vulkan_desc;

typedef struct seamscope_vulkan seamscope_vulkan;

/* Null when Vulkan's functions cannot be found; the functions below do nothing then. */
SEAMSCOPE_API seamscope_vulkan* seamscope_vulkan_open(const seamscope_vulkan_desc* desc);

/* To be called when the device is idle and before it is destroyed: frees what was made with it. Waits for the one
 * thread of this header to let go, two seconds at most. */
SEAMSCOPE_API void seamscope_vulkan_close(seamscope_vulkan* vulkan);

/* Either an image or a buffer. An image needs VK_IMAGE_USAGE_TRANSFER_SRC_BIT and one sample a texel, a buffer
 * VK_BUFFER_USAGE_TRANSFER_SRC_BIT. */
typedef struct {
  void* image;
  uint32_t layout;                 /* VkImageLayout it is in, and is left in */
  uint32_t format;                 /* VkFormat: gives dtype, channels, colour space; 0: `desc` says them */
  uint32_t aspect;                 /* VkImageAspectFlagBits; 0: colour, or depth where the format has it */
  uint32_t mip_level, array_layer; /* `desc` has the size of this level */
  void* buffer;                    /* desc->offset and the strides say where in it */
  uint32_t stage, access;          /* what wrote the frame (VkPipelineStageFlags, VkAccessFlags); 0: anything before */
} seamscope_vulkan_source;

/* Records the copy of a frame, outside a render pass. The answer is a ticket, or 0 when nothing was recorded. A ticket
 * wants exactly one of the two calls below; the command buffer is to be submitted once. */
SEAMSCOPE_API uint64_t seamscope_vulkan_record(seamscope_vulkan* vulkan, void* command_buffer, const char* output,
                                               const seamscope_vulkan_source* source, const seamscope_frame_desc* desc);

/* After vkQueueSubmit. All of fence, timeline semaphore and value may be 0: the recorded commands tell by themselves
 * when they are done. On a queue that can only transfer give one of the two; they may be destroyed after
 * seamscope_vulkan_close, and a fence may be reset only once it was signalled. */
SEAMSCOPE_API void seamscope_vulkan_submitted(uint64_t ticket, void* fence, void* timeline, uint64_t value);

/* Instead: the command buffer will never run. */
SEAMSCOPE_API void seamscope_vulkan_abandoned(uint64_t ticket);

#ifdef __cplusplus
}
#endif

/* Where the program is compiled for a default stream per thread, null means that one here too. */
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define SEAMSCOPE_STREAM(stream) ((void*)(stream) ? (void*)(stream) : (void*)2)
#define seamscope_publish_cuda(output, pointer, desc, stream) \
  seamscope_publish_cuda(output, pointer, desc, SEAMSCOPE_STREAM(stream))
#define seamscope_publish_cuda_array(output, array, desc, stream) \
  seamscope_publish_cuda_array(output, array, desc, SEAMSCOPE_STREAM(stream))
#endif

#endif /* SEAMSCOPE_API_INCLUDED */

/* The implementation: what it stands on. Names that begin with ssc_ are private. */
#if defined(SEAMSCOPE_IMPLEMENTATION) && !defined(SEAMSCOPE_WIRE_ONLY) && !defined(SEAMSCOPE_IMPLEMENTED)
#define SEAMSCOPE_IMPLEMENTED

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#if !defined(__linux__) || UINTPTR_MAX != UINT64_MAX
#error "seamscope.h publishes on 64-bit Linux only: leave it out of other builds."
#endif
#if !defined(__USE_MISC)
#error "Compile this file with -std=gnu99 or newer, or define _GNU_SOURCE before its first #include."
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What happens only while somebody watches stays out of the way of what happens otherwise. */
#define SSC_APART __attribute__((noinline))

#define SSC_LOAD(place) __atomic_load_n(place, __ATOMIC_ACQUIRE)
#define SSC_STORE(place, value) __atomic_store_n(place, value, __ATOMIC_RELEASE)
#define SSC_PEEK(place) __atomic_load_n(place, __ATOMIC_RELAXED)
#define SSC_POKE(place, value) __atomic_store_n(place, value, __ATOMIC_RELAXED)
#define SSC_ADD(place, value) __atomic_fetch_add(place, value, __ATOMIC_ACQ_REL)

#define SSC_SECOND 1000000000ull
#define SSC_MAX_SIDE 65536u
#define SSC_MAX_SLOT_BYTES ((uint64_t)2 << 30)

/* Absent from headers without _GNU_SOURCE; numbers of the kernel's interface. */
enum { SSC_ADD_SEALS = 1033, SSC_SEAL_SEAL = 1, SSC_SEAL_SHRINK = 2, SSC_SEAL_GROW = 4 };
typedef struct {
  int pid;
  uint32_t uid, gid;
} ssc_credentials;

static uint64_t ssc_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * SSC_SECOND + (uint64_t)now.tv_nsec;
}

static void ssc_sleep(uint64_t nanoseconds) {
  struct timespec time;
  time.tv_sec = (time_t)(nanoseconds / SSC_SECOND);
  time.tv_nsec = (long)(nanoseconds % SSC_SECOND);
  nanosleep(&time, NULL);
}

static uint64_t ssc_round_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/* Cut at a character's boundary and ended by a zero byte; the rest of `to` is zero. */
static void ssc_text(char* to, size_t capacity, const char* from) {
  size_t length = from ? strlen(from) : 0;
  if (length >= capacity) {
    length = capacity - 1;
    while (length > 0 && ((unsigned char)from[length] & 0xC0) == 0x80) --length;
  }
  memset(to, 0, capacity);
  if (length > 0) memcpy(to, from, length);
}

/* Only for people who asked: SEAMSCOPE_VERBOSE=1. */
static void ssc_say(const char* format, ...) {
  va_list arguments;
  char line[512];
  const char* verbose = getenv("SEAMSCOPE_VERBOSE");
  if (!verbose || !*verbose || strcmp(verbose, "0") == 0) return;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "seamscope: %s\n", line);
}

/* A sealed memfd of exactly `bytes` and its mapping, all pages there; -1 when the system has no such memory left. */
static int ssc_shared_memory(const char* name, uint64_t bytes, void** mapped) {
  const int fd = (int)syscall(SYS_memfd_create, name, 3u /* MFD_CLOEXEC | MFD_ALLOW_SEALING */);
  if (fd < 0) return -1;
  if (posix_fallocate(fd, 0, (off_t)bytes) == 0 &&
      fcntl(fd, SSC_ADD_SEALS, SSC_SEAL_SEAL | SSC_SEAL_SHRINK | SSC_SEAL_GROW) == 0) {
    const int flags = *mapped ? MAP_SHARED | MAP_FIXED : MAP_SHARED;
    void* memory = mmap(*mapped, bytes, PROT_READ | PROT_WRITE, flags | MAP_POPULATE, fd, 0);
    if (memory != MAP_FAILED) {
      *mapped = memory;
      return fd;
    }
  }
  close(fd);
  return -1;
}

/* What the implementation keeps. */
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

/* Descriptions: defaults, and how the bytes of a frame are copied into a slot. */
static uint32_t ssc_element(uint32_t dtype) {
  static const uint8_t sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 2, 2, 4, 8, 4, 4, 4};
  return dtype < sizeof sizes ? sizes[dtype] : 0;
}

static int ssc_is_packed(uint32_t dtype) {
  return dtype >= SEAMSCOPE_R11G11B10F;
}
static int ssc_is_float(uint32_t dtype) {
  return (dtype >= SEAMSCOPE_F16 && dtype <= SEAMSCOPE_F64) || dtype == SEAMSCOPE_R11G11B10F;
}

static uint32_t ssc_or(uint32_t given, uint32_t usual) {
  if (given & 0x100u) return given & 0xFFu;
  return given ? given : usual;
}

static uint32_t ssc_usual_kind(const seamscope_frame_desc* desc) {
  if (desc->dtype == SEAMSCOPE_D24S8) return SEAMSCOPE_DEPTH;
  if (desc->batch > 1 || desc->channels > 4) return SEAMSCOPE_TENSOR;
  if (ssc_is_float(desc->dtype)) return desc->channels >= 3 ? SEAMSCOPE_HDR : SEAMSCOPE_TENSOR;
  if (desc->dtype == SEAMSCOPE_U8 || desc->dtype == SEAMSCOPE_U16 || ssc_is_packed(desc->dtype)) return SEAMSCOPE_COLOR;
  return desc->channels == 1 && ssc_element(desc->dtype) >= 4 ? SEAMSCOPE_ID : SEAMSCOPE_TENSOR;
}

static uint32_t ssc_usual_space(const seamscope_frame_desc* desc) {
  if (desc->kind != SEAMSCOPE_COLOR && desc->kind != SEAMSCOPE_HDR) return SEAMSCOPE_DATA;
  return ssc_is_float(desc->dtype) ? SEAMSCOPE_LINEAR : SEAMSCOPE_SRGB;
}

static void ssc_fill_strides(seamscope_frame_desc* desc) {
  const uint64_t element = ssc_element(desc->dtype);
  const uint64_t texel = ssc_is_packed(desc->dtype) ? element : element * desc->channels;
  if (desc->flags & SEAMSCOPE_FLAG_PLANAR && !ssc_is_packed(desc->dtype)) {
    if (!desc->pixel_stride) desc->pixel_stride = element;
    if (!desc->row_stride) desc->row_stride = desc->pixel_stride * desc->width;
    if (!desc->channel_stride) desc->channel_stride = desc->row_stride * desc->height;
    if (!desc->batch_stride) desc->batch_stride = desc->channel_stride * desc->channels;
  } else {
    if (!desc->channel_stride) desc->channel_stride = element;
    if (!desc->pixel_stride) desc->pixel_stride = texel;
    if (!desc->row_stride) desc->row_stride = desc->pixel_stride * desc->width;
    if (!desc->batch_stride) desc->batch_stride = desc->row_stride * desc->height;
  }
}

/* Zeros become what they stand for. */
static void ssc_complete(seamscope_frame_desc* desc) {
  static const uint8_t packed_channels[] = {3, 4, 1};
  desc->dtype = ssc_or(desc->dtype, SEAMSCOPE_U8);
  if (!desc->channels) {
    const uint32_t packed = desc->dtype - SEAMSCOPE_R11G11B10F;
    desc->channels = desc->dtype <= SEAMSCOPE_D24S8 && ssc_is_packed(desc->dtype) ? packed_channels[packed] : 4;
  }
  if (!desc->batch) desc->batch = 1;
  desc->kind = ssc_or(desc->kind, ssc_usual_kind(desc));
  desc->color_space = ssc_or(desc->color_space, ssc_usual_space(desc));
  ssc_fill_strides(desc);
}

/* Rows to copy: `rows` of `row_bytes` for each plane and image. */
typedef struct {
  uint64_t bytes; /* of the slot that are used */
  uint64_t row_bytes, rows, from_pitch, to_pitch;
  uint64_t planes, from_plane, to_plane;
  uint64_t images, from_image, to_image;
  seamscope_frame_desc packed; /* of the copy */
} ssc_plan;

static int ssc_add_reach(uint64_t* end, uint64_t count, uint64_t stride) {
  uint64_t distance;
  return !__builtin_mul_overflow(count - 1, stride, &distance) && !__builtin_add_overflow(*end, distance, end) &&
         *end <= SSC_MAX_SLOT_BYTES;
}

/* Bytes from the first texel to behind the last one; 0: more than a slot can hold. */
static uint64_t ssc_span(const seamscope_frame_desc* desc) {
  uint64_t end = ssc_element(desc->dtype);
  const uint32_t channels = ssc_is_packed(desc->dtype) ? 1 : desc->channels;
  const int fits =
      ssc_add_reach(&end, desc->width, desc->pixel_stride) && ssc_add_reach(&end, desc->height, desc->row_stride) &&
      ssc_add_reach(&end, channels, desc->channel_stride) && ssc_add_reach(&end, desc->batch, desc->batch_stride);
  return fits ? end : 0;
}

static int ssc_is_valid(const seamscope_frame_desc* desc) {
  return desc->dtype <= SEAMSCOPE_D24S8 && desc->kind <= SEAMSCOPE_TENSOR && desc->color_space <= SEAMSCOPE_DATA &&
         desc->width > 0 && desc->height > 0 && desc->width <= SSC_MAX_SIDE && desc->height <= SSC_MAX_SIDE;
}

/* Why a frame with this completed description cannot be shown. A literal. */
static const char* ssc_refusal(const seamscope_frame_desc* desc) {
  if (!desc->width || !desc->height) return "The frame has no texels: its width or height is 0.";
  if (desc->dtype > SEAMSCOPE_D24S8 || desc->kind > SEAMSCOPE_TENSOR || desc->color_space > SEAMSCOPE_DATA)
    return "The frame has an element type, kind or colour space that does not exist.";
  if (desc->width > SSC_MAX_SIDE || desc->height > SSC_MAX_SIDE || !ssc_span(desc))
    return "The frame is larger than can be shown: 65536 texels a side and 2 GiB at most.";
  return "The frame has no memory: its pointer is null.";
}

/* One row of everything: for orders of bytes that rows of texels do not describe, as in a transposed view. */
static void ssc_plan_whole(ssc_plan* plan, const seamscope_frame_desc* desc, uint64_t span) {
  plan->packed.row_stride = desc->row_stride;
  plan->packed.channel_stride = desc->channel_stride;
  plan->packed.batch_stride = desc->batch_stride;
  plan->bytes = plan->row_bytes = plan->from_pitch = plan->to_pitch = span;
  plan->rows = plan->planes = plan->images = 1;
}

/* Rows lose their padding on the way. */
static void ssc_plan_rows(ssc_plan* plan, const seamscope_frame_desc* desc, uint64_t row_bytes, uint64_t planes) {
  plan->row_bytes = plan->to_pitch = row_bytes;
  plan->rows = desc->height;
  plan->from_pitch = desc->row_stride;
  plan->planes = planes;
  plan->from_plane = desc->channel_stride;
  plan->to_plane = row_bytes * plan->rows;
  plan->images = desc->batch;
  plan->from_image = desc->batch_stride;
  plan->to_image = plan->to_plane * planes;
  if (__builtin_mul_overflow(plan->to_image, plan->images, &plan->bytes)) plan->bytes = UINT64_MAX;
  plan->packed.row_stride = row_bytes;
  if (planes > 1) plan->packed.channel_stride = plan->to_plane;
  plan->packed.batch_stride = plan->to_image;
}

/* How a completed description is copied. 0 when it cannot be shown. */
static int ssc_plan_frame(const seamscope_frame_desc* desc, ssc_plan* plan) {
  const uint64_t element = ssc_element(desc->dtype), span = ssc_is_valid(desc) ? ssc_span(desc) : 0;
  const uint64_t channels = ssc_is_packed(desc->dtype) ? 1 : desc->channels;
  if (!span) return 0;
  memset(plan, 0, sizeof *plan);
  plan->packed = *desc;
  plan->packed.flags &= SEAMSCOPE_FLAG_BOTTOM_UP | SEAMSCOPE_FLAG_BGR;
  plan->packed.offset = 0;
  const uint64_t texel = (channels - 1) * desc->channel_stride + element;
  const uint64_t walk = (desc->width - 1) * desc->pixel_stride;
  const int one_row = desc->height == 1;
  if (texel <= desc->pixel_stride && (one_row || walk + texel <= desc->row_stride))
    ssc_plan_rows(plan, desc, walk + texel, 1);
  else if (element <= desc->pixel_stride && (one_row || walk + element <= desc->row_stride))
    ssc_plan_rows(plan, desc, walk + element, channels);
  else
    ssc_plan_whole(plan, desc, span);
  if (plan->bytes > SSC_MAX_SLOT_BYTES) ssc_plan_whole(plan, desc, span);
  return 1;
}

static void ssc_copy_rows(const ssc_plan* plan, uint8_t* to, const uint8_t* from) {
  for (uint64_t image = 0; image < plan->images; ++image)
    for (uint64_t plane = 0; plane < plan->planes; ++plane) {
      const uint8_t* source = from + image * plan->from_image + plane * plan->from_plane;
      uint8_t* target = to + image * plan->to_image + plane * plan->to_plane;
      if (plan->from_pitch == plan->row_bytes || plan->rows == 1) {
        memcpy(target, source, plan->row_bytes * plan->rows);
      } else {
        for (uint64_t row = 0; row < plan->rows; ++row)
          memcpy(target + row * plan->to_pitch, source + row * plan->from_pitch, plan->row_bytes);
      }
    }
}

/* Slots on the control page, and the doorbell. */
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

/* Names of outputs, and the few nanoseconds of a publish that nobody watches. */
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

/* The part of the CUDA driver API that publishing uses: own declarations, so that no toolkit is needed. The program has
 * loaded the library before it can own CUDA memory. */
typedef struct {
  size_t from_x, from_y;
  int from_type;
  const void* from_host;
  uint64_t from_device;
  void* from_array;
  size_t from_pitch;
  size_t to_x, to_y;
  int to_type;
  void* to_host;
  uint64_t to_device;
  void* to_array;
  size_t to_pitch;
  size_t width_bytes, height;
} ssc_cuda_copy; /* CUDA_MEMCPY2D */

typedef struct {
  int type, handle_types;
  struct {
    int type, id;
  } location;
  void* windows;
  uint8_t flags[8];
} ssc_cuda_prop; /* CUmemAllocationProp */

typedef struct {
  int type, id, flags;
} ssc_cuda_access; /* CUmemAccessDesc */

typedef struct {
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
} ssc_cuda_array_desc; /* CUDA_ARRAY3D_DESCRIPTOR */

enum { SSC_CUDA_HOST = 1, SSC_CUDA_DEVICE = 2, SSC_CUDA_ARRAY = 3, SSC_CUDA_UNIFIED = 4 };
enum { SSC_CUDA_POINTER_CONTEXT = 1, SSC_CUDA_POINTER_TYPE = 2, SSC_CUDA_CAPTURE_RELAXED = 2 };

/* X(name, exported symbol, parameters) */
#define SSC_CUDA_FUNCTIONS(X)                                                                                      \
  X(ctx_get, "cuCtxGetCurrent", (void** context))                                                                  \
  X(ctx_push, "cuCtxPushCurrent_v2", (void* context))                                                              \
  X(ctx_pop, "cuCtxPopCurrent_v2", (void** context))                                                               \
  X(ctx_device, "cuCtxGetDevice", (int* device))                                                                   \
  X(uuid, "cuDeviceGetUuid", (void* uuid, int device))                                                             \
  X(pointer_attribute, "cuPointerGetAttribute", (void* value, int attribute, uint64_t pointer))                    \
  X(array_desc, "cuArray3DGetDescriptor_v2", (ssc_cuda_array_desc * desc, void* array))                            \
  X(capture_mode, "cuThreadExchangeStreamCaptureMode", (int* mode))                                                \
  X(is_capturing, "cuStreamIsCapturing", (void* stream, int* status))                                              \
  X(stream_ctx, "cuStreamGetCtx", (void* stream, void** context))                                                  \
  X(stream_create, "cuStreamCreate", (void** stream, unsigned flags))                                              \
  X(stream_destroy, "cuStreamDestroy_v2", (void* stream))                                                          \
  X(stream_wait, "cuStreamWaitEvent", (void* stream, void* event, unsigned flags))                                 \
  X(event_create, "cuEventCreate", (void** event, unsigned flags))                                                 \
  X(event_destroy, "cuEventDestroy_v2", (void* event))                                                             \
  X(event_record, "cuEventRecord", (void* event, void* stream))                                                    \
  X(host_function, "cuLaunchHostFunc", (void* stream, void (*function)(void*), void* argument))                    \
  X(copy_2d, "cuMemcpy2DAsync_v2", (const ssc_cuda_copy* copy, void* stream))                                      \
  X(host_register, "cuMemHostRegister_v2", (void* memory, size_t bytes, unsigned flags))                           \
  X(host_unregister, "cuMemHostUnregister", (void* memory))                                                        \
  X(granularity, "cuMemGetAllocationGranularity", (size_t * bytes, const ssc_cuda_prop* prop, int option))         \
  X(create, "cuMemCreate", (uint64_t * handle, size_t bytes, const ssc_cuda_prop* prop, unsigned long long flags)) \
  X(release, "cuMemRelease", (uint64_t handle))                                                                    \
  X(reserve, "cuMemAddressReserve",                                                                                \
    (uint64_t * pointer, size_t bytes, size_t alignment, uint64_t address, unsigned long long flags))              \
  X(unreserve, "cuMemAddressFree", (uint64_t pointer, size_t bytes))                                               \
  X(map, "cuMemMap", (uint64_t pointer, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags))   \
  X(unmap, "cuMemUnmap", (uint64_t pointer, size_t bytes))                                                         \
  X(set_access, "cuMemSetAccess", (uint64_t pointer, size_t bytes, const ssc_cuda_access* access, size_t count))   \
  X(export_fd, "cuMemExportToShareableHandle", (void* fd, uint64_t handle, int type, unsigned long long flags))

/* What older drivers lack. */
#define SSC_CUDA_OPTIONAL(X)                                                                          \
  X(host_pointer, "cuMemHostGetDevicePointer_v2", (uint64_t * pointer, void* memory, unsigned flags)) \
  X(write_value, "cuStreamWriteValue32_v2", (void* stream, uint64_t address, uint32_t value, unsigned flags))

typedef struct {
#define SSC_MEMBER(name, symbol, parameters) int(*name) parameters;
  SSC_CUDA_FUNCTIONS(SSC_MEMBER)
  SSC_CUDA_OPTIONAL(SSC_MEMBER)
#undef SSC_MEMBER
} ssc_cuda_api;

/* A pointer to a function, in the one way that both languages allow. */
static int ssc_symbol(void* library, const char* name, void* function) {
  void* symbol = dlsym(library, name);
  if (symbol) memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

static int ssc_cuda_lookup(ssc_cuda_api* api) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  int found = library != NULL;
#define SSC_LOOK_UP(name, symbol, parameters) found = found && ssc_symbol(library, symbol, &api->name);
  SSC_CUDA_FUNCTIONS(SSC_LOOK_UP)
#undef SSC_LOOK_UP
#define SSC_LOOK_UP(name, symbol, parameters) \
  if (found) ssc_symbol(library, symbol, &api->name);
  SSC_CUDA_OPTIONAL(SSC_LOOK_UP)
#undef SSC_LOOK_UP
  /* MIG instances have UUIDs of their own, which the older function does not tell. */
  if (found) ssc_symbol(library, "cuDeviceGetUuid_v2", &api->uuid);
  if (!found) ssc_say("%s", library ? "this CUDA driver is too old (10.2 or newer is needed)" : "CUDA is not loaded");
  return found;
}

static pthread_mutex_t ssc_cuda_lock = PTHREAD_MUTEX_INITIALIZER;

/* NULL when the program has no CUDA that can be used. The first successful look-up holds for ever. */
static const ssc_cuda_api* ssc_cuda(void) {
  static ssc_cuda_api api;
  static int state; /* atomic */
  if (SSC_LOAD(&state)) return &api;
  if (pthread_mutex_trylock(&ssc_cuda_lock) != 0) return NULL;
  if (!state && ssc_cuda_lookup(&api)) SSC_STORE(&state, 1);
  pthread_mutex_unlock(&ssc_cuda_lock);
  return SSC_LOAD(&state) ? &api : NULL;
}

/* The context in which calls are made, and the capture mode to go back to: in the relaxed mode our calls cannot spoil a
 * graph that another stream or thread is being captured into. */
typedef struct {
  const ssc_cuda_api* api;
  int mode, pushed;
} ssc_cuda_scope;

static int ssc_cuda_enter(ssc_cuda_scope* scope, const ssc_cuda_api* api, void* context) {
  scope->api = api;
  scope->mode = SSC_CUDA_CAPTURE_RELAXED;
  if (api->capture_mode(&scope->mode) != 0) return 0;
  void* current = NULL;
  scope->pushed = api->ctx_get(&current) != 0 || current != context;
  if (!scope->pushed || api->ctx_push(context) == 0) return 1;
  api->capture_mode(&scope->mode);
  return 0;
}

static void ssc_cuda_leave(ssc_cuda_scope* scope) {
  void* context = NULL;
  if (scope->pushed) scope->api->ctx_pop(&context);
  scope->api->capture_mode(&scope->mode);
}

/* Rings that CUDA writes: GPU memory exported as file descriptors, or host memory that the driver knows. */
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

/* Publishing CUDA memory and arrays. */
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

/* The part of Vulkan that publishing uses: own declarations, so that no headers are needed. */
typedef struct {
  int type;
  const void* next;
  uint32_t flags;
  uint64_t size;
  uint32_t usage, sharing, family_count;
  const uint32_t* families;
} ssc_vk_buffer_info;

typedef struct {
  int type;
  const void* next;
  uint64_t size;
  uint32_t memory_type;
} ssc_vk_allocate_info;

typedef struct {
  int type;
  const void* next;
  uint32_t handle_types;
} ssc_vk_handle_types; /* VkExportMemoryAllocateInfo, VkExternalMemoryBufferCreateInfo */

typedef struct {
  int type;
  const void* next;
  uint64_t image, buffer;
} ssc_vk_dedicated;

typedef struct {
  uint64_t size, alignment;
  uint32_t types;
} ssc_vk_requirements;

typedef struct {
  uint32_t type_count;
  struct {
    uint32_t flags, heap;
  } types[32];
  uint32_t heap_count;
  struct {
    uint64_t size;
    uint32_t flags;
  } heaps[16];
} ssc_vk_memory_properties;

typedef struct {
  int type;
  void* next;
  uint8_t device_uuid[16], driver_uuid[16], device_luid[8];
  uint32_t node_mask, luid_valid;
} ssc_vk_id_properties;

typedef struct {
  int type;
  void* next;
  uint64_t properties[256]; /* more than VkPhysicalDeviceProperties has */
} ssc_vk_properties;

typedef struct {
  uint32_t flags, count, timestamp_bits, granularity[3];
} ssc_vk_family;

typedef struct {
  int type;
  const void* next;
  uint64_t memory;
  uint32_t handle_type;
} ssc_vk_get_fd;

typedef struct {
  int type;
  const void* next;
  uint64_t memory, offset, size;
} ssc_vk_range;

typedef struct {
  int type;
  const void* next;
  uint32_t flags;
} ssc_vk_event_info;

typedef struct {
  uint32_t aspect, level, level_count, layer, layer_count;
} ssc_vk_image_range;

typedef struct {
  int type;
  const void* next;
  uint32_t from_access, to_access;
} ssc_vk_barrier;

typedef struct {
  int type;
  const void* next;
  uint32_t from_access, to_access, from_layout, to_layout, from_family, to_family;
  uint64_t image;
  ssc_vk_image_range range;
} ssc_vk_image_barrier;

typedef struct {
  int type;
  const void* next;
  uint32_t from_access, to_access, from_family, to_family;
  uint64_t buffer, offset, size;
} ssc_vk_buffer_barrier;

typedef struct {
  uint64_t from, to, size;
} ssc_vk_copy;

typedef struct {
  uint64_t offset;
  uint32_t row_length, image_height;
  uint32_t aspect, level, layer, layer_count;
  int32_t place[3];
  uint32_t extent[3];
} ssc_vk_image_copy;

/* X(result, name, exported symbol, parameters) */
#define SSC_VULKAN_FUNCTIONS(X)                                                                                       \
  X(int, create_buffer, "vkCreateBuffer",                                                                             \
    (void* device, const ssc_vk_buffer_info* info, const void* allocator, uint64_t* buffer))                          \
  X(void, destroy_buffer, "vkDestroyBuffer", (void* device, uint64_t buffer, const void* allocator))                  \
  X(void, requirements, "vkGetBufferMemoryRequirements", (void* device, uint64_t buffer, ssc_vk_requirements* needs)) \
  X(int, allocate, "vkAllocateMemory",                                                                                \
    (void* device, const ssc_vk_allocate_info* info, const void* allocator, uint64_t* memory))                        \
  X(void, free, "vkFreeMemory", (void* device, uint64_t memory, const void* allocator))                               \
  X(int, bind, "vkBindBufferMemory", (void* device, uint64_t buffer, uint64_t memory, uint64_t offset))               \
  X(int, map, "vkMapMemory",                                                                                          \
    (void* device, uint64_t memory, uint64_t offset, uint64_t size, uint32_t flags, void** mapped))                   \
  X(int, invalidate, "vkInvalidateMappedMemoryRanges", (void* device, uint32_t count, const ssc_vk_range* ranges))    \
  X(int, create_event, "vkCreateEvent",                                                                               \
    (void* device, const ssc_vk_event_info* info, const void* allocator, uint64_t* event))                            \
  X(void, destroy_event, "vkDestroyEvent", (void* device, uint64_t event, const void* allocator))                     \
  X(int, event_status, "vkGetEventStatus", (void* device, uint64_t event))                                            \
  X(int, reset_event, "vkResetEvent", (void* device, uint64_t event))                                                 \
  X(int, fence_status, "vkGetFenceStatus", (void* device, uint64_t fence))                                            \
  X(void, set_event, "vkCmdSetEvent", (void* commands, uint64_t event, uint32_t stages))                              \
  X(void, barrier, "vkCmdPipelineBarrier",                                                                            \
    (void* commands, uint32_t from, uint32_t to, uint32_t flags, uint32_t count, const ssc_vk_barrier* barriers,      \
     uint32_t buffer_count, const ssc_vk_buffer_barrier* buffers, uint32_t image_count,                               \
     const ssc_vk_image_barrier* images))                                                                             \
  X(void, copy_buffer, "vkCmdCopyBuffer",                                                                             \
    (void* commands, uint64_t from, uint64_t to, uint32_t count, const ssc_vk_copy* regions))                         \
  X(void, copy_image, "vkCmdCopyImageToBuffer",                                                                       \
    (void* commands, uint64_t image, uint32_t layout, uint64_t buffer, uint32_t count,                                \
     const ssc_vk_image_copy* regions))

struct seamscope_vulkan {
  void *instance, *physical, *device;
  uint32_t family;
  int has_events; /* the family's commands can set one */
  int closing;    /* atomic: 1 asked for, 2 done */
  uint32_t uuid_flags;
  uint8_t device_uuid[16], driver_uuid[16];
  ssc_vk_memory_properties memory;
#define SSC_MEMBER(result, name, symbol, parameters) result(*name) parameters;
  SSC_VULKAN_FUNCTIONS(SSC_MEMBER)
#undef SSC_MEMBER
  int (*get_fd)(void* device, const ssc_vk_get_fd* info, int* fd);          /* null: host path only */
  int (*timeline_value)(void* device, uint64_t semaphore, uint64_t* value); /* null: no timelines */
  seamscope_vulkan* next;
};

typedef void (*ssc_vk_function)(void);
typedef ssc_vk_function (*ssc_vk_get)(void* handle, const char* name);

/* The entry point of a function, stored where `place` points; both are pointers to functions. */
static int ssc_vk_load(ssc_vk_get get, void* handle, const char* name, void* place) {
  const ssc_vk_function function = get(handle, name);
  if (function) memcpy(place, &function, sizeof function);
  return function != NULL;
}

static ssc_vk_get ssc_vk_loader(const seamscope_vulkan_desc* desc) {
  ssc_vk_get get = NULL;
  if (desc->get_instance_proc_addr) {
    memcpy(&get, &desc->get_instance_proc_addr, sizeof get);
    return get;
  }
  void* library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library) ssc_symbol(library, "vkGetInstanceProcAddr", &get);
  return get;
}

static int ssc_vk_load_device(seamscope_vulkan* vulkan, ssc_vk_get get_instance) {
  ssc_vk_get get = NULL;
  int found = ssc_vk_load(get_instance, vulkan->instance, "vkGetDeviceProcAddr", &get);
#define SSC_LOOK_UP(result, name, symbol, parameters) \
  found = found && ssc_vk_load(get, vulkan->device, symbol, &vulkan->name);
  SSC_VULKAN_FUNCTIONS(SSC_LOOK_UP)
#undef SSC_LOOK_UP
  if (!found) return 0;
  ssc_vk_load(get, vulkan->device, "vkGetMemoryFdKHR", &vulkan->get_fd);
  if (!ssc_vk_load(get, vulkan->device, "vkGetSemaphoreCounterValue", &vulkan->timeline_value))
    ssc_vk_load(get, vulkan->device, "vkGetSemaphoreCounterValueKHR", &vulkan->timeline_value);
  return 1;
}

/* Which device and driver it is: memory can be handed over only where both agree. */
static void ssc_vk_identify(seamscope_vulkan* vulkan, ssc_vk_get get) {
  void (*properties2)(void* physical, ssc_vk_properties* properties) = NULL;
  ssc_vk_id_properties ids;
  ssc_vk_properties properties;
  if (!ssc_vk_load(get, vulkan->instance, "vkGetPhysicalDeviceProperties2", &properties2) &&
      !ssc_vk_load(get, vulkan->instance, "vkGetPhysicalDeviceProperties2KHR", &properties2))
    return;
  memset(&ids, 0, sizeof ids);
  memset(&properties, 0, sizeof properties);
  ids.type = 1000071004;
  properties.type = 1000059001;
  properties.next = &ids;
  properties2(vulkan->physical, &properties);
  memcpy(vulkan->device_uuid, ids.device_uuid, 16);
  memcpy(vulkan->driver_uuid, ids.driver_uuid, 16);
  vulkan->uuid_flags = SEAMSCOPE_HAS_DEVICE_UUID | SEAMSCOPE_HAS_DRIVER_UUID;
}

static int ssc_vk_load_physical(seamscope_vulkan* vulkan, ssc_vk_get get) {
  void (*memory)(void* physical, ssc_vk_memory_properties* properties) = NULL;
  void (*families)(void* physical, uint32_t* count, ssc_vk_family* list) = NULL;
  ssc_vk_family list[32];
  uint32_t count = 32;
  if (!ssc_vk_load(get, vulkan->instance, "vkGetPhysicalDeviceMemoryProperties", &memory) ||
      !ssc_vk_load(get, vulkan->instance, "vkGetPhysicalDeviceQueueFamilyProperties", &families))
    return 0;
  memory(vulkan->physical, &vulkan->memory);
  families(vulkan->physical, &count, list);
  vulkan->has_events = vulkan->family < count && (list[vulkan->family].flags & 3u /* graphics, compute */) != 0;
  ssc_vk_identify(vulkan, get);
  return 1;
}

/* The first fitting type with all of `flags`; UINT32_MAX: none. */
static uint32_t ssc_vk_memory_type(const seamscope_vulkan* vulkan, uint32_t allowed, uint32_t flags) {
  for (uint32_t i = 0; i < vulkan->memory.type_count; ++i)
    if (allowed & (1u << i) && (vulkan->memory.types[i].flags & flags) == flags) return i;
  return UINT32_MAX;
}

/* Rings that Vulkan commands write: exportable buffers, or staging buffers beside shared host memory. */
enum { SSC_VK_OPAQUE_FD = 1, SSC_VK_DEVICE_LOCAL = 1, SSC_VK_HOST_VISIBLE = 2, SSC_VK_COHERENT = 4, SSC_VK_CACHED = 8 };

static int ssc_vk_make_buffer(seamscope_vulkan* vulkan, const ssc_ring* ring, uint64_t* buffer) {
  const int exported = ring->memory == SEAMSCOPE_MEMORY_VULKAN;
  ssc_vk_handle_types types;
  ssc_vk_buffer_info info;
  memset(&types, 0, sizeof types);
  memset(&info, 0, sizeof info);
  types.type = 1000072000;
  types.handle_types = SSC_VK_OPAQUE_FD;
  info.type = 12;
  info.next = exported ? &types : NULL;
  info.size = ring->slot_size;
  info.usage = 0x1u | 0x2u | 0x20u; /* transfer source and destination, storage */
  return vulkan->create_buffer(vulkan->device, &info, NULL, buffer) == 0;
}

/* Cached memory is read many times faster by the host. */
static uint32_t ssc_vk_choose_type(const seamscope_vulkan* vulkan, const ssc_ring* ring, uint32_t allowed) {
  if (ring->memory == SEAMSCOPE_MEMORY_VULKAN) {
    const uint32_t local = ssc_vk_memory_type(vulkan, allowed, SSC_VK_DEVICE_LOCAL);
    return local != UINT32_MAX ? local : ssc_vk_memory_type(vulkan, allowed, 0);
  }
  const uint32_t cached = ssc_vk_memory_type(vulkan, allowed, SSC_VK_HOST_VISIBLE | SSC_VK_CACHED);
  return cached != UINT32_MAX ? cached : ssc_vk_memory_type(vulkan, allowed, SSC_VK_HOST_VISIBLE);
}

static int ssc_vk_make_memory(seamscope_vulkan* vulkan, ssc_ring* ring, uint32_t slot) {
  ssc_vulkan_ring* own = &ring->vulkan;
  ssc_vk_requirements needs;
  ssc_vk_dedicated dedicated;
  ssc_vk_handle_types exported;
  ssc_vk_allocate_info info;
  vulkan->requirements(vulkan->device, own->buffers[slot], &needs);
  own->memory_type = ssc_vk_choose_type(vulkan, ring, needs.types);
  if (own->memory_type == UINT32_MAX) return 0;
  memset(&dedicated, 0, sizeof dedicated);
  memset(&exported, 0, sizeof exported);
  memset(&info, 0, sizeof info);
  dedicated.type = 1000127001;
  dedicated.buffer = own->buffers[slot];
  exported.type = 1000072002;
  exported.next = &dedicated;
  exported.handle_types = SSC_VK_OPAQUE_FD;
  info.type = 5;
  info.next = ring->memory == SEAMSCOPE_MEMORY_VULKAN ? &exported : NULL;
  info.size = needs.size;
  info.memory_type = own->memory_type;
  if (ring->memory == SEAMSCOPE_MEMORY_VULKAN) ring->allocation_size = needs.size;
  own->coherent = (vulkan->memory.types[own->memory_type].flags & SSC_VK_COHERENT) != 0;
  return vulkan->allocate(vulkan->device, &info, NULL, &own->memories[slot]) == 0 &&
         vulkan->bind(vulkan->device, own->buffers[slot], own->memories[slot], 0) == 0;
}

static int ssc_vk_make_slot(seamscope_vulkan* vulkan, ssc_ring* ring, uint32_t slot) {
  ssc_vulkan_ring* own = &ring->vulkan;
  ssc_vk_event_info event;
  memset(&event, 0, sizeof event);
  event.type = 10;
  if (!ssc_vk_make_buffer(vulkan, ring, &own->buffers[slot])) return 0;
  if (!ssc_vk_make_memory(vulkan, ring, slot)) return 0;
  if (vulkan->has_events && vulkan->create_event(vulkan->device, &event, NULL, &own->events[slot]) != 0) return 0;
  if (ring->memory == SEAMSCOPE_MEMORY_VULKAN) return 1;
  return vulkan->map(vulkan->device, own->memories[slot], 0, UINT64_MAX, 0, &own->mapped[slot]) == 0;
}

static int ssc_vk_make(ssc_ring* ring) {
  seamscope_vulkan* vulkan = ring->need.vulkan;
  if (ring->memory == SEAMSCOPE_MEMORY_VULKAN && !vulkan->get_fd) return 0;
  for (uint32_t i = 0; i < ring->slot_count; ++i)
    if (!ssc_vk_make_slot(vulkan, ring, i)) return 0;
  return 1;
}

static void ssc_vk_free(ssc_ring* ring) {
  seamscope_vulkan* vulkan = ring->need.vulkan;
  ssc_vulkan_ring* own = &ring->vulkan;
  for (uint32_t i = 0; i < SEAMSCOPE_MAX_SLOTS; ++i) {
    if (own->events[i]) vulkan->destroy_event(vulkan->device, own->events[i], NULL);
    if (own->buffers[i]) vulkan->destroy_buffer(vulkan->device, own->buffers[i], NULL);
    if (own->memories[i]) vulkan->free(vulkan->device, own->memories[i], NULL); /* unmaps it */
  }
  memset(own, 0, sizeof *own);
}

static int ssc_vk_export(const ssc_ring* ring, uint32_t slot) {
  seamscope_vulkan* vulkan = ring->need.vulkan;
  ssc_vk_get_fd info;
  int fd = -1;
  memset(&info, 0, sizeof info);
  info.type = 1000074002;
  info.memory = ring->vulkan.memories[slot];
  info.handle_type = SSC_VK_OPAQUE_FD;
  return vulkan->get_fd(vulkan->device, &info, &fd) == 0 ? fd : -1;
}

/* 1: the commands have run; 0: not yet; -1: the device is lost. */
static int ssc_vk_has_passed(const ssc_ring* ring, uint32_t slot) {
  const seamscope_vulkan* vulkan = ring->need.vulkan;
  const ssc_vulkan_ring* own = &ring->vulkan;
  uint64_t value = 0;
  int result;
  if (own->timelines[slot]) {
    if (!vulkan->timeline_value) return -1;
    result = vulkan->timeline_value(vulkan->device, own->timelines[slot], &value);
    return result < 0 ? -1 : value >= own->values[slot];
  }
  if (own->fences[slot]) {
    result = vulkan->fence_status(vulkan->device, own->fences[slot]);
    return result < 0 ? -1 : result == 0;
  }
  if (!own->events[slot]) return -1;
  result = vulkan->event_status(vulkan->device, own->events[slot]);
  return result < 0 ? -1 : result == 3 /* set */;
}

/* The host path: out of the staging buffer into the memory that the hub sees. */
static void ssc_vk_fetch(const ssc_ring* ring, uint32_t slot) {
  seamscope_vulkan* vulkan = ring->need.vulkan;
  ssc_vk_range range;
  memset(&range, 0, sizeof range);
  range.type = 6;
  range.memory = ring->vulkan.memories[slot];
  range.size = UINT64_MAX;
  if (!ring->vulkan.coherent) vulkan->invalidate(vulkan->device, 1, &range);
  memcpy(ssc_host_slot(ring, slot), ring->vulkan.mapped[slot], ring->vulkan.used[slot]);
}

/* The submitted slot whose frame follows `after`; -1: none. */
static int ssc_vk_next(const ssc_ring* ring, uint64_t after) {
  int next = -1;
  for (uint32_t i = 0; i < ring->slot_count; ++i) {
    if (SSC_LOAD(&ring->vulkan.phases[i]) != SSC_SUBMITTED || ring->vulkan.frames[i] <= after) continue;
    if (next < 0 || ring->vulkan.frames[i] < ring->vulkan.frames[next]) next = (int)i;
  }
  return next;
}

/* Frames whose commands have run become ready, in their order; says whether some have not. The worker's. */
static int ssc_vk_poll_ring(ssc_ring* ring) {
  ssc_vulkan_ring* own = &ring->vulkan;
  int waiting = 0, next;
  for (uint64_t after = 0; (next = ssc_vk_next(ring, after)) >= 0;) {
    const uint32_t slot = (uint32_t)next;
    const int passed = ssc_vk_has_passed(ring, slot);
    after = own->frames[slot];
    if (passed == 0) {
      waiting = 1;
      continue;
    }
    if (passed > 0 && ring->memory == SEAMSCOPE_MEMORY_HOST && SSC_LOAD(&ring->state->epoch) == ring->epoch)
      ssc_vk_fetch(ring, slot);
    SSC_STORE(&own->phases[slot], SSC_IDLE);
    ssc_finish_from_driver(ring, slot, passed > 0);
  }
  return waiting;
}

/* What a VkFormat says about a frame. */
typedef struct {
  uint16_t format;
  uint8_t dtype, channels, is_bgr, aspect;
} ssc_vk_format;

enum { SSC_ASPECT_COLOR = 1, SSC_ASPECT_DEPTH = 2, SSC_ASPECT_STENCIL = 4 };

/* Linear bytes (UNORM) are shown as they are: renderers store display values in them. */
static const ssc_vk_format ssc_vk_formats[] = {
    {9, SEAMSCOPE_U8, 1, 0, SSC_ASPECT_COLOR},           /* R8_UNORM */
    {10, SEAMSCOPE_I8, 1, 0, SSC_ASPECT_COLOR},          /* R8_SNORM */
    {13, SEAMSCOPE_U8, 1, 0, SSC_ASPECT_COLOR},          /* R8_UINT */
    {14, SEAMSCOPE_I8, 1, 0, SSC_ASPECT_COLOR},          /* R8_SINT */
    {16, SEAMSCOPE_U8, 2, 0, SSC_ASPECT_COLOR},          /* R8G8_UNORM */
    {20, SEAMSCOPE_U8, 2, 0, SSC_ASPECT_COLOR},          /* R8G8_UINT */
    {23, SEAMSCOPE_U8, 3, 0, SSC_ASPECT_COLOR},          /* R8G8B8_UNORM */
    {29, SEAMSCOPE_U8, 3, 0, SSC_ASPECT_COLOR},          /* R8G8B8_SRGB */
    {30, SEAMSCOPE_U8, 3, 1, SSC_ASPECT_COLOR},          /* B8G8R8_UNORM */
    {36, SEAMSCOPE_U8, 3, 1, SSC_ASPECT_COLOR},          /* B8G8R8_SRGB */
    {37, SEAMSCOPE_U8, 4, 0, SSC_ASPECT_COLOR},          /* R8G8B8A8_UNORM */
    {38, SEAMSCOPE_I8, 4, 0, SSC_ASPECT_COLOR},          /* R8G8B8A8_SNORM */
    {41, SEAMSCOPE_U8, 4, 0, SSC_ASPECT_COLOR},          /* R8G8B8A8_UINT */
    {42, SEAMSCOPE_I8, 4, 0, SSC_ASPECT_COLOR},          /* R8G8B8A8_SINT */
    {43, SEAMSCOPE_U8, 4, 0, SSC_ASPECT_COLOR},          /* R8G8B8A8_SRGB */
    {44, SEAMSCOPE_U8, 4, 1, SSC_ASPECT_COLOR},          /* B8G8R8A8_UNORM */
    {50, SEAMSCOPE_U8, 4, 1, SSC_ASPECT_COLOR},          /* B8G8R8A8_SRGB */
    {51, SEAMSCOPE_U8, 4, 0, SSC_ASPECT_COLOR},          /* A8B8G8R8_UNORM_PACK32 */
    {57, SEAMSCOPE_U8, 4, 0, SSC_ASPECT_COLOR},          /* A8B8G8R8_SRGB_PACK32 */
    {64, SEAMSCOPE_RGB10A2, 4, 0, SSC_ASPECT_COLOR},     /* A2B10G10R10_UNORM_PACK32 */
    {70, SEAMSCOPE_U16, 1, 0, SSC_ASPECT_COLOR},         /* R16_UNORM */
    {74, SEAMSCOPE_U16, 1, 0, SSC_ASPECT_COLOR},         /* R16_UINT */
    {75, SEAMSCOPE_I16, 1, 0, SSC_ASPECT_COLOR},         /* R16_SINT */
    {76, SEAMSCOPE_F16, 1, 0, SSC_ASPECT_COLOR},         /* R16_SFLOAT */
    {77, SEAMSCOPE_U16, 2, 0, SSC_ASPECT_COLOR},         /* R16G16_UNORM */
    {81, SEAMSCOPE_U16, 2, 0, SSC_ASPECT_COLOR},         /* R16G16_UINT */
    {83, SEAMSCOPE_F16, 2, 0, SSC_ASPECT_COLOR},         /* R16G16_SFLOAT */
    {90, SEAMSCOPE_F16, 3, 0, SSC_ASPECT_COLOR},         /* R16G16B16_SFLOAT */
    {91, SEAMSCOPE_U16, 4, 0, SSC_ASPECT_COLOR},         /* R16G16B16A16_UNORM */
    {95, SEAMSCOPE_U16, 4, 0, SSC_ASPECT_COLOR},         /* R16G16B16A16_UINT */
    {97, SEAMSCOPE_F16, 4, 0, SSC_ASPECT_COLOR},         /* R16G16B16A16_SFLOAT */
    {98, SEAMSCOPE_U32, 1, 0, SSC_ASPECT_COLOR},         /* R32_UINT */
    {99, SEAMSCOPE_I32, 1, 0, SSC_ASPECT_COLOR},         /* R32_SINT */
    {100, SEAMSCOPE_F32, 1, 0, SSC_ASPECT_COLOR},        /* R32_SFLOAT */
    {101, SEAMSCOPE_U32, 2, 0, SSC_ASPECT_COLOR},        /* R32G32_UINT */
    {102, SEAMSCOPE_I32, 2, 0, SSC_ASPECT_COLOR},        /* R32G32_SINT */
    {103, SEAMSCOPE_F32, 2, 0, SSC_ASPECT_COLOR},        /* R32G32_SFLOAT */
    {106, SEAMSCOPE_F32, 3, 0, SSC_ASPECT_COLOR},        /* R32G32B32_SFLOAT */
    {107, SEAMSCOPE_U32, 4, 0, SSC_ASPECT_COLOR},        /* R32G32B32A32_UINT */
    {108, SEAMSCOPE_I32, 4, 0, SSC_ASPECT_COLOR},        /* R32G32B32A32_SINT */
    {109, SEAMSCOPE_F32, 4, 0, SSC_ASPECT_COLOR},        /* R32G32B32A32_SFLOAT */
    {122, SEAMSCOPE_R11G11B10F, 3, 0, SSC_ASPECT_COLOR}, /* B10G11R11_UFLOAT_PACK32 */
    {124, SEAMSCOPE_U16, 1, 0, SSC_ASPECT_DEPTH},        /* D16_UNORM */
    {125, SEAMSCOPE_D24S8, 1, 0, SSC_ASPECT_DEPTH},      /* X8_D24_UNORM_PACK32 */
    {126, SEAMSCOPE_F32, 1, 0, SSC_ASPECT_DEPTH},        /* D32_SFLOAT */
    {127, SEAMSCOPE_U8, 1, 0, SSC_ASPECT_STENCIL},       /* S8_UINT */
    {128, SEAMSCOPE_U16, 1, 0, SSC_ASPECT_DEPTH},        /* D16_UNORM_S8_UINT */
    {129, SEAMSCOPE_D24S8, 1, 0, SSC_ASPECT_DEPTH},      /* D24_UNORM_S8_UINT */
    {130, SEAMSCOPE_F32, 1, 0, SSC_ASPECT_DEPTH},        /* D32_SFLOAT_S8_UINT */
};

/* Fills in what the format says. The aspect to copy, or 0 for a format that cannot be shown. */
static uint32_t ssc_vk_apply_format(const seamscope_vulkan_source* source, seamscope_frame_desc* desc) {
  uint32_t aspect = source->aspect;
  if (!source->format) {
    if (!aspect) aspect = desc->dtype == SEAMSCOPE_D24S8 ? SSC_ASPECT_DEPTH : SSC_ASPECT_COLOR;
    return aspect;
  }
  for (size_t i = 0; i < sizeof ssc_vk_formats / sizeof *ssc_vk_formats; ++i) {
    const ssc_vk_format* row = &ssc_vk_formats[i];
    if (row->format != source->format) continue;
    const int is_stencil = aspect == SSC_ASPECT_STENCIL;
    desc->dtype = is_stencil ? (uint32_t)SEAMSCOPE_U8 : row->dtype;
    desc->channels = row->channels;
    if (row->is_bgr) desc->flags |= SEAMSCOPE_FLAG_BGR;
    if (!desc->kind && row->aspect == SSC_ASPECT_DEPTH) desc->kind = is_stencil ? SEAMSCOPE_ID : SEAMSCOPE_DEPTH;
    if (!desc->kind && row->aspect == SSC_ASPECT_STENCIL) desc->kind = SEAMSCOPE_ID;
    return aspect ? aspect : row->aspect;
  }
  return 0;
}

/* Publishing from Vulkan: the caller's command buffer and queue, an event or the caller's semaphore for completion. */
SEAMSCOPE_API const char* const* seamscope_vulkan_extensions(int level, uint32_t* count) {
  static const char* const instance[] = {"VK_KHR_get_physical_device_properties2",
                                         "VK_KHR_external_memory_capabilities"};
  static const char* const device[] = {"VK_KHR_external_memory", "VK_KHR_external_memory_fd",
                                       "VK_KHR_get_memory_requirements2", "VK_KHR_dedicated_allocation"};
  const int is_device = level == SEAMSCOPE_VULKAN_DEVICE;
  if (count) *count = is_device ? 4 : 2;
  return is_device ? device : instance;
}

static void ssc_vk_introduce(const seamscope_vulkan* vulkan) {
  pthread_mutex_lock(&ssc_cuda_lock);
  if (!ssc_device.flags && vulkan->uuid_flags) {
    memcpy(ssc_device.device_uuid, vulkan->device_uuid, 16);
    memcpy(ssc_device.driver_uuid, vulkan->driver_uuid, 16);
    ssc_device.cuda_ordinal = -1;
    SSC_STORE(&ssc_device.flags, vulkan->uuid_flags);
  }
  pthread_mutex_unlock(&ssc_cuda_lock);
}

SEAMSCOPE_API seamscope_vulkan* seamscope_vulkan_open(const seamscope_vulkan_desc* desc) {
  if (!desc || !desc->instance || !desc->physical_device || !desc->device) return NULL;
  const ssc_vk_get get = ssc_vk_loader(desc);
  seamscope_vulkan* vulkan = get ? (seamscope_vulkan*)calloc(1, sizeof *vulkan) : NULL;
  if (!vulkan) return NULL;
  vulkan->instance = desc->instance;
  vulkan->physical = desc->physical_device;
  vulkan->device = desc->device;
  vulkan->family = desc->queue_family;
  if (ssc_vk_load_device(vulkan, get) && ssc_vk_load_physical(vulkan, get)) {
    ssc_vk_introduce(vulkan);
    return vulkan;
  }
  ssc_say("Vulkan's functions cannot be found");
  free(vulkan);
  return NULL;
}

enum {
  SSC_STAGE_TRANSFER = 0x1000,
  SSC_STAGE_HOST = 0x4000,
  SSC_STAGE_ALL = 0x10000,
  SSC_ACCESS_TRANSFER_READ = 0x800,
  SSC_ACCESS_TRANSFER_WRITE = 0x1000,
  SSC_ACCESS_HOST_READ = 0x2000,
  SSC_ACCESS_READ = 0x8000,
  SSC_ACCESS_WRITE = 0x10000
};
enum { SSC_LAYOUT_GENERAL = 1, SSC_LAYOUT_TRANSFER_SRC = 6 };
#define SSC_FAMILY_IGNORED 0xFFFFFFFFu
#define SSC_FAMILY_EXTERNAL 0xFFFFFFFEu

/* One copy on its way into a command buffer. */
typedef struct {
  seamscope_vulkan* vulkan;
  void* commands;
  const seamscope_vulkan_source* source;
  const seamscope_frame_desc* desc;
  uint32_t aspect;
  uint64_t bytes;
} ssc_vk_record;

static uint32_t ssc_given(uint32_t value, uint32_t usual) {
  return value ? value : usual;
}

static uint32_t ssc_vk_copy_layout(const seamscope_vulkan_source* source) {
  const uint32_t layout = ssc_given(source->layout, SSC_LAYOUT_GENERAL);
  return layout == SSC_LAYOUT_GENERAL ? layout : (uint32_t)SSC_LAYOUT_TRANSFER_SRC;
}

static ssc_vk_image_barrier ssc_vk_image_step(const ssc_vk_record* record, uint32_t from, uint32_t to) {
  ssc_vk_image_barrier barrier;
  memset(&barrier, 0, sizeof barrier);
  barrier.type = 45;
  barrier.from_layout = from;
  barrier.to_layout = to;
  barrier.from_family = barrier.to_family = SSC_FAMILY_IGNORED;
  barrier.image = (uint64_t)(uintptr_t)record->source->image;
  barrier.range.aspect = record->aspect;
  if (record->source->format >= 128 && record->source->format <= 130)
    barrier.range.aspect = 6; /* both, as one layout */
  barrier.range.level = record->source->mip_level;
  barrier.range.level_count = 1;
  barrier.range.layer = record->source->array_layer;
  barrier.range.layer_count = 1;
  return barrier;
}

static void ssc_vk_record_image(const ssc_vk_record* record, uint64_t target) {
  const seamscope_vulkan_source* source = record->source;
  const uint32_t layout = ssc_given(source->layout, SSC_LAYOUT_GENERAL);
  const uint32_t copy_layout = ssc_vk_copy_layout(source);
  const uint32_t stage = ssc_given(source->stage, SSC_STAGE_ALL);
  ssc_vk_image_copy region;
  ssc_vk_image_barrier barrier = ssc_vk_image_step(record, layout, copy_layout);
  barrier.from_access = ssc_given(source->access, SSC_ACCESS_WRITE);
  barrier.to_access = SSC_ACCESS_TRANSFER_READ;
  record->vulkan->barrier(record->commands, stage, SSC_STAGE_TRANSFER, 0, 0, NULL, 0, NULL, 1, &barrier);
  memset(&region, 0, sizeof region);
  region.aspect = record->aspect;
  region.level = source->mip_level;
  region.layer = source->array_layer;
  region.layer_count = 1;
  region.extent[0] = record->desc->width;
  region.extent[1] = record->desc->height;
  region.extent[2] = 1;
  record->vulkan->copy_image(record->commands, barrier.image, copy_layout, target, 1, &region);
  barrier = ssc_vk_image_step(record, copy_layout, layout);
  barrier.to_access = SSC_ACCESS_READ | SSC_ACCESS_WRITE;
  record->vulkan->barrier(record->commands, SSC_STAGE_TRANSFER, SSC_STAGE_ALL, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static void ssc_vk_record_buffer(const ssc_vk_record* record, uint64_t target) {
  const seamscope_vulkan_source* source = record->source;
  const ssc_vk_copy region = {record->desc->offset, 0, record->bytes};
  ssc_vk_barrier barrier;
  memset(&barrier, 0, sizeof barrier);
  barrier.type = 46;
  barrier.from_access = ssc_given(source->access, SSC_ACCESS_WRITE);
  barrier.to_access = SSC_ACCESS_TRANSFER_READ;
  record->vulkan->barrier(record->commands, ssc_given(source->stage, SSC_STAGE_ALL), SSC_STAGE_TRANSFER, 0, 1, &barrier,
                          0, NULL, 0, NULL);
  record->vulkan->copy_buffer(record->commands, (uint64_t)(uintptr_t)source->buffer, target, 1, &region);
  record->vulkan->barrier(record->commands, SSC_STAGE_TRANSFER, SSC_STAGE_ALL, 0, 0, NULL, 0, NULL, 0, NULL);
}

/* What was written goes to another process, or to the host; then the event. */
static void ssc_vk_record_end(const ssc_vk_record* record, const ssc_ring* ring, uint32_t slot) {
  const int is_host = ring->memory == SEAMSCOPE_MEMORY_HOST;
  ssc_vk_buffer_barrier barrier;
  memset(&barrier, 0, sizeof barrier);
  barrier.type = 44;
  barrier.from_access = SSC_ACCESS_TRANSFER_WRITE;
  barrier.to_access = is_host ? SSC_ACCESS_HOST_READ : 0;
  barrier.from_family = is_host ? SSC_FAMILY_IGNORED : record->vulkan->family;
  barrier.to_family = is_host ? SSC_FAMILY_IGNORED : SSC_FAMILY_EXTERNAL;
  barrier.buffer = ring->vulkan.buffers[slot];
  barrier.size = UINT64_MAX;
  const uint32_t to = is_host ? SSC_STAGE_ALL | SSC_STAGE_HOST : SSC_STAGE_ALL;
  record->vulkan->barrier(record->commands, SSC_STAGE_TRANSFER, to, 0, 0, NULL, 1, &barrier, 0, NULL);
  if (ring->vulkan.events[slot]) record->vulkan->set_event(record->commands, ring->vulkan.events[slot], SSC_STAGE_ALL);
}

static uint64_t ssc_vk_record_copy(const ssc_vk_record* record, ssc_ring* ring, uint32_t slot) {
  ssc_vulkan_ring* own = &ring->vulkan;
  if (own->events[slot]) record->vulkan->reset_event(record->vulkan->device, own->events[slot]);
  own->fences[slot] = own->timelines[slot] = own->values[slot] = 0;
  own->used[slot] = record->bytes;
  own->frames[slot] = ssc_slot(ring->state, ring, slot)->frame;
  SSC_ADD(&ring->in_flight, 1);
  SSC_STORE(&own->phases[slot], SSC_RECORDED);
  if (record->source->image) {
    ssc_vk_record_image(record, own->buffers[slot]);
  } else {
    ssc_vk_record_buffer(record, own->buffers[slot]);
  }
  ssc_vk_record_end(record, ring, slot);
  return (uint64_t)(uintptr_t)&ring->places[slot];
}

/* Completes the description and says how many bytes are copied; 0: it cannot be shown. */
static uint64_t ssc_vk_describe(ssc_vk_record* record, const seamscope_vulkan_source* source,
                                seamscope_frame_desc* desc) {
  record->aspect = ssc_vk_apply_format(source, desc);
  if (source->image)
    desc->offset = desc->row_stride = desc->pixel_stride = desc->channel_stride = desc->batch_stride = 0;
  if (source->image) desc->flags &= ~(uint32_t)SEAMSCOPE_FLAG_PLANAR;
  if (source->image) desc->batch = 1;
  ssc_complete(desc);
  return record->aspect && ssc_is_valid(desc) ? ssc_span(desc) : 0;
}

static SSC_APART uint64_t ssc_vk_publish(const ssc_publish* publish, ssc_vk_record* record,
                                         const seamscope_frame_desc* desc) {
  const seamscope_vulkan_source* source = record->source;
  ssc_need need;
  seamscope_frame_desc complete;
  uint32_t slot = 0;
  if (!source || !desc || !record->commands || (!source->image && !source->buffer)) {
    ssc_skip(publish, "Neither an image nor a buffer was given.");
    return 0;
  }
  complete = *desc;
  record->desc = &complete;
  memset(&need, 0, sizeof need);
  need.feeder = SSC_FROM_VULKAN;
  need.vulkan = record->vulkan;
  record->bytes = need.bytes = ssc_vk_describe(record, source, &complete);
  ssc_ring* ring = need.bytes ? ssc_begin(publish, &need, &slot) : NULL;
  if (!ring) {
    const char* refusal = record->aspect ? ssc_refusal(&complete) : "The image has a format that cannot be shown.";
    ssc_skip(publish, need.bytes ? NULL : refusal);
    return 0;
  }
  seamscope_frame_desc shown = complete;
  shown.offset = 0;
  shown.flags &= SEAMSCOPE_FLAG_BOTTOM_UP | SEAMSCOPE_FLAG_BGR;
  ssc_describe(publish, ring, slot, &shown);
  const uint64_t ticket = ssc_vk_record_copy(record, ring, slot);
  ssc_end(publish, 1);
  return ticket;
}

SEAMSCOPE_API uint64_t seamscope_vulkan_record(seamscope_vulkan* vulkan, void* command_buffer, const char* name,
                                               const seamscope_vulkan_source* source,
                                               const seamscope_frame_desc* desc) {
  ssc_publish publish;
  if (!vulkan || !ssc_is_watched(name, desc, &publish)) return 0;
  ssc_vk_record record = {vulkan, command_buffer, source, NULL, 0, 0};
  return ssc_vk_publish(&publish, &record, desc);
}

SEAMSCOPE_API void seamscope_vulkan_submitted(uint64_t ticket, void* fence, void* timeline, uint64_t value) {
  const ssc_place* place = (const ssc_place*)(uintptr_t)ticket;
  if (!place) return;
  ssc_ring* ring = place->ring;
  ring->vulkan.fences[place->slot] = (uint64_t)(uintptr_t)fence;
  ring->vulkan.timelines[place->slot] = (uint64_t)(uintptr_t)timeline;
  ring->vulkan.values[place->slot] = value;
  ssc_state* state = ring->state;
  SSC_STORE(&ring->vulkan.phases[place->slot], SSC_SUBMITTED);
  ssc_wake(state);
}

SEAMSCOPE_API void seamscope_vulkan_abandoned(uint64_t ticket) {
  const ssc_place* place = (const ssc_place*)(uintptr_t)ticket;
  if (!place) return;
  SSC_STORE(&place->ring->vulkan.phases[place->slot], SSC_IDLE);
  ssc_finish_from_driver(place->ring, place->slot, 0);
}

/* A ring's life: made, offered, accepted, replaced, released, freed. */
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

/* Who makes rings: the worker, except for frames out of CUDA memory. While the program keeps CUDA's queue of launches
 * full, its own thread waits inside the driver and lets no other in, for as long as the program goes on so; but what
 * that thread asks itself is answered. So it makes its ring in the one publish that finds none: some milliseconds,
 * once. */
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

/* Finding the hub, and the beginning and end of a connection. The worker's. */
#ifndef SSC_CONNECT_NS
#define SSC_CONNECT_NS SSC_SECOND /* at most one attempt in that time */
#endif
#define SSC_GREET_NS (5 * SSC_SECOND)

/* A folder that nobody else can put sockets into. */
static int ssc_is_private(const char* folder) {
  struct stat status;
  return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & 077) == 0;
}

static int ssc_is_same_user(int socket) {
  ssc_credentials peer;
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

/* A socket connected to this path, or -1. Never waits: a Unix socket connects at once or not at all. */
static int ssc_dial(const char* path) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  if (strlen(path) >= sizeof address.sun_path) return -1;
  memcpy(address.sun_path, path, strlen(path));
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  if (connect(fd, (const struct sockaddr*)&address, sizeof address) == 0 && ssc_is_same_user(fd)) return fd;
  close(fd);
  return -1;
}

typedef struct {
  char path[108];
  int64_t seconds, nanoseconds;
} ssc_candidate;

static int ssc_is_newer(const ssc_candidate* a, const ssc_candidate* b) {
  return a->seconds > b->seconds || (a->seconds == b->seconds && a->nanoseconds > b->nanoseconds);
}

/* Keeps the newest `capacity` sockets of a folder, newest first. */
static int ssc_list(const char* folder, ssc_candidate* list, int count, int capacity) {
  DIR* directory = ssc_is_private(folder) ? opendir(folder) : NULL;
  struct dirent* entry;
  while (directory && (entry = readdir(directory)) != NULL) {
    ssc_candidate found;
    struct stat status;
    const size_t length = strlen(entry->d_name);
    if (length < 6 || strcmp(entry->d_name + length - 5, ".sock") != 0) continue;
    if (strlen(folder) + 1 + length >= sizeof found.path) continue;
    memcpy(found.path, folder, strlen(folder));
    found.path[strlen(folder)] = '/';
    memcpy(found.path + strlen(folder) + 1, entry->d_name, length + 1);
    if (lstat(found.path, &status) != 0 || !S_ISSOCK(status.st_mode)) continue;
    found.seconds = status.st_mtim.tv_sec;
    found.nanoseconds = status.st_mtim.tv_nsec;
    int at = count < capacity ? count++ : capacity - 1;
    if (at == capacity - 1 && count == capacity && list[at].path[0] && !ssc_is_newer(&found, &list[at])) continue;
    for (; at > 0 && ssc_is_newer(&found, &list[at - 1]); --at) list[at] = list[at - 1];
    list[at] = found;
  }
  if (directory) closedir(directory);
  return count;
}

static int ssc_dial_newest(const char* const* folders, int folder_count) {
  enum { kMost = 16 };
  ssc_candidate list[kMost];
  int count = 0;
  memset(list, 0, sizeof list);
  for (int i = 0; i < folder_count; ++i) count = ssc_list(folders[i], list, count, kMost);
  for (int i = 0; i < count; ++i) {
    const int fd = ssc_dial(list[i].path);
    if (fd >= 0) {
      ssc_say("found %s", list[i].path);
      return fd;
    }
  }
  return -1;
}

/* The named socket; when its hub is gone, the newest one beside it: an editor that restarts makes another. */
static int ssc_dial_named(const char* path) {
  char folder[108];
  const char* folders[1] = {folder};
  const int fd = ssc_dial(path);
  const char* slash = strrchr(path, '/');
  if (fd >= 0 || !slash || slash == path) return fd;
  memcpy(folder, path, (size_t)(slash - path));
  folder[slash - path] = '\0';
  return ssc_dial_newest(folders, 1);
}

/* Programs started by other means may lack the variable that the editor has, so all its usual places are looked at. */
static int ssc_dial_any(void) {
  char own[96], user[96], temporary[96];
  const char* folders[3];
  const char* runtime = getenv("XDG_RUNTIME_DIR");
  int count = 0;
  snprintf(user, sizeof user, "/run/user/%u/seamscope", (unsigned)geteuid());
  snprintf(temporary, sizeof temporary, "/tmp/seamscope-%u", (unsigned)geteuid());
  if (runtime && *runtime && (size_t)snprintf(own, sizeof own, "%s/seamscope", runtime) < sizeof own &&
      strcmp(own, user) != 0)
    folders[count++] = own;
  folders[count++] = user;
  folders[count++] = temporary;
  return ssc_dial_newest(folders, count);
}

static void ssc_program_name(char* name, size_t capacity) {
  char path[512];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  const char* slash = strrchr(path, '/');
  ssc_text(name, capacity, slash && slash[1] ? slash + 1 : "program");
}

static int ssc_greet(ssc_state* state, int control) {
  seamscope_hello hello;
  ssc_header(&hello, SEAMSCOPE_HELLO, sizeof hello);
  hello.pid = (uint32_t)getpid();
  hello.flags = SSC_LOAD(&ssc_device.flags);
  hello.cuda_ordinal = -1;
  if (hello.flags) {
    memcpy(hello.device_uuid, ssc_device.device_uuid, 16);
    memcpy(hello.driver_uuid, ssc_device.driver_uuid, 16);
    hello.cuda_ordinal = ssc_device.cuda_ordinal;
  }
  memcpy(hello.name, state->program, sizeof hello.name);
  ssc_text(hello.visible_devices, sizeof hello.visible_devices, getenv("CUDA_VISIBLE_DEVICES"));
  return ssc_send(state, &hello, sizeof hello, &control, 1);
}

/* A page of zeros in place of the shared one, at the same address. */
static void ssc_blank_page(const ssc_state* state) {
  mmap(state->page, state->page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void ssc_forget_rings(ssc_state* state, ssc_output* output) {
  pthread_mutex_lock(&output->lock);
  ssc_ring_bury(state, output->ring);
  ssc_ring_bury(state, output->next);
  ssc_ring_bury(state, output->old);
  output->ring = output->old = NULL;
  SSC_STORE(&output->next, (ssc_ring*)NULL);
  output->generation = 0;
  SSC_POKE(&output->refused, 0);
  output->host_only = 0;
  memset(&output->wanted, 0, sizeof output->wanted);
  pthread_mutex_unlock(&output->lock);
}

/* After this nobody reads the page or the socket of the connection any more. */
static void ssc_disconnect(ssc_state* state) {
  const int socket = state->socket;
  if (socket < 0) return;
  __atomic_fetch_add(&state->epoch, 1, __ATOMIC_SEQ_CST);
  SSC_STORE(&state->socket, -1);
  SSC_STORE(&state->paths, 0u);
  for (uint32_t i = 0; i < SSC_LOAD(&state->output_count); ++i) ssc_forget_rings(state, state->outputs[i]);
  while (__atomic_load_n(&state->inside, __ATOMIC_SEQ_CST) > 0) ssc_sleep(20000);
  ssc_blank_page(state);
  close(socket);
  state->greeted = 0;
  ssc_say("disconnected");
}

static void ssc_connect(ssc_state* state) {
  state->try_ns = ssc_now() + SSC_CONNECT_NS;
  const int socket = state->discover ? ssc_dial_any() : ssc_dial_named(state->socket_path);
  if (socket < 0) return;
  void* page = state->page;
  const int control = ssc_shared_memory("seamscope-control", sizeof(seamscope_control), &page);
  if (control < 0) {
    ssc_blank_page(state);
    close(socket);
    return;
  }
  state->page->magic = SEAMSCOPE_WIRE_MAGIC;
  state->page->version = SEAMSCOPE_WIRE_VERSION;
  SSC_STORE(&state->socket, socket);
  __atomic_fetch_add(&state->epoch, 1, __ATOMIC_SEQ_CST);
  const int sent = ssc_greet(state, control);
  close(control);
  state->greet_ns = ssc_now() + SSC_GREET_NS;
  state->lost = sent != 1;
}

/* The one thread: connects, answers the hub, makes rings, watches Vulkan's completion. Started by the first publish. */
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

/* Opening, closing, the end of the process and fork. */
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
