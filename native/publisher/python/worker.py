"""The one thread of the publisher: connects, answers the hub, makes rings of host memory, and watches copies that run.

Completion of GPU copies is polled here, with cuEventQuery on the event behind each copy. A host function
(cuLaunchHostFunc) would have to enter Python, and the driver's thread would wait for the interpreter's lock while the
program, holding it, waits for the driver. Polling begins when a copy is usually done, then goes on a thousand times a
second while one runs, and costs nothing otherwise. A program whose thread keeps this one out of the driver looks itself,
when it publishes next.

Waking a sleeping thread costs the program more than all of its publish, so a program that publishes regularly does not:
the thread wakes by itself when the next frame is expected, and asks to be woken only when none came.
"""

import os
import select
import threading
import time

from .cuda import NOT_READY, CudaError, Driver
from .link import Link, why_none
from .making import LEAVE_NS, Workshop, discard
from .messages import doorbell, hello, output_message, parse, ring_message, status_message
from .rings import SLOT_COUNT
from .slots import Slots
from .wire import (
    ALL_OUTPUTS,
    MEMORY_HOST,
    REFUSED,
    REFUSED_QUARANTINE,
    RING_ACCEPTED,
    RING_REFUSED,
    RING_RELEASED,
    WELCOME,
)

_SECOND = 10**9
_RETRY, _RETRY_REFUSED, _ANSWER = _SECOND, 10 * _SECOND, 5 * _SECOND
_AT_EXIT = _SECOND // 4
_REGULAR, _LATE = _SECOND // 4, _SECOND // 100
_OVERDUE = _SECOND // 50  # a copy that this thread should have seen end long ago
_SPARE = 10 * _SECOND  # how long memory is kept for the next connection


class Copy:
    """A GPU copy that runs. `owner` is kept until it is done."""

    __slots__ = ("event", "context", "output", "ring", "slot", "owner", "begun", "is_ended")

    def __init__(self, event, context, output, ring, slot, owner, begun):
        self.event, self.context, self.output, self.ring, self.slot, self.owner, self.begun = (
            event,
            context,
            output,
            ring,
            slot,
            owner,
            begun,
        )
        self.is_ended = False


