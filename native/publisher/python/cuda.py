"""The CUDA driver API, loaded once something that lives on a GPU is published and never before.

The calls that may wait inside the driver release the interpreter's lock (CDLL): a driver callback of the program may need
it. Nothing here creates a context: the memory that is published came from one.
"""

import ctypes

_ptr, _int, _size, _uint, _ulong = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_uint, ctypes.c_uint64
NOT_READY = 600
LEGACY_STREAM, PER_THREAD_STREAM = 1, 2
_NON_BLOCKING, _DISABLE_TIMING, _PORTABLE, _RELAXED = 1, 2, 1, 2
_ATTRIBUTE_CONTEXT, _ATTRIBUTE_ORDINAL = 1, 9
MEMORY_ARRAY, MEMORY_UNIFIED = 3, 4


class Location(ctypes.Structure):
    _fields_ = [("type", _int), ("id", _int)]


class AllocationProp(ctypes.Structure):
    _fields_ = [
        ("type", _int),
        ("handle_types", _int),
        ("location", Location),
        ("win32", _ptr),
        ("flags", ctypes.c_uint8 * 8),
    ]


class AccessDesc(ctypes.Structure):
    _fields_ = [("location", Location), ("flags", _int)]


class Memcpy2D(ctypes.Structure):
    _fields_ = [
        (side + name, kind)
        for side in ("src", "dst")
        for name, kind in (
            ("XInBytes", _size),
            ("Y", _size),
            ("MemoryType", _int),
            ("Host", _ptr),
            ("Device", _ulong),
            ("Array", _ptr),
            ("Pitch", _size),
        )
    ] + [("WidthInBytes", _size), ("Height", _size)]


class ArrayDescriptor(ctypes.Structure):
    _fields_ = [
        ("Width", _size),
        ("Height", _size),
        ("Depth", _size),
        ("Format", _int),
        ("NumChannels", _uint),
        ("Flags", _uint),
    ]


_SIGNATURES = {
    "cuInit": [_uint],
    "cuDevicePrimaryCtxRetain": [_ptr, _int],
    "cuCtxGetCurrent": [_ptr],
    "cuCtxSetCurrent": [_ptr],
    "cuCtxPushCurrent_v2": [_ptr],
    "cuCtxPopCurrent_v2": [_ptr],
    "cuCtxGetDevice": [_ptr],
    "cuDeviceGetUuid": [_ptr, _int],
    "cuPointerGetAttributes": [_uint, _ptr, _ptr, _ulong],
    "cuStreamIsCapturing": [_ptr, _ptr],
    "cuStreamWaitEvent": [_ptr, _ptr, _uint],
    "cuStreamCreate": [_ptr, _uint],
    "cuEventCreate": [_ptr, _uint],
    "cuEventDestroy_v2": [_ptr],
    "cuEventRecord": [_ptr, _ptr],
    "cuEventQuery": [_ptr],
    "cuThreadExchangeStreamCaptureMode": [_ptr],
    "cuMemcpyAsync": [_ulong, _ulong, _size, _ptr],
    "cuMemcpy2DAsync_v2": [_ptr, _ptr],
    "cuArray3DGetDescriptor_v2": [_ptr, _ptr],
    "cuMemGetAllocationGranularity": [_ptr, _ptr, _int],
    "cuMemCreate": [_ptr, _size, _ptr, _ulong],
    "cuMemRelease": [_ulong],
    "cuMemAddressReserve": [_ptr, _size, _size, _ulong, _ulong],
    "cuMemAddressFree": [_ulong, _size],
    "cuMemMap": [_ulong, _size, _size, _ulong, _ulong],
    "cuMemUnmap": [_ulong, _size],
    "cuMemSetAccess": [_ulong, _size, _ptr, _size],
    "cuMemExportToShareableHandle": [_ptr, _ulong, _int, _ulong],
    "cuMemHostRegister_v2": [_ptr, _size, _uint],
    "cuMemHostUnregister": [_ptr],
    "cuMemHostAlloc": [_ptr, _size, _uint],
    "cuMemFreeHost": [_ptr],
    "cuGetErrorName": [_int, _ptr],
}


class CudaError(RuntimeError):
    """A call of the driver failed; `code` is its CUresult."""

    def __init__(self, call, code, name):
        super().__init__("%s failed: %s (%d)" % (call, name, code))
        self.code = code


