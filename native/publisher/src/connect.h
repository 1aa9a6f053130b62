/* Finding the hub, and the beginning and end of a connection. The worker's. */
#include "making.h"

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
