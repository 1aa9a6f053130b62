import warp as wp
from ovrtx import Device


# snippet: begin seam-sync-stream | Map an ovrtx output with sync_stream: ovrtx inserts the wait itself
# snippet: placeholders process_on
def process_on(stream, render_var, kernel, target) -> None:
    """For one known device only: `stream` must live on the output's device, which is known after
    the map. With several devices use mapping.wait_on(stream) instead."""
    with render_var.map(device=Device.CUDA, sync_stream=stream.cuda_stream) as mapping:
        pixels = wp.from_dlpack(mapping)
        wp.launch(kernel, dim=pixels.shape[:2], inputs=[pixels, target], stream=stream)
        mapping.unmap(stream=stream.cuda_stream)  # kept until the work queued on it is done
# snippet: end
