"""Copies by the GPU, put on a stream and not waited for."""

from ctypes import byref

from .cuda import MEMORY_ARRAY, MEMORY_UNIFIED, Memcpy2D
from .layout import line_bytes, row_and_planes


def _lines(driver, source, target, width, height, source_pitch, target_pitch, stream):
    copy = Memcpy2D()
    copy.srcMemoryType = copy.dstMemoryType = MEMORY_UNIFIED
    copy.srcDevice, copy.srcPitch = source, source_pitch
    copy.dstDevice, copy.dstPitch = target, target_pitch
    copy.WidthInBytes, copy.Height = width, height
    driver.cuMemcpy2DAsync(byref(copy), stream)


def copy_on_stream(driver, view, plan, target):
    """Puts the copy of `view` to address `target` on the view's stream."""
    if view.array:
        copy_array(driver, view, plan, target)
    elif plan.is_linear:
        driver.cuMemcpyAsync(target, view.address, plan.size, view.stream)
    else:
        width = line_bytes(plan)
        lines, planes = row_and_planes(plan)
        count, source_pitch, target_pitch = lines[0]
        for from_offset, to_offset in planes:
            _lines(driver, view.address + from_offset, target + to_offset, width, count, source_pitch, target_pitch, view.stream)


def copy_array(driver, view, plan, target):
    """The same for a CUDA array, whose own layout only the driver knows."""
    copy = Memcpy2D()
    copy.srcMemoryType, copy.srcArray = MEMORY_ARRAY, view.array
    copy.dstMemoryType, copy.dstDevice, copy.dstPitch = MEMORY_UNIFIED, target, plan.size // plan.height
    copy.WidthInBytes, copy.Height = copy.dstPitch, plan.height
    driver.cuMemcpy2DAsync(byref(copy), view.stream)
