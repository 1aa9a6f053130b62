"""Arrays made of nothing but ctypes, with the texels that must arrive."""

import ctypes
import random

ITEM = {"bool": 1, "u8": 1, "i8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
TYPESTR = {
    "bool": "|b1", "u8": "|u1", "i8": "|i1", "u16": "<u2", "i16": "<i2", "u32": "<u4", "i32": "<i4", "i64": "<i8", "f16": "<f2",
    "f32": "<f4", "f64": "<f8",
}  # fmt: skip

# name -> (shape, strides in elements, first element, layout or None to have it guessed, letters)
VIEWS = {
    "HWC": ((5, 7, 3), (21, 3, 1), 0, None, "HWC"),
    "HWC, one channel": ((5, 7, 1), (7, 1, 1), 0, "HWC", "HWC"),
    "HW": ((5, 7), (7, 1), 0, None, "HW"),
    "W": ((7,), (1,), 0, None, "W"),
    "CHW": ((3, 5, 7), (35, 7, 1), 0, None, "CHW"),
    "NCHW": ((2, 3, 5, 7), (105, 35, 7, 1), 0, None, "NCHW"),
    "NHWC": ((2, 5, 7, 4), (140, 28, 4, 1), 0, None, "NHWC"),
    "rows padded": ((5, 7, 3), (32, 3, 1), 0, None, "HWC"),
    "texels padded": ((5, 7, 3), (28, 4, 1), 0, None, "HWC"),
    "crop of a larger image": ((3, 4, 3), (60, 3, 1), 66, None, "HWC"),
    "planes padded": ((3, 5, 7), (64, 9, 1), 2, None, "CHW"),
    "transposed": ((5, 7), (1, 5), 0, None, "HW"),
    "columns first": ((7, 5, 3), (3, 21, 1), 0, "WHC", "WHC"),
    "every second texel": ((3, 4, 3), (42, 6, 1), 0, None, "HWC"),
    "bottom up": ((5, 7, 3), (-21, 3, 1), 84, None, "HWC"),
    "mirrored": ((5, 7, 3), (21, -3, 1), 18, None, "HWC"),
    "channels reversed": ((5, 7, 3), (21, 3, -1), 2, None, "HWC"),
    "everything reversed": ((5, 7, 3), (-21, -3, -1), 104, None, "HWC"),
    "grey as three channels": ((5, 7, 3), (7, 1, 0), 0, None, "HWC"),
    "one row for all": ((5, 7), (0, 1), 0, None, "HW"),
    "batches apart": ((2, 2, 6, 5), (300, 70, 5, 1), 0, "NNHW", "NNHW"),
    "many channels": ((5, 6, 9), (54, 9, 1), 0, "HWC", "HWC"),
}
NEGATIVE = [name for name, (_, strides, _, _, _) in VIEWS.items() if min(strides) < 0]


def random_bytes(size, seed=1):
    return random.Random(seed).getrandbits(8 * size).to_bytes(size, "little") if size else b""


class Source:
    """Random elements of `dtype` in the shape of VIEWS[view]; `address` of element 0, `texels` in the order N, H, W, C."""

    def __init__(self, view, dtype="u8", allocate=None):
        self.shape, steps, first, self.layout, self.letters = VIEWS[view]
        self.item = ITEM[dtype]
        reach = first + sum((size - 1) * step for size, step in zip(self.shape, steps) if step > 0)
        content = random_bytes((reach + 1) * self.item)
        if dtype == "bool":
            content = bytes(byte & 1 for byte in content)
        self.keep = (allocate or ctypes.create_string_buffer)(content, len(content))
        base = getattr(self.keep, "address", None) or ctypes.addressof(self.keep)
        self.address, self.strides = base + first * self.item, tuple(step * self.item for step in steps)
        self.texels = self._texels(content, first * self.item)

    def _texels(self, content, start):
        order = sorted(range(len(self.letters)), key=lambda axis: "NHWC".index(self.letters[axis]))
        places = [start]
        for axis in order:
            places = [place + i * self.strides[axis] for place in places for i in range(self.shape[axis])]
        return b"".join(content[place : place + self.item] for place in places)


class HostArray:
    """The same through `__array_interface__`."""

    def __init__(self, source, typestr):
        self.source = source
        self.__array_interface__ = {
            "version": 3,
            "shape": source.shape,
            "typestr": typestr,
            "data": (source.address, True),
            "strides": source.strides,
        }
