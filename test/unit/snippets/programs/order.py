"""Runs the Python snippets with stand-ins for ovrtx, Warp, CuPy, Torch and CUDA that record every call, and checks the order.

Usage: order.py FOLDER-OF-THE-SNIPPETS. Prints one line for each check; a failure raises.
"""

import importlib
import os
import sys
import types
from unittest.mock import MagicMock

from recorder import Array, Mapping, Recorder, calls, cudart, in_order, keywords_of, names, render_var, warp


def load(name, **modules):
    sys.modules.update(modules)
    calls.clear()
    return importlib.import_module(name)


def ovrtx():
    return Recorder("ovrtx", Device=Recorder("Device", CUDA="cuda", CUDA_ARRAY="array"))


def map_linear():
    load("map_linear", warp=warp(), ovrtx=ovrtx()).process_output(render_var(), "kernel", "target")
    in_order("map", "mapping.wait_on", "wp.launch", "mapping.unmap", "mapping.exit")
    assert keywords_of("mapping.unmap") == {"stream": 1234}
    assert "scope[cuda:1].enter" in names()


def map_array_warp():
    load("map_array_warp", warp=warp(), ovrtx=ovrtx()).copy_array_output(render_var(), "LdrColor", "target")
    in_order("scope[cuda:1].enter", "get_stream", "mapping.wait_on", "texture.copy_to", "stream.record_event", "scope[cuda:1].exit", "mapping.unmap")
    assert list(keywords_of("mapping.unmap")) == ["event"] and names().count("get_stream") == 1


def map_array_cupy():
    cupy = MagicMock()
    cupy.cuda.get_current_stream.return_value.ptr = 0
    cupy.cuda.runtime.memcpy2DFromArrayAsync.side_effect = lambda *a: calls.append(("copy", a, {}))
    cupy.empty.return_value.strides, cupy.empty.return_value.shape = (32, 4, 1), (4, 8, 4)
    load("map_array_cupy", cupy=cupy, ovrtx=ovrtx()).copy_array_output(render_var(), "LdrColor")
    in_order("mapping.wait_on", "copy", "mapping.unmap")
    cupy.cuda.Device.assert_called_once_with(1)
    assert keywords_of("mapping.unmap") == {"stream": 1}
    _, (_, pitch, source, _, _, width, height, _, _), _ = next(call for call in calls if call[0] == "copy")
    assert (pitch, source, width, height) == (32, 77, 32, 4)


def sync_stream():
    module = load("sync_stream", warp=warp(), ovrtx=ovrtx())
    module.process_on(Recorder("mine", cuda_stream=9), render_var(), "kernel", "target")
    assert keywords_of("map")["sync_stream"] == 9 and keywords_of("mapping.unmap") == {"stream": 9}
    in_order("map", "wp.launch", "mapping.unmap")


def keep_frame():
    torch = MagicMock()
    torch.cuda.current_stream.return_value.cuda_stream = 0
    torch.from_dlpack.return_value.clone.side_effect = lambda: calls.append(("clone", (), {}))
    load("keep_frame", torch=torch, ovrtx=ovrtx()).keep_frame(render_var())
    in_order("map", "mapping.wait_on", "clone", "mapping.unmap")
    assert keywords_of("mapping.unmap") == {"stream": 1}  # Torch's 0 is ovrtx's 1


def write_attribute():
    module = load("write_attribute", warp=warp(), ovrtx=ovrtx())
    module.write_transforms(Recorder("renderer"), ["/World/A"], "kernel", Array())
    in_order("wp.launch", "renderer.write_attribute")
    assert keywords_of("renderer.write_attribute") == {"cuda_stream": 1234}
    calls.clear()
    renderer = Recorder("renderer", map_attribute=lambda *_, **keywords: calls.append(("map", (), keywords)) or Mapping("mapping"))
    module.write_mapped_transforms(renderer, ["/World/A"], "kernel")
    in_order("map", "wp.launch", "mapping.unmap")


def ovstage_map():
    group = Recorder("group", prim_count=2, has_data_index_map=True, data_row_index=lambda i: 1 - i, prim_index=lambda i: i)
    session = Recorder("session", groups=lambda: [group])
    stage = Recorder("stage", map_attribute=lambda *_, **keywords: session)
    numpy = MagicMock()
    rows = numpy.from_dlpack.return_value = {}
    load("ovstage_map", numpy=numpy, ovstage=Recorder("ovstage")).write_attribute(stage, "query", "attribute", 2, ["first", "second"])
    assert rows == {1: "first", 0: "second"}
    in_order("session.wait", "session.unmap_group", "session.unmap_group().wait", "session.exit", "stage.advance_write_floor")


def is_open(fd):
    try:
        os.fstat(fd)
        return True
    except OSError:
        return False


def raises(kind, body):
    try:
        body()
    except kind:
        return True
    return False


