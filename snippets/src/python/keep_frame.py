import torch
from ovrtx import Device


# snippet: begin seam-keep-frame | Keep a rendered frame beyond its mapping: a copy, not a view
# snippet: placeholders keep_frame
def keep_frame(render_var) -> torch.Tensor:
    """A view pins the render resource as long as anyone holds it; a kept frame must be a copy."""
    with render_var.map(device=Device.CUDA) as mapping:
        view = torch.from_dlpack(mapping)
        with torch.cuda.device(view.device):
            stream = torch.cuda.current_stream().cuda_stream or 1  # Torch's default is 0, ovrtx's 1
            mapping.wait_on(stream)
            frame = view.clone()
        mapping.unmap(stream=stream)  # behind the copy
    return frame
# snippet: end
