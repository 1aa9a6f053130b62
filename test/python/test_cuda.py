"""GPU memory, with the stand-in of libcuda that test/doubles builds: its memory is host memory, shared for real."""

import contextlib
import ctypes
import gc
import json
import os
import tempfile
import threading
import time
import unittest
import unittest.mock

import sources
from support import ROOT, PublisherTest, count_fds, seamscope, wait_for
from test_dlpack import Producer

FOLDER = os.environ.get("SEAMSCOPE_DOUBLES_DIR", os.path.join(ROOT, "build/native-tests/doubles/driver"))
UUID = "00112233-4455-6677-8899-aabbccddeeff"
GPU = {
    "name": "Stand-in", "uuid": UUID, "pci": "00000000:01:00.0", "memoryMiB": 1024, "usedMiB": 0, "sms": 1, "computeCapability": [9, 0],
    "utilization": 0, "temperature": 0, "powerMilliwatts": 0,
}  # fmt: skip


def load_double():
    """libcuda's stand-in, whose copies take 3 ms; SkipTest where it was not built."""
    path = os.path.join(FOLDER, "libcuda.so.1")
    if not os.path.exists(path):
        raise unittest.SkipTest("%s is missing: run node scripts/test.mjs native" % path)
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump({"driver": "580.0", "cudaVersion": 13000, "gpus": [GPU], "gpuDelayMs": 3}, file)
    os.environ["SEAMSCOPE_DOUBLES"] = file.name
    library = ctypes.CDLL(path)
    if not hasattr(library, "cuMemHostAlloc"):
        raise unittest.SkipTest("%s is of an older build: run node scripts/test.mjs native" % path)
    library.cuInit(0)
    context = ctypes.c_void_p()
    if library.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0):
        raise unittest.SkipTest("the stand-in of libcuda does not start")
    handle = ctypes.c_uint64()
    prop = seamscope.AllocationProp(1, 1, seamscope.Location(1, 0))
    if library.cuMemCreate(ctypes.byref(handle), ctypes.c_size_t(2 << 20), ctypes.byref(prop), ctypes.c_uint64(0)):
        raise unittest.SkipTest("the stand-in of libcuda has no memory to share: lavapipe is missing (Debian: mesa-vulkan-drivers)")
    library.cuMemRelease(handle)
    return library


class DeviceMemory:
    """Filled with what a use after free shows, once it is let go."""

    alive = 0

    def __init__(self, content, size):
        pointer = ctypes.c_uint64()
        GpuTest.cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(size))
        self.address, self.size = pointer.value, size
        ctypes.memmove(self.address, content, size)
        DeviceMemory.alive += 1

    def __del__(self):
        ctypes.memset(self.address, 0xDD, self.size)
        DeviceMemory.alive -= 1


class DeviceArray:
    def __init__(self, source, typestr, stream=1, **changes):
        self.source = source
        self.__cuda_array_interface__ = {
            "version": 3, "shape": source.shape, "typestr": typestr, "data": (source.address, False), "strides": source.strides, "stream": stream,
        }  # fmt: skip
        self.__cuda_array_interface__.update(changes)


class GpuTest(PublisherTest):
    cuda = None

    @classmethod
    def setUpClass(cls):
        pass

    def setUp(self):
        GpuTest.cuda = GpuTest.cuda or load_double()
        os.environ.pop("SEAMSCOPE_DOUBLES_CAPTURING", None)
        super().setUp()

    def source(self, view, dtype="u8"):
        return sources.Source(view, dtype, DeviceMemory)

    def check(self, obj, source, **options):
        frame = self.show(obj, layout=source.layout, **options)
        self.assertEqual(frame.texels, source.texels)
        return frame


