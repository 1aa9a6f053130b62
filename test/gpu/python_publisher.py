#!/usr/bin/env python3
"""Publishes arrays of every library found here and reads them back through `seamscope preview --source NAME --out FILE.npy`.

    python3 python_publisher.py --cli dist/cli.js [--publisher FOLDER] [--node NODE] [--only WORD] [--host] [--measure]

--host hides Vulkan from the engine, so that everything goes by host memory. --measure prints what a publish costs.
Needs numpy. The last line counts: N passed, N failed, N skipped; exit code 1 when something failed.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy

NAME = "gpu-test"
# program, how long it runs (seconds; steps of training), one of its outputs, what it imports beside numpy
EXAMPLES = (
    ("numpy_frames.py", 60, "depth", None),
    ("torch_training.py", 100_000, "made", "torch"),
    ("cupy_frames.py", 60, "HdrColor", "cupy"),
    ("cuda_array.py", 60, "color", "torch"),
)


class Case:
    """`make()` -> the object to publish, anew for each frame; `expected`: rows, columns, channels, as the file has them."""

    def __init__(self, name, make, expected, on_gpu=False, **options):
        self.name, self.make, self.expected, self.on_gpu, self.options = name, make, expected, on_gpu, options


def pattern(dtype, *shape):
    """Every element differs from its neighbours; nothing that would be NaN."""
    numbers = numpy.arange(int(numpy.prod(shape)), dtype=numpy.int64).reshape(shape) * 37 % 251
    return (numbers % 2 if dtype == "bool" else numbers).astype(dtype)


def numpy_cases():
    for dtype in "bool uint8 int8 uint16 int16 uint32 int32 int64 float16 float32 float64".split():
        image = pattern(dtype, 131, 77, 3)
        yield Case("numpy %s" % dtype, lambda image=image: image, image)
    image = pattern("uint8", 1081, 1919, 4)
    yield Case("numpy odd 1919x1081", lambda: image, image)
    for name, view in (("reversed", image[::-1, ::-1, :3]), ("crop", image[100:301, 50:173]), ("BGR to RGB", image[..., 2::-1])):
        yield Case("numpy %s" % name, lambda view=view: view, numpy.ascontiguousarray(view))
    yield Case("numpy CHW", lambda: pattern("float32", 3, 65, 33), pattern("float32", 3, 65, 33).transpose(1, 2, 0))
    yield Case("numpy flipped", lambda: image, image[::-1], flip=True)
    yield Case("numpy bgr", lambda: image, image[..., [2, 1, 0, 3]], bgr=True)


def torch_cases(torch):
    def on_gpu(array):
        return torch.from_numpy(numpy.ascontiguousarray(array)).cuda()

    for dtype in "bool uint8 int8 uint16 int16 uint32 int32 int64 float16 float32 float64".split():
        image = pattern(dtype, 131, 77, 3)
        tensor = on_gpu(image)
        yield Case("torch %s" % dtype, lambda tensor=tensor: tensor, image, True, layout="HWC")
    values = pattern("float32", 64, 48, 3)
    bfloat = on_gpu(values).bfloat16()
    yield Case("torch bfloat16", lambda: bfloat, values, True, layout="HWC")
    batch = pattern("float32", 2, 3, 75, 131)
    nchw = on_gpu(batch)
    first = batch[0].transpose(1, 2, 0)
    yield Case("torch NCHW", lambda: nchw, first, True)
    yield Case("torch CHW", lambda: nchw[0], first, True)
    last = nchw.contiguous(memory_format=torch.channels_last)
    yield Case("torch channels last", lambda: last, first, True)
    yield Case("torch crop", lambda: nchw[0, :, 5:60, 7:120], first[5:60, 7:120], True)
    yield Case("torch every second", lambda: nchw[0, :, ::2, ::3], first[::2, ::3], True)
    yield Case("torch expanded", lambda: nchw[0, :1].expand(3, 75, 131), numpy.repeat(first[..., :1], 3, 2), True)
    features = torch.arange(33 * 17 * 64, device="cuda", dtype=torch.float32).reshape(33, 17, 64)
    yield Case("torch one feature of 64", lambda: features[..., 5], features[..., 5].cpu().numpy(), True)
    gradient = on_gpu(values).requires_grad_()
    yield Case("torch with grad", lambda: gradient * 1, values, True, layout="HWC")
    stream = torch.cuda.Stream()

    def on_stream():
        with torch.cuda.stream(stream):
            return on_gpu(values) + 1

    yield Case("torch on a stream of its own", on_stream, values + 1, True, layout="HWC", stream=stream)
    yield Case("torch by DLPack alone", lambda: DLPackOnly(nchw[0, 0]), batch[0, 0], True)


class DLPackOnly:
    """Any library whose arrays speak DLPack and nothing else."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, **keywords):
        return self.tensor.__dlpack__(**keywords)