class Worker:
    """`outputs`: a list that only grows. `copies`, `statuses`: deques that publish appends to. `report(error)` notes what
    went wrong. `done`: owners of finished copies, dropped by the next publish, on the thread they belong to."""

    def __init__(self, outputs, copies, statuses, done, report):
        self._outputs, self._copies, self._statuses, self._done, self._report = outputs, copies, statuses, done, report
        self.link, self.device, self._ended = None, -1, []
        self.workshop, self._running, self._current = Workshop(report), [], None
        self._next_try, self._hello_due, self._expected, self._is_stopping = 0, 0, _SECOND // 1000, False
        self._batch, self._interval, self._is_asleep = 0, _SECOND, True
        self._is_blocked = self._is_told = False
        self._thread, self._wake_read, self._wake_write = None, -1, -1
        self._poll = None

    def start(self):
        """Raises RuntimeError when the interpreter is ending."""
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._poll = select.poll()
        self._poll.register(self._wake_read, select.POLLIN)
        self._thread = threading.Thread(target=self._run, name="seamscope", daemon=True)
        self._thread.start()

    def expect_copy(self):
        """Something was put into `copies`."""
        if self._is_asleep:
            self.wake()

    def wake(self):
        try:
            os.write(self._wake_write, b"\0")
        except OSError:
            pass  # full: it is awake

    def stop(self):
        """Lets copies that run become frames, for a moment."""
        self._is_stopping = True
        self.wake()
        if self._thread is not None:
            self._thread.join(2 * _AT_EXIT / _SECOND)

    def forget(self):
        """In a child after fork: only descriptors are this process's own."""
        for fd in (self._wake_read, self._wake_write):
            if fd >= 0:
                os.close(fd)
        self._close_ended()
        if self.link is not None:
            self.link.close()
        for output in self._outputs:
            if output.made is not None:
                discard(output.made)
        for ring in self.all_rings():
            if ring.memory == MEMORY_HOST and ring.fd >= 0:
                os.close(ring.fd)

    def all_rings(self):
        """All that hold memory."""
        return [ring for output in self._outputs for ring in output.rings()] + [ring for _, ring in self.workshop.retired]

    def _run(self):
        while not self._is_stopping:
            try:
                self._turn()
            except Exception as error:  # the program must not hear of it
                self._report(error)
                self._drop()
        self._finish()

    def _finish(self):
        end = time.monotonic_ns() + _AT_EXIT
        try:
            self._check_copies()
            while self._running and time.monotonic_ns() < end:
                time.sleep(0.001)
                self._check_copies()
        except Exception as error:
            self._report(error)
        if self.link is not None:
            self.link.close()

    def _turn(self):
        now = time.monotonic_ns()
        if self.link is None and now >= self._next_try:
            self._connect(now)
        for fd, _ in self._poll.poll(self._patience(now)):
            if fd == self._wake_read:
                os.read(fd, 4096)
        self._check_copies()
        if self.link is not None:
            self._listen()
        if self.link is not None and self.link.paths:
            self._is_blocked = not self._speak()
        self._free_retired()

    def _patience(self, now):
        """Milliseconds until there is something to look at."""
        if self._running or self._copies:
            self._is_asleep = False
            oldest = min((copy.begun for copy in self._running), default=now)
            return max(1, min(20, (oldest + self._expected - now) // 1000000))
        until_next = self._batch + self._interval + self._expected - now
        self._is_asleep = self._interval > _REGULAR or until_next < -_LATE
        if not self._is_asleep:
            return max(2, until_next // 1000000)
        if self._copies:  # put there before it could see that it must wake this thread
            return 0
        if self.link is None:
            return max(1, (self._next_try - now) // 1000000)
        if self._is_blocked:
            return 20
        return 100 if self.workshop.retired or any(output.need or output.made for output in self._outputs) else 1000

    # The connection

    def _report_why_none(self):
        """Once: it is asked every second."""
        reason = None if self._is_told else why_none()
        if reason:
            self._is_told = True
            self._report(reason)

    def _connect(self, now):
        self._next_try = now + _RETRY
        self._close_ended()
        if not self._outputs:
            return
        link = Link.open()
        if link is None:
            self._report_why_none()
            return
        uuid = Driver.get().uuid(self.device) if self.device >= 0 else b""
        if not link.send(hello(self.device, uuid), [link.page.fd]):
            link.close()
            return
        link.page.close_fd()
        self.link, self._hello_due = link, now + _ANSWER
        self._poll.register(link.fileno(), select.POLLIN)

    def _drop(self, pause=_RETRY):
        if self.link is None:
            return
        self._poll.unregister(self.link.fileno())
        # Closed later: a publish may be about to ring, and the number of the descriptor may be another file's by then.
        self.link.end()
        self._ended.append(self.link)
        self.link = None
        self._next_try = time.monotonic_ns() + pause
        for output in self._outputs:
            self.workshop.retire(output.detach())

    def _close_ended(self):
        for link in self._ended:
            link.close()
        self._ended = []

    def _listen(self):
        while self.link is not None:
            data = self.link.receive()
            if data is None:
                break
            answer = parse(data) if data else None
            if answer is None:
                self._drop()
            else:
                self._take_answer(answer.header.type, answer)
        if self.link is not None and not self.link.paths and time.monotonic_ns() > self._hello_due:
            self._drop()

    def _take_answer(self, kind, answer):
        if kind == WELCOME:
            self.link.paths = answer.paths
        elif kind == REFUSED:
            self._report("Seamscope refused this program: %s" % answer.reason.decode("utf-8", "replace"))
            # After a lost device the hub wants to be asked again, and offers host memory alone.
            self._drop(_RETRY if answer.code == REFUSED_QUARANTINE else _RETRY_REFUSED)
        elif answer.output < len(self._outputs):
            output = self._outputs[answer.output]
            {RING_ACCEPTED: self._accepted, RING_REFUSED: self._refused, RING_RELEASED: self._released}[kind](output, answer)

    def _speak(self):
        """-> False when the socket is full: to be tried again soon."""
        for output in self._outputs:
            if output.page is None:
                if not self.link.send(output_message(output)):
                    return False
                output.attach(self.link.page)
            self._tend(output)
        while self._statuses:
            output, text = self._statuses[0]
            if not self.link.send(status_message(ALL_OUTPUTS if output is None else output.index, text)):
                return False
            self._statuses.popleft()
        return True

    # Rings

    def _accepted(self, output, answer):
        ring = output.offered
        if ring is None or ring.generation != answer.generation:
            return
        ring.slots = Slots(self.link.page, output.index, ring.generation, SLOT_COUNT)
        ring.doorbell = doorbell(output, ring.generation)
        with output.lock:
            if output.ring is not None:
                output.retiring.append(output.ring)
            output.ring, output.offered = ring, None

    def _refused(self, output, answer):
        ring = output.offered
        if ring is None or ring.generation != answer.generation:
            return
        output.offered = None
        self.workshop.retire([ring])
        self._report("%s: %s" % (output.name, answer.reason.decode("utf-8", "replace")))
        if ring.memory == MEMORY_HOST:
            output.is_given_up, output.need = True, None
        elif output.ring is None:
            output.refused_devices.add(ring.device)
        else:
            # The next generation would need the bank of the ring in use: begin anew, with host memory.
            output.is_always_host = True
            self._drop()

    def _released(self, output, answer):
        with output.lock:
            gone = [ring for ring in output.retiring if ring.generation == answer.generation]
            output.retiring = [ring for ring in output.retiring if ring.generation != answer.generation]
            if output.ring is not None and output.ring.generation == answer.generation:
                gone.append(output.ring)
                output.ring = None
        self.workshop.retire(gone)

    def _tend(self, output):
        """Answers an output's need for host memory, and offers what was made."""
        if output.need is not None:
            self.workshop.answer(output, self.link.paths, *output.need)
        made = output.made
        if made is None or not self.link.send(ring_message(output, made.ring, SLOT_COUNT, made.uuid), made.fds):
            return
        discard(made)
        with output.lock:
            output.generation, output.offered, output.made = made.ring.generation, made.ring, None

    def _free_retired(self):
        now = time.monotonic_ns()
        for output in self._outputs:
            if output.spare is not None:
                ring = output.take_spare(now - _SPARE)
                self.workshop.retire([] if ring is None else [ring])
        self.workshop.free(lambda since, ring: ring.home is None or now - since > LEAVE_NS, self._close)

    def _close(self, ring):
        try:
            self._use(ring.home)
        except CudaError:
            pass  # the context is gone, and its memory with it
        ring.close()

    # Copies

    def _use(self, context):
        if context is not None and context != self._current:
            driver = Driver.get()
            if self._current is None:
                driver.allow_during_capture()
            driver.cuCtxSetCurrent(context)
            self._current = context

    def _check_copies(self):
        if self._copies and not self._running:
            begun = self._copies[0].begun
            self._batch, self._interval = begun, begun - self._batch
        while self._copies:
            self._running.append(self._copies.popleft())
        still = []
        for copy in self._running:
            code = self._state_of(copy)
            if code == NOT_READY:
                still.append(copy)
            else:
                self._end(copy, code)
        self._running = still
        if self._done and not still and time.monotonic_ns() - self._done[-1][0] > _SECOND:
            self._done.clear()

    def _state_of(self, copy):
        """0, NOT_READY, or what went wrong: the context may have been destroyed by the program."""
        try:
            self._use(copy.context)
            return Driver.get().raw["cuEventQuery"](copy.event)
        except CudaError as error:
            return error.code

    def end_overdue(self, ring, context, now):
        """By the program's thread, with `context` current, where this one is kept out of the driver."""
        for copy in ring.copies:
            if copy is not None and not copy.is_ended and copy.context == context and now - copy.begun > _OVERDUE:
                code = Driver.get().raw["cuEventQuery"](copy.event)
                if code != NOT_READY:
                    self._end(copy, code)

    def _end(self, copy, code):
        """Once, whoever sees it first."""
        with copy.output.lock:
            is_first, copy.is_ended = not copy.is_ended, True
        if not is_first:
            return
        now = time.monotonic_ns()
        self._expected += (min(now - copy.begun, _OVERDUE) - self._expected) // 8
        if code:
            copy.output.give_up(copy.ring, copy.slot)
            self._report("%s: the copy failed with CUDA error %d" % (copy.output.name, code))
        else:
            copy.ring.settle(copy.slot)
            copy.output.finish(copy.ring, copy.slot)
            if self.link is not None:
                self.link.ring(copy.ring.doorbell)
        self._done.append((now, copy.owner))
        copy.owner = None
