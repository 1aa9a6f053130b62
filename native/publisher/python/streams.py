"""Which CUDA stream the user means."""

import sys

from .cuda import LEGACY_STREAM
from .dtypes import Unsupported

_ATTRIBUTES = ("cuda_stream", "ptr", "handle")


def stream_handle(stream):
    """A stream as an integer: of torch, CuPy, Warp, Numba, cuda.core, or a raw handle. 0 is the legacy default stream."""
    if isinstance(stream, int):
        return stream or LEGACY_STREAM
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return int((protocol() if callable(protocol) else protocol)[1]) or LEGACY_STREAM
    for name in _ATTRIBUTES:
        handle = getattr(stream, name, None)
        if handle is not None:
            return int(getattr(handle, "value", handle) or 0) or LEGACY_STREAM
    raise Unsupported("stream=%r is no CUDA stream: give a stream of torch, CuPy or Warp, or its handle as a number" % (stream,))


def torch_stream(device):
    """Handle of torch's current stream on that device."""
    return sys.modules["torch"].cuda.current_stream(device).cuda_stream or LEGACY_STREAM


def library_stream(obj):
    """Handle of the current stream of the library that made `obj`, or None when it is not known."""
    library = type(obj).__module__.partition(".")[0]
    module = sys.modules.get(library)
    if library == "cupy":
        return int(module.cuda.get_current_stream().ptr) or LEGACY_STREAM
    if library == "warp":
        return int(module.get_stream(obj.device).cuda_stream or 0) or LEGACY_STREAM
    return None
