#include <cuda_runtime.h>

#include "../cpp/check_cudart.hpp"

// snippet: begin seam-surface-object | Surface over a CUDA array, for kernels that write it
// snippet: placeholders SurfaceObject
class SurfaceObject {
 public:
  // The array must allow it: cudaArraySurfaceLoadStore at its creation or at the import.
  explicit SurfaceObject(cudaArray_t array) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    check(cudaCreateSurfaceObject(&surface_, &resource), "cudaCreateSurfaceObject");
  }
  SurfaceObject(const SurfaceObject&) = delete;
  SurfaceObject& operator=(const SurfaceObject&) = delete;
  // Must come before the array's own end: the surface refers to it without holding it.
  ~SurfaceObject() { cudaDestroySurfaceObject(surface_); }

  cudaSurfaceObject_t get() const { return surface_; }

 private:
  cudaSurfaceObject_t surface_ = 0;
};
// snippet: end