class DeviceFrames(GpuTest):
    def check_views(self, memory, **hub_options):
        hub = self.start_hub(**hub_options)
        for view in sources.VIEWS:
            if view in sources.NEGATIVE:
                continue
            with self.subTest(view=view):
                source = self.source(view, "f32")
                self.check(DeviceArray(source, "<f4"), source, name=view)
        self.assertEqual({ring.memory for ring in hub.rings}, {memory})
        return hub

    def test_every_stride_in_gpu_memory(self):
        hub = self.check_views(seamscope.MEMORY_CUDA, paths=3)
        self.assertEqual(hub.rings[0].uuid.hex(), UUID.replace("-", ""))
        self.assertEqual((hub.rings[0].flags, hub.rings[0].count), (seamscope.HAS_DEVICE_UUID, 3))
        self.assertEqual((hub.peer.hello["uuid"], hub.peer.hello["ordinal"]), (hub.rings[0].uuid, 0))

    def test_every_stride_by_a_host_copy(self):
        self.check_views(seamscope.MEMORY_HOST, paths=1)

    def test_refused_gpu_memory_goes_by_a_host_copy(self):
        hub = self.check_views(seamscope.MEMORY_HOST, paths=3, refused_memory={seamscope.MEMORY_CUDA})
        self.assertIn("the driver said no", seamscope.last_error())
        self.assertEqual({ring.generation for ring in hub.rings}, {2})

    def failing(self, call, code):
        """A context in which that call of the driver fails."""

        def refuse(*_):
            raise seamscope.CudaError(call, code, "CUDA_ERROR_TEST")

        return unittest.mock.patch.object(seamscope.Driver.get(), call, refuse)

    def test_gpu_memory_that_cannot_be_made_goes_by_a_host_copy(self):
        for call in ("cuMemCreate", "cuMemMap", "cuMemSetAccess", "cuMemExportToShareableHandle"):
            with self.subTest(call=call), self.failing(call, 2):
                self.renew()
                if self.hubs:
                    self.hubs[-1].close()
                self.check_views(seamscope.MEMORY_HOST, paths=3)
                self.assertIn(call + " failed: CUDA_ERROR_TEST (2)", seamscope.last_error())

    def test_memory_that_cannot_be_pinned_goes_by_memory_of_the_driver(self):
        with self.failing("cuMemHostRegister", 801):
            self.check_views(seamscope.MEMORY_HOST, paths=1)
        self.assertIsNone(seamscope.last_error())

    def test_a_copy_that_fails_is_told_and_gives_its_slot_back(self):
        hub = self.start_hub(paths=3)
        source = self.source("HWC")
        self.check(DeviceArray(source, "|u1"), source)
        with unittest.mock.patch.dict(seamscope.Driver.get().raw, {"cuEventQuery": lambda _event: 719}):
            for _ in range(5):
                wait_for(lambda: seamscope.publish("x", DeviceArray(source, "|u1")))
            wait_for(lambda: "CUDA error 719" in (seamscope.last_error() or ""))
        # They only seem to have failed: on a real GPU nothing would be copied after that, and the ring goes when this ends.
        self.cuda.cuStreamSynchronize(None)

        def is_told():
            self.assertFalse(seamscope.publish("x", DeviceArray(source, "|u1")))
            return "cuMemcpyAsync failed" in seamscope.last_error()

        # The last of the copies before may be told late.
        with self.failing("cuMemcpyAsync", 700):
            wait_for(is_told)
        self.assertEqual(len(hub.rings), 1)

    @contextlib.contextmanager
    def worker_kept_out(self):
        """A driver whose queue the program keeps full: the publisher's own thread waits in every call until this ends."""
        driver, let_in = seamscope.Driver.get(), threading.Event()

        def guarded(function):
            def call(*arguments):
                if threading.current_thread().name == "seamscope":
                    let_in.wait(60)
                return function(*arguments)

            return call

        with contextlib.ExitStack() as stack:
            stack.callback(let_in.set)
            names = [name.partition("_v")[0] for name in driver.raw]
            stack.enter_context(unittest.mock.patch.dict(driver.raw, {name: guarded(raw) for name, raw in driver.raw.items()}))
            for name in names:
                stack.enter_context(unittest.mock.patch.object(driver, name, guarded(getattr(driver, name))))
            yield

    def test_a_program_that_keeps_the_queue_full_makes_its_memory_and_ends_its_copies_itself(self):
        for paths, memory in ((3, seamscope.MEMORY_CUDA), (1, seamscope.MEMORY_HOST)):
            with self.subTest(paths=paths), self.worker_kept_out():
                self.renew()
                if self.hubs:
                    self.hubs[-1].close()
                hub, source = self.start_hub(paths=paths), self.source("HWC")

                def has_come(hub=hub, source=source):
                    seamscope.publish("x", DeviceArray(source, "|u1"))
                    time.sleep(0.001)
                    return len(hub.frames) >= 5

                wait_for(has_come, what="five frames")
                self.assertEqual(hub.frames[-1][1].texels, source.texels)
                self.assertEqual([ring.memory for ring in hub.rings], [memory])

    def test_memory_for_the_next_connection_is_not_kept_for_ever(self):
        hub, source = self.start_hub(paths=3), self.source("HWC")
        self.check(DeviceArray(source, "|u1"), source)
        worker, now, later = seamscope._Process.publisher._worker, time.monotonic_ns, [20]
        output = worker._outputs[0]
        hub.close()
        wait_for(lambda: output.spare is not None, what="the ring to be kept")
        descriptors = count_fds()
        with unittest.mock.patch.object(time, "monotonic_ns", lambda: now() + later[0] * 10**9):
            wait_for(lambda: output.spare is None, what="the ring to be given up")
            later[0] = 40  # the worker leaves what CUDA made to the program's thread for a while
            wait_for(lambda: not worker.all_rings(), what="the ring to be freed")
        self.assertLess(count_fds(), descriptors)

    def test_a_ring_that_the_hub_lets_go_is_freed_and_made_anew(self):
        hub, source = self.start_hub(paths=3), self.source("HWC")
        self.check(DeviceArray(source, "|u1"), source)
        worker = seamscope._Process.publisher._worker
        descriptors = count_fds()
        for generation in (1, 2, 3):
            self.assertEqual(worker._outputs[0].generation, generation)
            hub.release("x")
            wait_for(lambda: worker._outputs[0].ring is None, what="the ring to go")
            self.check(DeviceArray(source, "|u1"), source)
        self.assertEqual([ring.generation for ring in hub.rings], [1, 2, 3, 4])
        self.assertEqual(len(worker.all_rings()), 1)
        self.assertEqual(count_fds(), descriptors + 9)  # the hub of the tests keeps what it was offered

    def test_every_element_type(self):
        self.start_hub(paths=3)
        for dtype, typestr in sources.TYPESTR.items():
            with self.subTest(dtype=dtype):
                source = self.source("rows padded", dtype)
                self.check(DeviceArray(source, typestr), source, name=dtype)

    def test_the_object_is_kept_until_its_copy_is_done(self):
        self.start_hub(paths=3)
        others = DeviceMemory.alive
        for _ in range(20):
            source = self.source("HWC")
            expected = source.texels
            array = DeviceArray(source, "|u1")
            del source
            frame = self.show(array)
            self.assertEqual(frame.texels, expected)
            before = len(self.hubs[-1].frames)
            wait_for(lambda kept=array: seamscope.publish("x", kept))
            del array  # the copy of this one still runs
            wait_for(lambda count=before: len(self.hubs[-1].frames) > count)
            self.assertEqual(self.hubs[-1].frames[-1][1].texels, expected)
        gc.collect()
        wait_for(lambda: DeviceMemory.alive <= others, what="memory to be let go")

    def test_negative_strides_are_named(self):
        self.start_hub(paths=3)
        source = self.source("bottom up")
        self.assertFalse(seamscope.publish("x", DeviceArray(source, "|u1")))
        self.assertIn("publish a contiguous copy", seamscope.last_error())

    def test_a_mask_is_refused(self):
        source = self.source("HWC")
        self.assertFalse(seamscope.publish("x", DeviceArray(source, "|u1", mask=DeviceArray(source, "|u1"))))
        self.assertIn("masked", seamscope.last_error())

    def test_streams_of_the_interface_and_of_the_caller(self):
        self.start_hub(paths=3)
        source = self.source("HWC")
        stream = ctypes.c_void_p()
        self.cuda.cuStreamCreate(ctypes.byref(stream), 1)
        for theirs, ours in ((None, None), (1, None), (2, 2), (2, stream.value), (None, 0), (stream.value, 1)):
            self.check(DeviceArray(source, "|u1", stream=theirs), source, stream=ours)
            view = seamscope.view_of(DeviceArray(source, "|u1", stream=theirs), ours)
            self.assertEqual(view.stream, (theirs or 1) if ours is None else ours or 1)
            self.assertEqual(view.events, (("stream", theirs),) if ours is not None and theirs not in (None, ours or 1) else ())

    def test_a_capturing_stream_is_a_counted_no_op(self):
        hub = self.start_hub(paths=3)
        source = self.source("HWC")
        self.check(DeviceArray(source, "|u1"), source)
        published, skipped = hub.peer.counters("x")
        os.environ["SEAMSCOPE_DOUBLES_CAPTURING"] = "1"
        for _ in range(5):
            self.assertFalse(seamscope.publish("x", DeviceArray(source, "|u1")))
        self.assertEqual(hub.peer.counters("x"), (published, skipped + 5))
        self.assertIsNone(seamscope.last_error())

    def test_frames_of_the_gpu_and_the_host_in_one_output(self):
        hub = self.start_hub(paths=3)
        source, on_host = self.source("HWC"), sources.Source("HWC")
        for _ in range(3):
            self.check(DeviceArray(source, "|u1"), source)
            self.check(sources.HostArray(on_host, "|u1"), on_host)
        self.assertEqual([ring.memory for ring in hub.rings], [seamscope.MEMORY_CUDA, seamscope.MEMORY_HOST])

    def test_larger_frames_get_larger_rings(self):
        hub = self.start_hub(paths=3)
        for side in (10, 800, 20, 1600):
            content = sources.random_bytes(side * side)
            memory = DeviceMemory(content, len(content))
            obj = type("Array", (), {})()
            obj.__cuda_array_interface__ = {"version": 3, "shape": (side, side), "typestr": "|u1", "data": (memory.address, True), "stream": 1}
            obj.memory = memory
            self.assertTrue(self.show(obj).texels == content)
        self.assertEqual([ring.slot_size >> 20 for ring in hub.rings], [2, 4])


