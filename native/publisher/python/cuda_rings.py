"""Rings of slots in GPU memory: one allocation a slot, each with a POSIX descriptor for the hub."""

import ctypes
import os

from .cuda import AccessDesc, AllocationProp, CudaError, Driver, Location
from .rings import SLOT_COUNT, BaseRing, rounded
from .wire import MEMORY_CUDA

_PINNED, _ON_DEVICE, _POSIX_FD, _READ_WRITE = 1, 1, 1, 3


class _Allocation:
    """Memory of the driver's virtual memory management, mapped at `address`."""

    def __init__(self, driver, prop, size):
        self._driver, self._size, self.handle, self.address, self._is_mapped = driver, size, 0, 0, False
        try:
            self._make(prop)
        except CudaError:
            self.close()
            raise

    def _make(self, prop):
        driver, handle, address = self._driver, ctypes.c_uint64(), ctypes.c_uint64()
        driver.cuMemCreate(ctypes.byref(handle), self._size, ctypes.byref(prop), 0)
        self.handle = handle.value
        driver.cuMemAddressReserve(ctypes.byref(address), self._size, 0, 0, 0)
        self.address = address.value
        driver.cuMemMap(self.address, self._size, 0, self.handle, 0)
        self._is_mapped = True
        access = AccessDesc(prop.location, _READ_WRITE)
        driver.cuMemSetAccess(self.address, self._size, ctypes.byref(access), 1)

    def export(self):
        fd = ctypes.c_int(-1)
        self._driver.cuMemExportToShareableHandle(ctypes.byref(fd), self.handle, _POSIX_FD, 0)
        return fd.value

    def close(self):
        raw = self._driver.raw
        if self._is_mapped:
            raw["cuMemUnmap"](self.address, self._size)
        if self.address:
            raw["cuMemAddressFree"](self.address, self._size)
        if self.handle:
            raw["cuMemRelease"](self.handle)


class CudaRing(BaseRing):
    """To be made and closed with a context of `device` current."""

    memory = MEMORY_CUDA

    def __init__(self, device, size):
        driver, step = Driver.get(), ctypes.c_size_t()
        prop = AllocationProp(_PINNED, _POSIX_FD, Location(_ON_DEVICE, device))
        driver.cuMemGetAllocationGranularity(ctypes.byref(step), ctypes.byref(prop), 0)
        super().__init__(rounded(size, step.value))
        self.device, self._allocations = device, []
        try:
            for _ in range(SLOT_COUNT):
                self._allocations.append(_Allocation(driver, prop, self.size))
        except CudaError:
            self.close()
            raise

    def fits(self, device, context, size):
        return size <= self.size and device == self.device and context in self.events

    def gpu_address(self, slot):
        return self._allocations[slot].address

    def fds(self):
        """To be sent -> (descriptors, whether they are closed after that)."""
        fds = []
        try:
            for allocation in self._allocations:
                fds.append(allocation.export())
        except CudaError:
            for fd in fds:
                os.close(fd)
            raise
        return fds, True

    def close(self):
        """Nothing may be copied into it any more."""
        self.forget_events()
        for allocation in self._allocations:
            allocation.close()
        self._allocations = []
