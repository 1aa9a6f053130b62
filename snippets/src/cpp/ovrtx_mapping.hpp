#pragma once

#include <cuda.h>
#include <ovrtx/ovrtx.h>

#include <cstdint>
#include <stdexcept>

#include "check_cuda.hpp"

// snippet: begin seam-ovrtx-mapping | Mapped ovrtx output: wait before access, completion event before unmap
// snippet: placeholders OutputMapping
class OutputMapping {
 public:
  // `done`: one event for each mapping in flight, kept until the renderer is gone.
  OutputMapping(ovrtx_renderer_t* renderer, ovrtx_render_var_output_handle_t output,
      ovrtx_map_device_type_t kind, CUstream stream, CUevent done)
      : OutputMapping(renderer, stream, done) {
    ovrtx_map_output_description_t description{};
    description.device_type = kind;
    const ovrtx_timeout_t timeout{5'000'000'000};  // ns: five seconds, not for ever
    const ovrtx_result_t mapped =
        ovrtx_map_render_var_output(renderer_, output, &description, timeout, &output_);
    if (mapped.status != OVRTX_API_SUCCESS) throw std::runtime_error("output could not be mapped");
    // The frame may still be rendering when map returns: `stream` must not read it before this.
    const auto ready = reinterpret_cast<CUevent>(output_.cuda_sync.wait_event);
    if (ready) check(cuStreamWaitEvent(stream_, ready, 0), "wait for the rendered frame");
  }
  OutputMapping(const OutputMapping&) = delete;
  OutputMapping& operator=(const OutputMapping&) = delete;
  ~OutputMapping() {
    if (output_.map_handle == 0) return;  // nothing was mapped
    // Recorded after the last read: without it ovrtx may reuse the buffer under a running kernel.
    if (cuEventRecord(done_, stream_) != CUDA_SUCCESS) cuStreamSynchronize(stream_);
    const ovrtx_cuda_sync_t sync{0, reinterpret_cast<uintptr_t>(done_)};
    ovrtx_unmap_render_var_output(renderer_, output_.map_handle, sync);
  }
  const DLTensor& tensor() const { return *output_.tensors[0].dl; }

 private:
  OutputMapping(ovrtx_renderer_t* renderer, CUstream stream, CUevent done)
      : renderer_(renderer), stream_(stream), done_(done) {}
  ovrtx_renderer_t* renderer_;
  CUstream stream_;
  CUevent done_;
  ovrtx_render_var_output_t output_{};
};
// snippet: end
