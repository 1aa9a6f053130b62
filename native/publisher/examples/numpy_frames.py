#!/usr/bin/env python3
"""A renderer on the CPU: colour, depth and ids of a turning sphere, as arrays of numpy.

Put seamscope.py beside it (or on PYTHONPATH), run it in a terminal of the editor and choose it in the preview.
"""

import math
import sys
import time

import numpy as np
import seamscope

WIDTH, HEIGHT = 640, 360


def render(seconds):
    """-> (colour HxWx3 u8, depth HxW f32, ids HxW u32)"""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    u, v = (x - WIDTH / 2) / (HEIGHT * 0.4), (y - HEIGHT / 2) / (HEIGHT * 0.4)
    inside = u * u + v * v < 1
    z = np.sqrt(np.where(inside, 1 - u * u - v * v, 0))
    light = np.clip(u * math.cos(seconds) + z * math.sin(seconds) * 0.5 + z * 0.5, 0, 1)
    stripes = (np.floor((np.arctan2(u, z + 1e-6) + seconds) * 4) % 2).astype(np.uint32)
    color = (np.stack([light, light * 0.7, 1 - light], axis=-1) * inside[..., None] * 255).astype(np.uint8)
    return color, np.where(inside, 3 - z, np.inf).astype(np.float32), np.where(inside, stripes + 1, 0).astype(np.uint32)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else math.inf
    begin = time.monotonic()
    while time.monotonic() - begin < seconds:
        color, depth, ids = render(time.monotonic() - begin)
        seamscope.publish("color", color)
        seamscope.publish("depth", depth)
        seamscope.publish("ids", ids)
        time.sleep(1 / 60)


main()
