"""What every kind of array becomes before it is looked at further."""


class View:
    """Memory with a shape.

    `address` of element 0, `shape`, `strides` in bytes, `dtype` as the wire calls it, `owner`: kept until the copy is
    done. On a GPU `device` is its CUDA ordinal and `stream` the handle the copy goes on; in host memory `device` is -1.
    `events`: CUDA events that the stream waits for first. `dense`: makes the same view without holes, or None.
    """

    __slots__ = ("address", "shape", "strides", "dtype", "owner", "device", "context", "stream", "events", "array", "dense", "channels_first")

    def __init__(self, address, shape, strides, dtype, owner, device=-1, stream=0):
        self.address, self.shape, self.strides, self.dtype, self.owner = address, shape, strides, dtype, owner
        self.device, self.context, self.stream, self.events, self.array, self.dense = device, None, stream, (), 0, None
        self.channels_first = False


def c_strides(shape, item_bytes):
    """Strides of a dense array in C order."""
    strides, running = [], item_bytes
    for size in reversed(shape):
        strides.append(running)
        running *= max(size, 1)
    return tuple(reversed(strides))
