"""Messages to the hub as bytes, and the hub's as structures."""

import ctypes
import os
import sys

from .wire import (
    DOORBELL,
    HAS_DEVICE_UUID,
    HELLO,
    NAME_BYTES,
    OUTPUT,
    REFUSED,
    RING,
    RING_ACCEPTED,
    RING_REFUSED,
    RING_RELEASED,
    STATUS,
    TEXT_BYTES,
    WELCOME,
    WIRE_MAGIC,
    WIRE_VERSION,
    FrameDesc,
    Header,
    Hello,
    OutputMessage,
    Refused,
    Ring,
    RingAnswer,
    Status,
    Welcome,
    message,
    text_field,
)

_FROM_HUB = {
    WELCOME: Welcome,
    REFUSED: Refused,
    RING_ACCEPTED: RingAnswer,
    RING_REFUSED: RingAnswer,
    RING_RELEASED: RingAnswer,
}


class Program:
    """`name` as the preview lists it; None: that of the script."""

    name = None


def program_name():
    if Program.name:
        return Program.name
    script = os.path.basename(sys.argv[0]) if getattr(sys, "argv", None) and sys.argv[0] else ""
    return script if script not in ("", "-c", "-m", "__main__.py", "ipykernel_launcher.py") else "Python %d" % os.getpid()


def _uuid(data):
    return (ctypes.c_uint8 * 16)(*data)


def hello(device, uuid):
    """`device`: CUDA ordinal, or -1; `uuid`: its sixteen bytes, or b""."""
    return message(
        Hello,
        HELLO,
        pid=os.getpid(),
        flags=HAS_DEVICE_UUID if uuid else 0,
        device_uuid=_uuid(uuid),
        cuda_ordinal=device,
        name=text_field(program_name(), NAME_BYTES),
        visible_devices=text_field(os.environ.get("CUDA_VISIBLE_DEVICES", ""), TEXT_BYTES),
    )


def output_message(output):
    return message(OutputMessage, OUTPUT, output=output.index, name=text_field(output.name, NAME_BYTES), desc=FrameDesc(*output.desc))


def ring_message(output, ring, slot_count, uuid):
    return message(
        Ring,
        RING,
        output=output.index,
        generation=ring.generation,
        memory=ring.memory,
        slot_count=slot_count,
        slot_size=ring.size,
        allocation_size=ring.allocation,
        slot_stride=ring.slot_stride,
        flags=HAS_DEVICE_UUID if uuid else 0,
        device_uuid=_uuid(uuid),
    )


def doorbell(output, generation):
    return message(RingAnswer, DOORBELL, output=output.index, generation=generation)


def status_message(index, text):
    return message(Status, STATUS, output=index, text=text_field(text, TEXT_BYTES))


def parse(data):
    """A message of the hub, or None when it is malformed."""
    if len(data) < ctypes.sizeof(Header):
        return None
    header = Header.from_buffer_copy(data)
    structure = _FROM_HUB.get(header.type)
    known = header.magic == WIRE_MAGIC and header.version == WIRE_VERSION and structure is not None
    if not known or header.size != len(data) or len(data) != ctypes.sizeof(structure):
        return None
    return structure.from_buffer_copy(data)