def cupy_cases(cupy):
    for dtype in "bool uint8 int16 int64 float16 float32 float64".split():
        image = pattern(dtype, 131, 77, 3)
        array = cupy.asarray(image)
        yield Case("cupy %s" % dtype, lambda array=array: array, image, True)
    image = pattern("uint8", 131, 77, 3)
    array = cupy.asarray(image)
    yield Case("cupy reversed", lambda: array[::-1, ::-1], image[::-1, ::-1], True)
    yield Case("cupy crop", lambda: array[5:50, 7:70], image[5:50, 7:70], True)
    stream = cupy.cuda.Stream(non_blocking=True)

    def on_stream():
        with stream:
            return array + 1

    yield Case("cupy on a stream of its own", on_stream, image + 1, True, stream=stream)


def jax_cases(jax):
    values = pattern("float32", 33, 65)
    array = jax.device_put(values, jax.devices("gpu")[0])
    yield Case("jax float32", lambda: array, values, True)


class CudaArrays:
    """CUDA arrays made by the driver alone, in the device's primary context."""

    def __init__(self, seamscope):
        self.ctypes, self.seamscope, self.driver = __import__("ctypes"), seamscope, seamscope.Driver.get()
        self.library = self.ctypes.CDLL("libcuda.so.1")
        self.context = self.driver.primary_context(0)

    def make(self, image, code):
        ctypes, seamscope = self.ctypes, self.seamscope
        height, width, channels = image.shape
        handle, shape = ctypes.c_void_p(), seamscope.ArrayDescriptor(width, height, 0, code, channels, 0)
        with seamscope.Current(self.driver, self.context):
            check(self.library.cuArray3DCreate_v2(ctypes.byref(handle), ctypes.byref(shape)), "cuArray3DCreate")
            copy = seamscope.Memcpy2D(srcMemoryType=1, srcHost=image.ctypes.data, dstMemoryType=3, dstArray=handle, Height=height)
            copy.srcPitch = copy.WidthInBytes = image.strides[0]
            check(self.library.cuMemcpy2D_v2(ctypes.byref(copy)), "cuMemcpy2D")
        return seamscope.CudaArray(handle.value, device=0)


def check(code, call):
    if code:
        raise RuntimeError("%s failed with CUDA error %d" % (call, code))


def array_cases(seamscope):
    arrays = CudaArrays(seamscope)
    for code, dtype, channels in ((1, "uint8", 4), (2, "uint16", 2), (0x0A, "int32", 1), (0x10, "float16", 4), (0x20, "float32", 1), (0x20, "float32", 4)):
        image = pattern(dtype, 121, 75, channels)
        made = arrays.make(image, code)
        yield Case("CUDA array %s x%d" % (dtype, channels), lambda made=made: made, image, True)


def gpu_libraries(seamscope):
    """-> [(name, cases or None, reason when there are none)]"""
    found = []
    for name, cases in (("torch", torch_cases), ("cupy", cupy_cases), ("jax", jax_cases)):
        try:
            os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
            module = __import__(name)
            if name == "torch" and not module.cuda.is_available():
                raise ImportError("torch sees no GPU")
            found.append((name, list(cases(module)), None))
        except Exception as error:  # absent, or of another CUDA: the others are still worth a try
            found.append((name, None, str(error).split("\n")[0]))
    try:
        found.append(("CUDA arrays", list(array_cases(seamscope)), None))
    except Exception as error:
        found.append(("CUDA arrays", None, str(error)))
    return found


