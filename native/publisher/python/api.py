"""What the program calls."""

import atexit
import os

from .cuda import Driver
from .messages import Program
from .publisher import Options, Publisher


class _Process:
    """The publisher of this process; a forked child begins with its own."""

    publisher = Publisher()
    of_parents = []


def publish(name, obj, stream=None, kind=None, color_space=None, flip=None, layout=None, dtype=None, bgr=False):
    """Shows `obj` as the output `name` in the Seamscope preview; does nothing while nobody watches it.

    obj: an array of numpy, torch, CuPy, JAX, Warp or Numba, anything with __dlpack__, __cuda_array_interface__,
        __array_interface__ or the buffer protocol, a CudaArray, or a mapped output of ovrtx. GPU memory is copied on the GPU.
        It is kept until the copy is done, and may be changed as soon as this returns (on a GPU: by work on the same stream).
    stream: the CUDA stream that wrote it; the library's current one by default.
    kind: "color", "hdr", "depth", "id", "normal", "motion" or "tensor"; guessed from the name and the type by default.
    color_space: "srgb", "linear" or "data".
    flip: true when row 0 is the bottom one.
    layout: letters for the dimensions, such as "HWC", "CHW", "NCHW"; by default the dimension of 1 to 4 is the channels.
    dtype: what the elements are, when their type cannot say so: "r11g11b10f", "rgb10a2", "d24s8", "bf16".
    bgr: true when the first channel is blue.

    Returns whether the frame is on its way. Never raises and never waits: see last_error(). With SEAMSCOPE_STRICT=1 in the
    environment it raises.
    """
    publisher = _Process.publisher
    output = publisher.outputs.get(name)
    if output is not None and not output.words[output.word]:
        next(output.frames)
        return False
    return publisher.publish(name, obj, stream, Options(kind, color_space, flip, layout, dtype, bgr))


def set_program_name(name):
    """How the preview lists this program; by default by its script. To be called before the first publish."""
    Program.name = str(name)


def last_error():
    """The last reason why something could not be shown, or None."""
    return _Process.publisher.last_error


def is_watched(name):
    """Whether somebody looks at that output now; for programs that make a picture only for the preview."""
    output = _Process.publisher.outputs.get(name)
    return output is not None and bool(output.words[output.word])


def _after_fork():
    old = _Process.publisher
    _Process.of_parents.append(old)  # never destroyed: what it holds belongs to the parent
    Driver._loaded = None
    _Process.publisher = Publisher()
    old.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
atexit.register(lambda: _Process.publisher.stop())
