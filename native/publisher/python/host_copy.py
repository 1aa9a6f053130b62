"""Copies in host memory, at once: the program may change its array as soon as publish returns."""

import ctypes
import sys

from .host_views import PyBuffer

_to_contiguous = ctypes.pythonapi.PyBuffer_ToContiguous
_to_contiguous.argtypes = [ctypes.c_void_p, ctypes.POINTER(PyBuffer), ctypes.c_ssize_t, ctypes.c_char]


class _Interface:
    """Lets numpy see bare memory."""

    def __init__(self, address, shape, strides, item_bytes):
        typestr = {1: "|u1", 2: "<u2", 4: "<u4", 8: "<u8"}[item_bytes]
        self.__array_interface__ = {"version": 3, "data": (address, False), "shape": shape, "strides": strides, "typestr": typestr}


def _by_numpy(numpy, source, plan, target):
    shape = tuple(size for size, _, _ in plan.dims)
    read = numpy.asarray(_Interface(source, shape, tuple(step for _, step, _ in plan.dims), plan.item))
    write = numpy.asarray(_Interface(target, shape, tuple(step for _, _, step in plan.dims), plan.item))
    if len(shape) > 1 and shape[-1] <= 4:
        # BGR to RGB and the like: numpy's inner loop would run over the few channels.
        for channel in range(shape[-1]):
            numpy.copyto(write[..., channel], read[..., channel])
    else:
        numpy.copyto(write, read)


def _collapsed(plan):
    """Innermost dense dimensions as part of the item: -> (item bytes, other dimensions)."""
    dims, item = list(plan.dims), plan.item
    while dims and dims[-1][1] == item:
        item *= dims.pop()[0]
    return item, dims


def _by_python(source, plan, target):
    """Without numpy: CPython's own copy of strided buffers."""
    item, dims = _collapsed(plan)
    count = len(dims)
    raw = PyBuffer(buf=source, obj=None, len=plan.size, itemsize=item, readonly=1, ndim=count)
    raw.shape = (ctypes.c_ssize_t * count)(*(size for size, _, _ in dims))
    raw.strides = (ctypes.c_ssize_t * count)(*(step for _, step, _ in dims))
    if _to_contiguous(target, ctypes.byref(raw), plan.size, b"C") != 0:
        raise MemoryError("copying the array failed")


def copy_in_host_memory(source, plan, target):
    """Copies by `plan` from address `source` to address `target`."""
    if plan.is_linear:
        ctypes.memmove(target, source, plan.size)
        return
    numpy = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "copyto"):
        _by_numpy(numpy, source, plan, target)
    else:
        _by_python(source, plan, target)
