"""What the tests of seamscope.py share."""

import os
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "native", "publisher"))

import hub  # noqa: E402
import seamscope  # noqa: E402

wait_for = hub.wait_for


def numpy_or_skip():
    try:
        import numpy
    except ImportError:
        raise unittest.SkipTest("numpy is not installed (Debian: python3-numpy)") from None
    return numpy


def count_fds():
    return len(os.listdir("/proc/self/fd"))


def free(publisher):
    """What a program leaves to its end: the memory of a publisher that has stopped."""
    worker = publisher._worker
    if worker._running or worker._copies:
        time.sleep(0.3)  # longer than copies of the stand-in's GPU take
    for ring in worker.all_rings():
        worker._close(ring)
    publisher._done.clear()


class PublisherTest(unittest.TestCase):
    """Each test has a publisher and a hub of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "1.sock")
        os.environ["SEAMSCOPE_SOCKET"] = self.path
        os.environ.pop("SEAMSCOPE_STRICT", None)
        self.hubs = []
        self.renew()

    def tearDown(self):
        seamscope._Process.publisher.stop()
        faults = [fault for each in self.hubs for peer in each.peers for fault in peer.faults]
        for each in self.hubs:
            if not each.is_closing:
                each.close()
        self.hubs = []  # with their descriptors: the tests themselves are kept until all have run
        self.folder.cleanup()
        self.assertEqual(faults, [], "the publisher broke the protocol")

    def renew(self):
        """A publisher that knows nothing yet."""
        old, seamscope._Process.publisher = seamscope._Process.publisher, seamscope.Publisher()
        old.stop()
        free(old)

    def start_hub(self, **options):
        self.hubs.append(hub.Hub(self.path, **options))
        return self.hubs[-1]

    def show(self, obj, name="x", **options):
        """Publishes until the hub has a frame of that call -> the frame."""
        running = self.hubs[-1]
        before = len(running.frames)

        def is_taken():
            taken = seamscope.publish(name, obj, **options)
            time.sleep(0 if taken else 0.005)
            return taken

        try:
            wait_for(is_taken, what="a frame to be taken")
        except AssertionError:
            raise AssertionError("nothing was taken: %s" % seamscope.last_error()) from None
        wait_for(lambda: [name for name, _ in running.frames[before:]], what="the frame")
        return running.frames[-1][1]