def one_transfer_point(name, make):
    """The fd is closed after a refused import and left alone after an accepted one."""
    for error in (0, 2):
        sys.modules.pop(name, None)
        module = load(name, **cudart(error))
        fd = os.open(os.devnull, os.O_RDONLY)
        assert raises(RuntimeError, lambda: make(module, fd)) == (error != 0)
        assert is_open(fd) == (error == 0)
        if error == 0:
            os.close(fd)


def import_fd():
    one_transfer_point("import_fd", lambda module, fd: module.import_memory(fd, 65536, True))


def timeline():
    def use(module, fd):
        semaphore = module.Timeline(fd)
        semaphore.wait(7, 3)
        semaphore.signal(7, 4)
        runtime = sys.modules["cuda.bindings.runtime"]
        assert runtime.cudaWaitExternalSemaphoresAsync.call_args.args[1][0].params.fence.value == 3
        assert runtime.cudaSignalExternalSemaphoresAsync.call_args.args[1][0].params.fence.value == 4

    one_transfer_point("timeline", use)


def double_buffer():
    buffer = load("double_buffer").DoubleBuffer()
    assert buffer.latest()[1] == 0
    for frame in range(1, 20):
        slot, value = buffer.next_write()
        assert value == frame and buffer.latest()[0] == 1 - slot
        assert buffer.next_write() == (slot, value)  # skipped: nothing moves
        buffer.publish()
        assert buffer.latest() == (slot, frame)


def teardown():
    module = load("teardown")
    part = lambda name: lambda *_: Recorder(name)  # noqa: E731
    module.run_frames(part("renderer"), part("memory"), part("stream"), part("texture"), Recorder("consume"))
    assert names() == ["consume", "stream.synchronize", "renderer.wait_idle", "texture.close", "stream.close", "memory.close", "renderer.close"]
    calls.clear()

    def broken(*_):
        raise ValueError

    assert raises(ValueError, lambda: module.run_frames(part("renderer"), part("memory"), broken, part("texture"), None))
    assert names() == ["memory.close", "renderer.close"]  # a partial start is torn down too


def inverted_ownership():
    seam = load("inverted_ownership").InvertedSeam(Recorder("old"), Recorder("renderer"))
    seam.replace(Recorder("new"))
    in_order("renderer.wait_idle", "new.export_fd", "renderer.import_target", "old.close")
    calls.clear()
    seam.close()
    seam.close()
    assert names() == ["renderer.wait_idle", "renderer.close", "new.close"]


def device_uuid():
    """Asks the MIG-aware entry point only, and names the call that failed."""
    module = load("device_uuid")

    def get_uuid(raw, _):
        raw[:] = range(16)
        return 0

    cuda = types.SimpleNamespace(cuInit=lambda _: 0, cuDeviceGet=lambda _, ordinal: 101 if ordinal == 9 else 0, cuDeviceGetUuid_v2=get_uuid)
    module.ctypes = types.SimpleNamespace(**{**vars(module.ctypes), "CDLL": lambda name: cuda})
    assert module.cuda_device_uuid(0).bytes == bytes(range(16))
    assert raises(RuntimeError, lambda: module.cuda_device_uuid(9))
    tensor = Recorder("tensor", device=Recorder("device", device_id=1))
    module.require_configured_device(tensor, 1)
    assert raises(RuntimeError, lambda: module.require_configured_device(tensor, 0))


def process_wide():
    module = load("max_connections")
    os.environ.pop("CUDA_DEVICE_MAX_CONNECTIONS", None)
    module.apply_scheduling_workaround()
    assert os.environ.get("CUDA_DEVICE_MAX_CONNECTIONS") == ("1" if sys.platform.startswith("linux") else None)
    os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] = "8"
    module.apply_scheduling_workaround()
    assert os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] == "8"
    gl_thread()
    fd_growth()
    frame_view()


def gl_thread():
    import threading

    threads = []
    note = lambda: threads.append(threading.get_ident())  # noqa: E731
    worker = load("gl_thread").GlThread(note, note)
    worker.run(note).result(timeout=5)
    worker.close()
    assert len(threads) == 3 and len(set(threads)) == 1 and threads[0] != threading.get_ident()

    def refuse():
        raise RuntimeError("no context")

    assert raises(RuntimeError, lambda: sys.modules["gl_thread"].GlThread(refuse, note))


def fd_growth():
    leaked = []
    check = load("fd_growth").expect_no_fd_growth
    check(lambda: os.close(os.open(os.devnull, os.O_RDONLY)), 5)
    assert raises(RuntimeError, lambda: check(lambda: leaked.append(os.open(os.devnull, os.O_RDONLY)), 3))
    for fd in leaked:
        os.close(fd)


def frame_view():
    producer = object()
    view = load("frame_view").FrameView(producer, 4096, 2, 3, 256, 0)
    interface = view.__cuda_array_interface__
    assert interface["stream"] == 1 and interface["strides"] == (256, 4, 1) and view._producer is producer


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    for test in (map_linear, map_array_warp, map_array_cupy, sync_stream, keep_frame, write_attribute, ovstage_map, import_fd, timeline, double_buffer,
                 teardown, inverted_ownership, device_uuid, process_wide):
        test()
        print("ok", test.__name__)
