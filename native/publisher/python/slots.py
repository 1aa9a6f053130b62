"""The states of a ring's slots on the control page."""

import time

from .atomic import Atomic
from .wire import FREE, READY, SLOT_FIELDS, SLOT_FIELDS_OFFSET, SLOT_READY_OFFSET, WRITING, slot_offset


class Slots:
    """Of the ring `generation` of output `index`. A slot is a number below `count`."""

    def __init__(self, page, index, generation, count):
        self._page, self._generation = page, generation
        self._offsets = [slot_offset(index, generation, number) for number in range(count)]
        self._places = [(number, offset // 4, page.address + offset) for number, offset in enumerate(self._offsets)]

    def take(self):
        """A FREE slot, else the oldest frame that nobody has begun to read; None when all are in use."""
        words, longs = self._page.words, self._page.longs
        ready = []
        for number, word, address in self._places:
            state = words[word]
            if state == FREE and Atomic.swap(address, FREE, WRITING):
                return number
            if state == READY:
                ready.append((longs[word // 2 + 1], number, address))
        for _, number, address in sorted(ready):
            if Atomic.swap(address, READY, WRITING):
                return number
        return None

    def describe(self, number, frame, published_ns, desc):
        """`desc`: the thirteen numbers of FrameDesc."""
        SLOT_FIELDS.pack_into(
            self._page.view, self._offsets[number] + SLOT_FIELDS_OFFSET, self._generation, frame, published_ns, 0, *desc
        )

    def finish(self, number):
        """The bytes are there."""
        _, _, address = self._places[number]
        self._page.longs[(self._offsets[number] + SLOT_READY_OFFSET) // 8] = time.monotonic_ns()
        Atomic.swap(address, WRITING, READY)

    def give_up(self, number):
        """The copy failed."""
        Atomic.swap(self._places[number][2], WRITING, FREE)
