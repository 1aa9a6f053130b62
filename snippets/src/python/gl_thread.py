from concurrent.futures import Future, ThreadPoolExecutor


# snippet: begin seam-gl-thread | OpenGL on a thread of its own: every GL call goes through one worker
# snippet: placeholders GlThread
class GlThread:
    """A context is current per thread, implicitly: this leaves the embedder's GL state alone.

    Create it before any Vulkan instance with window-system support: the NVIDIA driver may refuse
    a fresh EGL context afterwards.
    """

    def __init__(self, make_current, release):
        self._release = release
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="gl")
        try:
            self._worker.submit(make_current).result(timeout=10)
        except BaseException:
            self._worker.shutdown(wait=False)
            raise

    def run(self, work, *arguments) -> Future:
        """Runs `work(*arguments)` with the context current, in the order of the calls."""
        return self._worker.submit(work, *arguments)

    def close(self) -> None:
        self._worker.submit(self._release)  # behind all work: a current context cannot be destroyed
        self._worker.shutdown(wait=True)
# snippet: end
