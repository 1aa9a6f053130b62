"""Seamscope publisher: shows arrays of this program in the Seamscope preview of VS Code. Standard library only, Python 3.8 or newer, Linux.

    import seamscope
    seamscope.publish("color", frame)   # numpy, torch, CuPy, Warp, anything with __dlpack__

Joined from native/publisher/python by scripts/generate-publisher-python.mjs: edit the parts, not this file.
"""

from ctypes import byref
import atexit
import collections
import ctypes
import itertools
import mmap
import os
import platform
import re
import select
import socket
import stat
import struct
import sys
import threading
import time

__all__ = ["CudaArray", "Unsupported", "is_watched", "last_error", "publish", "set_program_name"]


# The wire: numbers and structures of seamscope.h, which a test holds to it.

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


# Compare-and-swap on shared memory, which Python has no word for.
#
# A slot that is READY belongs to whoever changes its state first, this process or the hub: taking it back needs one
# atomic instruction. It comes from libatomic, which nearly every system with a compiler has, or from sixteen bytes of
# machine code on x86-64. Without either nothing is published, and last_error() says why.

# endbr64; mov eax, esi; lock cmpxchg [rdi], edx; sete al; movzx eax, al; ret
_X86_64_SWAP = bytes.fromhex("f30f1efa 89f0 f00fb117 0f94c0 0fb6c0 c3".replace(" ", ""))
_ACQ_REL, _ACQUIRE = 4, 2


def _from_libatomic():
    # PyDLL: a call so short is not worth handing the interpreter's lock over.
    function = getattr(ctypes.PyDLL("libatomic.so.1"), "__atomic_compare_exchange_4")
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_int]
    function.restype = ctypes.c_bool

    def swap(address, expected, desired):
        held = ctypes.c_uint32(expected)
        return function(address, ctypes.addressof(held), desired, _ACQ_REL, _ACQUIRE)

    return swap


def _from_machine_code():
    if platform.machine() not in ("x86_64", "AMD64"):
        raise OSError("libatomic.so.1 is missing (Debian: libatomic1)")
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    page.write(_X86_64_SWAP)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    if libc.mprotect(address, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC) != 0:
        raise OSError("libatomic.so.1 is missing (Debian: libatomic1), and this system forbids executable pages")
    function = ctypes.PYFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)(address)
    function.page = page  # lives as long as the function
    return function


def _find_swap():
    try:
        return _from_libatomic()
    except (OSError, AttributeError):
        return _from_machine_code()


class Atomic:
    """`Atomic.swap(address, expected, desired)` -> whether the 32-bit word changed; found at the first use."""

    @staticmethod
    def swap(address, expected, desired):
        Atomic.swap = staticmethod(_find_swap())
        return Atomic.swap(address, expected, desired)


# Memory that the hub maps too: memfds that can neither shrink nor grow.

_MFD_CLOEXEC, _MFD_ALLOW_SEALING = 1, 2
_F_ADD_SEALS, _F_SEAL_SHRINK, _F_SEAL_GROW = 1033, 2, 4
_SYS_MEMFD_CREATE = {"x86_64": 319, "aarch64": 279}


def _memfd(name):
    flags = _MFD_CLOEXEC | _MFD_ALLOW_SEALING
    if hasattr(os, "memfd_create"):
        return os.memfd_create(name, flags)
    # Interpreters built for an old glibc lack it; the kernel has it.
    libc = ctypes.CDLL(None, use_errno=True)
    number = _SYS_MEMFD_CREATE.get(platform.machine())
    fd = libc.syscall(number, name.encode(), flags) if number else -1
    if fd < 0:
        raise OSError(ctypes.get_errno(), "memfd_create")
    return fd


def sealed_memfd(name, size):
    """A memfd of `size` zero bytes, sealed against shrinking and growing; the caller closes it."""
    import fcntl  # not at the top: the module can be imported where there is none, and does nothing there

    fd = _memfd(name)
    try:
        os.ftruncate(fd, size)
        fcntl.fcntl(fd, _F_ADD_SEALS, _F_SEAL_SHRINK | _F_SEAL_GROW)
    except OSError:
        os.close(fd)
        raise
    return fd


class Mapped:
    """A memfd mapped into this process: `view` (bytes) and `address`. Unmapped when the last user lets go of it."""

    def __init__(self, fd, size):
        self._map = mmap.mmap(fd, size)
        self.view = memoryview(self._map)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self.size = size


class ControlPage(Mapped):
    """The page of one connection; `words` and `longs` index it by 4 and 8 bytes."""

    def __init__(self):
        self.fd = sealed_memfd("seamscope-control", CONTROL_BYTES)
        try:
            super().__init__(self.fd, CONTROL_BYTES)
        except BaseException:
            self.close_fd()
            raise
        self.words = self.view.cast("I")
        self.longs = self.view.cast("Q")
        self.words[0], self.words[1] = WIRE_MAGIC, WIRE_VERSION

    def close_fd(self):
        """Once sent, the mapping alone is needed."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


# Element types as numpy, the array interfaces, the buffer protocol, DLPack and torch spell them.

ITEM_BYTES = {
    "bool": 1, "u8": 1, "i8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8,
    "r11g11b10f": 4, "rgb10a2": 4, "d24s8": 4,
}
PACKED_CHANNELS = {"r11g11b10f": 3, "rgb10a2": 4, "d24s8": 2}
_NATIVE = "<" if sys.byteorder == "little" else ">"
_TYPESTR = {
    "b1": "bool", "u1": "u8", "i1": "i8", "u2": "u16", "i2": "i16", "u4": "u32", "i4": "i32", "i8": "i64", "f2": "f16", "f4": "f32",
    "f8": "f64",
}
_BUFFER = {
    "?": "b1", "B": "u1", "b": "i1", "c": "u1", "e": "f2", "f": "f4", "d": "f8", "H": "u2", "h": "i2", "I": "u4", "i": "i4", "L": "u", "l": "i",
    "Q": "u8", "q": "i8", "N": "u", "n": "i",
}
_DLPACK = {(0, 8): "i8", (0, 16): "i16", (0, 32): "i32", (0, 64): "i64", (1, 8): "u8", (1, 16): "u16", (1, 32): "u32",
           (2, 16): "f16", (2, 32): "f32", (2, 64): "f64", (4, 16): "bf16", (6, 8): "bool", (1, 1): "bool"}  # fmt: skip
_TORCH = {
    "bool": "bool", "uint8": "u8", "int8": "i8", "uint16": "u16", "int16": "i16", "uint32": "u32", "int32": "i32", "int64": "i64",
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
}
_ADVICE = {"u8": "convert it to int64", "c": "publish its absolute value or its parts", "V": "publish one of its fields"}


class Unsupported(TypeError):
    """Something that cannot be shown; the text names it and what to publish instead."""


def _unsupported(spelling, advice="convert it to float32"):
    return Unsupported("elements of type %s cannot be shown: %s" % (spelling, advice))


def from_typestr(typestr, name=None):
    """Of an array interface, for example '<f4'. `name`: numpy's name of the type, which tells bfloat16."""
    if name == "bfloat16":
        return "bf16"
    order, code = typestr[0], typestr[1:]
    if order not in ("|", "=", _NATIVE):
        raise _unsupported(typestr, "its byte order is not this machine's, convert it with astype")
    if code not in _TYPESTR:
        raise _unsupported(name or typestr, _ADVICE.get(code if code == "u8" else code[0], "convert it to float32"))
    return _TYPESTR[code]


def from_buffer_format(text, item_bytes):
    """Of the buffer protocol, for example 'f' or '<f'; None means bytes."""
    text = text or "B"
    order, code = (text[0], text[1:]) if text[0] in "@=<>!" else ("@", text)
    if order in "<>!" and (">" if order == "!" else order) != _NATIVE and item_bytes > 1:
        raise _unsupported(text, "its byte order is not this machine's, convert it with astype")
    if code.startswith("Z"):
        raise _unsupported("complex", _ADVICE["c"])
    if code not in _BUFFER:
        raise _unsupported(text)
    code = _BUFFER[code]
    return from_typestr("=" + (code if len(code) == 2 else "%s%d" % (code, item_bytes)))


def from_dlpack_type(code, bits):
    """Of DLDataType's code and bits."""
    if code == 1 and bits == 64:
        raise _unsupported("uint64", _ADVICE["u8"])
    if code == 5:
        raise _unsupported("complex", _ADVICE["c"])
    if (code, bits) not in _DLPACK:
        raise _unsupported("DLPack code %d with %d bits" % (code, bits))
    return _DLPACK[code, bits]


