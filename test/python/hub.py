"""A hub for tests: speaks the hub's half of docs/publisher-protocol.md in pure Python, with its own reading of seamscope.h."""

import array
import mmap
import os
import select
import socket
import struct
import threading
import time

FREE, WRITING, READY, READING = range(4)
HELLO, WELCOME, REFUSED, OUTPUT, OUTPUT_GONE, RING, ACCEPTED, RING_REFUSED, RELEASED, DOORBELL, STATUS = range(1, 12)
SIZES = {HELLO: 384, OUTPUT: 160, OUTPUT_GONE: 288, RING: 96, DOORBELL: 288, STATUS: 280}
OUTPUT_BYTES, CONTROL_BYTES = 128 + 16 * 128, 128 + 128 * (128 + 16 * 128)
ITEM = (1, 1, 1, 2, 2, 4, 4, 8, 2, 2, 4, 8, 4, 4, 4)
DESC_NAMES = "width height channels batch dtype kind color_space flags offset row pixel channel batch_stride".split()
LAVAPIPE_OFFSET = 4096  # where the data begins in the file of a lavapipe allocation, which the CUDA double hands out


def text(data):
    return data.split(b"\0", 1)[0].decode()


class Frame:
    """A frame taken out of its slot: `desc` by name, `texels`: the bytes in the order N, H, W, C."""

    def __init__(self, number, times, desc, data):
        self.number, (self.published_ns, self.ready_ns), self.desc = number, times, desc
        self.texels = self._gather(data)

    def _gather(self, data):
        d = self.desc
        item, channels = ITEM[d["dtype"]], 1 if d["dtype"] >= 12 else d["channels"]
        if d["channel"] == item and d["pixel"] == item * channels and d["row"] == d["width"] * d["pixel"] and d["batch"] == 1:
            return bytes(data[d["offset"] : d["offset"] + d["height"] * d["row"]])
        out = bytearray()
        for n in range(d["batch"]):
            for y in range(d["height"]):
                for x in range(d["width"]):
                    for c in range(channels):
                        at = d["offset"] + n * d["batch_stride"] + y * d["row"] + x * d["pixel"] + c * d["channel"]
                        out += data[at : at + item]
        return bytes(out)


class RingOfSlots:
    def __init__(self, fields, fds):
        (self.output, self.generation, self.memory, self.count, self.slot_size, self.allocation, self.stride, self.flags, _) = fields[:9]
        self.uuid = fields[9]
        self.maps = [mmap.mmap(fd, 0, prot=mmap.PROT_READ) for fd in fds]
        self.sizes = [os.fstat(fd).st_size for fd in fds]
        for fd in fds:
            os.close(fd)

    def data(self, slot):
        if self.memory == 0:
            return memoryview(self.maps[0])[slot * self.stride : slot * self.stride + self.slot_size]
        return memoryview(self.maps[slot])[LAVAPIPE_OFFSET : LAVAPIPE_OFFSET + self.slot_size]


