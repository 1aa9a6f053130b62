#include <cuda_runtime.h>

#include "../cpp/check_cudart.hpp"

// snippet: begin seam-read-array | Read a rendered CUDA array in a kernel through a texture, without copying it
// snippet: placeholders RenderedTexture
__global__ void luminance(cudaTextureObject_t image, float* target, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float4 c = tex2D<float4>(image, x + 0.5f, y + 0.5f);  // texel centres
  target[y * width + x] = 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}

class RenderedTexture {
 public:
  // `array` is borrowed from the mapping: this object must go before the output is unmapped.
  explicit RenderedTexture(cudaArray_t array, bool eight_bit) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc sampling{};
    sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
    sampling.filterMode = cudaFilterModePoint;
    // 8-bit colour becomes 0..1; half and float colour is read as it is.
    sampling.readMode = eight_bit ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    check(cudaCreateTextureObject(&texture_, &resource, &sampling, nullptr), "create texture");
  }
  RenderedTexture(const RenderedTexture&) = delete;
  RenderedTexture& operator=(const RenderedTexture&) = delete;
  ~RenderedTexture() { cudaDestroyTextureObject(texture_); }  // after the stream is synchronised

  cudaTextureObject_t get() const { return texture_; }

 private:
  cudaTextureObject_t texture_ = 0;
};
// snippet: end
