/* The part of the CUDA driver API that publishing uses: own declarations, so that no toolkit is needed. The program has
 * loaded the library before it can own CUDA memory. */
#include "outputs.h"

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
