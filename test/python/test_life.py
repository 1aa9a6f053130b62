"""How a publisher lives: hubs that go, forks, threads, exits, limits."""

import gc
import os
import subprocess
import sys
import threading
import time
import unittest

import hub as hubs
from support import ROOT, PublisherTest, count_fds, numpy_or_skip, seamscope, wait_for

PICTURE = memoryview(bytes(range(60))).cast("B", (4, 5, 3))


class Life(PublisherTest):
    def test_nobody_listens(self):
        for _ in range(1000):
            self.assertFalse(seamscope.publish("x", PICTURE))
        self.assertIsNone(seamscope.last_error())

    def test_nobody_watches(self):
        hub = self.start_hub(watch=False)
        seamscope.publish("x", PICTURE, kind="depth")
        wait_for(lambda: hub.announced)
        for _ in range(1000):
            self.assertFalse(seamscope.publish("x", PICTURE))
        self.assertFalse(seamscope.is_watched("x"))
        self.assertEqual((hub.frames, hub.rings, hub.peer.doorbells), ([], [], 0))
        name, desc = hub.announced[0]
        self.assertEqual((name, desc["width"], desc["height"], desc["channels"], desc["kind"]), ("x", 5, 4, 3, 2))
        hub.want("x", True)
        self.assertGreater(self.show(PICTURE).number, 1001, "frames that nobody wanted count too")
        self.assertTrue(seamscope.is_watched("x"))

    def test_off_means_off(self):
        os.environ["SEAMSCOPE_SOCKET"] = "off"
        self.renew()
        before = threading.active_count()
        self.assertFalse(seamscope.publish("x", object()))
        self.assertEqual((threading.active_count(), seamscope.last_error()), (before, None))

    def test_the_hub_comes_back(self):
        self.start_hub()
        for _ in range(3):
            self.assertEqual(self.show(PICTURE).texels, bytes(PICTURE))
            self.hubs[-1].close()
            seamscope.publish("x", PICTURE)
            time.sleep(0.05)
            self.start_hub()
        self.show(PICTURE)
        self.assertEqual(self.hubs[-1].rings[0].generation, 1, "a new connection begins with generation 1")

    def test_another_socket_in_the_folder(self):
        os.environ["SEAMSCOPE_SOCKET"] = os.path.join(self.folder.name, "gone.sock")
        self.start_hub()
        self.show(PICTURE)

    def test_discovery_needs_a_folder_that_is_ours_alone(self):
        del os.environ["SEAMSCOPE_SOCKET"]
        os.environ["XDG_RUNTIME_DIR"] = self.folder.name
        self.addCleanup(os.environ.pop, "XDG_RUNTIME_DIR")
        place = os.path.join(self.folder.name, "seamscope")
        os.mkdir(place, 0o700)
        self.path = os.path.join(place, "7.sock")
        os.chmod(place, 0o755)
        self.assertEqual(seamscope.socket_paths(), [])
        os.chmod(place, 0o700)
        self.start_hub()
        self.assertEqual(seamscope.socket_paths(), [self.path])
        self.show(PICTURE)

    def test_a_refusal_is_told(self):
        self.start_hub(refuse="It speaks version 9.")
        seamscope.publish("x", PICTURE)
        wait_for(seamscope.last_error)
        self.assertIn("It speaks version 9.", seamscope.last_error())

    def test_a_hub_that_talks_nonsense_is_left(self):
        hub = self.start_hub()
        self.show(PICTURE)
        for nonsense in (b"x", b"\0" * 1024, b"\x53\x45\x41\x4d\1\0\2\0\xff\0\0\0" + b"\0" * 9):
            peers = len(hub.peers)
            hub.peer.socket.send(nonsense)
            wait_for(lambda count=peers: len(hub.peers) > count, what="a new connection")
            self.show(PICTURE)

    def test_a_refused_ring_is_given_up(self):
        hub = self.start_hub(refused_memory={0})
        wait_for(lambda: seamscope.publish("x", PICTURE) or seamscope.last_error())
        self.assertIn("the driver said no", seamscope.last_error())
        for _ in range(50):
            self.assertFalse(seamscope.publish("x", PICTURE))
        self.assertEqual(hub.rings, [])

    def test_the_rate_of_the_viewer_is_kept(self):
        hub = self.start_hub(rate=20_000)
        self.show(PICTURE)
        begin, taken = time.monotonic(), 0
        while time.monotonic() - begin < 1:
            taken += seamscope.publish("x", PICTURE)
            time.sleep(0.001)
        self.assertLessEqual(taken, 22)
        self.assertGreaterEqual(taken, 5)
        self.assertEqual(hub.peer.counters("x")[0], taken + 1)

    def test_the_newest_frame_wins_when_the_hub_is_slow(self):
        hub = self.start_hub()
        self.show(PICTURE)
        hub.reads = False
        for value in range(100):
            self.assertTrue(seamscope.publish("x", bytes([value]) * 60))
        hub.reads = True
        self.assertTrue(seamscope.publish("x", b"\xff" * 60))
        wait_for(lambda: hub.frames[-1][1].texels == b"\xff" * 60)
        self.assertEqual(len(hub.frames), 2)

    def test_no_free_slot_is_a_counted_skip(self):
        hub = self.start_hub()
        self.show(PICTURE)
        page = seamscope._Process.publisher.outputs["x"].page
        hub.reads = False
        for slot in range(3):
            page.words[seamscope.slot_offset(0, 1, slot) // 4] = seamscope.READING
        skipped = hub.peer.counters("x")[1]
        self.assertFalse(seamscope.publish("x", PICTURE))
        self.assertEqual(hub.peer.counters("x")[1], skipped + 1)

    def test_ten_thousand_frames_cost_no_descriptor_and_no_memory(self):
        hub = self.start_hub()
        data = bytes(64 * 64)
        self.show(data)
        before, memory = count_fds(), resident()
        shown = len(hub.frames)
        for number in range(10_000):
            seamscope.publish("x", data)
            del hub.frames[: -1 if number % 100 == 0 else 0]
        self.assertLessEqual(count_fds(), before)
        self.assertLess(resident() - memory, 20 << 20)
        self.assertGreaterEqual(hub.peer.counters("x")[0], 10_000 - hub.peer.counters("x")[1])
        self.assertGreater(hub.peer.counters("x")[0], shown)

    def test_reconnecting_costs_no_descriptor(self):
        self.start_hub()
        self.show(PICTURE)
        counts = []
        for _ in range(4):
            self.hubs[-1].close()
            self.hubs.pop()
            hub = self.start_hub()
            # What is taken before the publisher has noticed goes to the hub that is gone.
            wait_for(lambda: seamscope.publish("x", PICTURE) is not None and hub.peers)
            self.show(PICTURE)
            gc.collect()  # the hub's own
            counts.append(count_fds())
        self.assertEqual(counts[-1], counts[0])

    def test_threads_publish_side_by_side(self):
        hub = self.start_hub()
        self.show(b"\0" * 4096)
        stop, failures = time.monotonic() + 1, []

        def work(value):
            while time.monotonic() < stop:
                seamscope.publish("x", bytes([value]) * 4096)
                seamscope.publish("own %d" % value, bytes([value]) * 100)

        threads = [threading.Thread(target=work, args=(value,)) for value in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        mixed = [frame.number for _, frame in hub.frames if len(set(frame.texels)) != 1]
        self.assertEqual((mixed, failures), ([], []))
        wait_for(lambda: len(hub.peer.outputs) == 5)
        numbers = [frame.number for name, frame in hub.frames if name == "x"]
        self.assertEqual(len(numbers), len(set(numbers)))

    def test_more_outputs_than_fit(self):
        hub = self.start_hub(watch=False)
        for number in range(130):
            seamscope.publish("output %d" % number, b"1")
        self.assertIn("at most 128 outputs", seamscope.last_error())
        wait_for(lambda: len(hub.announced) == 128)

    def test_names_that_do_not_fit(self):
        for name in ("", "x" * 64, "\u00e9" * 32):
            self.assertFalse(seamscope.publish(name, PICTURE))
            self.assertIn("1 to 63 bytes", seamscope.last_error())

    def test_strict_raises(self):
        os.environ["SEAMSCOPE_STRICT"] = "1"
        self.renew()
        with self.assertRaises(seamscope.Unsupported):
            seamscope.publish("x", object())

    def test_an_error_is_told_once_and_taken_back(self):
        hub = self.start_hub()
        self.show(PICTURE)
        for _ in range(5):
            seamscope.publish("x", object())
        self.show(PICTURE)
        seamscope.publish("y", PICTURE)
        wait_for(lambda: len(hub.peer.statuses) >= 2)
        self.assertEqual([text for _, text in hub.peer.statuses], ["x: object is no array: publish a numpy, torch, CuPy or Warp array, or anything with __dlpack__", ""])

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_a_forked_child_has_a_publisher_of_its_own(self):
        hub = self.start_hub()
        self.show(PICTURE)
        child = os.fork()
        if child == 0:
            try:
                for _ in range(1000):
                    if seamscope.publish("from the child", b"\7" * 9):
                        break
                    time.sleep(0.01)
                time.sleep(0.3)
            finally:
                os._exit(0)
        wait_for(lambda: any(name == "from the child" for name, _ in hub.frames))
        self.assertEqual([peer.hello["pid"] for peer in hub.peers], [os.getpid(), child])
        os.waitpid(child, 0)
        self.assertEqual(self.show(PICTURE).texels, bytes(PICTURE), "the parent goes on")


class Programs(PublisherTest):
    """Whole programs: what they print and how they end."""

    def run_program(self, text, **environment):
        head = "import sys, os, time; sys.path.insert(0, %r); import seamscope\n" % os.path.join(ROOT, "native/publisher")
        env = dict(os.environ, SEAMSCOPE_SOCKET=self.path, **environment)
        return subprocess.run([sys.executable, "-W", "error", "-c", head + text], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)

    def check_silent(self, text, **environment):
        done = self.run_program(text, **environment)
        self.assertEqual((done.returncode, done.stdout), (0, b""))

    def test_a_program_ends_at_once_and_says_nothing(self):
        for text in ("", "seamscope.publish('x', b'123')", "seamscope.publish('x', object())", "import atexit; atexit.register(seamscope.publish, 'x', b'1')"):
            self.check_silent(text)
        self.start_hub()
        self.check_silent("for _ in range(200): seamscope.publish('x', b'123'); time.sleep(.001)")
        self.assertTrue(self.hubs[-1].frames)

    def test_the_last_frame_arrives_before_the_end(self):
        self.start_hub()
        self.check_silent("while not seamscope.publish('x', b'123'): time.sleep(.001)")
        wait_for(lambda: self.hubs[-1].frames)

    def test_verbose_says_what_is_wrong_once(self):
        done = self.run_program("for _ in range(3): seamscope.publish('x', object()), seamscope.publish('y', object())", SEAMSCOPE_VERBOSE="1")
        self.assertRegex(done.stdout, b"^seamscope: x: object is no array: [^\n]*\nseamscope: y: object is no array: [^\n]*\n$")

    def test_verbose_says_why_no_socket_can_answer(self):
        place = os.path.dirname(self.path)
        wide = os.path.join(place, "wide")
        os.mkdir(wide)
        os.chmod(wide, 0o755)
        cases = ((os.path.join(place, "x" * 120), b"has more than 107 bytes"), (os.path.join(wide, "a.sock"), b"is not a folder of this user alone"))
        for path, words in cases:
            done = self.run_program(
                "import os; os.environ['SEAMSCOPE_SOCKET'] = %r\nseamscope.publish('x', b'123')\n"
                "end = time.monotonic() + 20\nwhile not seamscope.last_error() and time.monotonic() < end: time.sleep(.01)" % path,
                SEAMSCOPE_VERBOSE="1",
            )
            self.assertIn(words, done.stdout)
            self.assertEqual(done.stdout.count(b"\n"), 1, done.stdout)

    def test_the_example_with_numpy(self):
        numpy_or_skip()
        hub = self.start_hub()
        program = os.path.join(ROOT, "native/publisher/examples/numpy_frames.py")
        env = dict(os.environ, SEAMSCOPE_SOCKET=self.path, PYTHONPATH=os.path.join(ROOT, "native/publisher"), SEAMSCOPE_STRICT="1")
        done = subprocess.run([sys.executable, program, "1.5"], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        kinds = {name: (desc["width"], desc["height"], desc["kind"]) for name, desc in hub.announced}
        self.assertEqual(kinds, {"color": (640, 360, 0), "depth": (640, 360, 2), "ids": (640, 360, 3)})
        self.assertEqual({name for name, _ in hub.frames}, set(kinds))

    def test_processes_of_multiprocessing(self):
        self.start_hub()
        self.check_silent(
            "import multiprocessing\n"
            "def work(n):\n    end = time.monotonic() + 10\n"
            "    while not seamscope.publish('work %d' % n, bytes([n]) * 9) and time.monotonic() < end: time.sleep(.005)\n"
            "work(9)\n"
            "for n in range(3):\n"
            "    process = multiprocessing.get_context('fork').Process(target=work, args=(n,))\n"
            "    process.start(); process.join()\n"
        )
        wait_for(lambda: {name for name, _ in self.hubs[-1].frames} >= {"work 0", "work 1", "work 2", "work 9"})

    def test_it_needs_no_other_module(self):
        blocked = "for name in ('numpy', 'torch', 'cupy'): sys.modules[name] = None\n"
        self.start_hub()
        self.check_silent(blocked + "while not seamscope.publish('x', memoryview(bytes(60)).cast('B', (4, 5, 3))[::-1]): time.sleep(.001)")

    def test_an_interrupted_publish_leaves_no_slot_behind(self):
        self.start_hub()
        self.show(PICTURE)
        output = seamscope._Process.publisher.outputs["x"]
        real = output.ring.address

        def interrupted(_slot):
            raise KeyboardInterrupt

        output.ring.address = interrupted
        for _ in range(5):
            with self.assertRaises(KeyboardInterrupt):
                seamscope.publish("x", PICTURE)
        output.ring.address = real
        self.assertTrue(self.show(PICTURE))


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


assert hubs  # its path is what the programs connect to
