#pragma once

#include <cuda.h>
#include <ovrtx/ovrtx.h>

#include <cstdint>
#include <stdexcept>

// snippet: begin seam-ovrtx-sync-stream | Map an ovrtx output with sync_stream, so that ovrtx inserts the wait itself
// snippet: placeholders map_on_stream
// Stream numbers of ovrtx: 0 is no synchronisation, 1 the default stream, above 1 a CUstream.
// Only for one known device: with several, the stream's device must be the output's, which is
// known after the map. Then wait for cuda_sync.wait_event instead.
inline ovrtx_render_var_output_t map_on_stream(
    ovrtx_renderer_t* renderer, ovrtx_render_var_output_handle_t output, CUstream stream) {
  ovrtx_map_output_description_t description{};
  description.device_type = OVRTX_MAP_DEVICE_TYPE_CUDA;
  description.sync_stream = stream ? reinterpret_cast<uintptr_t>(stream) : 1;
  const ovrtx_timeout_t timeout{5'000'000'000};  // ns
  ovrtx_render_var_output_t mapped{};
  const ovrtx_result_t result =
      ovrtx_map_render_var_output(renderer, output, &description, timeout, &mapped);
  if (result.status != OVRTX_API_SUCCESS) throw std::runtime_error("output could not be mapped");
  return mapped;
}

// Unmapping with the same stream makes ovrtx keep the buffer until the work queued on it is done.
inline void unmap_on_stream(
    ovrtx_renderer_t* renderer, const ovrtx_render_var_output_t& mapped, CUstream stream) {
  ovrtx_cuda_sync_t sync{};
  sync.stream = stream ? reinterpret_cast<uintptr_t>(stream) : 1;
  ovrtx_unmap_render_var_output(renderer, mapped.map_handle, sync);
}
// snippet: end
