"""DLPack, versions 0 and 1, as a consumer that borrows.

The capsule is never renamed to "used_...": it stays the owner, and drops the tensor through its own destructor once the
copy is done and it is let go.
"""

import ctypes

from .dtypes import ITEM_BYTES, Unsupported, from_dlpack_type
from .views import View, c_strides

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
_OTHER_DEVICES = {4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 11: "ROCm host", 14: "oneAPI", 15: "WebGPU", 17: "MAIA"}
_MAX_VERSION = (1, 1)


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class DLManagedTensorVersioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    ]


_is_capsule = ctypes.pythonapi.PyCapsule_IsValid
_is_capsule.argtypes = [ctypes.py_object, ctypes.c_char_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_capsule_pointer.restype = ctypes.c_void_p


def dlpack_device(obj):
    """-> (device type, ordinal), or None when the object does not speak DLPack."""
    ask = getattr(obj, "__dlpack_device__", None)
    if ask is None or not hasattr(obj, "__dlpack__"):
        return None
    kind, ordinal = ask()
    return int(kind), int(ordinal)


def _export(obj, stream):
    """The capsule. Producers before version 1 know no max_version, very old ones no stream."""
    for keywords in ({"stream": stream, "max_version": _MAX_VERSION}, {"stream": stream}):
        try:
            return obj.__dlpack__(**keywords)
        except TypeError:
            continue
    return obj.__dlpack__()


def _tensor(capsule):
    if _is_capsule(capsule, b"dltensor_versioned"):
        managed = DLManagedTensorVersioned.from_address(_capsule_pointer(capsule, b"dltensor_versioned"))
        if managed.major != _MAX_VERSION[0]:
            raise Unsupported("its DLPack version %d.%d is not known here" % (managed.major, managed.minor))
        return managed.tensor
    if _is_capsule(capsule, b"dltensor"):
        return DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
    raise Unsupported("its __dlpack__ gave no DLPack capsule, or one that is used up")


def dlpack_view(obj, stream):
    """A View. `stream`: the CUDA stream that will read, as DLPack numbers them (1 legacy, 2 per thread); None on the CPU. The
    producer makes it wait for its own work."""
    capsule = _export(obj, stream)
    tensor = _tensor(capsule)
    if tensor.device.type in _OTHER_DEVICES:
        raise Unsupported("it is in %s memory: publish a copy in host memory" % _OTHER_DEVICES[tensor.device.type])
    dtype = from_dlpack_type(tensor.dtype.code, tensor.dtype.bits)
    item = ITEM_BYTES[dtype]
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(s * tensor.dtype.lanes * item for s in tensor.strides[: tensor.ndim]) if tensor.strides else None
    if tensor.dtype.lanes != 1:
        shape += (tensor.dtype.lanes,)
        strides = strides + (item,) if strides else None
    on_gpu = tensor.device.type in (CUDA, CUDA_MANAGED) or tensor.device.type == CUDA_HOST and stream is not None
    address = (tensor.data or 0) + tensor.byte_offset
    return View(address, shape, strides or c_strides(shape, item), dtype, capsule, tensor.device.id if on_gpu else -1, stream or 0)
