import os
import sys


# snippet: begin seam-max-connections | CUDA_DEVICE_MAX_CONNECTIONS=1 against stalled Vulkan work (Linux), before the first CUDA use
# snippet: placeholders apply_scheduling_workaround
def apply_scheduling_workaround() -> None:
    """Call before importing whatever initialises CUDA (torch.cuda, warp, ovrtx, cupy).

    On Linux, stream waits that are pending while Vulkan submits can stall Vulkan work. One
    hardware queue avoids that, at the cost of concurrency between streams. Windows is unaffected.
    """
    if sys.platform.startswith("linux"):
        # CUDA reads it once. setdefault keeps a value that the user has chosen.
        os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "1")
# snippet: end
