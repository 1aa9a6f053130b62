"""Element types as numpy, the array interfaces, the buffer protocol, DLPack and torch spell them."""

import sys

from .wire import DTYPES

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
