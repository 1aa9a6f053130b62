#include <cuda_runtime.h>

#include <cstdint>

#include "../cpp/check_cudart.hpp"
#include "../cpp/cudart_timeline.hpp"

// snippet: begin seam-write-shared-image | Kernel that writes a Vulkan image between two timeline values, without a CPU wait
// snippet: placeholders render_into_shared_image
__global__ void fill(cudaSurfaceObject_t image, int width, int height, uint32_t frame) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const uchar4 pixel = make_uchar4(x & 255, y & 255, frame & 255, 255);
  surf2Dwrite(pixel, image, x * static_cast<int>(sizeof(pixel)), y);  // x counts bytes, not texels
}

// Enqueues wait, kernel and signal on one stream: the stream's order is the whole protocol.
inline void render_into_shared_image(cudaStream_t stream, cudaSurfaceObject_t image, int width,
    int height, const ImportedTimeline& released, const ImportedTimeline& ready, uint64_t frame) {
  // Two slots: this frame overwrites frame - 2, which Vulkan must have finished reading.
  released.wait(stream, frame > 2 ? frame - 2 : 0);
  const dim3 block(16, 16);
  const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  fill<<<grid, block, 0, stream>>>(image, width, height, static_cast<uint32_t>(frame));
  check(cudaGetLastError(), "launch fill");
  ready.signal(stream, frame);  // grows by one each frame; Vulkan waits for this very value
}
// snippet: end
