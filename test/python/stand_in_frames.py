"""A program that publishes one picture out of the stand-in's GPU memory, again and again: `stand_in_frames.py LIBCUDA`."""

import ctypes
import sys
import time

from support import seamscope

WIDTH, HEIGHT = 131, 77


def picture():
    """Four channels of 16 bits."""
    return bytes((at * 37 + at // 251) % 256 for at in range(WIDTH * HEIGHT * 8))


def main():
    cuda, pointer = ctypes.CDLL(sys.argv[1]), ctypes.c_uint64()
    cuda.cuInit(0)
    data = picture()
    cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(len(data)))
    ctypes.memmove(pointer.value, data, len(data))
    array = type("Array", (), {})()
    array.__cuda_array_interface__ = {"version": 3, "shape": (HEIGHT, WIDTH, 4), "typestr": "<u2", "data": (pointer.value, False), "stream": 1}
    while True:
        seamscope.publish("color", array)
        time.sleep(0.005)


if __name__ == "__main__":
    main()