class Runner:
    def __init__(self, options, seamscope, folder):
        self.options, self.seamscope, self.folder = options, seamscope, folder
        self.counts = {"passed": 0, "failed": 0, "skipped": 0}
        self.env = dict(os.environ)
        if options.host:
            self.env["VK_DRIVER_FILES"] = self.env["VK_ICD_FILENAMES"] = "/nonexistent.json"

    def tell(self, outcome, name, text=""):
        self.counts[outcome] += 1
        print({"passed": "ok", "failed": "FAILED", "skipped": "skipped"}[outcome], name, text, flush=True)

    def preview(self, output, frames, out=None, source=NAME, rate=1000):
        command = [self.options.node, self.options.cli, "preview", "--source", source, "--output", output, "--frames", str(frames), "--wait", "40", "--rate", str(rate), "--json"]
        return subprocess.Popen(command + (["--out", out] if out else []), env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, case):
        out = os.path.join(self.folder, "out.npy")
        process = self.preview(case.name, 2, out)
        end = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < end:
            self.seamscope.publish(case.name, case.make(), **case.options)
            time.sleep(0.005)
        process.kill()
        stdout, stderr = process.communicate()
        if process.returncode != 0:
            return self.tell("failed", case.name, "%s\n%s" % (self.seamscope.last_error(), stderr.decode()[-800:]))
        self.compare(case, numpy.load(out), json.loads(stdout)["device"])

    def compare(self, case, found, device):
        expected = numpy.ascontiguousarray(case.expected)
        if expected.ndim == 3 and expected.shape[2] == 1:
            expected = expected[..., 0]
        path = "by the GPU" if "0 host copies" in device else "by host memory"
        if found.shape != expected.shape or found.dtype != expected.dtype:
            self.tell("failed", case.name, "%s %s instead of %s %s" % (found.shape, found.dtype, expected.shape, expected.dtype))
        elif found.tobytes() != expected.tobytes():
            self.tell("failed", case.name, "%d of %d elements differ, %s" % (numpy.count_nonzero(found != expected), found.size, path))
        elif case.on_gpu and not self.options.host and path != "by the GPU":
            self.tell("failed", case.name, "went %s: %s" % (path, device))
        else:
            self.tell("passed", case.name, path)

    def example(self, program, length, output):
        """One of native/publisher/examples, as a program of its own."""
        folder = os.path.join(self.options.publisher, "examples")
        env = dict(os.environ, PYTHONPATH=self.options.publisher)
        example = subprocess.Popen([sys.executable, os.path.join(folder, program), str(length)], env=env, stderr=subprocess.PIPE)
        process = self.preview(output, 3, source=program)
        stdout, stderr = process.communicate()
        example.kill()
        words = stderr + example.communicate()[1]
        is_good = process.returncode == 0
        self.tell("passed" if is_good else "failed", program, json.loads(stdout)["device"] if is_good else words.decode()[-800:])

    def capture(self, torch):
        """A publish inside a graph capture is a counted no-op and leaves the capture whole."""
        tensor = torch.ones(64, 64, device="cuda")
        process = self.preview("captured", 3)
        while process.poll() is None and not self.seamscope.publish("captured", tensor):
            time.sleep(0.005)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            tensor.add_(1)
            taken = self.seamscope.publish("captured", tensor)
        graph.replay()
        torch.cuda.synchronize()
        is_whole = float(tensor[0, 0]) == 2.0
        while process.poll() is None:
            self.seamscope.publish("captured", tensor)
            time.sleep(0.005)
        process.communicate()
        is_good = is_whole and not taken and process.returncode == 0
        self.tell("passed" if is_good else "failed", "capture", "" if is_good else "taken %s, sum %s, %s" % (taken, tensor[0, 0], self.seamscope.last_error()))

    def full_queue(self, torch):
        """A program that never waits keeps the queue of launches full: its memory is made all the same, and pictures come."""
        image = torch.zeros(1080, 1920, 4, dtype=torch.uint8, device="cuda")
        work = torch.zeros(64 << 20, device="cuda")
        end = time.monotonic() + 2
        while time.monotonic() < end:  # until launches wait for the GPU
            work.sin_()
        process, watched, first, last, count, longest = self.preview("full queue", 60, rate=30), 0, 0, 0, 0, 0
        while process.poll() is None and (not watched or time.monotonic() < watched + 30):
            for _ in range(8):
                work.sin_()
            now = time.monotonic()
            taken = self.seamscope.publish("full queue", image)
            longest = max(longest, time.monotonic() - now)
            watched = watched or (now if self.seamscope.is_watched("full queue") else 0)
            first, last, count = first or (now if taken else 0), now if taken else last, count + taken
        process.kill()
        stderr = process.communicate()[1]
        torch.cuda.synchronize()
        said = "first frame taken after %.2f s, %d in %.2f s, the longest publish took %.1f ms" % (first - watched, count, last - watched, longest * 1e3)
        is_good = process.returncode == 0 and first - watched < 3
        self.tell("passed" if is_good else "failed", "full queue", said if is_good else "%s, %s %s" % (said, self.seamscope.last_error(), stderr.decode()[-400:]))

    def measure(self, torch):
        """Prints the caller's cost of a publish at 1920x1080 RGBA8, and of a renderer with and without a viewer."""
        frame, work = (torch.zeros(1080, 1920, 4, dtype=torch.uint8, device="cuda") for _ in range(2))
        publish, fds = self.seamscope.publish, len(os.listdir("/proc/self/fd"))

        def render(seconds):
            """-> (frames a second, microseconds of the publishes that copied)"""
            begin, costs, count = time.perf_counter(), [], 0
            while time.perf_counter() - begin < seconds:
                for _ in range(60):
                    work.fill_(count % 251)
                frame.copy_(work)
                called = time.perf_counter()
                if publish("measured", frame):
                    costs.append((time.perf_counter() - called) * 1e6)
                count += 1
                if count % 8 == 0:
                    torch.cuda.synchronize()
            torch.cuda.synchronize()
            return count / (time.perf_counter() - begin), sorted(costs)

        def watch(rate):
            """-> (previews a second, frames a second, microseconds of the publishes that copied)"""
            process = self.preview("measured", 2000, rate=rate)
            while process.poll() is None and not self.seamscope.is_watched("measured"):
                render(0.1)
            render(0.5)
            rendered, costs = render(4)
            process.kill()
            process.communicate()
            while self.seamscope.is_watched("measured"):
                time.sleep(0.05)
            return len(costs) / 4, rendered, costs

        render(1)
        alone = render(4)[0]
        slow, fast = watch(30), watch(1000)
        again, costs = render(4)[0], sorted(slow[2] + fast[2])
        begin = time.perf_counter()
        for _ in itertools.repeat(None, 200_000):
            publish("measured", frame)
        idle = (time.perf_counter() - begin) / 200_000 * 1e6
        print("publish, unwatched: %.2f us" % idle)
        if costs:
            print("publish, watched: median %.0f us, p90 %.0f us of %d" % (costs[len(costs) // 2], costs[len(costs) * 9 // 10], len(costs)))
        for previews, rendered, _ in (slow, fast):
            loss = 100 * (1 - rendered / ((alone + again) / 2))
            print("renderer: %.0f frames a second alone, %.0f at %.0f previews a second (%.1f %% less), %.0f alone again" % (alone, rendered, previews, loss, again))
        print("descriptors: %d before, %d after" % (fds, len(os.listdir("/proc/self/fd"))))


def parse():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", default=os.path.join(here, "../dist/cli.js"))
    parser.add_argument("--node", default="node")
    parser.add_argument("--publisher", default=os.path.join(here, "../publisher"))
    parser.add_argument("--only", default="")
    parser.add_argument("--host", action="store_true")
    parser.add_argument("--measure", action="store_true")
    return parser.parse_args()


def main():
    options = parse()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        os.environ.pop("SEAMSCOPE_SOCKET", None)
        sys.path.insert(0, options.publisher)
        import seamscope

        seamscope.set_program_name(NAME)
        runner = Runner(options, seamscope, folder)
        cases = list(numpy_cases())
        for name, found, reason in gpu_libraries(seamscope):
            if found is None:
                runner.tell("skipped", name, reason)
            cases += found or []
        for case in cases:
            if options.only in case.name:
                runner.run(case)
        for program, length, output, module in EXAMPLES:
            if options.only in program and (module is None or module in sys.modules):
                runner.example(program, length, output)
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            if options.only in "capture":
                runner.capture(torch)
            if options.only in "full queue":
                runner.full_queue(torch)
            if options.measure:
                runner.measure(torch)
        print("%(passed)d passed, %(failed)d failed, %(skipped)d skipped" % runner.counts)
        return 1 if runner.counts["failed"] or not runner.counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
