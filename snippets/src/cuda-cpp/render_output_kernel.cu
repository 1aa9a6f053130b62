#include <cuda.h>
#include <cuda_runtime.h>
#include <ovrtx/ovrtx.h>

#include <cstdint>

#include "../cpp/check_cudart.hpp"
#include "../cpp/ovrtx_mapping.hpp"

// snippet: begin seam-ovrtx-kernel | Run a kernel on a mapped ovrtx output: wait, launch, record, unmap
// snippet: placeholders expose_output
__global__ void expose(const uchar4* source, uchar4* target, size_t pixels, float gain) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i >= pixels) return;
  const auto scale = [gain](unsigned char v) {
    return static_cast<unsigned char>(fminf(v * gain, 255));
  };
  target[i] = make_uchar4(scale(source[i].x), scale(source[i].y), scale(source[i].z), source[i].w);
}

// `target` holds one uchar4 a pixel, on the output's device. Runtime and driver API share streams.
inline void expose_output(ovrtx_renderer_t* renderer, ovrtx_render_var_output_handle_t output,
    cudaStream_t stream, cudaEvent_t done, uchar4* target, float gain) {
  const OutputMapping mapping(renderer, output, OVRTX_MAP_DEVICE_TYPE_CUDA, stream, done);
  const DLTensor& tensor = mapping.tensor();
  const auto* bytes = static_cast<const unsigned char*>(tensor.data) + tensor.byte_offset;
  const size_t pixels = static_cast<size_t>(tensor.shape[0] * tensor.shape[1]);  // height x width
  const unsigned blocks = static_cast<unsigned>((pixels + 255) / 256);
  expose<<<blocks, 256, 0, stream>>>(reinterpret_cast<const uchar4*>(bytes), target, pixels, gain);
  check(cudaGetLastError(), "launch expose");
}  // `done` is recorded behind the kernel and handed to unmap: the buffer lives until it has passed
// snippet: end
