import warp as wp
from ovrtx import Device


# snippet: begin seam-map-array | Map an ovrtx output as a CUDA array and copy it out with Warp 1.15 or newer
# snippet: placeholders copy_array_output
def copy_array_output(render_var, tensor_name, target):
    """`target` is a Warp array on the output's device. Returns the event behind the copy:
    keep it until it has passed, since ovrtx waits for it before it reuses the array."""
    with render_var.map(device=Device.CUDA_ARRAY) as mapping:
        tensor = mapping[tensor_name]
        # An image handle, not an address: no DLPack consumer can read it.
        handle = tensor.cuda_array
        with wp.ScopedDevice(f"cuda:{tensor.device.device_id}"):  # not necessarily device 0
            # copy_to uses the current stream, so that one stream does wait, copy and event.
            stream = wp.get_stream()
            mapping.wait_on(stream.cuda_stream)
            texture = wp.Texture2D(cuda_array=handle)  # borrows the array
            texture.copy_to(target)
            done = stream.record_event()
        mapping.unmap(event=done.cuda_event)  # event or stream, never both
    return done  # wp.synchronize_event(done) before target.numpy(), which reads on the null stream
# snippet: end
