#!/usr/bin/env python3
"""CuPy on a stream of its own: the preview copies on CuPy's current stream, so nothing needs to be waited for."""

import sys
import time

import cupy as cp
import seamscope

WIDTH, HEIGHT = 1280, 720


def render(x, y, time_now):
    """HDR colour, HxWx4 f16."""
    wave = cp.sin(x * 0.02 + time_now) * cp.cos(y * 0.03 - time_now) + 1
    return cp.stack([wave * 2, wave, cp.ones_like(wave) * 0.2, cp.ones_like(wave)], axis=-1).astype(cp.float16)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1e9
    begin = time.monotonic()
    with cp.cuda.Stream(non_blocking=True):
        y, x = cp.mgrid[0:HEIGHT, 0:WIDTH].astype(cp.float32)
        while time.monotonic() - begin < seconds:
            image = render(x, y, time.monotonic() - begin)
            seamscope.publish("HdrColor", image)
            seamscope.publish("luminance", image[..., 1])
            time.sleep(1 / 60)


main()
