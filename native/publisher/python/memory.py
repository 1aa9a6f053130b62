"""Memory that the hub maps too: memfds that can neither shrink nor grow."""

import ctypes
import mmap
import os
import platform

from .wire import CONTROL_BYTES, WIRE_MAGIC, WIRE_VERSION

_MFD_CLOEXEC, _MFD_ALLOW_SEALING = 1, 2
_F_ADD_SEALS, _F_SEAL_SHRINK, _F_SEAL_GROW = 1033, 2, 4
_SYS_MEMFD_CREATE = {"x86_64": 319, "aarch64": 279}


def _memfd(name):
    flags = _MFD_CLOEXEC | _MFD_ALLOW_SEALING
    if hasattr(os, "memfd_create"):
        return os.memfd_create(name, flags)
    # Interpreters built for an old glibc lack it; the kernel has it.
    libc = ctypes.CDLL(None, use_errno=True)
    number = _SYS_MEMFD_CREATE.get(platform.machine())
    fd = libc.syscall(number, name.encode(), flags) if number else -1
    if fd < 0:
        raise OSError(ctypes.get_errno(), "memfd_create")
    return fd


def sealed_memfd(name, size):
    """A memfd of `size` zero bytes, sealed against shrinking and growing; the caller closes it."""
    import fcntl  # not at the top: the module can be imported where there is none, and does nothing there

    fd = _memfd(name)
    try:
        os.ftruncate(fd, size)
        fcntl.fcntl(fd, _F_ADD_SEALS, _F_SEAL_SHRINK | _F_SEAL_GROW)
    except OSError:
        os.close(fd)
        raise
    return fd


class Mapped:
    """A memfd mapped into this process: `view` (bytes) and `address`. Unmapped when the last user lets go of it."""

    def __init__(self, fd, size):
        self._map = mmap.mmap(fd, size)
        self.view = memoryview(self._map)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self.size = size


class ControlPage(Mapped):
    """The page of one connection; `words` and `longs` index it by 4 and 8 bytes."""

    def __init__(self):
        self.fd = sealed_memfd("seamscope-control", CONTROL_BYTES)
        try:
            super().__init__(self.fd, CONTROL_BYTES)
        except BaseException:
            self.close_fd()
            raise
        self.words = self.view.cast("I")
        self.longs = self.view.cast("Q")
        self.words[0], self.words[1] = WIRE_MAGIC, WIRE_VERSION

    def close_fd(self):
        """Once sent, the mapping alone is needed."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
