"""What a frame shows when the program does not say: guessed from the output's name, then from its numbers."""

import re

from .dtypes import PACKED_CHANNELS, Unsupported
from .wire import COLOR_SPACES, KINDS

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