class Driver:
    """The driver's functions as attributes, each raising CudaError unless it succeeds; `raw` holds them unchecked."""

    _loaded = None

    @classmethod
    def get(cls):
        if cls._loaded is None:
            cls._loaded = cls()
        return cls._loaded

    def __init__(self):
        library = ctypes.CDLL("libcuda.so.1")
        self._contexts, self._streams, self._uuids = {}, {}, {}
        self._wanted_attributes = (_int * 2)(_ATTRIBUTE_CONTEXT, _ATTRIBUTE_ORDINAL)
        self.raw = {}
        for name, arguments in _SIGNATURES.items():
            spelled = name + "_v2" if name == "cuDeviceGetUuid" and hasattr(library, name + "_v2") else name
            function = getattr(library, spelled)
            function.argtypes, function.restype = arguments, _int
            self.raw[name] = function
            setattr(self, name.partition("_v")[0], self._checked(name, function))
        # Reads a variable of this thread: too short for giving up the interpreter's lock.
        self._get_current = ctypes.PyDLL("libcuda.so.1").cuCtxGetCurrent
        self.cuInit(0)

    def _checked(self, name, function):
        def call(*arguments):
            code = function(*arguments)
            if code:
                raise CudaError(name, code, self._error_name(code))

        return call

    def _error_name(self, code):
        text = ctypes.c_char_p()
        self.raw["cuGetErrorName"](code, ctypes.byref(text))
        return text.value.decode() if text.value else "unknown error"

    def primary_context(self, device):
        """Handle of the device's primary context, retained once."""
        if device not in self._contexts:
            context = _ptr()
            self.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
            self._contexts[device] = context.value
        return self._contexts[device]

    def current_context(self):
        """Handle, or None."""
        context = _ptr()
        self._get_current(ctypes.byref(context))
        return context.value

    def context_on(self, device):
        """The current context where it is on that device, else the primary one."""
        context, found = self.current_context(), _int(-1)
        if context and self.raw["cuCtxGetDevice"](ctypes.byref(found)) == 0 and found.value == device:
            return context
        return self.primary_context(device)

    def locate(self, address):
        """Where the driver knows `address` to be -> (context or None, device ordinal)."""
        found = (_ulong * 2)()
        place = ctypes.addressof(found)
        self.cuPointerGetAttributes(2, self._wanted_attributes, (_ptr * 2)(place, place + 8), address)
        return found[0] or None, found[1] & 0xFFFFFFFF

    def side_stream(self, context, device):
        """A stream of our own that waits for no other; to be called with `context` current."""
        if (context, device) not in self._streams:
            stream = _ptr()
            self.cuStreamCreate(ctypes.byref(stream), _NON_BLOCKING)
            self._streams[context, device] = stream.value
        return self._streams[context, device]

    def uuid(self, device):
        """Sixteen bytes."""
        if device not in self._uuids:
            found = (ctypes.c_uint8 * 16)()
            self.cuDeviceGetUuid(ctypes.byref(found), device)
            self._uuids[device] = bytes(found)
        return self._uuids[device]

    def pin(self, address, size):
        """Host memory for copies that nobody waits for; to be called with a context current."""
        self.cuMemHostRegister(address, size, _PORTABLE)

    def pinned_memory(self, size):
        """-> address of host memory of the driver's own; to be called with a context current."""
        memory = _ptr()
        self.cuMemHostAlloc(ctypes.byref(memory), size, _PORTABLE)
        return memory.value

    def new_event(self):
        event = _ptr()
        self.cuEventCreate(ctypes.byref(event), _DISABLE_TIMING)
        return event.value

    def is_capturing(self, stream):
        """Whether work put on `stream` would go into a graph, or would spoil the capture of another one."""
        status = _int()
        return self.raw["cuStreamIsCapturing"](stream, ctypes.byref(status)) != 0 or status.value != 0

    def allow_during_capture(self):
        """A capture by another thread in the global mode forbids queries and allocations to all threads but those that ask
        for the relaxed mode, and would fail with them. Holds for the calling thread."""
        mode = _int(_RELAXED)
        self.raw["cuThreadExchangeStreamCaptureMode"](ctypes.byref(mode))


class Relaxed:
    """`with Relaxed(driver):` as allow_during_capture(), for the time of the block."""

    __slots__ = ("_driver", "_mode")

    def __init__(self, driver):
        self._driver, self._mode = driver, _int(_RELAXED)

    def __enter__(self):
        self._driver.cuThreadExchangeStreamCaptureMode(ctypes.byref(self._mode))

    def __exit__(self, *_):
        self._driver.raw["cuThreadExchangeStreamCaptureMode"](ctypes.byref(self._mode))


class Current:
    """`with Current(driver, context):` makes it this thread's context, and puts back what was there."""

    __slots__ = ("_driver", "_context", "_pushed")

    def __init__(self, driver, context):
        self._driver, self._context, self._pushed = driver, context, False

    def __enter__(self):
        if self._driver.current_context() != self._context:
            self._driver.cuCtxPushCurrent(self._context)
            self._pushed = True

    def __exit__(self, *_):
        if self._pushed:
            self._driver.raw["cuCtxPopCurrent_v2"](ctypes.byref(_ptr()))
