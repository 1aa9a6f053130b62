import warp as wp
from ovrtx import Device


# snippet: begin seam-map-linear | Map an ovrtx output to CUDA memory and run a Warp kernel on it: wait, launch, unmap on the same stream
# snippet: placeholders process_output
def process_output(render_var, kernel, target) -> None:
    """`kernel` takes (pixels, target). For images, linear memory may cost a copy inside ovrtx."""
    with render_var.map(device=Device.CUDA) as mapping:
        pixels = wp.from_dlpack(mapping)  # no copy; it says which device the output is on
        with wp.ScopedDevice(pixels.device):
            stream = wp.get_stream()
            mapping.wait_on(stream.cuda_stream)  # the frame may still be rendering
            wp.launch(kernel, dim=pixels.shape[:2], inputs=[pixels, target], stream=stream)
        # Without it ovrtx may reuse the buffer under the running kernel. The stream rather than an
        # event: ovrtx lets go when the last view is dropped, and an event might be gone by then.
        mapping.unmap(stream=stream.cuda_stream)
    # Leaving the block unmaps again, which does nothing: the first unmap counts.
# snippet: end
