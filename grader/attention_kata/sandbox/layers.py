"""What must be in force before a submission runs, what each layer stops, and how that is tried.  No torch here."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class LayerState(StrEnum):
    """How a worker's report on a layer begins; after OFF comes why."""

    ON = "on"
    OFF = "off"


NOT_REPORTED = f"{LayerState.OFF}: not reported"


def in_force(state: str) -> bool:
    """Whether what a worker reports of a layer says that it is in force."""
    return state.startswith(LayerState.ON)


@dataclass(frozen=True, kw_only=True)
class Layer:
    """What a layer stops, and the attack by which that is seen.

    The source `attack` says in `through` what got through; an OSError is an attack that was stopped.  The namespaces
    are not `required`: some systems allow none, and files and syscalls stop the same by other means.
    """

    stops: str
    tried: str  # in words
    attack: str = ""  # none where a process is to outlive its engine
    needs: tuple[str, ...] = ()  # layers without which this one cannot be had
    required: bool = True


LAYERS = {
    "processes": Layer(
        stops="seeing or signalling any process outside",
        tried="kill a process of yours",
        attack="import os\nos.kill({victim}, 9)",
        required=False,
    ),
    "session": Layer(
        stops="signals to and from your terminal",
        tried="kill the engine's process group",
        attack="import os\nos.kill(0, 9)",
    ),
    "descriptors": Layer(
        stops="files and sockets that the engine has open",
        tried="use what the engine has open",
        attack="""
import os, socket
opened = 0
for fd in range(3, 256):
    try:
        os.fstat(fd)
        opened += 1
        heard = socket.socket(fileno=fd)
    except OSError:
        continue
    try:
        if heard.type == socket.SOCK_SEQPACKET:  # what the engine gives and takes orders by
            heard.recv(1 << 16, socket.MSG_DONTWAIT)
            through = "listening to the engine"
    except BlockingIOError:
        through = "listening to the engine"
    except OSError:
        pass
    finally:
        heard.detach()
if opened > 1:  # the one it answers on
    through = through or "an open file"
""",
    ),
    "network": Layer(
        stops="every connection",
        tried="connect to this machine",
        attack="import socket\nsocket.create_connection(('127.0.0.1', {port}), 2)\nthrough = 'a connection'",
        required=False,
    ),
    "limits": Layer(
        stops="huge allocations, endless computing, big files",
        tried="allocate, write, start threads without end",
        attack="""
import mmap, tempfile, threading
NORESERVE = 0x4000
try:
    mmap.mmap(-1, {memory}, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE)
    through = "memory"
except OSError:
    pass
try:
    with tempfile.TemporaryFile(buffering=0) as file:
        if file.write(bytes(4 << 20)) == 4 << 20:
            through = "a file"
except OSError:
    pass
end = threading.Event()
try:
    threading.stack_size(1 << 16)
    for _ in range({threads}):
        threading.Thread(target=end.wait).start()
    through = through or "threads"
except RuntimeError:
    pass
end.set()
""",
        needs=("network", "user"),  # the system counts threads by user, and never root's
    ),
    "user": Layer(
        stops="the rights of root",
        tried="use a right of root",
        attack="import os\nos.chroot('/')\nthrough = 'chroot'",
    ),
    "parent": Layer(
        stops="outliving the engine",
        tried="live on when the engine is killed",
    ),
    "dumpable": Layer(
        stops="other processes of its user reading its memory",
        tried="read another process's memory",
        attack="""
import ctypes, os, platform, time
number = 91 if platform.machine() == "aarch64" else 126
header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
ctypes.CDLL(None).syscall(number, header, none)  # capset: root, too, is now just another user
victim = os.fork()
if victim == 0:
    time.sleep(60)
    os._exit(0)
try:
    os.close(os.open(f"/proc/{{victim}}/mem", os.O_RDONLY))
    through = "another's memory"
finally:
    os.kill(victim, 9)
    os.waitpid(victim, 0)
""",
    ),
    "privileges": Layer(
        stops="gaining rights through set-uid programs",
        tried="start a set-uid program",
        attack="""
import os, stat
def gains_rights(program):
    try:
        with open(program, "rb") as file:
            facts, loader = os.fstat(file.fileno()), file.read(4096)
    except OSError:
        return False
    return facts.st_uid == 0 and facts.st_mode & stat.S_ISUID and b"/ld-linux" in loader
names = ("su", "mount", "umount", "passwd", "gpasswd", "chsh")
program = next(filter(gains_rights, [f"/usr/bin/{{name}}" for name in names]), None)
untried = "" if program else "there is no set-uid program"
if program:
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(65534, 65534, 65534)
                os.setresuid(65534, 65534, 65534)
            os.dup2(write, 1)
            os.execve(program, [program, "--help"], {{"LD_SHOW_AUXV": "1"}})  # heard only where no rights are gained
        finally:
            os._exit(1)
    os.close(write)
    os.wait()
    said = os.read(read, 1 << 16)
    if not said:
        untried = program + " does not run"
    elif b"AT_SECURE" not in said:
        through = program
""",
    ),
    "files": Layer(
        stops="reading your files, the solutions and the key; any writing",
        tried="read a file of yours",
        attack="open({secret!r}).read()\nthrough = 'a file'",
        needs=("privileges",),
    ),
    "syscalls": Layer(
        stops="sockets, new processes, exec, ptrace",
        tried="start a process",
        attack="import os\nif os.fork() == 0:\n    os._exit(0)\nos.wait()\nthrough = 'fork'",
        needs=("privileges",),
    ),
}
NOTHING_RUN = "nothing was run"
REQUIRED = tuple(name for name, layer in LAYERS.items() if layer.required)


def sandbox_exists() -> bool:
    """Whether this system has the means at all; whether they work is seen from a worker's own report."""
    return sys.platform == "linux"


def nothing_run(required: Sequence[str]) -> dict[str, str]:
    """The report where no byte of a submission has run: not one layer fell short of what was required."""
    return dict.fromkeys(LAYERS, f"{LayerState.ON} ({NOTHING_RUN})" if required else f"{LayerState.OFF}: {NOTHING_RUN}")


def was_run(report: Mapping[str, str]) -> bool:
    """Whether a report is about layers that a worker has tried."""
    return not all(NOTHING_RUN in state for state in report.values())


def missing(report: Mapping[str, str], required: tuple[str, ...] = REQUIRED) -> list[str]:
    """The required layers that are not in force, each with the reason."""
    return [
        f"{layer} ({report.get(layer, NOT_REPORTED).removeprefix(f'{LayerState.OFF}: ')})"
        for layer in required
        if not in_force(report.get(layer, ""))
    ]
