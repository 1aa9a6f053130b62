"""One named output of this program."""

import itertools
import threading
import time

from .making import discard
from .wire import CONTROL_BYTES, OutputPage, output_offset

# Frames that come a little early are taken: a renderer at exactly the wanted rate would lose every second one otherwise.
_EARLY = 8
_NOBODY_WATCHES = memoryview(bytes(CONTROL_BYTES)).cast("I")


class Output:
    """What publish needs to know, and what the worker does about it.

    `words[word]` is not 0 while somebody watches. `need`: (-1, None, bytes) of a frame in host memory that found no ring,
    for the worker. `making`: held by the thread that makes a ring; `made`: is to be sent to the hub; `offered` waits for
    its answer; `ring` is published into; `retiring` wait for its release.
    """

    def __init__(self, name, index, desc):
        self.name, self.index, self.desc = name, index, desc
        self.frames = itertools.count(1)
        self.words, self.word, self.page = _NOBODY_WATCHES, output_offset(index) // 4, None
        self._published = (output_offset(index) + OutputPage.published.offset) // 8
        self._skipped = (output_offset(index) + OutputPage.skipped.offset) // 8
        self.lock = threading.RLock()  # a signal's handler may publish in the middle of a publish
        self.making, self.made = threading.Lock(), None
        self.ring, self.offered, self.retiring, self.spare, self.generation = None, None, [], None, 0
        self._spare_since = 0
        self.need, self.refused_devices, self.is_host_only, self.is_given_up = None, set(), False, False
        self.is_always_host = False
        self.plan_key, self.plan, self.status, self._due = None, None, "", 0

    def attach(self, page):
        """A new connection; the worker's."""
        with self.lock:
            self.generation, self.refused_devices, self.is_host_only, self.is_given_up = 0, set(), False, False
            self.page, self.words = page, page.words

    def detach(self):
        """The connection is gone. -> rings that can be freed once their copies are done; the newest is kept for the next
        connection."""
        with self.lock:
            self.words, self.page, self.need = _NOBODY_WATCHES, None, None
            made, self.made = self.made, None
            if made is not None:
                discard(made)
                self.retiring.append(made.ring)
            for ring in self.rings():
                ring.slots = None
            gone = self.retiring + [ring for ring in (self.offered, self.spare) if ring is not None]
            self.spare, self.ring, self.offered, self.retiring = self.ring, None, None, []
            self._spare_since = time.monotonic_ns()
            return gone

    def take_spare(self, before=None):
        """The ring of the last connection or None; with `before`, only when that ended earlier."""
        with self.lock:
            if before is not None and self._spare_since > before:
                return None
            ring, self.spare = self.spare, None
            return ring

    def rings(self):
        """All that hold memory."""
        made = self.made.ring if self.made is not None else None
        return [ring for ring in (self.ring, self.offered, made, self.spare) if ring is not None] + self.retiring

    def busy_rings(self):
        """Whose bank on the control page is in use."""
        return [ring for ring in self.rings() if ring is not self.spare]

    def is_due(self, now):
        """Whether the viewer's maximum rate lets this frame pass; `now` in nanoseconds."""
        rate = self.words[self.word + 1]
        if not rate:
            return True
        period = 10**12 // rate
        if now < self._due - period // _EARLY:
            return False
        self._due = max(self._due + period, now)
        return True

    def take(self, device, context, size):
        """A ring with a slot of it that is ours now, or None: counted."""
        with self.lock:
            ring = self.ring
            if ring is None or not ring.fits(device, context, size):
                if device < 0 and not self.is_given_up and self.page is not None:
                    self.need = (device, context, size)
                ring = slot = None
            else:
                slot = ring.slots.take()
            if slot is None:
                self._count(self._skipped)
                return None
            ring.pending += 1
            return ring, slot

    def finish(self, ring, slot):
        """The frame is complete."""
        with self.lock:
            ring.pending -= 1
            if ring.slots is not None:
                ring.slots.finish(slot)
                self._count(self._published)

    def give_up(self, ring, slot):
        with self.lock:
            ring.pending -= 1
            if ring.slots is not None:
                ring.slots.give_up(slot)

    def skip(self):
        """A frame that was wanted and could not be taken."""
        with self.lock:
            self._count(self._skipped)

    def _count(self, place):
        if self.page is not None:
            self.page.longs[place] += 1