class CudaDLPack(GpuTest):
    def test_the_stream_is_handed_to_the_producer(self):
        self.start_hub(paths=3)
        source = self.source("HWC")
        for device in (2, 13):
            for ours, told in ((None, 1), (0, 1), (1, 1), (2, 2), (0x7000, 0x7000)):
                with self.subTest(device=device, stream=ours):
                    producer = Producer(source, "u8", device=device)
                    self.check(producer, source, stream=ours)
                    self.assertEqual(producer.calls[-1]["stream"], told)
                    wait_for(lambda given=producer: seamscope.publish("x", b"") or given.dropped == len(given.given), what="capsules")

    def test_pinned_memory_is_read_at_once_or_on_the_stream(self):
        self.start_hub(paths=3)
        source = self.source("rows padded")
        self.check(Producer(source, "u8", device=3), source, name="at once")
        self.check(Producer(source, "u8", device=3), source, name="on the stream", stream=2)

    def test_a_producer_that_refuses_is_asked_by_its_other_interface(self):
        self.start_hub(paths=3)
        source = self.source("HWC")
        obj = DeviceArray(source, "|u1")

        class Both(DeviceArray):
            def __dlpack_device__(self):
                return (2, 0)

            def __dlpack__(self, **_):
                raise BufferError("not while it has gradients")

        self.check(Both(source, "|u1"), source)
        del obj