def from_torch(dtype):
    """Of a torch.dtype."""
    name = str(dtype).rpartition(".")[2]
    if name not in _TORCH:
        advice = _ADVICE["c"] if name.startswith("complex") else _ADVICE["u8"] if name == "uint64" else "convert it with .float()"
        raise _unsupported(name, advice)
    return _TORCH[name]


def reinterpreted(dtype, wanted):
    """`wanted` in place of `dtype` when both have as many bytes: packed texels come as 32-bit integers."""
    if wanted not in ITEM_BYTES:
        raise Unsupported("dtype=%r is unknown; known are %s" % (wanted, ", ".join(DTYPES)))
    if ITEM_BYTES[wanted] != ITEM_BYTES[dtype]:
        raise Unsupported("dtype=%r has %d bytes, the elements have %d" % (wanted, ITEM_BYTES[wanted], ITEM_BYTES[dtype]))
    return wanted


# Which dimension is which, and how the bytes of a frame are laid out once copied.

# A span this little larger than what is shown is copied whole: one linear copy is the cheapest there is.
_PADDING = 1.25
# Beyond this a view is mostly holes, and copying them would cost more than making it dense first.
_MOST_HOLES = 16
_MOST_PLANES = 64
# The copy engine moves lines; shorter ones cost more than the bytes between them.
_SHORTEST_LINE = 32


def _is_few(count):
    return 1 <= count <= 4


def _guess_three(shape, channels_first):
    first, last = _is_few(shape[0]), _is_few(shape[2])
    if first and (channels_first or not last):
        return "CHW"
    return "HWC" if last else "NHW"


def guess_layout(shape, channels_first):
    """Letters for each dimension of `shape`; `channels_first` decides when both ends look like channels."""
    if len(shape) < 3:
        return "HW"[2 - len(shape) :]
    return "N" * (len(shape) - 3) + _guess_three(shape[-3:], channels_first)


def check_layout(layout, shape):
    """The letters given by the user, in capitals. Raises Unsupported."""
    letters = layout.upper()
    if len(letters) != len(shape):
        raise Unsupported("layout=%r names %d dimensions, the array has %d: %s" % (layout, len(letters), len(shape), tuple(shape)))
    if any(letter not in "NCHW" for letter in letters) or any(letters.count(letter) > 1 for letter in "CHW"):
        raise Unsupported("layout=%r: use N, C, H and W, for example 'HWC' or 'NCHW'" % layout)
    return letters


class Axes:
    """Size and byte stride of width, height and channels, and of each batch dimension (outermost first)."""

    __slots__ = ("dtype", "item", "width", "height", "channels", "batch")

    def __init__(self, shape, strides, dtype, layout=None, channels_first=False):
        if 0 in shape:
            raise Unsupported("an empty array %s has nothing to show" % (tuple(shape),))
        letters = check_layout(layout, shape) if layout else guess_layout(shape, channels_first)
        self.dtype, self.item = dtype, ITEM_BYTES[dtype]
        found = {"W": (1, self.item), "H": (1, self.item), "C": (1, self.item)}
        batch = []
        for letter, size, stride in zip(letters, shape, strides):
            if letter == "N":
                batch.append((size, stride))
            else:
                found[letter] = (size, stride)
        self.width, self.height, self.channels = found["W"], found["H"], found["C"]
        self.batch = _merged(batch)
        self._check()

    def _check(self):
        if max(self.width[0], self.height[0]) > MAX_SIDE:
            raise Unsupported("%d x %d texels: at most %d a side can be shown" % (self.width[0], self.height[0], MAX_SIDE))
        if self.dtype in PACKED_CHANNELS and self.channels[0] != 1:
            raise Unsupported("texels of %s hold all their channels; the array has %d more" % (self.dtype, self.channels[0]))


def _merged(dimensions):
    """Batch dimensions that lie behind one another become one."""
    merged = []
    for size, stride in dimensions:
        if size == 1:
            continue
        if merged and merged[-1][1] == size * stride:
            merged[-1] = (merged[-1][0] * size, stride)
        else:
            merged.append((size, stride))
    return merged


class Plan:
    """How a frame is copied and where its texels are then.

    `dims`: (size, source stride, target stride), outermost first, without those that need no step.
    `size`: bytes in the slot; `fields`: the numbers of FrameDesc from `offset` on, with offset 0.
    """

    __slots__ = ("dims", "size", "item", "width", "height", "channels", "batch", "fields")

    def __init__(self, axes, dims, targets, size):
        self.dims, self.size, self.item = dims, size, axes.item
        self.width, self.height, self.channels = axes.width[0], axes.height[0], PACKED_CHANNELS.get(axes.dtype, axes.channels[0])
        self.batch = 1
        for count, _ in axes.batch:
            self.batch *= count
        self.fields = (0, targets["H"], targets["W"], targets["C"], targets["N"])
        if size > MAX_SLOT_BYTES:
            raise Unsupported("a frame of %d bytes: at most %d can be shown" % (size, MAX_SLOT_BYTES))

    @property
    def is_linear(self):
        return all(source == target for _, source, target in self.dims)


def _ordered(axes):
    """(letter, size, stride) outermost first: the order in memory, so that a dense view of any order is one copy."""
    inner = [("H",) + axes.height, ("W",) + axes.width, ("C",) + axes.channels]
    outer = [("N",) + dimension for dimension in axes.batch]
    if len(outer) > 1:  # they become one batch stride, so nothing may come between them
        return outer + sorted(inner, key=lambda dimension: -abs(dimension[2]))
    return sorted(outer + inner, key=lambda dimension: -abs(dimension[2]))


def packed(axes):
    """The plan that leaves no holes. A dimension of stride 0 stays one: it is copied once."""
    running, dims, targets = axes.item, [], {"N": 0}
    for letter, size, stride in reversed(_ordered(axes)):
        steps = size > 1 and (stride != 0 or letter == "N" and len(axes.batch) > 1)
        target = running if steps or size == 1 else 0
        if letter != "N" or not targets["N"]:  # the innermost batch dimension's
            targets[letter] = target
        if steps:
            dims.append((size, stride, target))
            running *= size
    return Plan(axes, tuple(reversed(dims)), targets, running)


def _span(axes, dense):
    """The plan that copies everything between the first and the last element, holes too; None when it would not do."""
    strides = {"H": axes.height[1], "W": axes.width[1], "C": axes.channels[1], "N": axes.batch[0][1] if axes.batch else 0}
    sizes = {"H": axes.height[0], "W": axes.width[0], "C": axes.channels[0], "N": axes.batch[0][0] if axes.batch else 1}
    if len(axes.batch) > 1 or any(strides[letter] < 0 for letter in strides if sizes[letter] > 1):
        return None
    strides = {letter: strides[letter] if sizes[letter] > 1 else dense[letter] for letter in strides}
    size = axes.item + sum((sizes[letter] - 1) * strides[letter] for letter in strides if sizes[letter] > 1)
    return (strides, size)


def for_device(axes):
    """The plan for copies by the GPU's copy engine, which knows lines, planes and nothing else; None when the view must be
    made dense first."""
    dense = packed(axes)
    if dense.is_linear:
        return dense
    spanned = _span(axes, dict(zip("HWCN", dense.fields[1:])))
    by_lines = is_planar(dense) and dense or None
    if spanned is None or spanned[1] > _MOST_HOLES * dense.size:
        return by_lines if by_lines is not None and (spanned is None or line_bytes(dense) >= _SHORTEST_LINE) else None
    if by_lines is not None and line_bytes(dense) >= _SHORTEST_LINE and spanned[1] > _PADDING * dense.size:
        return by_lines
    strides, size = spanned
    return Plan(axes, (), strides, size)


def is_planar(plan):
    """Whether it is lines of equal distance, in at most a few planes, each line without holes."""
    rows, planes = row_and_planes(plan)
    return len(rows) <= 1 and planes is not None and all(source >= 0 for _, source, _ in plan.dims)


def row_and_planes(plan):
    """Splits off the innermost dense part. -> ([(count, source, target)] of the lines, [(source, target)] of the planes or
    None when there are too many)."""
    outer = list(plan.dims)
    while outer and outer[-1][1] == outer[-1][2]:
        outer.pop()
    lines, planes = outer[-1:], [(0, 0)]
    for count, source, target in reversed(outer[:-1]):
        if count * len(planes) > _MOST_PLANES:
            return lines, None
        planes = [(a + i * source, b + i * target) for i in range(count) for a, b in planes]
    return lines, planes


