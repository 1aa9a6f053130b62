import os

from cuda.bindings import runtime as cudart


# snippet: begin seam-import-fd | Import an exported fd into CUDA from Python with one transfer point
# snippet: placeholders import_memory
def import_memory(fd: int, allocation_size: int, dedicated: bool):
    """Takes `fd` over, whatever happens: CUDA adopts it on success, it is closed on failure.

    `allocation_size` is the exporter's VkMemoryRequirements::size in bytes.
    """
    description = cudart.cudaExternalMemoryHandleDesc()
    description.type = cudart.cudaExternalMemoryHandleType.cudaExternalMemoryHandleTypeOpaqueFd
    description.handle.fd = fd
    description.size = allocation_size
    description.flags = cudart.cudaExternalMemoryDedicated if dedicated else 0
    error, memory = cudart.cudaImportExternalMemory(description)
    if error != cudart.cudaError_t.cudaSuccess:
        os.close(fd)  # the import failed, so the fd is still ours
        raise RuntimeError(f"cudaImportExternalMemory failed: {error}")
    return memory  # the transfer point: neither close nor import the fd again
# snippet: end
