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
