import os

from cuda.bindings import runtime as cudart


# snippet: begin seam-timeline | Import a Vulkan timeline semaphore into CUDA from Python, to wait and to signal
# snippet: placeholders Timeline
class Timeline:
    """Takes `fd` over: CUDA adopts it on success, it is closed on failure."""

    def __init__(self, fd: int):
        description = cudart.cudaExternalSemaphoreHandleDesc()
        kinds = cudart.cudaExternalSemaphoreHandleType
        # For the binary fallback: cudaExternalSemaphoreHandleTypeOpaqueFd, and values stay 0.
        description.type = kinds.cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd
        description.handle.fd = fd
        error, self._semaphore = cudart.cudaImportExternalSemaphore(description)
        if error != cudart.cudaError_t.cudaSuccess:
            os.close(fd)  # still ours
            raise RuntimeError(f"cudaImportExternalSemaphore failed: {error}")

    def wait(self, stream: int, value: int) -> None:
        """Later work on `stream` runs after Vulkan has signalled `value`. The host goes on."""
        params = cudart.cudaExternalSemaphoreWaitParams()
        params.params.fence.value = value
        self._check(cudart.cudaWaitExternalSemaphoresAsync([self._semaphore], [params], 1, stream))

    def signal(self, stream: int, value: int) -> None:
        """`value` must be greater than every value signalled before: one owner counts."""
        params = cudart.cudaExternalSemaphoreSignalParams()
        params.params.fence.value = value
        self._check(
            cudart.cudaSignalExternalSemaphoresAsync([self._semaphore], [params], 1, stream)
        )

    def _check(self, result) -> None:
        if result[0] != cudart.cudaError_t.cudaSuccess:
            raise RuntimeError(f"external semaphore: {result[0]}")
# snippet: end
