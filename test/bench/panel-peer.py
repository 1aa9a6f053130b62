"""What jupyter_rfb does to a frame before it goes to the browser: measured where it is installed.

Prints one JSON object: {"version", "ms": median of a 1920x1080 frame at its default quality, "kib", "type"}.
"""

import json
import statistics
import time

import jupyter_rfb
import numpy
from jupyter_rfb._utils import array2compressed

FRAMES = 20
QUALITY = 80  # the default of RemoteFrameBuffer

y, x = numpy.mgrid[0:1080, 0:1920]
times, data, kind = [], b"", ""
for frame in range(FRAMES):
    image = numpy.stack([(x + frame) % 256, (y + frame) % 256, (x ^ y) % 256, x * 0 + 255], axis=-1).astype("uint8")
    begin = time.perf_counter()
    kind, data = array2compressed(image, QUALITY)
    times.append((time.perf_counter() - begin) * 1000)
print(json.dumps({"version": jupyter_rfb.__version__, "ms": statistics.median(times), "kib": len(data) / 1024, "type": kind}))
