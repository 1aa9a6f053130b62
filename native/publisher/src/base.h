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
