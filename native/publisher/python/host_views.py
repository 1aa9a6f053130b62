"""Host memory: the buffer protocol (numpy, bytearray, memoryview, PIL) and `__array_interface__`."""

import ctypes

from .dtypes import ITEM_BYTES, Unsupported, from_buffer_format, from_typestr
from .views import View, c_strides

_PYBUF_RECORDS_RO = 0x0018 | 0x0004  # PyBUF_STRIDES | PyBUF_FORMAT


class PyBuffer(ctypes.Structure):
    """Py_buffer, whose layout is part of CPython's stable interface."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
        ("internal", ctypes.c_void_p),
    ]


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [ctypes.py_object, ctypes.POINTER(PyBuffer), ctypes.c_int]
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = [ctypes.POINTER(PyBuffer)]
_release_buffer.restype = None


class _Held:
    """A buffer while it is read; released with the last reference."""

    __slots__ = ("buffer",)

    def __init__(self, obj):
        self.buffer = PyBuffer()
        _get_buffer(obj, ctypes.byref(self.buffer), _PYBUF_RECORDS_RO)

    def __del__(self):
        if self.buffer.obj:
            _release_buffer(ctypes.byref(self.buffer))


def buffer_view(obj):
    """A View by the buffer protocol, or None when the object has none for its type."""
    try:
        held = _Held(obj)
    except (TypeError, BufferError, ValueError):
        return None
    raw = held.buffer
    shape = tuple(raw.shape[: raw.ndim]) if raw.shape else (raw.len // raw.itemsize,)
    strides = tuple(raw.strides[: raw.ndim]) if raw.strides else c_strides(shape, raw.itemsize)  # ctypes gives none
    dtype = from_buffer_format((raw.format or b"B").decode(), raw.itemsize)
    return View(raw.buf or 0, shape, strides, dtype, held)


def interface_view(obj):
    """A View by `__array_interface__`, or None."""
    interface = getattr(obj, "__array_interface__", None)
    if interface is None:
        return None
    if interface.get("mask") is not None:
        raise Unsupported("masked arrays cannot be shown: publish the filled array")
    shape = tuple(interface["shape"])
    dtype = from_typestr(interface["typestr"], getattr(getattr(obj, "dtype", None), "name", None))
    strides = interface.get("strides") or c_strides(shape, ITEM_BYTES[dtype])
    data = interface.get("data")
    if isinstance(data, tuple):
        return View(data[0], shape, tuple(strides), dtype, (obj, interface))
    inner = buffer_view(obj if data is None else data)
    if inner is None:
        return None
    return View(inner.address + interface.get("offset", 0), shape, tuple(strides), dtype, (obj, inner.owner))


def host_view(obj):
    """A View of host memory, or None when the object offers none."""
    order = getattr(getattr(obj, "dtype", None), "isnative", True)
    if order is False:
        obj = obj.astype(obj.dtype.newbyteorder("="))
    if getattr(obj, "mask", None) is not None and hasattr(obj, "filled"):
        raise Unsupported("masked arrays cannot be shown: publish array.filled()")
    return buffer_view(obj) or interface_view(obj)
