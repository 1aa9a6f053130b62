"""Frames out of host memory: every element type, layout and stride, bit by bit."""

import array
import ctypes
import sys
import unittest
import unittest.mock

import sources
from support import PublisherTest, numpy_or_skip, seamscope, wait_for

without_numpy = unittest.mock.patch.dict(sys.modules, {"numpy": None})


class HostMemory(PublisherTest):
    def check(self, source, obj, **options):
        frame = self.show(obj, layout=source.layout, **options)
        self.assertEqual(frame.texels, source.texels)
        return frame

    def check_views(self):
        self.start_hub()
        for view in sources.VIEWS:
            with self.subTest(view=view):
                source = sources.Source(view, "u16")
                self.check(source, sources.HostArray(source, "<u2"), name=view)

    def test_every_stride_with_numpy(self):
        numpy_or_skip()
        self.check_views()

    def test_every_stride_without_numpy(self):
        with without_numpy:
            self.check_views()

    def test_every_element_type(self):
        self.start_hub()
        for dtype, typestr in sources.TYPESTR.items():
            for view in ("HWC", "rows padded", "CHW", "channels reversed"):
                with self.subTest(dtype=dtype, view=view):
                    source = sources.Source(view, dtype)
                    frame = self.check(source, sources.HostArray(source, typestr), name=dtype)
                    self.assertEqual(seamscope.DTYPES[frame.desc["dtype"]], dtype)

    def test_every_kind_and_flag(self):
        self.start_hub()
        source = sources.Source("HWC")
        for number, kind in enumerate(seamscope.KINDS):
            for flip, bgr, color_space in ((None, False, "srgb"), (True, True, "data"), (False, True, "linear")):
                with self.subTest(kind=kind, flip=flip):
                    frame = self.check(source, sources.HostArray(source, "|u1"), kind=kind, flip=flip, bgr=bgr, color_space=color_space)
                    flags = (1 if flip else 0) | (2 if bgr else 0)
                    space = seamscope.COLOR_SPACES.index(color_space)
                    self.assertEqual([frame.desc[key] for key in ("kind", "flags", "color_space")], [number, flags, space])

    def test_packed_texels_come_as_integers(self):
        self.start_hub()
        for dtype, channels in (("r11g11b10f", 3), ("rgb10a2", 4), ("d24s8", 2)):
            source = sources.Source("HW", "u32")
            frame = self.check(source, sources.HostArray(source, "<u4"), name=dtype, dtype=dtype)
            self.assertEqual((frame.desc["channels"], seamscope.DTYPES[frame.desc["dtype"]]), (channels, dtype))

    def test_anything_with_a_buffer(self):
        self.start_hub()
        data = bytes(range(60))
        structure = (ctypes.c_float * 4 * 3)(*((1.5, 2, 3, 4),) * 3)
        cases = [
            (memoryview(data).cast("B", (4, 5, 3)), "u8", data), (bytearray(data), "u8", data), (array.array("d", [1.5, -2]), "f64", None),
            (array.array("h", [1, -2]), "i16", None), (array.array("q", [1, -2]), "i64", None), (array.array("l", [1, -2]), "i64", None),
            (array.array("I", [1, 2]), "u32", None), (memoryview(data).cast("?", (5, 12)), "bool", data), (structure, "f32", bytes(structure)),
            (memoryview(data)[::-2], "u8", data[::-2]),
        ]  # fmt: skip
        for number, (obj, dtype, texels) in enumerate(cases):
            with self.subTest(number=number):
                frame = self.show(obj, name="x%d" % number)
                self.assertEqual(frame.texels, obj.tobytes() if texels is None else texels)
                self.assertEqual(seamscope.DTYPES[frame.desc["dtype"]], dtype)

    def test_a_frame_is_taken_as_it_was(self):
        hub = self.start_hub(reads=False)
        data = bytearray(b"\1" * 64)
        wait_for(lambda: seamscope.publish("x", data))
        data[:] = b"\2" * 64
        hub.reads = True
        self.assertEqual(self.show(data).texels, b"\2" * 64)

    def test_sizes_that_change_every_frame(self):
        hub = self.start_hub()
        for width, height in ((3, 5), (64, 64), (1, 1), (700, 300), (13, 7), (1920, 108), (7, 13)):
            data = sources.random_bytes(width * height * 3)
            frame = self.show(memoryview(data).cast("B", (height, width, 3)), layout="HWC")
            self.assertEqual((frame.desc["width"], frame.desc["height"], frame.texels == data), (width, height, True))
        sizes = [ring.slot_size for ring in hub.rings]
        self.assertEqual(sizes, sorted(sizes), "capacity only grows")

    def test_what_cannot_be_shown_is_named_and_the_program_goes_on(self):
        hub = self.start_hub()
        source = sources.Source("HW", "f64")
        cases = [
            (object(), "object is no array"), (sources.HostArray(source, "<c8"), "complex64|c8.*absolute value"), (b"", "nothing to show"),
            (sources.HostArray(source, "<u8"), "int64"), (sources.HostArray(source, ">f8"), "byte order"), (None, "NoneType is no array"),
        ]  # fmt: skip
        for number, (obj, words) in enumerate(cases):
            self.assertFalse(seamscope.publish("x%d" % number, obj))
            self.assertRegex(seamscope.last_error(), words)
        self.show(b"fine", name="fine")
        self.assertTrue(any("no array" in text for _, text in hub.peer.statuses), hub.peer.statuses)


class Numpy(PublisherTest):
    def test_arrays_and_views_of_every_type(self):
        numpy = numpy_or_skip()
        self.start_hub()
        base = numpy.arange(13 * 11 * 4).reshape(13, 11, 4)
        for dtype in ("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "int64", "float16", "float32", "float64"):
            whole = base.astype(dtype)
            for number, image in enumerate((whole, whole[::-1], whole[:, ::-1, :3], whole[..., ::-1], whole[2:9, 3:8], whole[::2, 1::3], whole[..., 0])):
                with self.subTest(dtype=dtype, number=number):
                    frame = self.show(image, name=dtype)
                    self.assertEqual(frame.texels, numpy.ascontiguousarray(image).tobytes())

    def test_other_memory_orders_and_owners(self):
        numpy = numpy_or_skip()
        self.start_hub()
        image = numpy.arange(5 * 7 * 3, dtype="<f4").reshape(5, 7, 3)
        read_only = image.copy()
        read_only.flags.writeable = False
        for obj in (numpy.asfortranarray(image), image.astype(">f4"), read_only, image.view(type("Sub", (numpy.ndarray,), {})), image.transpose(2, 0, 1).copy().transpose(1, 2, 0)):
            self.assertEqual(self.show(obj).texels, image.tobytes())
        self.assertFalse(seamscope.publish("masked", numpy.ma.masked_array(image, image > 3)))
        self.assertIn("masked arrays", seamscope.last_error())

    def test_a_number_of_no_dimensions(self):
        numpy = numpy_or_skip()
        self.start_hub()
        self.assertEqual(self.show(numpy.float32(1.5)).texels, numpy.float32(1.5).tobytes())
