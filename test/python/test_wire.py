"""seamscope.py beside seamscope.h, and the joined module beside its parts."""

import ast
import ctypes
import os
import shutil
import subprocess
import tempfile
import unittest

from support import ROOT, seamscope

STRUCTURES = {
    "seamscope_frame_desc": "FrameDesc",
    "seamscope_slot": "Slot",
    "seamscope_output": "OutputPage",
    "seamscope_control": "Control",
    "seamscope_header": "Header",
    "seamscope_hello": "Hello",
    "seamscope_welcome": "Welcome",
    "seamscope_refused": "Refused",
    "seamscope_output_message": "OutputMessage",
    "seamscope_ring": "Ring",
    "seamscope_ring_answer": "RingAnswer",
    "seamscope_status": "Status",
}
NUMBERS = {
    "WIRE_VERSION": seamscope.WIRE_VERSION, "WIRE_MAGIC": seamscope.WIRE_MAGIC, "MAX_MESSAGE": seamscope.MAX_MESSAGE,
    "MAX_OUTPUTS": seamscope.MAX_OUTPUTS, "MAX_SLOTS": seamscope.MAX_SLOTS, "NAME_BYTES": seamscope.NAME_BYTES,
    "TEXT_BYTES": seamscope.TEXT_BYTES, "FLAG_BOTTOM_UP": seamscope.FLAG_BOTTOM_UP, "FLAG_BGR": seamscope.FLAG_BGR,
    "SLOT_FREE": seamscope.FREE, "SLOT_WRITING": seamscope.WRITING, "SLOT_READY": seamscope.READY, "SLOT_READING": seamscope.READING,
    "HELLO": seamscope.HELLO, "WELCOME": seamscope.WELCOME, "REFUSED": seamscope.REFUSED, "OUTPUT": seamscope.OUTPUT,
    "OUTPUT_GONE": seamscope.OUTPUT_GONE, "RING": seamscope.RING, "RING_ACCEPTED": seamscope.RING_ACCEPTED,
    "RING_REFUSED": seamscope.RING_REFUSED, "RING_RELEASED": seamscope.RING_RELEASED, "DOORBELL": seamscope.DOORBELL,
    "STATUS": seamscope.STATUS, "REFUSED_QUARANTINE": seamscope.REFUSED_QUARANTINE, "PATH_HOST": seamscope.PATH_HOST, "PATH_DEVICE": seamscope.PATH_DEVICE,
    "MEMORY_HOST": seamscope.MEMORY_HOST, "MEMORY_CUDA": seamscope.MEMORY_CUDA, "HAS_DEVICE_UUID": seamscope.HAS_DEVICE_UUID,
}  # fmt: skip
for names in (seamscope.DTYPES, seamscope.KINDS, seamscope.COLOR_SPACES):
    NUMBERS.update({name.upper(): number for number, name in enumerate(names)})


def expected_lines():
    lines = ["SEAMSCOPE_%s %d" % (name, value) for name, value in NUMBERS.items()]
    for c_name, name in STRUCTURES.items():
        structure = getattr(seamscope, name)
        lines.append("%s %d" % (c_name, ctypes.sizeof(structure)))
        lines += ["%s.%s %d" % (c_name, field[0], getattr(structure, field[0]).offset) for field in structure._fields_]
    return lines


def c_program():
    """Prints the same lines out of the header."""
    prints = ['  printf("SEAMSCOPE_%s %%lld\\n", (long long)SEAMSCOPE_%s);' % (name, name) for name in NUMBERS]
    for c_name, name in STRUCTURES.items():
        prints.append('  printf("%s %%zu\\n", sizeof(%s));' % (c_name, c_name))
        for field in getattr(seamscope, name)._fields_:
            prints.append('  printf("%s.%s %%zu\\n", offsetof(%s, %s));' % (c_name, field[0], c_name, field[0]))
    head = "#define SEAMSCOPE_WIRE_ONLY\n#include <stddef.h>\n#include <stdio.h>\n#include \"seamscope.h\"\n"
    return head + "int main(void) {\n" + "\n".join(prints) + "\n  return 0;\n}\n"


class Wire(unittest.TestCase):
    def test_structures_and_numbers_are_those_of_the_header(self):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if not compiler:
            self.skipTest("no C compiler (cc, gcc, clang)")
        with tempfile.TemporaryDirectory() as folder:
            source, program = os.path.join(folder, "print.c"), os.path.join(folder, "print")
            with open(source, "w") as file:
                file.write(c_program())
            subprocess.run([compiler, "-I", os.path.join(ROOT, "native/publisher"), source, "-o", program], check=True)
            printed = subprocess.run([program], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
        self.assertEqual(printed.split("\n")[:-1], expected_lines())

    def test_what_a_slot_gets_in_one_go_lies_where_the_structure_says(self):
        slot = seamscope.Slot()
        numbers = tuple(range(1, 18))
        seamscope.SLOT_FIELDS.pack_into((ctypes.c_char * 128).from_buffer(slot), seamscope.SLOT_FIELDS_OFFSET, *numbers)
        flat = [slot.generation, slot.frame, slot.published_ns, slot.ready_ns]
        flat += [getattr(slot.desc, field[0]) for field in seamscope.FrameDesc._fields_]
        self.assertEqual(tuple(flat), numbers)

    def test_texts_are_cut_between_characters(self):
        self.assertEqual(seamscope.text_field("ab\u00e9", 5), "ab\u00e9".encode())
        self.assertEqual(seamscope.text_field("ab\u00e9", 4), b"ab")


class Parts(unittest.TestCase):
    folder = os.path.join(ROOT, "native/publisher/python")

    def sources(self):
        for name in sorted(os.listdir(self.folder)):
            if name.endswith(".py"):
                with open(os.path.join(self.folder, name)) as file:
                    yield name, file.read()

    def test_no_two_parts_define_the_same_name(self):
        seen, twice = {}, []
        for file, text in self.sources():
            for node in ast.parse(text).body:
                targets = node.targets if isinstance(node, ast.Assign) else [node]
                flat = [leaf for target in targets for leaf in ast.walk(target) if isinstance(leaf, ast.Name)] if isinstance(node, ast.Assign) else []
                names = [leaf.id for leaf in flat] or ([node.name] if hasattr(node, "name") else [])
                for name in set(names):
                    if seen.setdefault(name, file) != file:
                        twice.append("%s in %s and %s" % (name, seen[name], file))
        self.assertEqual(twice, [])

    def test_the_oldest_python_can_read_it(self):
        with open(os.path.join(ROOT, "native/publisher/seamscope.py")) as file:
            ast.parse(file.read(), feature_version=(3, 8))

    def test_parts_import_nothing_but_the_standard_library(self):
        allowed = set("array atexit collections ctypes fcntl itertools mmap os platform re select socket stat struct sys threading time".split())
        for file, text in self.sources():
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Import):
                    self.assertLessEqual({alias.name for alias in node.names}, allowed, file)
                if isinstance(node, ast.ImportFrom) and node.level == 0:
                    self.assertIn(node.module, allowed, file)
