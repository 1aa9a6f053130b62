"""The wire: numbers and structures of seamscope.h, which a test holds to it."""

import ctypes
import struct

WIRE_VERSION = 1
WIRE_MAGIC = 0x4D414553
MAX_MESSAGE = 1024
MAX_OUTPUTS = 128
MAX_SLOTS = 8
NAME_BYTES = 64
TEXT_BYTES = 256
MAX_SIDE = 65536
MAX_SLOT_BYTES = 2 << 30

DTYPES = (
    "bool", "u8", "i8", "u16", "i16", "u32", "i32", "i64", "f16", "bf16", "f32", "f64", "r11g11b10f", "rgb10a2", "d24s8",
)
KINDS = ("color", "hdr", "depth", "id", "normal", "motion", "tensor")
COLOR_SPACES = ("srgb", "linear", "data")
FLAG_BOTTOM_UP, FLAG_BGR = 1, 2
FREE, WRITING, READY, READING = range(4)
HELLO, WELCOME, REFUSED, OUTPUT, OUTPUT_GONE, RING, RING_ACCEPTED, RING_REFUSED, RING_RELEASED, DOORBELL, STATUS = range(1, 12)
HAS_DEVICE_UUID = 1
REFUSED_QUARANTINE = 9
PATH_HOST, PATH_DEVICE = 1, 2
MEMORY_HOST, MEMORY_CUDA = 0, 1
ALL_OUTPUTS = 0xFFFFFFFF

_u16, _u32, _u64 = ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64


class FrameDesc(ctypes.Structure):
    _fields_ = [(name, _u32) for name in ("width", "height", "channels", "batch", "dtype", "kind", "color_space", "flags")] + [
        (name, _u64) for name in ("offset", "row_stride", "pixel_stride", "channel_stride", "batch_stride")
    ]


class Slot(ctypes.Structure):
    _fields_ = [
        ("state", _u32),
        ("generation", _u32),
        ("frame", _u64),
        ("published_ns", _u64),
        ("ready_ns", _u64),
        ("desc", FrameDesc),
        ("reserved", ctypes.c_uint8 * 24),
    ]


class OutputPage(ctypes.Structure):
    _fields_ = [
        ("wanted", _u32),
        ("max_rate_millihertz", _u32),
        ("published", _u64),
        ("skipped", _u64),
        ("reserved", ctypes.c_uint8 * 104),
        ("slots", Slot * MAX_SLOTS * 2),
    ]


class Control(ctypes.Structure):
    _fields_ = [("magic", _u32), ("version", _u32), ("reserved", ctypes.c_uint8 * 120), ("outputs", OutputPage * MAX_OUTPUTS)]


class Header(ctypes.Structure):
    _fields_ = [("magic", _u32), ("version", _u16), ("type", _u16), ("size", _u32), ("reserved", _u32)]


class Hello(ctypes.Structure):
    _fields_ = [
        ("header", Header),
        ("pid", _u32),
        ("flags", _u32),
        ("device_uuid", ctypes.c_uint8 * 16),
        ("driver_uuid", ctypes.c_uint8 * 16),
        ("cuda_ordinal", ctypes.c_int32),
        ("reserved", _u32),
        ("name", ctypes.c_char * NAME_BYTES),
        ("visible_devices", ctypes.c_char * TEXT_BYTES),
    ]


class Welcome(ctypes.Structure):
    _fields_ = [("header", Header), ("pid", _u32), ("paths", _u32), ("reason", ctypes.c_char * TEXT_BYTES)]


class Refused(ctypes.Structure):
    _fields_ = [("header", Header), ("code", _u32), ("reserved", _u32), ("reason", ctypes.c_char * TEXT_BYTES)]


class OutputMessage(ctypes.Structure):
    _fields_ = [("header", Header), ("output", _u32), ("reserved", _u32), ("name", ctypes.c_char * NAME_BYTES), ("desc", FrameDesc)]


class Ring(ctypes.Structure):
    _fields_ = [
        ("header", Header),
        ("output", _u32),
        ("generation", _u32),
        ("memory", _u32),
        ("slot_count", _u32),
        ("slot_size", _u64),
        ("allocation_size", _u64),
        ("slot_stride", _u64),
        ("flags", _u32),
        ("memory_type_index", _u32),
        ("device_uuid", ctypes.c_uint8 * 16),
        ("driver_uuid", ctypes.c_uint8 * 16),
    ]


class RingAnswer(ctypes.Structure):
    _fields_ = [
        ("header", Header),
        ("output", _u32),
        ("generation", _u32),
        ("code", _u32),
        ("reserved", _u32),
        ("reason", ctypes.c_char * TEXT_BYTES),
    ]


class Status(ctypes.Structure):
    _fields_ = [("header", Header), ("output", _u32), ("reserved", _u32), ("text", ctypes.c_char * TEXT_BYTES)]


CONTROL_BYTES = ctypes.sizeof(Control)
SLOT_BYTES = ctypes.sizeof(Slot)
# What the owner of a slot writes in one go: everything between `state` and `reserved`.
SLOT_FIELDS = struct.Struct("=IQQQ8I5Q")
SLOT_FIELDS_OFFSET = Slot.generation.offset
SLOT_READY_OFFSET = Slot.ready_ns.offset


def message(structure, kind, **fields):
    """A message of `structure` as bytes; texts are cut to fit."""
    made = structure(**fields)
    made.header = Header(WIRE_MAGIC, WIRE_VERSION, kind, ctypes.sizeof(structure), 0)
    return bytes(made)


def text_field(text, size):
    """`text` as UTF-8 that ends with a zero byte within `size` bytes, cut between characters."""
    return text.encode("utf-8", "replace")[: size - 1].decode("utf-8", "ignore").encode("utf-8")


def output_offset(index):
    """Offset of an output on the control page."""
    return Control.outputs.offset + index * ctypes.sizeof(OutputPage)


def slot_offset(index, generation, slot):
    """Offset of a slot on the control page; the bank is generation % 2."""
    return output_offset(index) + OutputPage.slots.offset + (generation % 2 * MAX_SLOTS + slot) * SLOT_BYTES
