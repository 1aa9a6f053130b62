"""GPU memory: `__dlpack__` on CUDA, `__cuda_array_interface__`, CUDA arrays, mapped outputs of ovrtx."""

import ctypes
import sys

from .cuda import LEGACY_STREAM, ArrayDescriptor, Current, Driver
from .dlpack import CPU, CUDA, CUDA_HOST, CUDA_MANAGED, dlpack_device, dlpack_view
from .dtypes import ITEM_BYTES, Unsupported, from_typestr
from .host_views import host_view
from .streams import library_stream, stream_handle
from .torch_views import is_torch, tensor_view
from .views import View, c_strides

_ARRAY_FORMATS = {0x01: "u8", 0x02: "u16", 0x03: "u32", 0x08: "i8", 0x09: "i16", 0x0A: "i32", 0x10: "f16", 0x20: "f32"}


class CudaArray:
    """A CUDA array (CUarray or cudaArray_t) to publish: `handle` as a number; `device`: its ordinal; `owner`: an object to
    keep alive until the copy is done."""

    def __init__(self, handle, device=0, owner=None):
        self.cuda_array, self.cuda_device, self.owner = int(handle), device, owner


def _array_device(obj):
    device = getattr(obj, "cuda_device", None)
    if device is None:
        device = getattr(getattr(obj, "device", None), "device_id", 0)
    return int(device)


def _array_view(obj, handle, stream):
    driver, device = Driver.get(), _array_device(obj)
    context = driver.context_on(device)
    shape = ArrayDescriptor()
    with Current(driver, context):
        driver.cuArray3DGetDescriptor(ctypes.byref(shape), handle)
        own = driver.side_stream(context, device) if stream is None else stream_handle(stream)
    if shape.Format not in _ARRAY_FORMATS or shape.Depth > 1:
        raise Unsupported("a CUDA array of format 0x%x and depth %d cannot be shown" % (shape.Format, shape.Depth))
    dtype = _ARRAY_FORMATS[shape.Format]
    sizes = (max(shape.Height, 1), shape.Width, shape.NumChannels)
    view = View(0, sizes, c_strides(sizes, ITEM_BYTES[dtype]), dtype, obj, device, own)
    view.array, view.context = handle, context
    return view


def _interface_stream(interface, stream):
    """-> (the stream to copy on, the stream whose work comes first or None)."""
    theirs = interface.get("stream")
    theirs = None if theirs is None else int(theirs) or LEGACY_STREAM
    if stream is None:
        return theirs or LEGACY_STREAM, None
    ours = stream_handle(stream)
    return ours, theirs if theirs != ours else None


def _interface_view(obj, interface, stream):
    if interface.get("mask") is not None:
        raise Unsupported("masked arrays cannot be shown: publish the filled array")
    shape = tuple(interface["shape"])
    dtype = from_typestr(interface["typestr"], getattr(getattr(obj, "dtype", None), "name", None))
    strides = interface.get("strides") or c_strides(shape, ITEM_BYTES[dtype])
    ours, theirs = _interface_stream(interface, stream)
    view = View(interface["data"][0], shape, tuple(strides), dtype, (obj, interface), 0, ours)
    view.events = (("stream", theirs),) if theirs else ()
    return _located(view)


def _located(view):
    """Device and context come from the driver, which knows them by the address."""
    if view.address:
        context, view.device = Driver.get().locate(view.address)
        view.context = context or Driver.get().primary_context(view.device)
    return view


def _dlpack_cuda_view(obj, stream, event):
    if event is not None and stream is None:
        # A mapped output stays mapped until its capsule goes, so no stream of the program needs to wait for our copy.
        view = dlpack_view(obj, LEGACY_STREAM)
        _located(view)
        with Current(Driver.get(), view.context):
            view.stream = Driver.get().side_stream(view.context, view.device)
    else:
        handle = library_stream(obj) or LEGACY_STREAM if stream is None else stream_handle(stream)
        view = _located(dlpack_view(obj, handle))
    view.events = (("event", event),) if event is not None else ()
    return view


def _copy_by_cupy(obj, view):
    cupy = sys.modules["cupy"]
    with cupy.cuda.Device(view.device), cupy.cuda.ExternalStream(view.stream):
        return view_of(obj.copy(order="C"), view.stream)


def _mapping_of(obj):
    """Of an ovrtx mapping or one of its tensors -> (the tensor, the event behind its rendering or None)."""
    parent = getattr(obj, "_parent", obj)
    event = getattr(parent, "wait_event", None)
    values = getattr(obj, "values", None)
    if hasattr(obj, "unmap") and hasattr(obj, "wait_on") and callable(values):
        tensors = list(values())
        if len(tensors) != 1:
            raise Unsupported("a mapping with %d tensors: publish one of them, mapping['name']" % len(tensors))
        return tensors[0], event
    return obj, event if isinstance(event, int) else None


def _array_handle(obj):
    try:
        return getattr(obj, "cuda_array", None)
    except Exception:  # ovrtx: the mapping is linear memory
        return None


def _gpu_view(obj, stream):
    """A View of GPU memory, or None when the object is not on a GPU."""
    obj, event = _mapping_of(obj)
    handle = _array_handle(obj)
    if isinstance(handle, int) and handle:
        view = _array_view(obj, handle, stream)
        view.events = (("event", event),) if event is not None else ()
        return view
    device = dlpack_device(obj)
    if device is not None and (device[0] in (CUDA, CUDA_MANAGED) or device[0] == CUDA_HOST and stream is not None):
        try:
            return _dlpack_cuda_view(obj, stream, event)
        except (BufferError, TypeError, AttributeError):
            if getattr(obj, "__cuda_array_interface__", None) is None:
                raise
    interface = getattr(obj, "__cuda_array_interface__", None) if device is None or device[0] != CPU else None
    return _interface_view(obj, interface, stream) if interface is not None else None


def view_of(obj, stream):
    """The View of whatever was published. Raises Unsupported with what could be published instead."""
    if is_torch(obj):
        return tensor_view(obj, stream)
    if type(obj).__module__ == "numpy":
        view = host_view(obj)
    else:
        view = _gpu_view(obj, stream)
        if view is not None and type(obj).__module__.partition(".")[0] == "cupy":
            view.dense = lambda: _copy_by_cupy(obj, view)
        view = view or host_view(obj) or (dlpack_view(obj, None) if dlpack_device(obj) else None)
    if view is None:
        raise Unsupported("%s is no array: publish a numpy, torch, CuPy or Warp array, or anything with __dlpack__" % type(obj).__name__)
    return view