class Peer:
    """One connected publisher. Everything it does wrong is appended to `faults`."""

    def __init__(self, hub, connection):
        self.hub, self.socket = hub, connection
        self.outputs, self.rings, self.statuses, self.faults, self.hello = {}, {}, [], [], None
        self.doorbells, self.last, self.page, self.wanted = 0, {}, None, {}

    def handle(self):
        data, ancillary, flags, _ = self.socket.recvmsg(2048, socket.CMSG_SPACE(8 * 4))
        fds = array.array("i")
        for _, _, content in ancillary:
            fds.frombytes(content[: len(content) // 4 * 4])
        if not data:
            return False
        magic, version, kind, size, reserved = struct.unpack_from("=IHHII", data)
        if (magic, version, reserved) != (0x4D414553, 1, 0) or size != len(data) or SIZES.get(kind) != size:
            self.faults.append("malformed message of type %d and %d bytes" % (kind, len(data)))
            return False
        if self.hello is None and kind != HELLO:
            self.faults.append("a message of type %d before HELLO" % kind)
        {HELLO: self.on_hello, OUTPUT: self.on_output, RING: self.on_ring, DOORBELL: self.on_doorbell, STATUS: self.on_status}[kind](
            data, list(fds)
        )
        return True

    def on_hello(self, data, fds):
        pid, flags = struct.unpack_from("=II", data, 16)
        self.hello = {"pid": pid, "flags": flags, "ordinal": struct.unpack_from("=i", data, 56)[0], "name": text(data[64:128])}
        self.hello.update(uuid=data[24:40], visible=text(data[128:]))
        seals = __import__("fcntl").fcntl(fds[0], 1034)
        if seals & 6 != 6 or os.fstat(fds[0]).st_size != CONTROL_BYTES:
            self.faults.append("control page: seals %d, %d bytes" % (seals, os.fstat(fds[0]).st_size))
        self.page = mmap.mmap(fds[0], CONTROL_BYTES)
        os.close(fds[0])
        if self.hub.refuse:
            self.send(REFUSED, struct.pack("=II256s", 1, 0, self.hub.refuse.encode()))
            return
        self.send(WELCOME, struct.pack("=II256s", os.getpid(), self.hub.paths, b"" if self.hub.paths & 2 else b"no Vulkan here"))

    def on_output(self, data, fds):
        index, reserved = struct.unpack_from("=II", data, 16)
        name = text(data[24:88])
        self.outputs[name] = index
        desc = dict(zip(DESC_NAMES, struct.unpack_from("=8I5Q", data, 88)))
        self.hub.announced.append((name, desc))
        self.want(name, self.hub.watch, self.hub.rate)

    def want(self, name, wanted, millihertz=0):
        struct.pack_into("=II", self.page, 128 + self.outputs[name] * OUTPUT_BYTES, int(wanted), millihertz)

    def counters(self, name):
        return struct.unpack_from("=QQ", self.page, 128 + self.outputs[name] * OUTPUT_BYTES + 8)

    def on_ring(self, data, fds):
        fields = struct.unpack_from("=IIIIQQQII16s16s", data, 16)
        ring = RingOfSlots(fields, fds)
        expected = 1 if ring.memory == 0 else ring.count
        if len(fds) != expected:
            self.faults.append("%d fds with a ring of memory %d" % (len(fds), ring.memory))
        live = self.rings.get(ring.output, [])
        last = live[-1].generation if live else self.last.get(ring.output, 0)
        if ring.generation != last + 1:
            self.faults.append("generation %d after %d" % (ring.generation, last))
        if any(old.generation % 2 == ring.generation % 2 for old in live):
            self.faults.append("generation %d into a bank in use" % ring.generation)
        self.last[ring.output] = ring.generation
        if ring.memory in self.hub.refused_memory:
            self.answer(RING_REFUSED, ring, "the driver said no")
            return
        self.hub.rings.append(ring)
        self.answer(ACCEPTED, ring)
        for old in live:
            self.answer(RELEASED, old)
        self.rings[ring.output] = [ring]

    def answer(self, kind, ring, reason=""):
        self.send(kind, struct.pack("=IIII256s", ring.output, ring.generation, 7 if reason else 0, 0, reason.encode()))

    def release(self, name):
        """Lets the ring in use go, as after a while in which nobody watched."""
        self.answer(RELEASED, self.rings.pop(self.outputs[name])[-1])

    def send(self, kind, body):
        self.socket.send(struct.pack("=IHHII", 0x4D414553, 1, kind, 16 + len(body), 0) + body)

    def on_doorbell(self, data, fds):
        self.doorbells += 1
        index, generation = struct.unpack_from("=II", data, 16)
        if self.hub.reads:
            self.take(index)

    def on_status(self, data, fds):
        self.statuses.append((struct.unpack_from("=I", data, 16)[0], text(data[24:])))

    def take(self, index):
        """The newest READY frame into hub.frames; older ones become FREE. Not atomic: good enough for a publisher in tests,
        where a frame taken back meanwhile shows as a fault."""
        for ring in self.rings.get(index, []):
            at = [128 + index * OUTPUT_BYTES + 128 + (ring.generation % 2 * 8 + slot) * 128 for slot in range(ring.count)]
            ready = sorted(
                (struct.unpack_from("=Q", self.page, place + 8)[0], slot, place)
                for slot, place in enumerate(at)
                if struct.unpack_from("=I", self.page, place)[0] == READY
            )
            if not ready:
                continue
            number, slot, place = ready[-1]
            struct.pack_into("=I", self.page, place, READING)
            numbers = struct.unpack_from("=IIQQQ8I5Q", self.page, place)
            if numbers[1] != ring.generation:
                self.faults.append("slot of generation %d in ring %d" % (numbers[1], ring.generation))
            name = [key for key, value in self.outputs.items() if value == index][0]
            frame = Frame(numbers[2], numbers[3:5], dict(zip(DESC_NAMES, numbers[5:])), ring.data(slot))
            self.hub.frames.append((name, frame))
            struct.pack_into("=I", self.page, place, FREE)
            for _, _, older in ready[:-1]:
                struct.pack_into("=I", self.page, older, FREE)


class Hub:
    """Listens at `path` until close(). `watch`, `rate`, `paths`, `refused_memory`, `refuse`, `reads` may be changed at any time."""

    def __init__(self, path, **options):
        self.path, self.watch, self.rate, self.paths, self.reads, self.refuse = path, True, 0, 1, True, ""
        self.refused_memory, self.frames, self.announced, self.rings, self.peers = set(), [], [], [], []
        self.__dict__.update(options)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(path)
        self.listener.listen(16)
        self.is_closing = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.is_closing:
            sockets = {peer.socket.fileno(): peer for peer in self.peers if peer.socket.fileno() >= 0}
            poll = select.poll()
            for fd in [self.listener.fileno()] + list(sockets):
                poll.register(fd, select.POLLIN)
            for ready, _ in poll.poll(20):
                if ready == self.listener.fileno():
                    self.peers.append(Peer(self, self.listener.accept()[0]))
                elif not self.handle(sockets[ready]):
                    sockets[ready].socket.close()

    def handle(self, peer):
        try:
            return peer.handle()
        except (ConnectionError, BrokenPipeError):
            return False
        except Exception as error:
            peer.faults.append(repr(error))
            return False

    @property
    def peer(self):
        return self.peers[-1]

    def want(self, name, wanted, millihertz=0):
        self.peer.want(name, wanted, millihertz)

    def release(self, name):
        self.peer.release(name)

    def close(self):
        self.is_closing = True
        self.thread.join()
        for peer in self.peers:
            peer.socket.close()
        self.listener.close()
        os.unlink(self.path)


def wait_for(condition, seconds=30.0, what="the condition"):
    """Polls until `condition()` is true -> its value; AssertionError after `seconds`."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError("waited %g s for %s" % (seconds, what))
        time.sleep(0.002)
