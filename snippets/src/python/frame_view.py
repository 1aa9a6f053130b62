# snippet: begin seam-frame-view | Zero-copy view of renderer-owned CUDA memory for Torch, CuPy and Warp
# snippet: placeholders FrameView
class FrameView:
    """An RGBA8 frame (height, width, 4) through __cuda_array_interface__ version 3.

    The view never frees the pixels: the producer owns them and outlives every view. Consumers
    keep this object alive, and it keeps the producer alive.
    """

    def __init__(self, producer, pointer: int, height: int, width: int, pitch: int, stream: int):
        self._producer = producer
        self.__cuda_array_interface__ = {
            "version": 3,
            "data": (pointer, True),  # read-only
            "shape": (height, width, 4),
            "strides": (pitch, 4, 1),  # bytes
            "typestr": "|u1",
            # The stream of the pending writes: 0 is not allowed, 1 is the legacy default stream.
            "stream": stream or 1,
        }
# snippet: end
