#pragma once

#include <cuda.h>
#include <ovrtx/ovrtx.h>

#include <cstdint>

#include "check_cuda.hpp"
#include "ovrtx_mapping.hpp"

// snippet: begin seam-ovrtx-map-linear | Map an ovrtx output to linear CUDA memory and read it on a stream
// snippet: placeholders copy_linear_output
// Linear memory has a device pointer that any kernel can read; for images ovrtx may copy to make
// it.
inline void copy_linear_output(ovrtx_renderer_t* renderer, ovrtx_render_var_output_handle_t output,
    CUstream stream, CUevent done, CUdeviceptr target) {
  const OutputMapping mapping(renderer, output, OVRTX_MAP_DEVICE_TYPE_CUDA, stream, done);
  const DLTensor& tensor = mapping.tensor();
  const CUdeviceptr pixels = reinterpret_cast<CUdeviceptr>(tensor.data) + tensor.byte_offset;
  size_t bytes = tensor.dtype.bits / 8 * tensor.dtype.lanes;
  for (int32_t i = 0; i < tensor.ndim; ++i) bytes *= static_cast<size_t>(tensor.shape[i]);
  check(cuMemcpyDtoDAsync(target, pixels, bytes, stream), "copy the rendered frame");
}  // records `done` behind the copy, then unmaps with it
// snippet: end
