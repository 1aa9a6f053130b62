# snippet: begin seam-inverted-ownership | The consumer owns the memory that the renderer writes: teardown order
# snippet: placeholders InvertedSeam
class InvertedSeam:
    """No import of renderer memory is active in CUDA, which avoids the slow stream synchronise.

    Tolerated asymmetry: one slot only. Alternating two caller-owned slots can drop every other
    frame's writes; with one slot the latest write is always the visible one.
    """

    def __init__(self, allocation, renderer):
        self._allocation = allocation
        self._renderer = renderer
        renderer.import_target(allocation.export_fd(), allocation.size)

    def replace(self, allocation) -> None:
        """A new size: the renderer is re-pointed before the old memory is freed."""
        self._renderer.wait_idle()  # the GPU may still write the old allocation
        self._renderer.import_target(allocation.export_fd(), allocation.size)
        old, self._allocation = self._allocation, allocation
        old.close()

    def close(self) -> None:
        """Idempotent. Do not leave this order to the garbage collector."""
        if self._renderer is not None:
            self._renderer.wait_idle()  # must come first: queued work still writes
            self._renderer.close()  # must come before the memory: it holds the import
            self._allocation.close()  # last: reversed, the GPU would write to freed memory
        self._renderer = self._allocation = None
# snippet: end
