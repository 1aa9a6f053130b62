/* Frames in CUDA memory: a pointer and an array, out of one stream and without waiting for it.
 *
 *   cc -O2 cuda.c -o cuda && ./cuda          (glibc before 2.34: add -pthread -ldl)
 *
 * With the runtime API nothing changes: pass the pointer of cudaMalloc, a cudaArray_t and a cudaStream_t. */
#define SEAMSCOPE_IMPLEMENTATION
#include "../seamscope.h"
#include "cuda_driver.h"
#include "pattern.h"

static void upload_array(CUarray array, const float* texels, const example_options* options, CUstream stream) {
  CUDA_MEMCPY2D copy;
  memset(&copy, 0, sizeof copy);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels;
  copy.srcPitch = copy.WidthInBytes = options->width * sizeof(float);
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.Height = options->height;
  CUDA_CHECK(cuMemcpy2DAsync(&copy, stream));
}

int main(int count, char** arguments) {
  const example_options options = example_parse(count, arguments);
  const size_t texels = (size_t)options.width * options.height;
  CUcontext context;
  CUstream stream;
  CUdeviceptr color;
  CUarray array;
  cuda_load();
  CUDA_CHECK(cuInit(0));
  CUDA_CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CUDA_CHECK(cuCtxSetCurrent(context));
  CUDA_CHECK(cuStreamCreate(&stream, 1));
  CUDA_CHECK(cuMemAlloc(&color, texels * 4));
  const CUDA_ARRAY3D_DESCRIPTOR shape = {options.width, options.height, 0, 0x20 /* float */, 1, 0};
  CUDA_CHECK(cuArray3DCreate(&array, &shape));

  uint8_t* pixels = (uint8_t*)malloc(texels * 4);
  float* depth = (float*)malloc(texels * sizeof(float));
  if (!pixels || !depth) return 1;
  for (size_t i = 0; i < texels; ++i) depth[i] = (float)i / (float)texels;

  for (uint32_t frame = 0; example_next(&options, frame); ++frame) {
    /* Stands in for the renderer's kernels. Pageable memory: the driver has read it when the call returns. */
    example_draw(pixels, &options, frame);
    CUDA_CHECK(cuMemcpyHtoDAsync(color, pixels, texels * 4, stream));
    upload_array(array, depth, &options, stream);

    seamscope_frame_desc image = {0};
    image.width = options.width;
    image.height = options.height;
    seamscope_publish_cuda("color", (const void*)(uintptr_t)color, &image, stream);

    seamscope_frame_desc kind = {0};
    kind.kind = SEAMSCOPE_DEPTH;
    seamscope_publish_cuda_array("depth", array, &kind, stream);
  }
  CUDA_CHECK(cuStreamSynchronize(stream));
  seamscope_close(); /* before the context goes */
  CUDA_CHECK(cuArrayDestroy(array));
  CUDA_CHECK(cuMemFree(color));
  CUDA_CHECK(cuStreamDestroy(stream));
  CUDA_CHECK(cuDevicePrimaryCtxRelease(0));
  free(depth);
  free(pixels);
  return 0;
}
