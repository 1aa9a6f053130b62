"""Publishing: from an object to bytes in a slot."""

import collections
import os
import sys
import threading
import time

from .cuda import Current, Driver, Relaxed
from .cuda_copy import copy_on_stream
from .cuda_views import view_of
from .dtypes import Unsupported, reinterpreted
from .host_copy import copy_in_host_memory
from .kinds import kind_and_space
from .layout import Axes, for_device, packed
from .link import is_off
from .output import Output
from .wire import DTYPES, FLAG_BGR, FLAG_BOTTOM_UP, MAX_OUTPUTS, NAME_BYTES
from .worker import Copy, Worker


class Options:
    """What the program says about a frame beside the frame."""

    __slots__ = ("kind", "color_space", "flip", "layout", "dtype", "bgr")

    def __init__(self, kind, color_space, flip, layout, dtype, bgr):
        self.kind, self.color_space, self.flip, self.layout, self.dtype, self.bgr = kind, color_space, flip, layout, dtype, bgr

    def key(self):
        return (self.kind, self.color_space, self.flip, self.layout, self.dtype, self.bgr)


def _plan_and_desc(name, view, options):
    """-> (Plan, the numbers of FrameDesc), or None when the view must be made dense first."""
    dtype = reinterpreted(view.dtype, options.dtype) if options.dtype else view.dtype
    axes = Axes(view.shape, view.strides, dtype, options.layout, view.channels_first)
    plan = packed(axes) if view.device < 0 or view.array else for_device(axes)
    if plan is None:
        return None
    kind, space = kind_and_space(name, dtype, plan.channels, options.kind, options.color_space)
    flags = (FLAG_BOTTOM_UP if options.flip else 0) | (FLAG_BGR if options.bgr else 0)
    return plan, (plan.width, plan.height, plan.channels, plan.batch, DTYPES.index(dtype), kind, space, flags) + plan.fields


