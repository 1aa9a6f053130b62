#!/usr/bin/env python3
"""A CUDA array made through ctypes, as renderers in C++ hand them to Python: a handle and a device, nothing else."""

import ctypes
import sys
import time

import seamscope

WIDTH, HEIGHT, CHANNELS = 1280, 720, 4
UNSIGNED_8, HOST, ARRAY = 0x01, 1, 3


class Descriptor(ctypes.Structure):
    _fields_ = [("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("format", ctypes.c_int), ("channels", ctypes.c_uint)]


class Side(ctypes.Structure):
    _fields_ = [
        ("x", ctypes.c_size_t),
        ("y", ctypes.c_size_t),
        ("type", ctypes.c_int),
        ("host", ctypes.c_void_p),
        ("device", ctypes.c_uint64),
        ("array", ctypes.c_void_p),
        ("pitch", ctypes.c_size_t),
    ]


class Copy(ctypes.Structure):
    _fields_ = [("source", Side), ("target", Side), ("bytes", ctypes.c_size_t), ("height", ctypes.c_size_t)]


def call(function, *arguments):
    code = function(*arguments)
    if code:
        raise RuntimeError("%s failed with CUDA error %d" % (function.__name__, code))


def make_array(cuda):
    """In the primary context of device 0, which becomes current."""
    device, context, array = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    call(cuda.cuInit, 0)
    call(cuda.cuDeviceGet, ctypes.byref(device), 0)
    call(cuda.cuDevicePrimaryCtxRetain, ctypes.byref(context), device)
    call(cuda.cuCtxSetCurrent, context)
    call(cuda.cuArrayCreate_v2, ctypes.byref(array), ctypes.byref(Descriptor(WIDTH, HEIGHT, UNSIGNED_8, CHANNELS)))
    return array


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1e9
    cuda = ctypes.CDLL("libcuda.so.1")
    array = make_array(cuda)
    image = (ctypes.c_uint8 * (WIDTH * HEIGHT * CHANNELS))()
    row = WIDTH * CHANNELS
    copy = Copy(Side(type=HOST, host=ctypes.addressof(image), pitch=row), Side(type=ARRAY, array=array), row, HEIGHT)
    begin, count = time.monotonic(), 0
    while time.monotonic() - begin < seconds:
        ctypes.memset(image, count % 256, len(image))
        call(cuda.cuMemcpy2D_v2, ctypes.byref(copy))
        seamscope.publish("color", seamscope.CudaArray(array.value, device=0))
        time.sleep(1 / 60)
        count += 1


main()
