"""Tensors of torch on the CPU; those on a GPU are checked by test/gpu/python_publisher.py."""

import unittest

from support import PublisherTest, seamscope

DTYPES = "bool uint8 int8 uint16 int16 uint32 int32 int64 float16 bfloat16 float32 float64".split()


def torch_or_skip():
    try:
        import torch
    except ImportError:
        raise unittest.SkipTest("torch is not installed") from None
    return torch


def texels(torch, tensor):
    """Bytes of a tensor in the order of its dimensions."""
    return bytes(tensor.detach().resolve_neg().contiguous().view(-1).view(torch.uint8).tolist())


class Torch(PublisherTest):
    def test_every_element_type(self):
        torch = torch_or_skip()
        self.start_hub()
        for name in DTYPES:
            with self.subTest(dtype=name):
                tensor = (torch.arange(5 * 7 * 3) % (2 if name == "bool" else 99)).reshape(5, 7, 3).to(getattr(torch, name))
                frame = self.show(tensor, name=name, layout="HWC")
                self.assertEqual(frame.texels, texels(torch, tensor))
                self.assertEqual(seamscope.DTYPES[frame.desc["dtype"]], seamscope.from_torch(tensor.dtype))

    def test_views_and_layouts(self):
        torch = torch_or_skip()
        self.start_hub()
        base = torch.arange(2 * 3 * 10 * 12, dtype=torch.float32).reshape(2, 3, 10, 12)
        cases = {
            "NCHW": (base, (0, 2, 3, 1)), "CHW": (base[0], (1, 2, 0)), "channels last": (base.contiguous(memory_format=torch.channels_last), (0, 2, 3, 1)),
            "crop": (base[1, :, 2:7, 3:9], (1, 2, 0)), "every second": (base[0, :, ::2, ::3], (1, 2, 0)), "HW": (base[0, 1], (0, 1)),
            "expanded": (base[0, :1].expand(3, 10, 12), (1, 2, 0)), "transposed": (base[0, 0].t(), (0, 1)), "HWC": (base[0].permute(1, 2, 0), (0, 1, 2)),
        }  # fmt: skip
        for name, (tensor, order) in cases.items():
            with self.subTest(view=name):
                self.assertEqual(self.show(tensor, name=name).texels, texels(torch, tensor.permute(order)))

    def test_gradients_and_lazy_numbers(self):
        torch = torch_or_skip()
        self.start_hub()
        weight = torch.rand(4, 6, requires_grad=True)
        self.assertEqual(self.show(weight).texels, texels(torch, weight))
        self.assertEqual(self.show(weight * 2, name="graph").texels, texels(torch, weight * 2))
        self.assertEqual(self.show(torch.nn.Parameter(torch.ones(2, 2)), name="parameter").texels, texels(torch, torch.ones(2, 2)))
        negative = torch.rand(3, 5, dtype=torch.complex64).conj().imag
        self.assertTrue(negative.is_neg())
        self.assertEqual(self.show(negative, name="negative").texels, texels(torch, negative))

    def test_what_cannot_be_shown_is_named(self):
        torch = torch_or_skip()
        cases = [
            (torch.zeros(2, 2, dtype=torch.complex64), "absolute value"), (torch.eye(3).to_sparse(), "to_dense"), (torch.zeros(0, 3), "nothing to show"),
            (torch.zeros(2, 2, device="meta"), "publish tensor.cpu"), (torch.zeros(2, 2, dtype=torch.uint64), "int64"),
        ]  # fmt: skip
        for number, (tensor, words) in enumerate(cases):
            self.assertFalse(seamscope.publish("x%d" % number, tensor))
            self.assertRegex(seamscope.last_error(), words)