class Publisher:
    """All state of a process. `outputs`: name -> Output, read by publish without a lock."""

    def __init__(self):
        self.outputs, self.last_error, self._told = {}, None, set()
        self._list, self._lock, self._is_started = [], threading.Lock(), False
        self._copies, self._statuses, self._done = collections.deque(), collections.deque(), collections.deque()
        self._worker = Worker(self._list, self._copies, self._statuses, self._done, self.report)
        self._is_off, self._is_strict = is_off(), os.environ.get("SEAMSCOPE_STRICT") == "1"
        self._is_verbose = os.environ.get("SEAMSCOPE_VERBOSE") == "1"

    def stop(self):
        self._worker.stop()

    def forget(self):
        self._worker.forget()

    def report(self, error, output=None):
        """Keeps the error for last_error() and tells it in the panel, each text once."""
        text = str(error) or type(error).__name__
        if self._is_verbose and text not in self._told and len(self._told) < MAX_OUTPUTS:
            self._told.add(text)
            sys.stderr.write("seamscope: %s\n" % text)
        self.last_error = text
        if self._statuses and self._statuses[-1][1] == text or output is not None and output.status == text:
            return
        if output is not None:
            output.status = text
        if len(self._statuses) < MAX_OUTPUTS:
            self._statuses.append((output, text))
        self._worker.wake()

    def publish(self, name, obj, stream, options):
        """-> whether the frame is on its way to the hub. Raises only when SEAMSCOPE_STRICT is 1."""
        if self._is_off:
            return False
        output = self.outputs.get(name)
        try:
            if output is None:
                output = self._add(name, view_of(obj, stream), options)
            frame = next(output.frames)
            is_taken = bool(output.words[output.word]) and self._publish_watched(output, obj, stream, options, frame)
        except Exception as error:  # a preview must never end the program
            self.report("%s: %s" % (name, error), output)
            if self._is_strict:
                raise
            return False
        if is_taken and output.status:
            output.status = ""
            self._statuses.append((output, ""))
        return is_taken

    def _add(self, name, view, options):
        text = str(name)
        if not text or len(text.encode("utf-8", "replace")) >= NAME_BYTES:
            raise Unsupported("an output's name has 1 to %d bytes" % (NAME_BYTES - 1))
        _, desc = self._planned(None, text, view, options)[1:]
        with self._lock:
            if name in self.outputs:
                return self.outputs[name]
            if len(self._list) == MAX_OUTPUTS:
                raise Unsupported("a program has at most %d outputs" % MAX_OUTPUTS)
            if view.device >= 0 and self._worker.device < 0:
                Driver.get().uuid(view.device)  # the worker then finds it known
                self._worker.device = view.device
            self.outputs[name] = output = Output(text, len(self._list), desc)
            self._list.append(output)
            if not self._is_started:
                self._worker.start()
                self._is_started = True
        self._worker.wake()
        return output

    def _planned(self, output, name, view, options):
        """-> (view, Plan, description); the last ones of an output are kept."""
        key = (view.shape, view.strides, view.dtype, view.device < 0, view.array != 0, view.channels_first) + options.key()
        if output is not None and output.plan_key == key:
            return (view,) + output.plan
        planned = _plan_and_desc(name, view, options)
        if planned is None:
            if view.dense is None:
                raise Unsupported("a view with strides %s cannot be copied on the GPU: publish a contiguous copy" % (view.strides,))
            return self._planned(None, name, view.dense(), options)
        if output is not None:
            output.plan_key, output.plan = key, planned
        return (view,) + planned

    def _publish_watched(self, output, obj, stream, options, frame):
        now = time.monotonic_ns()
        self._done.clear()
        if not output.is_due(now):
            return False
        view = view_of(obj, stream)
        if view.device < 0:
            return self._publish_host(output, view, options, frame, now)
        driver = Driver.get()
        context = view.context or driver.primary_context(view.device)
        with Current(driver, context):
            if driver.is_capturing(view.stream):
                output.skip()
                return False
            return self._publish_cuda(driver, context, output, view, options, frame, now)

    def _publish_host(self, output, view, options, frame, now):
        view, plan, desc = self._planned(output, output.name, view, options)
        taken = output.take(-1, None, plan.size)
        if taken is None:
            self._worker.wake()
            return False
        ring, slot = taken
        try:
            copy_in_host_memory(view.address, plan, ring.address(slot))
            ring.slots.describe(slot, frame, now, desc)
        except BaseException:
            output.give_up(ring, slot)
            raise
        output.finish(ring, slot)
        link = self._worker.link
        if link is not None:
            link.ring(ring.doorbell)
        return True

    def _publish_cuda(self, driver, context, output, view, options, frame, now):
        view, plan, desc = self._planned(output, output.name, view, options)
        if output.ring is not None:
            self._worker.end_overdue(output.ring, context, now)
        taken = output.take(view.device, context, plan.size)
        if taken is None:
            self._make_room(driver, context, output, view.device, plan.size)
            return False
        ring, slot = taken
        try:
            event = ring.events[context][slot]
            self._wait_before(driver, view, event)
            copy_on_stream(driver, view, plan, ring.gpu_address(slot))
            driver.cuEventRecord(event, view.stream)
            ring.slots.describe(slot, frame, now, desc)
        except BaseException:
            output.give_up(ring, slot)
            raise
        copy = ring.copies[slot] = Copy(event, context, output, ring, slot, view.owner, now)
        self._copies.append(copy)
        self._worker.expect_copy()
        return True

    def _make_room(self, driver, context, output, device, size):
        """No slot could be taken: when there is no ring for such a frame, it is made here."""
        link = self._worker.link
        if link is not None and link.paths:
            with Relaxed(driver):
                self._worker.workshop.free_of(context)
                self._worker.workshop.answer(output, link.paths, device, context, size)
        self._worker.wake()

    @staticmethod
    def _wait_before(driver, view, event):
        """The stream of the copy waits for whoever writes the memory; `event` is free until the copy is put behind it."""
        for kind, handle in view.events:
            if kind == "stream":
                driver.cuEventRecord(event, handle)
                handle = event
            driver.cuStreamWaitEvent(view.stream, handle, 0)
