#!/usr/bin/env python3
"""A kernel of Warp writes an image; its array is published as it is. The copy goes onto Warp's current stream."""

import sys
import time

import seamscope
import warp as wp

WIDTH, HEIGHT = 1280, 720


@wp.kernel
def render(image: wp.array2d(dtype=wp.vec3), seconds: float):
    row, column = wp.tid()
    x = float(column) * 0.02
    y = float(row) * 0.02
    image[row, column] = wp.vec3(wp.sin(x + seconds) * 0.5 + 0.5, wp.cos(y - seconds) * 0.5 + 0.5, 0.3)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1e9
    begin = time.monotonic()
    image = wp.zeros((HEIGHT, WIDTH), dtype=wp.vec3)
    while time.monotonic() - begin < seconds:
        wp.launch(render, dim=(HEIGHT, WIDTH), inputs=[image, time.monotonic() - begin])
        seamscope.publish("color", image)
        time.sleep(1 / 60)


main()
