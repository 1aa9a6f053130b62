"""Stand-ins that record every call made on them, for order.py."""

import types
from unittest.mock import MagicMock

calls = []


class Recorder:
    """A stand-in whose methods append their dotted name to `calls`."""

    def __init__(self, name, **attributes):
        self._name = name
        self.__dict__.update(attributes)

    def __getattr__(self, attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return Recorder(f"{self._name}.{attribute}")

    def __call__(self, *arguments, **keywords):
        calls.append((self._name, arguments, keywords))
        return Recorder(f"{self._name}()")

    def __enter__(self):
        calls.append((f"{self._name}.enter", (), {}))
        return self

    def __exit__(self, *_):
        calls.append((f"{self._name}.exit", (), {}))


def names():
    return [name for name, _, _ in calls]


def in_order(*wanted):
    """Every wanted name occurs, each after the one before."""
    position = 0
    for name in wanted:
        assert name in names()[position:], f"{name} missing after position {position} in {names()}"
        position = names().index(name, position) + 1


def keywords_of(wanted):
    return next(keywords for name, _, keywords in calls if name == wanted)


class Mapping(Recorder):
    def __getitem__(self, key):
        return Recorder("tensor", cuda_array=77, shape=(4, 8, 4), device=Recorder("device", device_id=1))

    tensor = Recorder("tensor")


def render_var():
    mapping = Mapping("mapping")
    return Recorder("var", map=lambda **keywords: calls.append(("map", (), keywords)) or mapping)


def warp():
    stream = Recorder("stream", cuda_stream=1234)
    return Recorder(
        "wp",
        get_stream=lambda: calls.append(("get_stream", (), {})) or stream,
        from_dlpack=lambda value, **_: Array(),
        ScopedDevice=lambda device: Recorder(f"scope[{device}]"),
        Texture2D=lambda cuda_array: calls.append(("Texture2D", (cuda_array,), {})) or Recorder("texture"),
    )


class Array(Recorder):
    def __init__(self):
        super().__init__("array", device="cuda:1", shape=(4, 8, 4))

    def __len__(self):
        return 4


class Struct(types.SimpleNamespace):
    """An attribute that was not set is another struct, as in cuda.bindings."""

    def __getattr__(self, name):
        self.__dict__[name] = Struct()
        return self.__dict__[name]


def cudart(error):
    runtime = MagicMock()
    runtime.cudaError_t.cudaSuccess = 0
    for name in ("cudaExternalMemoryHandleDesc", "cudaExternalSemaphoreHandleDesc", "cudaExternalSemaphoreWaitParams", "cudaExternalSemaphoreSignalParams"):
        setattr(runtime, name, Struct)
    runtime.cudaImportExternalMemory.return_value = runtime.cudaImportExternalSemaphore.return_value = (error, "handle")
    runtime.cudaWaitExternalSemaphoresAsync.return_value = runtime.cudaSignalExternalSemaphoresAsync.return_value = (0,)
    bindings = types.ModuleType("cuda.bindings")
    bindings.runtime = runtime
    return {"cuda": types.ModuleType("cuda"), "cuda.bindings": bindings, "cuda.bindings.runtime": runtime}
