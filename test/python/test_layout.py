"""Dimensions, kinds and copy plans, without any memory."""

import unittest

from support import seamscope


class Layout(unittest.TestCase):
    def test_dimensions_are_told_apart_by_their_size(self):
        cases = [
            ((), False, ""), ((7,), False, "W"), ((5, 7), False, "HW"), ((5, 7, 3), False, "HWC"), ((3, 5, 7), False, "CHW"),
            ((1, 5, 7), False, "CHW"), ((5, 7, 1), True, "HWC"), ((2, 9, 4), False, "HWC"), ((2, 9, 4), True, "CHW"), ((64, 8, 8), True, "NHW"),
            ((2, 3, 8, 8), True, "NCHW"), ((2, 8, 8, 3), True, "NHWC"), ((2, 64, 8, 8), True, "NNHW"), ((2, 2, 3, 8, 8), True, "NNCHW"),
        ]  # fmt: skip
        for shape, channels_first, letters in cases:
            with self.subTest(shape=shape):
                self.assertEqual(seamscope.guess_layout(shape, channels_first), letters)

    def test_a_wrong_layout_is_named(self):
        for layout, shape, words in (("HW", (1, 2, 3), "names 2 dimensions, the array has 3"), ("HHW", (1, 2, 3), "use N, C, H and W")):
            with self.assertRaisesRegex(seamscope.Unsupported, words):
                seamscope.Axes(shape, (6, 3, 1), "u8", layout)

    def test_sizes_beyond_the_limits_are_named(self):
        with self.assertRaisesRegex(seamscope.Unsupported, "at most 65536 a side"):
            seamscope.Axes((70000,), (1,), "u8")
        with self.assertRaisesRegex(seamscope.Unsupported, "nothing to show"):
            seamscope.Axes((0, 5), (5, 1), "u8")
        with self.assertRaisesRegex(seamscope.Unsupported, "bytes: at most"):
            seamscope.packed(seamscope.Axes((65536, 65536), (65536, 1), "u8"))

    def test_dense_memory_of_any_order_is_one_copy(self):
        for shape, strides in (((5, 7, 3), (21, 3, 1)), ((3, 5, 7), (35, 7, 1)), ((5, 7, 3), (3, 15, 1)), ((5, 7), (1, 5)), ((2, 3, 5, 7), (105, 35, 7, 1))):
            with self.subTest(shape=shape, strides=strides):
                plan = seamscope.packed(seamscope.Axes(shape, strides, "u8"))
                self.assertTrue(plan.is_linear)
                self.assertIs(seamscope.for_device(seamscope.Axes(shape, strides, "u8")).is_linear, True)

    def test_the_copy_engine_gets_lines_planes_or_one_span(self):
        def plan(shape, strides, layout=None):
            return seamscope.for_device(seamscope.Axes(shape, strides, "f32", layout))

        crop = plan((100, 50), (4000, 4))
        self.assertEqual((crop.size, seamscope.row_and_planes(crop)), (20000, ([(100, 4000, 200)], [(0, 0)])))
        self.assertEqual(seamscope.line_bytes(crop), 200)
        planes = plan((3, 10, 10), (40000, 400, 4), "CHW")
        self.assertEqual(seamscope.row_and_planes(planes)[1], [(0, 0), (40000, 400), (80000, 800)])
        padded = plan((100, 50), (208, 4))
        self.assertEqual((padded.size, padded.is_linear, padded.fields[1]), (99 * 208 + 200, True, 208))
        every_second = plan((100, 50), (400, 8))
        self.assertEqual((every_second.dims, every_second.fields[1:3]), ((), (400, 8)))
        short_lines = plan((100, 4), (64, 4))
        self.assertEqual((short_lines.dims, short_lines.fields[1]), ((), 64))
        self.assertIsNone(plan((100, 50), (-200, 4)))
        self.assertIsNone(plan((100, 50), (200 * 64, 4 * 64)))

    def test_a_broadcast_dimension_is_copied_once(self):
        plan = seamscope.packed(seamscope.Axes((4, 6, 3), (6, 1, 0), "u8", "HWC"))
        self.assertEqual((plan.size, plan.fields), (24, (0, 6, 1, 0, 0)))

    def test_batches_that_cannot_be_one_stride_become_dense(self):
        plan = seamscope.packed(seamscope.Axes((2, 2, 8, 8), (1000, 100, 8, 1), "u8", "NNHW"))
        self.assertEqual((plan.batch, plan.size, plan.fields[4]), (4, 256, 64))


class Kinds(unittest.TestCase):
    def test_kind_and_colour_space_by_name_and_numbers(self):
        cases = [
            ("LdrColor", "u8", 4, "color", "srgb"), ("HdrColor", "f16", 4, "hdr", "linear"), ("color", "f32", 3, "hdr", "linear"),
            ("DepthSD", "f32", 1, "depth", "data"), ("x", "d24s8", 2, "depth", "data"), ("InstanceSegmentation", "u32", 1, "id", "data"),
            ("labels", "i64", 1, "id", "data"), ("labels", "f32", 1, "tensor", "data"), ("normals", "f32", 3, "normal", "data"),
            ("TargetMotion", "f16", 2, "motion", "data"), ("x", "u8", 3, "color", "srgb"), ("x", "f32", 3, "hdr", "linear"),
            ("x", "f32", 1, "tensor", "data"), ("x", "i32", 1, "id", "data"), ("grid", "f32", 1, "tensor", "data"),
        ]  # fmt: skip
        for name, dtype, channels, kind, space in cases:
            with self.subTest(name=name, dtype=dtype):
                numbers = (seamscope.KINDS.index(kind), seamscope.COLOR_SPACES.index(space))
                self.assertEqual(seamscope.kind_and_space(name, dtype, channels, None, None), numbers)

    def test_unknown_words_are_named(self):
        with self.assertRaisesRegex(seamscope.Unsupported, "kind='colour' is unknown; known are color"):
            seamscope.kind_and_space("x", "u8", 3, "colour", None)