class Mapping:
    """A mapped output of ovrtx, as far as a publisher looks at it."""

    def __init__(self, tensor, event):
        self.tensor, self.wait_event, self.is_unmapped = tensor, event, False
        tensor._parent = self

    def values(self):
        return iter((self.tensor,))

    def wait_on(self, stream):
        raise AssertionError("the publisher waits by itself")

    def unmap(self, event=None, stream=None):
        self.is_unmapped = True


class CudaArrays(GpuTest):
    def array(self, width, height, channels, code, item):
        handle = ctypes.c_void_p()
        shape = seamscope.ArrayDescriptor(width, height, 0, code, channels, 0)
        self.cuda.cuArray3DCreate_v2(ctypes.byref(handle), ctypes.byref(shape))
        content = sources.random_bytes(width * height * channels * item)
        data = (ctypes.c_char * len(content)).from_buffer_copy(content)
        copy = seamscope.Memcpy2D(srcMemoryType=1, srcHost=ctypes.addressof(data), dstMemoryType=3, dstArray=handle)
        copy.srcPitch = copy.WidthInBytes = width * channels * item
        copy.Height = height
        self.cuda.cuMemcpy2DAsync_v2(ctypes.byref(copy), None)
        self.cuda.cuStreamSynchronize(None)
        return handle.value, content

    def test_every_format(self):
        self.start_hub(paths=3)
        for code, dtype in seamscope._ARRAY_FORMATS.items():
            for channels in (1, 2, 4):
                with self.subTest(dtype=dtype, channels=channels):
                    handle, content = self.array(13, 7, channels, code, sources.ITEM[dtype])
                    frame = self.show(seamscope.CudaArray(handle), name=dtype)
                    found = (frame.texels == content, seamscope.DTYPES[frame.desc["dtype"]], frame.desc["channels"])
                    self.assertEqual(found, (True, dtype, channels))

    def test_a_mapped_output_of_ovrtx(self):
        self.start_hub(paths=3)
        handle, content = self.array(9, 5, 4, 1, 1)
        event = ctypes.c_void_p()
        self.cuda.cuEventCreate(ctypes.byref(event), 2)
        tensor = type("RenderVarTensor", (), {"cuda_array": handle})()
        mapping = Mapping(tensor, event.value)
        self.assertEqual(self.show(mapping, name="mapping").texels, content)
        self.assertEqual(self.show(tensor, name="tensor").texels, content)
        self.assertEqual(seamscope.view_of(mapping, None).events, (("event", event.value),))
        source = self.source("HWC")
        linear = Producer(source, "u8", device=2)
        linear.__class__ = type("LinearTensor", (Producer,), {"cuda_array": property(lambda self: 1 // 0)})
        self.assertEqual(self.show(Mapping(linear, event.value), name="linear").texels, source.texels)

    def test_several_tensors_need_a_name(self):
        mapping = Mapping(type("T", (), {})(), None)
        mapping.values = lambda: iter((1, 2))
        self.assertFalse(seamscope.publish("x", mapping))
        self.assertIn("publish one of them", seamscope.last_error())


class CudaLife(GpuTest):
    def test_the_hub_comes_back(self):
        source = self.source("HWC")
        self.start_hub(paths=3)
        for _ in range(3):
            self.check(DeviceArray(source, "|u1"), source)
            self.hubs[-1].close()
            time.sleep(0.05)
            seamscope.publish("x", DeviceArray(source, "|u1"))
            self.start_hub(paths=3)
        self.check(DeviceArray(source, "|u1"), source)
        self.assertEqual(self.hubs[-1].rings[0].generation, 1)

    def test_descriptors_do_not_grow(self):
        from support import count_fds

        hub = self.start_hub(paths=3)
        source = self.source("HWC")
        array = DeviceArray(source, "|u1")
        self.check(array, source)
        before = count_fds()
        wait_for(lambda: seamscope.publish("x", array) and hub.peer.counters("x")[0] >= 100)
        self.check(array, source)
        self.assertLessEqual(count_fds(), before)
