#pragma once
// Stands in for <ovrtx/ovrtx.h>, which is not freely installable: only the names, fields and numbers that the
// snippets use, so that their types are checked. It is not the real header and proves nothing about behaviour.

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {

typedef struct ovrtx_renderer_t ovrtx_renderer_t;
typedef uint64_t ovrtx_render_var_output_handle_t;
typedef uint64_t ovrtx_render_var_output_map_handle_t;

typedef enum { OVRTX_API_SUCCESS = 0, OVRTX_API_ERROR = 1, OVRTX_API_TIMEOUT = 2 } ovrtx_api_status_t;
typedef struct {
  ovrtx_api_status_t status;
} ovrtx_result_t;
typedef struct {
  uint64_t time_out_ns;
} ovrtx_timeout_t;

typedef enum {
  OVRTX_MAP_DEVICE_TYPE_DEFAULT = 0,
  OVRTX_MAP_DEVICE_TYPE_CPU = 1,
  OVRTX_MAP_DEVICE_TYPE_CUDA = 2,
  OVRTX_MAP_DEVICE_TYPE_CUDA_ARRAY = 3
} ovrtx_map_device_type_t;

typedef struct {
  uintptr_t stream;
  uintptr_t wait_event;
} ovrtx_cuda_sync_t;

typedef struct {
  ovrtx_map_device_type_t device_type;
  uintptr_t sync_stream;
} ovrtx_map_output_description_t;

typedef struct {
  const DLTensor* dl;
} ovrtx_render_var_tensor_t;

typedef struct {
  ovrtx_render_var_output_map_handle_t map_handle;
  ovrtx_cuda_sync_t cuda_sync;
  size_t num_tensors;
  const ovrtx_render_var_tensor_t* tensors;
} ovrtx_render_var_output_t;

ovrtx_result_t ovrtx_map_render_var_output(ovrtx_renderer_t*, ovrtx_render_var_output_handle_t,
                                           const ovrtx_map_output_description_t*, ovrtx_timeout_t,
                                           ovrtx_render_var_output_t*);
ovrtx_result_t ovrtx_unmap_render_var_output(ovrtx_renderer_t*, ovrtx_render_var_output_map_handle_t,
                                             ovrtx_cuda_sync_t);
}
