import os


# snippet: begin seam-fd-growth | Fail when the fd table grows over frames: the signature of a leaked export
# snippet: placeholders expect_no_fd_growth
def expect_no_fd_growth(frame, frames: int = 100) -> None:
    """Runs `frame()` once to warm up (drivers open files lazily), then `frames` times more."""
    frame()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(frames):
        frame()
    growth = len(os.listdir("/proc/self/fd")) - before
    if growth > 0:
        raise RuntimeError(
            f"{growth} fds leaked over {frames} frames: an export is neither imported nor closed"
        )
# snippet: end
