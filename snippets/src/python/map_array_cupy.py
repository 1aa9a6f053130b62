import cupy as cp
from ovrtx import Device


# snippet: begin seam-map-array-cupy | Map an ovrtx output as a CUDA array and copy it out with CuPy
# snippet: placeholders copy_array_output
def copy_array_output(render_var, tensor_name, dtype=cp.uint8):
    """Returns a CuPy array (height, width, channels) on the output's device, ready for `stream`."""
    with render_var.map(device=Device.CUDA_ARRAY) as mapping:
        tensor = mapping[tensor_name]
        with cp.cuda.Device(tensor.device.device_id):  # the output's, not the default
            stream = cp.cuda.get_current_stream()
            mapping.wait_on(stream.ptr or 1)  # ovrtx: 0 is no stream, 1 the default stream
            image = cp.empty(tensor.shape, dtype)
            row_bytes = image.strides[0]
            cp.cuda.runtime.memcpy2DFromArrayAsync(
                image.data.ptr, row_bytes, tensor.cuda_array, 0, 0, row_bytes, image.shape[0],
                cp.cuda.runtime.memcpyDeviceToDevice, stream.ptr,
            )
        mapping.unmap(stream=stream.ptr or 1)  # kept until the copy has passed
    return image
# snippet: end
