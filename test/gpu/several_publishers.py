#!/usr/bin/env python3
"""A publisher on each GPU and one on all of them, previewed together out of one engine, pixel by pixel, descriptors counted.

    python3 several_publishers.py --cli dist/cli.js [--publisher FOLDER] [--node NODE]

Needs torch with CUDA and numpy. The last line counts: N passed, N failed, N skipped; exit code 1 when something failed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT, PREVIEWED = 333, 77, 40

PROGRAM = """
import os, sys, time
import seamscope, torch
seamscope.set_program_name(os.environ["PROGRAM_NAME"])
width, height, devices = int(sys.argv[1]), int(sys.argv[2]), [int(number) for number in sys.argv[3].split(",")]
marks = [int(number) for number in sys.argv[4].split(",")]
images = []
for device, mark in zip(devices, marks):
    x = torch.arange(width, dtype=torch.int32).repeat(height, 1)
    y = torch.arange(height, dtype=torch.int32).repeat(width, 1).T
    pixels = torch.stack([x & 255, y & 255, torch.full_like(x, mark), torch.full_like(x, 255)], dim=2)
    images.append(pixels.to(torch.uint8).to("cuda:%d" % device))
while sys.stdin.readable():
    for device, image in zip(devices, images):
        seamscope.publish("gpu%d" % device, image)
    time.sleep(0.01)
"""


def expected(numpy, mark):
    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH]
    return numpy.stack([x & 255, y & 255, numpy.full_like(x, mark), numpy.full_like(x, 255)], axis=2).astype(numpy.uint8)


def start_program(arguments, name, visible, devices, marks):
    env = dict(os.environ, PYTHONPATH=arguments.publisher, PROGRAM_NAME=name)
    if visible is not None:
        env["CUDA_VISIBLE_DEVICES"] = visible
    lists = [",".join(map(str, numbers)) for numbers in (devices, marks)]
    return subprocess.Popen([sys.executable, "-c", PROGRAM, str(WIDTH), str(HEIGHT)] + lists, env=env, stdin=subprocess.PIPE)


def start_preview(arguments, folder, source, output):
    file = os.path.join(folder, "%s-%s.npy" % (source, output))
    command = [arguments.node, arguments.cli, "preview", "--source", source, "--output", output, "--frames", str(PREVIEWED), "--out", file, "--wait", "60", "--json"]
    return file, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def open_fds(pid):
    return len(os.listdir("/proc/%d/fd" % pid))


def preview_all(arguments, numpy, folder, wanted):
    """All at once, so that one engine reads every GPU at the same time. Yields (what, error or None)."""
    running = [(source, output, mark) + start_preview(arguments, folder, source, output) for source, output, mark in wanted]
    for source, output, mark, file, process in running:
        printed, words = process.communicate(timeout=180)
        what = "%s %s" % (source, output)
        if process.returncode != 0:
            yield what, words.strip()
            continue
        print("%s: %s" % (what, json.dumps(json.loads(printed))[:400]))
        same = numpy.array_equal(numpy.load(file), expected(numpy, mark))
        yield what, None if same else "the pixels differ from what was published"


def run(arguments, numpy, count):
    results = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        engine = subprocess.Popen([arguments.node, arguments.cli, "engine"], stdin=subprocess.PIPE)
        programs = [start_program(arguments, "only%d" % gpu, str(gpu), [0], [100 + gpu]) for gpu in range(count)]
        programs.append(start_program(arguments, "all", None, range(count), [200 + gpu for gpu in range(count)]))
        time.sleep(3)
        try:
            wanted = [("only%d" % gpu, "gpu0", 100 + gpu) for gpu in range(count)] + [("all", "gpu%d" % gpu, 200 + gpu) for gpu in range(count)]
            results += preview_all(arguments, numpy, folder, wanted)
            time.sleep(2)
            before = open_fds(engine.pid)
            results += preview_all(arguments, numpy, folder, wanted)
            time.sleep(2)
            after = open_fds(engine.pid)
            print("descriptors of seamscope engine: %d, then %d" % (before, after))
            results.append(("descriptors stay", None if after <= before else "%d became %d" % (before, after)))
        finally:
            for program in programs:
                program.kill()
            engine.stdin.close()
            results.append(("engine ends", None if engine.wait(timeout=20) == 0 else "exit code %d" % engine.returncode))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--cli", default=os.path.join(here, "../dist/cli.js"))
    parser.add_argument("--publisher", default=os.path.join(here, "../dist/publisher"))
    parser.add_argument("--node", default="node")
    arguments = parser.parse_args()
    try:
        import numpy
        import torch
    except ImportError as error:
        print("skipped: %s\n0 passed, 0 failed, 1 skipped" % error)
        return 0
    count = torch.cuda.device_count()
    if count < 2:
        print("skipped: %d CUDA devices here, it takes two\n0 passed, 0 failed, 1 skipped" % count)
        return 0
    results = run(arguments, numpy, count)
    failed = [(what, error) for what, error in results if error]
    for what, error in failed:
        print("FAILED %s: %s" % (what, error))
    print("%d passed, %d failed, 0 skipped" % (len(results) - len(failed), len(failed)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
