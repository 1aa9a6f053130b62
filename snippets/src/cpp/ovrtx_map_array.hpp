#pragma once

#include <cuda.h>
#include <ovrtx/ovrtx.h>

#include <stdexcept>

#include "check_cuda.hpp"
#include "ovrtx_mapping.hpp"

// snippet: begin seam-ovrtx-map-array | Map an ovrtx output as a CUDA array (zero-copy) and copy it out on a stream
// snippet: placeholders copy_array_output
// `data` is a CUarray, an opaque image handle. Only cuMemcpy2D/3D, textures and surfaces can read
// it.
inline void copy_array_output(ovrtx_renderer_t* renderer, ovrtx_render_var_output_handle_t output,
    CUstream stream, CUevent done, CUdeviceptr target, size_t target_pitch) {
  const OutputMapping mapping(renderer, output, OVRTX_MAP_DEVICE_TYPE_CUDA_ARRAY, stream, done);
  const DLTensor& tensor = mapping.tensor();
  if (tensor.dtype.code != kDLOpaqueHandle) throw std::runtime_error("not a CUDA array output");
  const auto image = static_cast<CUarray>(tensor.data);

  CUDA_ARRAY_DESCRIPTOR format{};  // the array knows its own texel size: never guess it
  check(cuArrayGetDescriptor(&format, image), "cuArrayGetDescriptor");
  size_t texel_bytes = format.NumChannels;
  if (format.Format == CU_AD_FORMAT_HALF) texel_bytes *= 2;
  if (format.Format == CU_AD_FORMAT_FLOAT) texel_bytes *= 4;

  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = image;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = target;
  copy.dstPitch = target_pitch;
  copy.WidthInBytes = format.Width * texel_bytes;
  copy.Height = format.Height;
  check(cuMemcpy2DAsync(&copy, stream), "copy the rendered array");
}  // records `done` behind the copy, then unmaps with it
// snippet: end
