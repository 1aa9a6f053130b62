"""The one thread of the publisher: connects, answers the hub, makes rings, and watches copies that run.

Completion of GPU copies is polled here, with cuEventQuery on the event behind each copy. A host function
(cuLaunchHostFunc) would have to enter Python, and the driver's thread would wait for the interpreter's lock while the
program, holding it, waits for the driver. Polling begins when a copy is usually done, then goes on a thousand times a
second while one runs, and costs nothing otherwise.

Waking a sleeping thread costs the program more than all of its publish, so a program that publishes regularly does not:
the thread wakes by itself when the next frame is expected, and asks to be woken only when none came.
"""

import os
import select
import threading
import time

from .cuda import NOT_READY, CudaError, Driver
from .cuda_rings import CudaRing
from .link import Link
from .messages import doorbell, hello, output_message, parse, ring_message, status_message
from .rings import SLOT_COUNT, HostRing
from .slots import Slots
from .wire import (
    ALL_OUTPUTS,
    MEMORY_CUDA,
    MEMORY_HOST,
    PATH_DEVICE,
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


class Copy:
    """A GPU copy that runs. `owner` is kept until it is done."""

    __slots__ = ("event", "context", "output", "ring", "slot", "owner", "begun")

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


class Worker:
    """`outputs`: a list that only grows. `copies`, `statuses`: deques that publish appends to. `report(error)` notes what
    went wrong. `done`: owners of finished copies, dropped by the next publish, on the thread they belong to."""

    def __init__(self, outputs, copies, statuses, done, report):
        self._outputs, self._copies, self._statuses, self._done, self._report = outputs, copies, statuses, done, report
        self.link, self.device, self._ended = None, -1, []
        self._running, self._retired, self._current = [], [], None
        self._next_try, self._hello_due, self._expected, self._is_stopping = 0, 0, _SECOND // 1000, False
        self._batch, self._interval, self._is_asleep = 0, _SECOND, True
        self._is_blocked = False
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
        rings = [ring for output in self._outputs for ring in output.rings()] + self._retired
        for ring in rings:
            if ring.memory == MEMORY_HOST and ring.fd >= 0:
                os.close(ring.fd)

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
        return 100 if self._retired or any(output.need for output in self._outputs) else 1000

    # The connection

    def _connect(self, now):
        self._next_try = now + _RETRY
        self._close_ended()
        if not self._outputs:
            return
        link = Link.open()
        if link is None:
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
            self._retired += output.detach()

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
        self._retired.append(ring)
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
        self._retired += gone

    def _tend(self, output):
        """Answers an output's need for a ring."""
        need = output.need
        if need is None or output.offered is not None or output.is_given_up:
            return
        device, context, size = need
        kind = self._kind_of_memory(output, device)
        ring = output.ring
        try:
            if ring is not None and ring.memory == kind and size <= ring.size and ring.device in (-1, device):
                self._prepare(ring, context)
                output.need = None
            elif all(busy.generation % 2 == output.generation % 2 for busy in output.busy_rings()):
                self._offer(output, self._obtain(output, kind, device, context, size))
        except (CudaError, OSError, MemoryError) as error:
            self._report("%s: %s" % (output.name, error))
            if kind == MEMORY_CUDA:
                output.refused_devices.add(device)
            else:
                output.is_given_up, output.need = True, None

    def _kind_of_memory(self, output, device):
        """One kind a connection; host memory as soon as frames come from several places."""
        ring = output.ring
        if ring is not None and (ring.memory == MEMORY_HOST or ring.device != device):
            output.is_host_only = True
        may = device >= 0 and self.link.paths & PATH_DEVICE and device not in output.refused_devices
        return MEMORY_CUDA if may and not output.is_host_only and not output.is_always_host else MEMORY_HOST

    def _obtain(self, output, kind, device, context, size):
        """The ring of the last connection when it fits, else a new one, ready for copies from `context`."""
        ring, output.spare = output.spare, None
        if ring is not None and (ring.memory != kind or size > ring.size or ring.pending or ring.device not in (-1, device)):
            self._retired.append(ring)
            ring = None
        if ring is None:
            self._use(context)
            if output.ring is not None:
                size = max(size, output.ring.size)
            ring = CudaRing(device, size) if kind == MEMORY_CUDA else HostRing(size)
            ring.home = context
        try:
            self._prepare(ring, context)
        except CudaError:
            self._retired.append(ring)
            raise
        return ring

    def _prepare(self, ring, context):
        if context is not None:
            self._use(context)
            ring.prepare(context)

    def _offer(self, output, ring):
        ring.generation = output.generation + 1
        uuid = Driver.get().uuid(ring.device) if ring.device >= 0 else b""
        try:
            fds, is_closed_after = ring.fds()
        except CudaError:
            self._retired.append(ring)
            raise
        is_sent = self.link.send(ring_message(output, ring, SLOT_COUNT, uuid), fds)
        if is_closed_after:
            for fd in fds:
                os.close(fd)
        if is_sent:
            output.generation, output.offered, output.need = ring.generation, ring, None
        else:
            output.spare = ring

    def _free_retired(self):
        kept = []
        for ring in self._retired:
            if ring.pending:
                kept.append(ring)
            else:
                self._close(ring)
        self._retired = kept

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

    def _end(self, copy, code):
        now = time.monotonic_ns()
        self._expected += (now - copy.begun - self._expected) // 8
        if code:
            copy.output.give_up(copy.ring, copy.slot)
            self._report("%s: the copy failed with CUDA error %d" % (copy.output.name, code))
        else:
            copy.ring.settle(copy.slot)
            copy.output.finish(copy.ring, copy.slot)
            if self.link is not None:
                self.link.ring(copy.ring.doorbell)
        self._done.append((now, copy.owner))
