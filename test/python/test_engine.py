"""Through the real engine: `seamscope preview --source NAME --out FILE.npy` of this build."""

import json
import os
import shutil
import subprocess
import sys
import time

import stand_in_frames
from support import ROOT, PublisherTest, seamscope
from test_cuda import FOLDER, GPU

DIST = os.environ.get("SEAMSCOPE_DIST", os.path.join(ROOT, "dist"))
HIDDEN = {"VK_DRIVER_FILES": "/nowhere.json", "VK_ICD_FILENAMES": "/nowhere.json"}

NO_SIZE = """#define SEAMSCOPE_IMPLEMENTATION
#include "seamscope.h"
#include <unistd.h>
int main(void) {
  char pixel[4] = {0};
  seamscope_frame_desc none = {0};
  for (;; usleep(10000)) seamscope_publish_host("color", pixel, &none);
}
"""


class Engine(PublisherTest):
    def setUp(self):
        super().setUp()
        del os.environ["SEAMSCOPE_SOCKET"]
        os.environ["XDG_RUNTIME_DIR"] = self.folder.name
        self.addCleanup(os.environ.pop, "XDG_RUNTIME_DIR")
        if not shutil.which("node"):
            self.skipTest("node is not in PATH")
        if not os.path.exists(os.path.join(DIST, "native/seamscope.node")):
            self.skipTest("%s has no engine: run npm run build" % DIST)

    def seamscope(self, *arguments, **variables):
        command = ["node", os.path.join(DIST, "cli.js")] + list(arguments)
        return subprocess.Popen(command, env=dict(os.environ, **variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def saved(self, process, file):
        """-> (shape and type as the file has them, bytes, the path that the frames took)"""
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, stderr.decode())
        with open(file, "rb") as content:
            data = content.read()
        begin = 10 + int.from_bytes(data[8:10], "little")
        return data[10:begin].decode().strip(), data[begin:], json.loads(stdout)["device"]

    def preview(self, source, **variables):
        file = os.path.join(self.folder.name, "out.npy")
        return self.seamscope("preview", "--source", source, "--frames", "3", "--json", "--out", file, **variables), file

    def test_host_memory_comes_out_as_it_went_in(self):
        seamscope.set_program_name("test of host memory")
        self.addCleanup(setattr, seamscope.Program, "name", None)
        width, height = 131, 77
        data = bytes(at % 251 for at in range(width * height * 3))
        process, file = self.preview("test of host memory")
        while process.poll() is None:
            seamscope.publish("color", memoryview(data).cast("B", (height, width, 3)))
            time.sleep(0.005)
        header, texels, path = self.saved(process, file)
        self.assertIn("'|u1'", header)
        self.assertIn("(77, 131, 3)", header)
        self.assertIn("1 host copy", path)
        self.assertEqual(texels, data)

    def publishes_once(self, name, watched):
        """A program that publishes one frame, before anybody can watch or `watched`, and ends after a while."""
        wait = "while not seamscope.is_watched('color'): time.sleep(0.01)" if watched else ""
        twice = "while not seamscope.publish('color', frame): time.sleep(0.01)" if watched else "time.sleep(40)"
        lines = ["import seamscope, time", "seamscope.set_program_name(%r)" % name, "frame = memoryview(bytes(64 * 32)).cast('B', (32, 64))"]
        lines += ["seamscope.publish('color', frame)", wait, twice, "time.sleep(3)"]
        env = dict(os.environ, PYTHONPATH=os.path.dirname(seamscope.__file__))
        program = subprocess.Popen([sys.executable, "-c", "\n".join(lines)], env=env)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)

    def test_a_picture_at_rest_is_no_other_picture(self):
        self.publishes_once("once watched", True)
        stdout, stderr = self.seamscope("preview", "--source", "once watched", "--frames", "2", "--wait", "20", "--json").communicate(timeout=60)
        self.assertIn("1 of 2 pictures came", stderr.decode())

    def test_an_output_that_was_published_before_anybody_watched_is_named(self):
        self.publishes_once("once before", False)
        process = self.seamscope("preview", "--source", "once before", "--frames", "1", "--wait", "15")
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2, stderr.decode())
        self.assertIn('"once before" has the output "color", and published no frame of it since this watches', stderr.decode())

    def test_a_frame_without_a_size_is_named_as_the_reason(self):
        if not shutil.which("cc"):
            self.skipTest("cc is not in PATH")
        program = os.path.join(self.folder.name, "no size")
        source = os.path.join(self.folder.name, "no_size.c")
        with open(source, "w") as file:
            file.write(NO_SIZE)
        compiled = subprocess.run(["cc", "-I", os.path.join(ROOT, "native/publisher"), "-o", program, source, "-pthread", "-ldl"], timeout=120)
        self.assertEqual(compiled.returncode, 0)
        publisher = subprocess.Popen([program])
        self.addCleanup(publisher.wait)
        self.addCleanup(publisher.kill)
        process = self.seamscope("preview", "--source", "no size", "--frames", "1", "--wait", "15")
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2, stderr.decode())
        self.assertIn("The frame has no texels", stderr.decode())

    def lavapipe(self):
        """Its UUID, which the stand-in of libcuda takes for its own."""
        stdout, stderr = self.seamscope("devices", "--json").communicate(timeout=60)
        found = [device["deviceUuid"] for device in json.loads(stdout)["vulkan"]["devices"] if device["type"] == "cpu"]
        if not found:
            self.skipTest("lavapipe is not installed (Debian: mesa-vulkan-drivers)")
        return found[0]

    def check_gpu_memory(self, words, **variables):
        library, description = os.path.join(FOLDER, "libcuda.so.1"), os.path.join(self.folder.name, "gpu.json")
        if not os.path.exists(library):
            self.skipTest("%s is missing: run node scripts/test.mjs native" % library)
        with open(description, "w") as file:
            json.dump({"driver": "580.0", "cudaVersion": 13000, "gpus": [dict(GPU, uuid=self.lavapipe())], "gpuDelayMs": 2}, file)
        program = os.path.join(ROOT, "test/python/stand_in_frames.py")
        env = dict(os.environ, SEAMSCOPE_DOUBLES=description)
        publisher = subprocess.Popen([sys.executable, program, library], env=env)
        self.addCleanup(publisher.wait)
        self.addCleanup(publisher.kill)
        process, file = self.preview("stand_in_frames.py", **variables)
        header, texels, path = self.saved(process, file)
        self.assertIn("'<u2'", header)
        self.assertIn(words, path)
        self.assertTrue(texels == stand_in_frames.picture())

    def test_gpu_memory_is_read_where_it_lies(self):
        self.check_gpu_memory("1 device copy, 0 host copies")

    def test_gpu_memory_goes_by_a_host_copy_where_the_engine_has_no_vulkan(self):
        self.check_gpu_memory("1 host copy", **HIDDEN)