def line_bytes(plan):
    """Bytes of the innermost dense part."""
    size = plan.item
    for count, source, target in reversed(plan.dims):
        if source != target:
            break
        size = count * target
    return size


# What a frame shows when the program does not say: guessed from the output's name, then from its numbers.

_WORDS = (
    ("depth", "depth zbuffer disparity distance"),
    ("normal", "normal normals"),
    ("motion", "motion flow velocity"),
    ("id", "id ids instance instances label labels mask segmentation semantic seg"),
    ("hdr", "hdr radiance"),
    ("color", "color colour ldr rgb rgba image albedo"),
)
_BY_WORD = {word: kind for kind, words in _WORDS for word in words.split()}
_INTEGERS = ("bool", "u8", "i8", "u16", "i16", "u32", "i32", "i64")


def _words(name):
    """'HdrColor_0' -> hdr, color, 0."""
    return re.findall(r"[a-z]+|[0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower())


def guess_kind(name, dtype, channels):
    """One of KINDS."""
    is_integer = dtype in _INTEGERS
    for word in _words(name):
        kind = _BY_WORD.get(word)
        if kind == "color" and not is_integer:
            return "hdr" if dtype not in PACKED_CHANNELS or dtype == "r11g11b10f" else "color"
        if kind and not (kind == "id" and not is_integer):
            return kind
    if dtype == "d24s8":
        return "depth"
    if channels >= 3:
        return "color" if dtype in ("u8", "u16", "rgb10a2") else "tensor" if is_integer else "hdr"
    if dtype == "u8":
        return "color"
    return "id" if dtype in ("u32", "i32", "i64") and channels == 1 else "tensor"


def guess_color_space(kind, dtype):
    """One of COLOR_SPACES."""
    if kind == "color":
        return "srgb" if dtype in ("u8", "u16", "rgb10a2") else "linear"
    return "linear" if kind == "hdr" else "data"


def numbered(value, names, what):
    """Index of `value` among `names`; None stays None. Raises Unsupported."""
    if value is None:
        return None
    text = str(value).lower()
    if text not in names:
        raise Unsupported("%s=%r is unknown; known are %s" % (what, value, ", ".join(names)))
    return names.index(text)


def kind_and_space(name, dtype, channels, kind, color_space):
    """-> (kind, colour space) as the wire numbers them."""
    number = numbered(kind, KINDS, "kind")
    if number is None:
        number = KINDS.index(guess_kind(name, dtype, channels))
    space = numbered(color_space, COLOR_SPACES, "color_space")
    if space is None:
        space = COLOR_SPACES.index(guess_color_space(KINDS[number], dtype))
    return number, space


# What every kind of array becomes before it is looked at further.

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


# Host memory: the buffer protocol (numpy, bytearray, memoryview, PIL) and `__array_interface__`.

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


# DLPack, versions 0 and 1, as a consumer that borrows.
#
# The capsule is never renamed to "used_...": it stays the owner, and drops the tensor through its own destructor once the
# copy is done and it is let go.

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


# The CUDA driver API, loaded once something that lives on a GPU is published and never before.
#
# The calls that may wait inside the driver release the interpreter's lock (CDLL): a driver callback of the program may need
# it. Nothing here creates a context: the memory that is published came from one.

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


# Copies by the GPU, put on a stream and not waited for.

def _lines(driver, source, target, width, height, source_pitch, target_pitch, stream):
    copy = Memcpy2D()
    copy.srcMemoryType = copy.dstMemoryType = MEMORY_UNIFIED
    copy.srcDevice, copy.srcPitch = source, source_pitch
    copy.dstDevice, copy.dstPitch = target, target_pitch
    copy.WidthInBytes, copy.Height = width, height
    driver.cuMemcpy2DAsync(byref(copy), stream)


def copy_on_stream(driver, view, plan, target):
    """Puts the copy of `view` to address `target` on the view's stream."""
    if view.array:
        copy_array(driver, view, plan, target)
    elif plan.is_linear:
        driver.cuMemcpyAsync(target, view.address, plan.size, view.stream)
    else:
        width = line_bytes(plan)
        lines, planes = row_and_planes(plan)
        count, source_pitch, target_pitch = lines[0]
        for from_offset, to_offset in planes:
            _lines(driver, view.address + from_offset, target + to_offset, width, count, source_pitch, target_pitch, view.stream)


def copy_array(driver, view, plan, target):
    """The same for a CUDA array, whose own layout only the driver knows."""
    copy = Memcpy2D()
    copy.srcMemoryType, copy.srcArray = MEMORY_ARRAY, view.array
    copy.dstMemoryType, copy.dstDevice, copy.dstPitch = MEMORY_UNIFIED, target, plan.size // plan.height
    copy.WidthInBytes, copy.Height = copy.dstPitch, plan.height
    driver.cuMemcpy2DAsync(byref(copy), view.stream)


# Which CUDA stream the user means.

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


# GPU memory: `__dlpack__` on CUDA, `__cuda_array_interface__`, CUDA arrays, mapped outputs of ovrtx.

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


# Tensors of torch, read by their own attributes: that is several times faster than DLPack, and works with grad.

class _Known:
    """torch.dtype -> name on the wire."""

    dtypes = {}


def is_torch(obj):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(obj, getattr(torch, "Tensor", ()))


def _plain(tensor):
    """The tensor outside of autograd, with lazily conjugated or negated numbers made real."""
    tensor = tensor.detach()
    if tensor.is_neg():
        tensor = tensor.resolve_neg()
    if tensor.layout is not sys.modules["torch"].strided:
        raise Unsupported("sparse tensors cannot be shown: publish tensor.to_dense()")
    return tensor


def _densify(tensor, stream):
    """The same numbers without holes, made on the stream that will read them."""
    torch = sys.modules["torch"]
    cuda = torch.cuda
    # torch has no external stream of the two special handles. The per-thread one waits for the legacy one and back.
    special = stream in (LEGACY_STREAM, PER_THREAD_STREAM)
    theirs = cuda.default_stream(tensor.device) if special else cuda.ExternalStream(stream, tensor.device)
    with torch.no_grad(), cuda.stream(theirs):
        return tensor_view(tensor.contiguous(), stream)


def tensor_view(tensor, stream):
    """A View of a torch.Tensor on the CPU or a CUDA device."""
    tensor = _plain(tensor)
    dtype = _Known.dtypes.get(tensor.dtype)
    if dtype is None:
        dtype = _Known.dtypes[tensor.dtype] = from_torch(tensor.dtype)
    item = ITEM_BYTES[dtype]
    strides = tuple(step * item for step in tensor.stride())
    view = View(tensor.data_ptr(), tuple(tensor.shape), strides, dtype, tensor)
    view.channels_first = True
    if tensor.is_cuda:
        view.device = tensor.device.index
        view.stream = torch_stream(view.device) if stream is None else stream_handle(stream)
        view.dense = lambda: _densify(tensor, view.stream)
    elif tensor.device.type != "cpu":
        raise Unsupported("a tensor on the device %r cannot be read: publish tensor.cpu()" % tensor.device.type)
    return view


# Copies in host memory, at once: the program may change its array as soon as publish returns.

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


# Rings of slots in host memory, and what all rings have in common.

SLOT_COUNT = 3


def rounded(size, step):
    return (size + step - 1) // step * step


class BaseRing:
    """Slots that frames are copied into.

    `slots`: their states on the control page, once the hub has accepted the ring. `pending`: copies that run.
    `copies`: the last one into each slot. `home`: the context it was made with, or None. `events`: CUDA context -> an event a slot, made before a copy from that context is put into the ring.
    """

    memory, device, slot_stride = MEMORY_HOST, -1, 0

    def __init__(self, size):
        self.size, self.allocation = size, size
        self.generation, self.slots, self.doorbell, self.pending, self.events = 0, None, b"", 0, {}
        self.home, self.copies = None, [None] * SLOT_COUNT

    def settle(self, slot):
        """A copy by the GPU into `gpu_address(slot)` is done: the bytes go where the hub reads them."""

    def prepare(self, context):
        """For copies from `context`, which is current."""
        if context not in self.events:
            driver = Driver.get()
            self.events[context] = [driver.new_event() for _ in range(SLOT_COUNT)]

    def forget_events(self):
        for events in self.events.values():
            for event in events:
                Driver.get().raw["cuEventDestroy_v2"](event)
        self.events = {}


class HostRing(BaseRing):
    """One sealed memfd. It stays open, so that another engine can be offered the same memory."""

    def __init__(self, size):
        super().__init__(rounded(size, mmap.PAGESIZE))
        self.slot_stride, self.allocation = self.size, self.size * SLOT_COUNT
        self.fd = sealed_memfd("seamscope-frames", self.allocation)
        self.memory_map = Mapped(self.fd, self.allocation)
        self._is_pinned, self._staging = False, 0

    def fits(self, device, context, size):
        return size <= self.size and (device < 0 or context in self.events)

    def prepare(self, context):
        # Copies to memory that is not pinned would make the caller wait.
        if not self._is_pinned and not self._staging:
            try:
                Driver.get().pin(self.memory_map.address, self.allocation)
                self._is_pinned = True
            except CudaError:  # some sandboxes cannot pin shared memory: a second copy, by the worker, from memory of the driver
                self._staging = Driver.get().pinned_memory(self.allocation)
        super().prepare(context)

    def address(self, slot):
        return self.memory_map.address + slot * self.slot_stride

    def gpu_address(self, slot):
        return (self._staging or self.memory_map.address) + slot * self.slot_stride

    def settle(self, slot):
        if self._staging:
            ctypes.memmove(self.address(slot), self.gpu_address(slot), self.size)

    def fds(self):
        """To be sent -> (descriptors, whether they are closed after that)."""
        return [self.fd], False

    def close(self):
        """Nothing may be copied into it any more."""
        if self._is_pinned:
            Driver.get().raw["cuMemHostUnregister"](self.memory_map.address)
        if self._staging:
            Driver.get().raw["cuMemFreeHost"](self._staging)
        self.forget_events()
        os.close(self.fd)
        self.fd, self.memory_map = -1, None


# Rings of slots in GPU memory: one allocation a slot, each with a POSIX descriptor for the hub.

_PINNED, _ON_DEVICE, _POSIX_FD, _READ_WRITE = 1, 1, 1, 3


class _Allocation:
    """Memory of the driver's virtual memory management, mapped at `address`."""

    def __init__(self, driver, prop, size):
        self._driver, self._size, self.handle, self.address, self._is_mapped = driver, size, 0, 0, False
        try:
            self._make(prop)
        except CudaError:
            self.close()
            raise

    def _make(self, prop):
        driver, handle, address = self._driver, ctypes.c_uint64(), ctypes.c_uint64()
        driver.cuMemCreate(ctypes.byref(handle), self._size, ctypes.byref(prop), 0)
        self.handle = handle.value
        driver.cuMemAddressReserve(ctypes.byref(address), self._size, 0, 0, 0)
        self.address = address.value
        driver.cuMemMap(self.address, self._size, 0, self.handle, 0)
        self._is_mapped = True
        access = AccessDesc(prop.location, _READ_WRITE)
        driver.cuMemSetAccess(self.address, self._size, ctypes.byref(access), 1)

    def export(self):
        fd = ctypes.c_int(-1)
        self._driver.cuMemExportToShareableHandle(ctypes.byref(fd), self.handle, _POSIX_FD, 0)
        return fd.value

    def close(self):
        raw = self._driver.raw
        if self._is_mapped:
            raw["cuMemUnmap"](self.address, self._size)
        if self.address:
            raw["cuMemAddressFree"](self.address, self._size)
        if self.handle:
            raw["cuMemRelease"](self.handle)


class CudaRing(BaseRing):
    """To be made and closed with a context of `device` current."""

    memory = MEMORY_CUDA

    def __init__(self, device, size):
        driver, step = Driver.get(), ctypes.c_size_t()
        prop = AllocationProp(_PINNED, _POSIX_FD, Location(_ON_DEVICE, device))
        driver.cuMemGetAllocationGranularity(ctypes.byref(step), ctypes.byref(prop), 0)
        super().__init__(rounded(size, step.value))
        self.device, self._allocations = device, []
        try:
            for _ in range(SLOT_COUNT):
                self._allocations.append(_Allocation(driver, prop, self.size))
        except CudaError:
            self.close()
            raise

    def fits(self, device, context, size):
        return size <= self.size and device == self.device and context in self.events

    def gpu_address(self, slot):
        return self._allocations[slot].address

    def fds(self):
        """To be sent -> (descriptors, whether they are closed after that)."""
        fds = []
        try:
            for allocation in self._allocations:
                fds.append(allocation.export())
        except CudaError:
            for fd in fds:
                os.close(fd)
            raise
        return fds, True

    def close(self):
        """Nothing may be copied into it any more."""
        self.forget_events()
        for allocation in self._allocations:
            allocation.close()
        self._allocations = []


# Making and freeing rings.
#
# The worker makes those for frames in host memory. Those that CUDA writes into are made by the program's own thread, in the
# one publish that finds none (some milliseconds): while a program keeps CUDA's queue of launches full, that thread waits
# inside the driver and lets no other in, for seconds, but what it asks itself is answered. For the same reason it frees what
# CUDA made, and the worker only does so when no publish has come for a while.

LEAVE_NS = 3 * 10**9
# A ring that the hub is to hear of; `closes`: the descriptors are not needed after that.
Made = collections.namedtuple("Made", "ring fds closes uuid")


class Workshop:
    """`report(error)` notes what went wrong. `retired`: (since when, ring) to be freed once no copy into them runs."""

    def __init__(self, report):
        self.retired, self._report, self._lock = [], report, threading.Lock()

    def answer(self, output, paths, device, context, size):
        """Sets `output.made`, or makes the ring in use take copies from `context`, which is current (None: host memory).
        Does nothing while an earlier ring is not settled or another thread is here."""
        if not output.making.acquire(False):
            return
        try:
            self._answer(output, paths, device, context, size)
        finally:
            output.making.release()

    def _answer(self, output, paths, device, context, size):
        page, ring = output.page, output.ring
        if ring is not None and ring.fits(device, context, size):
            return
        if page is None or not paths or output.made or output.offered is not None or output.is_given_up:
            return
        kind = _kind_of_memory(output, paths, device)
        try:
            if ring is not None and ring.memory == kind and size <= ring.size and ring.device in (-1, device):
                _prepare(ring, context)
            elif all(busy.generation % 2 == output.generation % 2 for busy in output.busy_rings()):
                self._hand_over(output, page, self._make(output, kind, device, context, size))
            else:
                return
            output.need = None
        except (CudaError, OSError, MemoryError) as error:
            self._report("%s: %s" % (output.name, error))
            if kind == MEMORY_CUDA:
                output.refused_devices.add(device)
            else:
                output.is_given_up, output.need = True, None

    def _make(self, output, kind, device, context, size):
        """The ring of the last connection when it fits, else a new one, ready for copies from `context`."""
        ring = output.take_spare()
        if ring is not None and (ring.memory != kind or size > ring.size or ring.pending or ring.device not in (-1, device)):
            self.retire([ring])
            ring = None
        if ring is None:
            current = output.ring
            size = max(size, current.size) if current is not None else size
            ring = CudaRing(device, size) if kind == MEMORY_CUDA else HostRing(size)
            ring.home = context
        ring.generation = output.generation + 1
        try:
            _prepare(ring, context)
            uuid = Driver.get().uuid(ring.device) if ring.device >= 0 else b""
            return Made(ring, *ring.fds(), uuid)
        except CudaError:
            self.retire([ring])
            raise

    def _hand_over(self, output, page, made):
        """Unless the connection has gone meanwhile."""
        with output.lock:
            if output.page is page:
                output.made = made
                return
        discard(made)
        self.retire([made.ring])

    def retire(self, rings):
        now = time.monotonic_ns()
        with self._lock:
            self.retired += [(now, ring) for ring in rings]

    def free(self, may_free, close):
        """Frees what `may_free(since, ring)` allows and no copy goes into, by `close(ring)`."""
        if not self.retired or not self._lock.acquire(False):
            return
        try:
            free = [(since, ring) for since, ring in self.retired if not ring.pending and may_free(since, ring)]
            self.retired = [each for each in self.retired if each not in free]
        finally:
            self._lock.release()
        for _, ring in free:
            close(ring)

    def free_of(self, context):
        """By the program's thread, with `context` current."""
        self.free(lambda _, ring: ring.home == context, lambda ring: ring.close())


def discard(made):
    """A ring that the hub will not hear of keeps its memory and loses its descriptors."""
    if made.closes:
        for fd in made.fds:
            os.close(fd)


def _prepare(ring, context):
    if context is not None:
        ring.prepare(context)


def _kind_of_memory(output, paths, device):
    """One kind a connection; host memory as soon as frames come from several places."""
    ring = output.ring
    if ring is not None and (ring.memory == MEMORY_HOST or ring.device != device):
        output.is_host_only = True
    may = device >= 0 and paths & PATH_DEVICE and device not in output.refused_devices
    return MEMORY_CUDA if may and not output.is_host_only and not output.is_always_host else MEMORY_HOST


# The states of a ring's slots on the control page.

class Slots:
    """Of the ring `generation` of output `index`. A slot is a number below `count`."""

    def __init__(self, page, index, generation, count):
        self._page, self._generation = page, generation
        self._offsets = [slot_offset(index, generation, number) for number in range(count)]
        self._places = [(number, offset // 4, page.address + offset) for number, offset in enumerate(self._offsets)]

    def take(self):
        """A FREE slot, else the oldest frame that nobody has begun to read; None when all are in use."""
        words, longs = self._page.words, self._page.longs
        ready = []
        for number, word, address in self._places:
            state = words[word]
            if state == FREE and Atomic.swap(address, FREE, WRITING):
                return number
            if state == READY:
                ready.append((longs[word // 2 + 1], number, address))
        for _, number, address in sorted(ready):
            if Atomic.swap(address, READY, WRITING):
                return number
        return None

    def describe(self, number, frame, published_ns, desc):
        """`desc`: the thirteen numbers of FrameDesc."""
        SLOT_FIELDS.pack_into(
            self._page.view, self._offsets[number] + SLOT_FIELDS_OFFSET, self._generation, frame, published_ns, 0, *desc
        )

    def finish(self, number):
        """The bytes are there."""
        _, _, address = self._places[number]
        self._page.longs[(self._offsets[number] + SLOT_READY_OFFSET) // 8] = time.monotonic_ns()
        Atomic.swap(address, WRITING, READY)

    def give_up(self, number):
        """The copy failed."""
        Atomic.swap(self._places[number][2], WRITING, FREE)


# One named output of this program.

# Frames that come a little early are taken: a renderer at exactly the wanted rate would lose every second one otherwise.
_EARLY = 8
_NOBODY_WATCHES = memoryview(bytes(CONTROL_BYTES)).cast("I")


class Output:
    """What publish needs to know, and what the worker does about it.

    `words[word]` is not 0 while somebody watches. `need`: (-1, None, bytes) of a frame in host memory that found no ring,
    for the worker. `making`: held by the thread that makes a ring; `made`: is to be sent to the hub; `offered` waits for
    its answer; `ring` is published into; `retiring` wait for its release.
    """

    def __init__(self, name, index, desc):
        self.name, self.index, self.desc = name, index, desc
        self.frames = itertools.count(1)
        self.words, self.word, self.page = _NOBODY_WATCHES, output_offset(index) // 4, None
        self._published = (output_offset(index) + OutputPage.published.offset) // 8
        self._skipped = (output_offset(index) + OutputPage.skipped.offset) // 8
        self.lock = threading.RLock()  # a signal's handler may publish in the middle of a publish
        self.making, self.made = threading.Lock(), None
        self.ring, self.offered, self.retiring, self.spare, self.generation = None, None, [], None, 0
        self._spare_since = 0
        self.need, self.refused_devices, self.is_host_only, self.is_given_up = None, set(), False, False
        self.is_always_host = False
        self.plan_key, self.plan, self.status, self._due = None, None, "", 0

    def attach(self, page):
        """A new connection; the worker's."""
        with self.lock:
            self.generation, self.refused_devices, self.is_host_only, self.is_given_up = 0, set(), False, False
            self.page, self.words = page, page.words

    def detach(self):
        """The connection is gone. -> rings that can be freed once their copies are done; the newest is kept for the next
        connection."""
        with self.lock:
            self.words, self.page, self.need = _NOBODY_WATCHES, None, None
            made, self.made = self.made, None
            if made is not None:
                discard(made)
                self.retiring.append(made.ring)
            for ring in self.rings():
                ring.slots = None
            gone = self.retiring + [ring for ring in (self.offered, self.spare) if ring is not None]
            self.spare, self.ring, self.offered, self.retiring = self.ring, None, None, []
            self._spare_since = time.monotonic_ns()
            return gone

    def take_spare(self, before=None):
        """The ring of the last connection or None; with `before`, only when that ended earlier."""
        with self.lock:
            if before is not None and self._spare_since > before:
                return None
            ring, self.spare = self.spare, None
            return ring

    def rings(self):
        """All that hold memory."""
        made = self.made.ring if self.made is not None else None
        return [ring for ring in (self.ring, self.offered, made, self.spare) if ring is not None] + self.retiring

    def busy_rings(self):
        """Whose bank on the control page is in use."""
        return [ring for ring in self.rings() if ring is not self.spare]

    def is_due(self, now):
        """Whether the viewer's maximum rate lets this frame pass; `now` in nanoseconds."""
        rate = self.words[self.word + 1]
        if not rate:
            return True
        period = 10**12 // rate
        if now < self._due - period // _EARLY:
            return False
        self._due = max(self._due + period, now)
        return True

    def take(self, device, context, size):
        """A ring with a slot of it that is ours now, or None: counted."""
        with self.lock:
            ring = self.ring
            if ring is None or not ring.fits(device, context, size):
                if device < 0 and not self.is_given_up and self.page is not None:
                    self.need = (device, context, size)
                ring = slot = None
            else:
                slot = ring.slots.take()
            if slot is None:
                self._count(self._skipped)
                return None
            ring.pending += 1
            return ring, slot

    def finish(self, ring, slot):
        """The frame is complete."""
        with self.lock:
            ring.pending -= 1
            if ring.slots is not None:
                ring.slots.finish(slot)
                self._count(self._published)

    def give_up(self, ring, slot):
        with self.lock:
            ring.pending -= 1
            if ring.slots is not None:
                ring.slots.give_up(slot)

    def skip(self):
        """A frame that was wanted and could not be taken."""
        with self.lock:
            self._count(self._skipped)

    def _count(self, place):
        if self.page is not None:
            self.page.longs[place] += 1


# The connection to the hub: found, opened and closed by the worker alone.

_LONGEST_PATH = 107


def folder():
    """Where hubs listen."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    return os.path.join(runtime, "seamscope") if runtime.startswith("/") else "/tmp/seamscope-%d" % os.geteuid()


def is_off():
    """Wanted by the user, or not on Linux."""
    return os.environ.get("SEAMSCOPE_SOCKET") == "off" or sys.platform != "linux"


def _is_ours(path):
    status = os.lstat(path)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) == 0o700


def _modified(entry):
    try:
        return entry.stat().st_mtime_ns
    except OSError:
        return 0


def _sockets_in(place):
    """The newest first; none when others can write there."""
    try:
        if not _is_ours(place):
            return []
        with os.scandir(place) as entries:
            found = [entry for entry in entries if entry.name.endswith(".sock")]
    except OSError:
        return []
    return [entry.path for entry in sorted(found, key=_modified, reverse=True)]


def socket_paths():
    """Sockets to try: the named one and, since an editor that restarts makes another, those beside it; or all of the
    folder."""
    named = os.environ.get("SEAMSCOPE_SOCKET")
    if named:
        return [named] + [path for path in _sockets_in(os.path.dirname(named)) if path != named]
    return _sockets_in(folder())


def why_none():
    """Why no socket of socket_paths() can ever answer; None where one may."""
    named = os.environ.get("SEAMSCOPE_SOCKET", "")
    place = os.path.dirname(named) or folder()
    if len(os.fsencode(named)) > _LONGEST_PATH:
        return "the path in SEAMSCOPE_SOCKET has more than %d bytes: %s" % (_LONGEST_PATH, named)
    try:
        return None if _is_ours(place) else "%s is not a folder of this user alone: its owner or mode (0700) is another" % place
    except OSError:
        return None


def _is_same_user(connected):
    credentials = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return struct.unpack("3i", credentials)[1] == os.geteuid()


def _connect(path):
    made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        made.setblocking(False)
        made.connect(path)
        if _is_same_user(made):
            return made
    except OSError:
        pass
    made.close()
    return None


class Link:
    """An open connection with its control page. `paths`: what the hub's WELCOME allows, 0 before it."""

    def __init__(self, connected, path):
        self.socket, self.path, self.paths = connected, path, 0
        self.page = ControlPage()

    @staticmethod
    def open():
        """To the newest hub that answers, or None."""
        for path in socket_paths():
            if len(os.fsencode(path)) <= _LONGEST_PATH:
                connected = _connect(path)
                if connected is not None:
                    return Link(connected, path)
        return None

    def fileno(self):
        return self.socket.fileno()

    def send(self, data, fds=()):
        """Without waiting. -> False when the socket is full or gone."""
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("%di" % len(fds), *fds))] if fds else []
        try:
            self.socket.sendmsg([data], rights, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
            return True
        except OSError:
            return False

    def ring(self, data):
        """A doorbell. A full socket is no error: one is in it already."""
        try:
            self.socket.send(data, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
        except OSError:
            pass

    def receive(self):
        """The next message; b"" at the end of the connection, None when there is none now."""
        try:
            return self.socket.recv(MAX_MESSAGE)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            return b""

    def end(self):
        """Nothing passes any more; the descriptor stays."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def close(self):
        self.page.close_fd()
        self.socket.close()


# Messages to the hub as bytes, and the hub's as structures.

_FROM_HUB = {
    WELCOME: Welcome,
    REFUSED: Refused,
    RING_ACCEPTED: RingAnswer,
    RING_REFUSED: RingAnswer,
    RING_RELEASED: RingAnswer,
}


class Program:
    """`name` as the preview lists it; None: that of the script."""

    name = None


def program_name():
    if Program.name:
        return Program.name
    script = os.path.basename(sys.argv[0]) if getattr(sys, "argv", None) and sys.argv[0] else ""
    return script if script not in ("", "-c", "-m", "__main__.py", "ipykernel_launcher.py") else "Python %d" % os.getpid()


def _uuid(data):
    return (ctypes.c_uint8 * 16)(*data)


def hello(device, uuid):
    """`device`: CUDA ordinal, or -1; `uuid`: its sixteen bytes, or b""."""
    return message(
        Hello,
        HELLO,
        pid=os.getpid(),
        flags=HAS_DEVICE_UUID if uuid else 0,
        device_uuid=_uuid(uuid),
        cuda_ordinal=device,
        name=text_field(program_name(), NAME_BYTES),
        visible_devices=text_field(os.environ.get("CUDA_VISIBLE_DEVICES", ""), TEXT_BYTES),
    )


def output_message(output):
    return message(OutputMessage, OUTPUT, output=output.index, name=text_field(output.name, NAME_BYTES), desc=FrameDesc(*output.desc))


def ring_message(output, ring, slot_count, uuid):
    return message(
        Ring,
        RING,
        output=output.index,
        generation=ring.generation,
        memory=ring.memory,
        slot_count=slot_count,
        slot_size=ring.size,
        allocation_size=ring.allocation,
        slot_stride=ring.slot_stride,
        flags=HAS_DEVICE_UUID if uuid else 0,
        device_uuid=_uuid(uuid),
    )


def doorbell(output, generation):
    return message(RingAnswer, DOORBELL, output=output.index, generation=generation)


def status_message(index, text):
    return message(Status, STATUS, output=index, text=text_field(text, TEXT_BYTES))


def parse(data):
    """A message of the hub, or None when it is malformed."""
    if len(data) < ctypes.sizeof(Header):
        return None
    header = Header.from_buffer_copy(data)
    structure = _FROM_HUB.get(header.type)
    known = header.magic == WIRE_MAGIC and header.version == WIRE_VERSION and structure is not None
    if not known or header.size != len(data) or len(data) != ctypes.sizeof(structure):
        return None
    return structure.from_buffer_copy(data)


# The one thread of the publisher: connects, answers the hub, makes rings of host memory, and watches copies that run.
#
# Completion of GPU copies is polled here, with cuEventQuery on the event behind each copy. A host function
# (cuLaunchHostFunc) would have to enter Python, and the driver's thread would wait for the interpreter's lock while the
# program, holding it, waits for the driver. Polling begins when a copy is usually done, then goes on a thousand times a
# second while one runs, and costs nothing otherwise. A program whose thread keeps this one out of the driver looks itself,
# when it publishes next.
#
# Waking a sleeping thread costs the program more than all of its publish, so a program that publishes regularly does not:
# the thread wakes by itself when the next frame is expected, and asks to be woken only when none came.

_SECOND = 10**9
_RETRY, _RETRY_REFUSED, _ANSWER = _SECOND, 10 * _SECOND, 5 * _SECOND
_AT_EXIT = _SECOND // 4
_REGULAR, _LATE = _SECOND // 4, _SECOND // 100
_OVERDUE = _SECOND // 50  # a copy that this thread should have seen end long ago
_SPARE = 10 * _SECOND  # how long memory is kept for the next connection


class Copy:
    """A GPU copy that runs. `owner` is kept until it is done."""

    __slots__ = ("event", "context", "output", "ring", "slot", "owner", "begun", "is_ended")

    def __init__(self, event, context, output, ring, slot, owner, begun):
        self.event, self.context, self.output, self.ring, self.slot, self.owner, self.begun = (
            event,
            context,
            output,
            ring,
            slot,
            owner,
            begun,
        )
        self.is_ended = False


class Worker:
    """`outputs`: a list that only grows. `copies`, `statuses`: deques that publish appends to. `report(error)` notes what
    went wrong. `done`: owners of finished copies, dropped by the next publish, on the thread they belong to."""

    def __init__(self, outputs, copies, statuses, done, report):
        self._outputs, self._copies, self._statuses, self._done, self._report = outputs, copies, statuses, done, report
        self.link, self.device, self._ended = None, -1, []
        self.workshop, self._running, self._current = Workshop(report), [], None
        self._next_try, self._hello_due, self._expected, self._is_stopping = 0, 0, _SECOND // 1000, False
        self._batch, self._interval, self._is_asleep = 0, _SECOND, True
        self._is_blocked = self._is_told = False
        self._thread, self._wake_read, self._wake_write = None, -1, -1
        self._poll = None

    def start(self):
        """Raises RuntimeError when the interpreter is ending."""
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._poll = select.poll()
        self._poll.register(self._wake_read, select.POLLIN)
        self._thread = threading.Thread(target=self._run, name="seamscope", daemon=True)
        self._thread.start()

    def expect_copy(self):
        """Something was put into `copies`."""
        if self._is_asleep:
            self.wake()

    def wake(self):
        try:
            os.write(self._wake_write, b"\0")
        except OSError:
            pass  # full: it is awake

    def stop(self):
        """Lets copies that run become frames, for a moment."""
        self._is_stopping = True
        self.wake()
        if self._thread is not None:
            self._thread.join(2 * _AT_EXIT / _SECOND)

    def forget(self):
        """In a child after fork: only descriptors are this process's own."""
        for fd in (self._wake_read, self._wake_write):
            if fd >= 0:
                os.close(fd)
        self._close_ended()
        if self.link is not None:
            self.link.close()
        for output in self._outputs:
            if output.made is not None:
                discard(output.made)
        for ring in self.all_rings():
            if ring.memory == MEMORY_HOST and ring.fd >= 0:
                os.close(ring.fd)

    def all_rings(self):
        """All that hold memory."""
        return [ring for output in self._outputs for ring in output.rings()] + [ring for _, ring in self.workshop.retired]

    def _run(self):
        while not self._is_stopping:
            try:
                self._turn()
            except Exception as error:  # the program must not hear of it
                self._report(error)
                self._drop()
        self._finish()

    def _finish(self):
        end = time.monotonic_ns() + _AT_EXIT
        try:
            self._check_copies()
            while self._running and time.monotonic_ns() < end:
                time.sleep(0.001)
                self._check_copies()
        except Exception as error:
            self._report(error)
        if self.link is not None:
            self.link.close()

    def _turn(self):
        now = time.monotonic_ns()
        if self.link is None and now >= self._next_try:
            self._connect(now)
        for fd, _ in self._poll.poll(self._patience(now)):
            if fd == self._wake_read:
                os.read(fd, 4096)
        self._check_copies()
        if self.link is not None:
            self._listen()
        if self.link is not None and self.link.paths:
            self._is_blocked = not self._speak()
        self._free_retired()

    def _patience(self, now):
        """Milliseconds until there is something to look at."""
        if self._running or self._copies:
            self._is_asleep = False
            oldest = min((copy.begun for copy in self._running), default=now)
            return max(1, min(20, (oldest + self._expected - now) // 1000000))
        until_next = self._batch + self._interval + self._expected - now
        self._is_asleep = self._interval > _REGULAR or until_next < -_LATE
        if not self._is_asleep:
            return max(2, until_next // 1000000)
        if self._copies:  # put there before it could see that it must wake this thread
            return 0
        if self.link is None:
            return max(1, (self._next_try - now) // 1000000)
        if self._is_blocked:
            return 20
        return 100 if self.workshop.retired or any(output.need or output.made for output in self._outputs) else 1000

    # The connection

    def _report_why_none(self):
        """Once: it is asked every second."""
        reason = None if self._is_told else why_none()
        if reason:
            self._is_told = True
            self._report(reason)

    def _connect(self, now):
        self._next_try = now + _RETRY
        self._close_ended()
        if not self._outputs:
            return
        link = Link.open()
        if link is None:
            self._report_why_none()
            return
        uuid = Driver.get().uuid(self.device) if self.device >= 0 else b""
        if not link.send(hello(self.device, uuid), [link.page.fd]):
            link.close()
            return
        link.page.close_fd()
        self.link, self._hello_due = link, now + _ANSWER
        self._poll.register(link.fileno(), select.POLLIN)

    def _drop(self, pause=_RETRY):
        if self.link is None:
            return
        self._poll.unregister(self.link.fileno())
        # Closed later: a publish may be about to ring, and the number of the descriptor may be another file's by then.
        self.link.end()
        self._ended.append(self.link)
        self.link = None
        self._next_try = time.monotonic_ns() + pause
        for output in self._outputs:
            self.workshop.retire(output.detach())

    def _close_ended(self):
        for link in self._ended:
            link.close()
        self._ended = []

    def _listen(self):
        while self.link is not None:
            data = self.link.receive()
            if data is None:
                break
            answer = parse(data) if data else None
            if answer is None:
                self._drop()
            else:
                self._take_answer(answer.header.type, answer)
        if self.link is not None and not self.link.paths and time.monotonic_ns() > self._hello_due:
            self._drop()

    def _take_answer(self, kind, answer):
        if kind == WELCOME:
            self.link.paths = answer.paths
        elif kind == REFUSED:
            self._report("Seamscope refused this program: %s" % answer.reason.decode("utf-8", "replace"))
            # After a lost device the hub wants to be asked again, and offers host memory alone.
            self._drop(_RETRY if answer.code == REFUSED_QUARANTINE else _RETRY_REFUSED)
        elif answer.output < len(self._outputs):
            output = self._outputs[answer.output]
            {RING_ACCEPTED: self._accepted, RING_REFUSED: self._refused, RING_RELEASED: self._released}[kind](output, answer)

    def _speak(self):
        """-> False when the socket is full: to be tried again soon."""
        for output in self._outputs:
            if output.page is None:
                if not self.link.send(output_message(output)):
                    return False
                output.attach(self.link.page)
            self._tend(output)
        while self._statuses:
            output, text = self._statuses[0]
            if not self.link.send(status_message(ALL_OUTPUTS if output is None else output.index, text)):
                return False
            self._statuses.popleft()
        return True

    # Rings

    def _accepted(self, output, answer):
        ring = output.offered
        if ring is None or ring.generation != answer.generation:
            return
        ring.slots = Slots(self.link.page, output.index, ring.generation, SLOT_COUNT)
        ring.doorbell = doorbell(output, ring.generation)
        with output.lock:
            if output.ring is not None:
                output.retiring.append(output.ring)
            output.ring, output.offered = ring, None

    def _refused(self, output, answer):
        ring = output.offered
        if ring is None or ring.generation != answer.generation:
            return
        output.offered = None
        self.workshop.retire([ring])
        self._report("%s: %s" % (output.name, answer.reason.decode("utf-8", "replace")))
        if ring.memory == MEMORY_HOST:
            output.is_given_up, output.need = True, None
        elif output.ring is None:
            output.refused_devices.add(ring.device)
        else:
            # The next generation would need the bank of the ring in use: begin anew, with host memory.
            output.is_always_host = True
            self._drop()

    def _released(self, output, answer):
        with output.lock:
            gone = [ring for ring in output.retiring if ring.generation == answer.generation]
            output.retiring = [ring for ring in output.retiring if ring.generation != answer.generation]
            if output.ring is not None and output.ring.generation == answer.generation:
                gone.append(output.ring)
                output.ring = None
        self.workshop.retire(gone)

    def _tend(self, output):
        """Answers an output's need for host memory, and offers what was made."""
        if output.need is not None:
            self.workshop.answer(output, self.link.paths, *output.need)
        made = output.made
        if made is None or not self.link.send(ring_message(output, made.ring, SLOT_COUNT, made.uuid), made.fds):
            return
        discard(made)
        with output.lock:
            output.generation, output.offered, output.made = made.ring.generation, made.ring, None

    def _free_retired(self):
        now = time.monotonic_ns()
        for output in self._outputs:
            if output.spare is not None:
                ring = output.take_spare(now - _SPARE)
                self.workshop.retire([] if ring is None else [ring])
        self.workshop.free(lambda since, ring: ring.home is None or now - since > LEAVE_NS, self._close)

    def _close(self, ring):
        try:
            self._use(ring.home)
        except CudaError:
            pass  # the context is gone, and its memory with it
        ring.close()

    # Copies

    def _use(self, context):
        if context is not None and context != self._current:
            driver = Driver.get()
            if self._current is None:
                driver.allow_during_capture()
            driver.cuCtxSetCurrent(context)
            self._current = context

    def _check_copies(self):
        if self._copies and not self._running:
            begun = self._copies[0].begun
            self._batch, self._interval = begun, begun - self._batch
        while self._copies:
            self._running.append(self._copies.popleft())
        still = []
        for copy in self._running:
            code = self._state_of(copy)
            if code == NOT_READY:
                still.append(copy)
            else:
                self._end(copy, code)
        self._running = still
        if self._done and not still and time.monotonic_ns() - self._done[-1][0] > _SECOND:
            self._done.clear()

    def _state_of(self, copy):
        """0, NOT_READY, or what went wrong: the context may have been destroyed by the program."""
        try:
            self._use(copy.context)
            return Driver.get().raw["cuEventQuery"](copy.event)
        except CudaError as error:
            return error.code

    def end_overdue(self, ring, context, now):
        """By the program's thread, with `context` current, where this one is kept out of the driver."""
        for copy in ring.copies:
            if copy is not None and not copy.is_ended and copy.context == context and now - copy.begun > _OVERDUE:
                code = Driver.get().raw["cuEventQuery"](copy.event)
                if code != NOT_READY:
                    self._end(copy, code)

    def _end(self, copy, code):
        """Once, whoever sees it first."""
        with copy.output.lock:
            is_first, copy.is_ended = not copy.is_ended, True
        if not is_first:
            return
        now = time.monotonic_ns()
        self._expected += (min(now - copy.begun, _OVERDUE) - self._expected) // 8
        if code:
            copy.output.give_up(copy.ring, copy.slot)
            self._report("%s: the copy failed with CUDA error %d" % (copy.output.name, code))
        else:
            copy.ring.settle(copy.slot)
            copy.output.finish(copy.ring, copy.slot)
            if self.link is not None:
                self.link.ring(copy.ring.doorbell)
        self._done.append((now, copy.owner))
        copy.owner = None


# Publishing: from an object to bytes in a slot.

class Options:
    """What the program says about a frame beside the frame."""

    __slots__ = ("kind", "color_space", "flip", "layout", "dtype", "bgr")

    def __init__(self, kind, color_space, flip, layout, dtype, bgr):
        self.kind, self.color_space, self.flip, self.layout, self.dtype, self.bgr = kind, color_space, flip, layout, dtype, bgr

    def key(self):
        return (self.kind, self.color_space, self.flip, self.layout, self.dtype, self.bgr)


def _plan_and_desc(name, view, options):
    """-> (Plan, the numbers of FrameDesc), or None when the view must be made dense first."""
    dtype = reinterpreted(view.dtype, options.dtype) if options.dtype else view.dtype
    axes = Axes(view.shape, view.strides, dtype, options.layout, view.channels_first)
    plan = packed(axes) if view.device < 0 or view.array else for_device(axes)
    if plan is None:
        return None
    kind, space = kind_and_space(name, dtype, plan.channels, options.kind, options.color_space)
    flags = (FLAG_BOTTOM_UP if options.flip else 0) | (FLAG_BGR if options.bgr else 0)
    return plan, (plan.width, plan.height, plan.channels, plan.batch, DTYPES.index(dtype), kind, space, flags) + plan.fields


class Publisher:
    """All state of a process. `outputs`: name -> Output, read by publish without a lock."""

    def __init__(self):
        self.outputs, self.last_error, self._told = {}, None, set()
        self._list, self._lock, self._is_started = [], threading.Lock(), False
        self._copies, self._statuses, self._done = collections.deque(), collections.deque(), collections.deque()
        self._worker = Worker(self._list, self._copies, self._statuses, self._done, self.report)
        self._is_off, self._is_strict = is_off(), os.environ.get("SEAMSCOPE_STRICT") == "1"
        self._is_verbose = os.environ.get("SEAMSCOPE_VERBOSE") == "1"

    def stop(self):
        self._worker.stop()

    def forget(self):
        self._worker.forget()

    def report(self, error, output=None):
        """Keeps the error for last_error() and tells it in the panel, each text once."""
        text = str(error) or type(error).__name__
        if self._is_verbose and text not in self._told and len(self._told) < MAX_OUTPUTS:
            self._told.add(text)
            sys.stderr.write("seamscope: %s\n" % text)
        self.last_error = text
        if self._statuses and self._statuses[-1][1] == text or output is not None and output.status == text:
            return
        if output is not None:
            output.status = text
        if len(self._statuses) < MAX_OUTPUTS:
            self._statuses.append((output, text))
        self._worker.wake()

    def publish(self, name, obj, stream, options):
        """-> whether the frame is on its way to the hub. Raises only when SEAMSCOPE_STRICT is 1."""
        if self._is_off:
            return False
        output = self.outputs.get(name)
        try:
            if output is None:
                output = self._add(name, view_of(obj, stream), options)
            frame = next(output.frames)
            is_taken = bool(output.words[output.word]) and self._publish_watched(output, obj, stream, options, frame)
        except Exception as error:  # a preview must never end the program
            self.report("%s: %s" % (name, error), output)
            if self._is_strict:
                raise
            return False
        if is_taken and output.status:
            output.status = ""
            self._statuses.append((output, ""))
        return is_taken

    def _add(self, name, view, options):
        text = str(name)
        if not text or len(text.encode("utf-8", "replace")) >= NAME_BYTES:
            raise Unsupported("an output's name has 1 to %d bytes" % (NAME_BYTES - 1))
        _, desc = self._planned(None, text, view, options)[1:]
        with self._lock:
            if name in self.outputs:
                return self.outputs[name]
            if len(self._list) == MAX_OUTPUTS:
                raise Unsupported("a program has at most %d outputs" % MAX_OUTPUTS)
            if view.device >= 0 and self._worker.device < 0:
                Driver.get().uuid(view.device)  # the worker then finds it known
                self._worker.device = view.device
            self.outputs[name] = output = Output(text, len(self._list), desc)
            self._list.append(output)
            if not self._is_started:
                self._worker.start()
                self._is_started = True
        self._worker.wake()
        return output

    def _planned(self, output, name, view, options):
        """-> (view, Plan, description); the last ones of an output are kept."""
        key = (view.shape, view.strides, view.dtype, view.device < 0, view.array != 0, view.channels_first) + options.key()
        if output is not None and output.plan_key == key:
            return (view,) + output.plan
        planned = _plan_and_desc(name, view, options)
        if planned is None:
            if view.dense is None:
                raise Unsupported("a view with strides %s cannot be copied on the GPU: publish a contiguous copy" % (view.strides,))
            return self._planned(None, name, view.dense(), options)
        if output is not None:
            output.plan_key, output.plan = key, planned
        return (view,) + planned

    def _publish_watched(self, output, obj, stream, options, frame):
        now = time.monotonic_ns()
        self._done.clear()
        if not output.is_due(now):
            return False
        view = view_of(obj, stream)
        if view.device < 0:
            return self._publish_host(output, view, options, frame, now)
        driver = Driver.get()
        context = view.context or driver.primary_context(view.device)
        with Current(driver, context):
            if driver.is_capturing(view.stream):
                output.skip()
                return False
            return self._publish_cuda(driver, context, output, view, options, frame, now)

    def _publish_host(self, output, view, options, frame, now):
        view, plan, desc = self._planned(output, output.name, view, options)
        taken = output.take(-1, None, plan.size)
        if taken is None:
            self._worker.wake()
            return False
        ring, slot = taken
        try:
            copy_in_host_memory(view.address, plan, ring.address(slot))
            ring.slots.describe(slot, frame, now, desc)
        except BaseException:
            output.give_up(ring, slot)
            raise
        output.finish(ring, slot)
        link = self._worker.link
        if link is not None:
            link.ring(ring.doorbell)
        return True

    def _publish_cuda(self, driver, context, output, view, options, frame, now):
        view, plan, desc = self._planned(output, output.name, view, options)
        if output.ring is not None:
            self._worker.end_overdue(output.ring, context, now)
        taken = output.take(view.device, context, plan.size)
        if taken is None:
            self._make_room(driver, context, output, view.device, plan.size)
            return False
        ring, slot = taken
        try:
            event = ring.events[context][slot]
            self._wait_before(driver, view, event)
            copy_on_stream(driver, view, plan, ring.gpu_address(slot))
            driver.cuEventRecord(event, view.stream)
            ring.slots.describe(slot, frame, now, desc)
        except BaseException:
            output.give_up(ring, slot)
            raise
        copy = ring.copies[slot] = Copy(event, context, output, ring, slot, view.owner, now)
        self._copies.append(copy)
        self._worker.expect_copy()
        return True

    def _make_room(self, driver, context, output, device, size):
        """No slot could be taken: when there is no ring for such a frame, it is made here."""
        link = self._worker.link
        if link is not None and link.paths:
            with Relaxed(driver):
                self._worker.workshop.free_of(context)
                self._worker.workshop.answer(output, link.paths, device, context, size)
        self._worker.wake()

    @staticmethod
    def _wait_before(driver, view, event):
        """The stream of the copy waits for whoever writes the memory; `event` is free until the copy is put behind it."""
        for kind, handle in view.events:
            if kind == "stream":
                driver.cuEventRecord(event, handle)
                handle = event
            driver.cuStreamWaitEvent(view.stream, handle, 0)


# What the program calls.

class _Process:
    """The publisher of this process; a forked child begins with its own."""

    publisher = Publisher()
    of_parents = []


def publish(name, obj, stream=None, kind=None, color_space=None, flip=None, layout=None, dtype=None, bgr=False):
    """Shows `obj` as the output `name` in the Seamscope preview; does nothing while nobody watches it.

    obj: an array of numpy, torch, CuPy, JAX, Warp or Numba, anything with __dlpack__, __cuda_array_interface__,
        __array_interface__ or the buffer protocol, a CudaArray, or a mapped output of ovrtx. GPU memory is copied on the GPU.
        It is kept until the copy is done, and may be changed as soon as this returns (on a GPU: by work on the same stream).
    stream: the CUDA stream that wrote it; the library's current one by default.
    kind: "color", "hdr", "depth", "id", "normal", "motion" or "tensor"; guessed from the name and the type by default.
    color_space: "srgb", "linear" or "data".
    flip: true when row 0 is the bottom one.
    layout: letters for the dimensions, such as "HWC", "CHW", "NCHW"; by default the dimension of 1 to 4 is the channels.
    dtype: what the elements are, when their type cannot say so: "r11g11b10f", "rgb10a2", "d24s8", "bf16".
    bgr: true when the first channel is blue.

    Returns whether the frame is on its way. Never raises and never waits: see last_error(). With SEAMSCOPE_STRICT=1 in the
    environment it raises.
    """
    publisher = _Process.publisher
    output = publisher.outputs.get(name)
    if output is not None and not output.words[output.word]:
        next(output.frames)
        return False
    return publisher.publish(name, obj, stream, Options(kind, color_space, flip, layout, dtype, bgr))


def set_program_name(name):
    """How the preview lists this program; by default by its script. To be called before the first publish."""
    Program.name = str(name)


def last_error():
    """The last reason why something could not be shown, or None."""
    return _Process.publisher.last_error


def is_watched(name):
    """Whether somebody looks at that output now; for programs that make a picture only for the preview."""
    output = _Process.publisher.outputs.get(name)
    return output is not None and bool(output.words[output.word])


def _after_fork():
    old = _Process.publisher
    _Process.of_parents.append(old)  # never destroyed: what it holds belongs to the parent
    Driver._loaded = None
    _Process.publisher = Publisher()
    old.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
atexit.register(lambda: _Process.publisher.stop())
