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
