"""Making and freeing rings.

The worker makes those for frames in host memory. Those that CUDA writes into are made by the program's own thread, in the
one publish that finds none (some milliseconds): while a program keeps CUDA's queue of launches full, that thread waits
inside the driver and lets no other in, for seconds, but what it asks itself is answered. For the same reason it frees what
CUDA made, and the worker only does so when no publish has come for a while.
"""

import collections
import os
import threading
import time

from .cuda import CudaError, Driver
from .cuda_rings import CudaRing
from .rings import HostRing
from .wire import MEMORY_CUDA, MEMORY_HOST, PATH_DEVICE

LEAVE_NS = 3 * 10**9
# A ring that the hub is to hear of; `closes`: the descriptors are not needed after that.
Made = collections.namedtuple("Made", "ring fds closes uuid")


class Workshop:
    """`report(error)` notes what went wrong. `retired`: (since when, ring) to be freed once no copy into them runs."""

    def __init__(self, report):
        self.retired, self._report, self._lock = [], report, threading.Lock()

    def answer(self, output, paths, device, context, size):
        """Sets `output.made`, or makes the ring in use take copies from `context`, which is current (None: host memory).
        Does nothing while an earlier ring is not settled or another thread is here."""
        if not output.making.acquire(False):
            return
        try:
            self._answer(output, paths, device, context, size)
        finally:
            output.making.release()

    def _answer(self, output, paths, device, context, size):
        page, ring = output.page, output.ring
        if ring is not None and ring.fits(device, context, size):
            return
        if page is None or not paths or output.made or output.offered is not None or output.is_given_up:
            return
        kind = _kind_of_memory(output, paths, device)
        try:
            if ring is not None and ring.memory == kind and size <= ring.size and ring.device in (-1, device):
                _prepare(ring, context)
            elif all(busy.generation % 2 == output.generation % 2 for busy in output.busy_rings()):
                self._hand_over(output, page, self._make(output, kind, device, context, size))
            else:
                return
            output.need = None
        except (CudaError, OSError, MemoryError) as error:
            self._report("%s: %s" % (output.name, error))
            if kind == MEMORY_CUDA:
                output.refused_devices.add(device)
            else:
                output.is_given_up, output.need = True, None

    def _make(self, output, kind, device, context, size):
        """The ring of the last connection when it fits, else a new one, ready for copies from `context`."""
        ring = output.take_spare()
        if ring is not None and (ring.memory != kind or size > ring.size or ring.pending or ring.device not in (-1, device)):
            self.retire([ring])
            ring = None
        if ring is None:
            current = output.ring
            size = max(size, current.size) if current is not None else size
            ring = CudaRing(device, size) if kind == MEMORY_CUDA else HostRing(size)
            ring.home = context
        ring.generation = output.generation + 1
        try:
            _prepare(ring, context)
            uuid = Driver.get().uuid(ring.device) if ring.device >= 0 else b""
            return Made(ring, *ring.fds(), uuid)
        except CudaError:
            self.retire([ring])
            raise

    def _hand_over(self, output, page, made):
        """Unless the connection has gone meanwhile."""
        with output.lock:
            if output.page is page:
                output.made = made
                return
        discard(made)
        self.retire([made.ring])

    def retire(self, rings):
        now = time.monotonic_ns()
        with self._lock:
            self.retired += [(now, ring) for ring in rings]

    def free(self, may_free, close):
        """Frees what `may_free(since, ring)` allows and no copy goes into, by `close(ring)`."""
        if not self.retired or not self._lock.acquire(False):
            return
        try:
            free = [(since, ring) for since, ring in self.retired if not ring.pending and may_free(since, ring)]
            self.retired = [each for each in self.retired if each not in free]
        finally:
            self._lock.release()
        for _, ring in free:
            close(ring)

    def free_of(self, context):
        """By the program's thread, with `context` current."""
        self.free(lambda _, ring: ring.home == context, lambda ring: ring.close())


def discard(made):
    """A ring that the hub will not hear of keeps its memory and loses its descriptors."""
    if made.closes:
        for fd in made.fds:
            os.close(fd)


def _prepare(ring, context):
    if context is not None:
        ring.prepare(context)


def _kind_of_memory(output, paths, device):
    """One kind a connection; host memory as soon as frames come from several places."""
    ring = output.ring
    if ring is not None and (ring.memory == MEMORY_HOST or ring.device != device):
        output.is_host_only = True
    may = device >= 0 and paths & PATH_DEVICE and device not in output.refused_devices
    return MEMORY_CUDA if may and not output.is_host_only and not output.is_always_host else MEMORY_HOST
