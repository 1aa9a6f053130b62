"""The connection to the hub: found, opened and closed by the worker alone."""

import os
import socket
import stat
import struct
import sys

from .memory import ControlPage
from .wire import MAX_MESSAGE

_LONGEST_PATH = 107


def folder():
    """Where hubs listen."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    return os.path.join(runtime, "seamscope") if runtime.startswith("/") else "/tmp/seamscope-%d" % os.geteuid()


def is_off():
    """Wanted by the user, or not on Linux."""
    return os.environ.get("SEAMSCOPE_SOCKET") == "off" or sys.platform != "linux"


def _is_ours(path):
    status = os.lstat(path)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) == 0o700


def _modified(entry):
    try:
        return entry.stat().st_mtime_ns
    except OSError:
        return 0


def _sockets_in(place):
    """The newest first; none when others can write there."""
    try:
        if not _is_ours(place):
            return []
        with os.scandir(place) as entries:
            found = [entry for entry in entries if entry.name.endswith(".sock")]
    except OSError:
        return []
    return [entry.path for entry in sorted(found, key=_modified, reverse=True)]


def socket_paths():
    """Sockets to try: the named one and, since an editor that restarts makes another, those beside it; or all of the
    folder."""
    named = os.environ.get("SEAMSCOPE_SOCKET")
    if named:
        return [named] + [path for path in _sockets_in(os.path.dirname(named)) if path != named]
    return _sockets_in(folder())


def why_none():
    """Why no socket of socket_paths() can ever answer; None where one may."""
    named = os.environ.get("SEAMSCOPE_SOCKET", "")
    place = os.path.dirname(named) or folder()
    if len(os.fsencode(named)) > _LONGEST_PATH:
        return "the path in SEAMSCOPE_SOCKET has more than %d bytes: %s" % (_LONGEST_PATH, named)
    try:
        return None if _is_ours(place) else "%s is not a folder of this user alone: its owner or mode (0700) is another" % place
    except OSError:
        return None


def _is_same_user(connected):
    credentials = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return struct.unpack("3i", credentials)[1] == os.geteuid()


def _connect(path):
    made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        made.setblocking(False)
        made.connect(path)
        if _is_same_user(made):
            return made
    except OSError:
        pass
    made.close()
    return None


class Link:
    """An open connection with its control page. `paths`: what the hub's WELCOME allows, 0 before it."""

    def __init__(self, connected, path):
        self.socket, self.path, self.paths = connected, path, 0
        self.page = ControlPage()

    @staticmethod
    def open():
        """To the newest hub that answers, or None."""
        for path in socket_paths():
            if len(os.fsencode(path)) <= _LONGEST_PATH:
                connected = _connect(path)
                if connected is not None:
                    return Link(connected, path)
        return None

    def fileno(self):
        return self.socket.fileno()

    def send(self, data, fds=()):
        """Without waiting. -> False when the socket is full or gone."""
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("%di" % len(fds), *fds))] if fds else []
        try:
            self.socket.sendmsg([data], rights, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
            return True
        except OSError:
            return False

    def ring(self, data):
        """A doorbell. A full socket is no error: one is in it already."""
        try:
            self.socket.send(data, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
        except OSError:
            pass

    def receive(self):
        """The next message; b"" at the end of the connection, None when there is none now."""
        try:
            return self.socket.recv(MAX_MESSAGE)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            return b""

    def end(self):
        """Nothing passes any more; the descriptor stays."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def close(self):
        self.page.close_fd()
        self.socket.close()
