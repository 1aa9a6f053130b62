"""Compare-and-swap on shared memory, which Python has no word for.

A slot that is READY belongs to whoever changes its state first, this process or the hub: taking it back needs one
atomic instruction. It comes from libatomic, which nearly every system with a compiler has, or from sixteen bytes of
machine code on x86-64. Without either nothing is published, and last_error() says why.
"""

import ctypes
import mmap
import platform

# endbr64; mov eax, esi; lock cmpxchg [rdi], edx; sete al; movzx eax, al; ret
_X86_64_SWAP = bytes.fromhex("f30f1efa 89f0 f00fb117 0f94c0 0fb6c0 c3".replace(" ", ""))
_ACQ_REL, _ACQUIRE = 4, 2


def _from_libatomic():
    # PyDLL: a call so short is not worth handing the interpreter's lock over.
    function = getattr(ctypes.PyDLL("libatomic.so.1"), "__atomic_compare_exchange_4")
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_int]
    function.restype = ctypes.c_bool

    def swap(address, expected, desired):
        held = ctypes.c_uint32(expected)
        return function(address, ctypes.addressof(held), desired, _ACQ_REL, _ACQUIRE)

    return swap


def _from_machine_code():
    if platform.machine() not in ("x86_64", "AMD64"):
        raise OSError("libatomic.so.1 is missing (Debian: libatomic1)")
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    page.write(_X86_64_SWAP)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    if libc.mprotect(address, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC) != 0:
        raise OSError("libatomic.so.1 is missing (Debian: libatomic1), and this system forbids executable pages")
    function = ctypes.PYFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)(address)
    function.page = page  # lives as long as the function
    return function


def _find_swap():
    try:
        return _from_libatomic()
    except (OSError, AttributeError):
        return _from_machine_code()


class Atomic:
    """`Atomic.swap(address, expected, desired)` -> whether the 32-bit word changed; found at the first use."""

    @staticmethod
    def swap(address, expected, desired):
        Atomic.swap = staticmethod(_find_swap())
        return Atomic.swap(address, expected, desired)
