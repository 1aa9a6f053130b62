"""Which dimension is which, and how the bytes of a frame are laid out once copied."""

from .dtypes import ITEM_BYTES, PACKED_CHANNELS, Unsupported
from .wire import MAX_SIDE, MAX_SLOT_BYTES

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
