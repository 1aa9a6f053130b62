import warp as wp
from ovrtx import Device


# snippet: begin seam-write-attribute | Write a CUDA tensor with pending work to an attribute: pass its stream
# snippet: placeholders write_transforms
def write_transforms(renderer, prim_paths, kernel, transforms) -> None:
    """`transforms` is a Warp array of mat44d. No host synchronisation before the write: ovrtx
    hands the stream to the producer's DLPack export, which bridges its own stream to it."""
    with wp.ScopedDevice(transforms.device):
        stream = wp.get_stream()
        wp.launch(kernel, dim=len(transforms), inputs=[transforms], stream=stream)
        renderer.write_attribute(
            prim_paths, "omni:xform", transforms, cuda_stream=stream.cuda_stream
        )
# snippet: end


# snippet: begin seam-map-attribute | Map an attribute to CUDA and let a Warp kernel write it
# snippet: placeholders write_mapped_transforms
def write_mapped_transforms(renderer, prim_paths, kernel) -> None:
    """The renderer's own attribute API. In attached mode (ovrtx 0.4) ovstage owns this exchange:
    see seam-ovstage-map."""
    mapping = renderer.map_attribute(
        prim_paths, "omni:xform", dtype="float64", shape=(4, 4), device=Device.CUDA
    )
    transforms = wp.from_dlpack(mapping.tensor, dtype=wp.mat44d)
    with wp.ScopedDevice(transforms.device):
        stream = wp.get_stream()
        wp.launch(kernel, dim=len(transforms), inputs=[transforms], stream=stream)
        mapping.unmap(stream=stream.cuda_stream)  # the kernel has to be done before it is read
# snippet: end
