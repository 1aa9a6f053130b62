"""DLPack producers of every age, made of ctypes."""

import ctypes

import sources
from support import PublisherTest, seamscope, wait_for

CODES = {
    "bool": (6, 8), "u8": (1, 8), "i8": (0, 8), "u16": (1, 16), "i16": (0, 16), "u32": (1, 32), "i32": (0, 32), "i64": (0, 64), "f16": (2, 16),
    "bf16": (4, 16), "f32": (2, 32), "f64": (2, 64),
}  # fmt: skip

_new = ctypes.pythonapi.PyCapsule_New
_new.argtypes, _new.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p], ctypes.py_object
Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_KEPT = []  # a capsule may outlive its producer, and does not keep what its destructor is made of


class Managed(ctypes.Structure):
    _fields_ = [("tensor", seamscope.DLTensor), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Producer:
    """`version` None: before version 1. `accepts`: keywords that its __dlpack__ knows. Counts what it gave and what was dropped."""

    def __init__(self, source, dtype, device=1, version=(1, 0), accepts=("stream", "max_version", "dl_device", "copy"), **changes):
        self.source, self.dtype, self.device, self.version, self.accepts = source, dtype, device, version, accepts
        self.changes, self.given, self.dropped, self.calls = changes, [], 0, []

    def __dlpack_device__(self):
        return (self.device, 0)

    def __dlpack__(self, **keywords):
        unknown = [name for name in keywords if name not in self.accepts]
        if unknown:
            raise TypeError("unexpected keyword argument %r" % unknown[0])
        self.calls.append(keywords)
        managed = seamscope.DLManagedTensorVersioned() if self.version else Managed()
        if self.version:
            managed.major, managed.minor, managed.flags = self.version + (1,)  # flag 1: read only
        self.fill(managed.tensor)
        destructor = Destructor(self.drop)
        self.given.append(managed)
        _KEPT.append((managed, destructor))
        name = b"dltensor_versioned" if self.version else b"dltensor"
        return _new(ctypes.addressof(managed), name, ctypes.cast(destructor, ctypes.c_void_p))

    def fill(self, tensor):
        source, item, offset = self.source, sources.ITEM[self.dtype], self.changes.get("byte_offset", 0)
        count = len(source.shape)
        tensor.data, tensor.byte_offset = source.address - offset, offset
        tensor.device.type, tensor.ndim = self.device, count
        tensor.dtype.code, tensor.dtype.bits = CODES[self.dtype]
        tensor.dtype.lanes = self.changes.get("lanes", 1)
        tensor.shape = (ctypes.c_int64 * count)(*source.shape)
        if not self.changes.get("without_strides"):
            tensor.strides = (ctypes.c_int64 * count)(*(step // item for step in source.strides))

    def drop(self, _capsule):
        self.dropped += 1


class DLPack(PublisherTest):
    def check(self, producer, **options):
        frame = self.show(producer, layout=producer.source.layout, **options)
        self.assertEqual(frame.texels, producer.source.texels)
        self.assertEqual(producer.dropped, len(producer.given), "every tensor is given back, once")
        return frame

    def test_every_element_type_and_stride(self):
        self.start_hub()
        for dtype in CODES:
            for view in ("HWC", "rows padded", "CHW", "channels reversed", "grey as three channels"):
                with self.subTest(dtype=dtype, view=view):
                    frame = self.check(Producer(sources.Source(view, dtype), dtype), name=dtype)
                    self.assertEqual(seamscope.DTYPES[frame.desc["dtype"]], dtype)

    def test_every_version_of_the_protocol(self):
        self.start_hub()
        cases = [((1, 0), ("stream", "max_version", "copy")), ((1, 1), ("stream", "max_version")), (None, ("stream", "max_version")), (None, ("stream",)), (None, ())]
        for version, accepts in cases:
            with self.subTest(version=version, accepts=accepts):
                producer = Producer(sources.Source("HWC", "f32"), "f32", version=version, accepts=accepts)
                self.check(producer)
                self.assertEqual(producer.calls[-1].get("max_version"), (1, 1) if "max_version" in accepts else None)
                self.assertIsNone(producer.calls[-1].get("stream"), "the CPU has no streams")

    def test_offsets_and_missing_strides(self):
        self.start_hub()
        self.check(Producer(sources.Source("HWC", "u8"), "u8", byte_offset=64))
        self.check(Producer(sources.Source("HWC", "u8"), "u8", without_strides=True))

    def test_what_cannot_be_read_is_named(self):
        self.start_hub()
        source = sources.Source("HWC", "u8")
        for number, (producer, words) in enumerate(
            (
                (Producer(source, "u8", version=(2, 0)), "version 2.0"),
                (Producer(source, "u8", device=8), "Metal memory"),
                (Producer(source, "u8", device=10), "ROCm memory"),
            )
        ):
            self.assertFalse(seamscope.publish("x%d" % number, producer))
            self.assertRegex(seamscope.last_error(), words)
            wait_for(lambda given=producer: given.dropped == len(given.given))
