#!/usr/bin/env python3
"""Outputs of ovrtx, published while they are mapped: `python3 ovrtx_outputs.py SCENE.usd /Render/Camera`.

The publisher puts ovrtx's wait event before its copy, and keeps the mapped tensor until the copy is done, so ovrtx reuses
the memory only then. The device is the tensor's.
"""

import sys

import ovrtx
import seamscope

SECONDS_A_STEP = 1 / 60


def show(frame):
    for name, output in frame.render_vars.items():
        # CUDA arrays are what ovrtx renders into: mapping them costs no copy.
        with output.map(device=ovrtx.Device.CUDA_ARRAY) as mapping:
            if len(mapping) == 1:
                seamscope.publish(name, mapping)


def main():
    scene, product = sys.argv[1:3]
    renderer = ovrtx.Renderer()
    renderer.open_usd(scene)
    while True:
        products = renderer.step(render_products={product}, delta_time=SECONDS_A_STEP)
        for frame in products[product].frames:
            show(frame)


main()
