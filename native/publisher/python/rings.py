"""Rings of slots in host memory, and what all rings have in common."""

import ctypes
import mmap
import os

from .cuda import CudaError, Driver
from .memory import Mapped, sealed_memfd
from .wire import MEMORY_HOST

SLOT_COUNT = 3


def rounded(size, step):
    return (size + step - 1) // step * step


class BaseRing:
    """Slots that frames are copied into.

    `slots`: their states on the control page, once the hub has accepted the ring. `pending`: copies that run.
    `copies`: the last one into each slot. `home`: the context it was made with, or None. `events`: CUDA context -> an event a slot, made before a copy from that context is put into the ring.
    """

    memory, device, slot_stride = MEMORY_HOST, -1, 0

    def __init__(self, size):
        self.size, self.allocation = size, size
        self.generation, self.slots, self.doorbell, self.pending, self.events = 0, None, b"", 0, {}
        self.home, self.copies = None, [None] * SLOT_COUNT

    def settle(self, slot):
        """A copy by the GPU into `gpu_address(slot)` is done: the bytes go where the hub reads them."""

    def prepare(self, context):
        """For copies from `context`, which is current."""
        if context not in self.events:
            driver = Driver.get()
            self.events[context] = [driver.new_event() for _ in range(SLOT_COUNT)]

    def forget_events(self):
        for events in self.events.values():
            for event in events:
                Driver.get().raw["cuEventDestroy_v2"](event)
        self.events = {}


class HostRing(BaseRing):
    """One sealed memfd. It stays open, so that another engine can be offered the same memory."""

    def __init__(self, size):
        super().__init__(rounded(size, mmap.PAGESIZE))
        self.slot_stride, self.allocation = self.size, self.size * SLOT_COUNT
        self.fd = sealed_memfd("seamscope-frames", self.allocation)
        self.memory_map = Mapped(self.fd, self.allocation)
        self._is_pinned, self._staging = False, 0

    def fits(self, device, context, size):
        return size <= self.size and (device < 0 or context in self.events)

    def prepare(self, context):
        # Copies to memory that is not pinned would make the caller wait.
        if not self._is_pinned and not self._staging:
            try:
                Driver.get().pin(self.memory_map.address, self.allocation)
                self._is_pinned = True
            except CudaError:  # some sandboxes cannot pin shared memory: a second copy, by the worker, from memory of the driver
                self._staging = Driver.get().pinned_memory(self.allocation)
        super().prepare(context)

    def address(self, slot):
        return self.memory_map.address + slot * self.slot_stride

    def gpu_address(self, slot):
        return (self._staging or self.memory_map.address) + slot * self.slot_stride

    def settle(self, slot):
        if self._staging:
            ctypes.memmove(self.address(slot), self.gpu_address(slot), self.size)

    def fds(self):
        """To be sent -> (descriptors, whether they are closed after that)."""
        return [self.fd], False

    def close(self):
        """Nothing may be copied into it any more."""
        if self._is_pinned:
            Driver.get().raw["cuMemHostUnregister"](self.memory_map.address)
        if self._staging:
            Driver.get().raw["cuMemFreeHost"](self._staging)
        self.forget_events()
        os.close(self.fd)
        self.fd, self.memory_map = -1, None
