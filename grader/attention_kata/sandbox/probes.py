"""Attacks that `kata doctor` really makes, one for each layer of confinement, with that layer alone."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass

from ..intake.submission import Submission
from ..worker.confine import NO_THREADS_LIMIT
from ..worker.limits import MAX_THREADS
from .fresh import Workers
from .layers import STOPS
from .observation import read_hello
from .reader import Reader, parse
from .session import Limits, Session, run_all
from .workers import MEMORY_MB, START_SECONDS, EngineError
from .zygote import ZygoteClient

THROUGH = "the probe got through: "
END_SECONDS = 1.0  # for a process that has been killed to be gone
ALONE = "off: this probe does without"  # the namespace of process ids, which by itself stops some of the attacks
# Each says in `through` what got through; an OSError is an attack that was stopped.
ATTACKS = {
    "processes": "import os\nos.kill({victim}, 9)",
    "session": "import os\nos.kill(0, 9)",
    "descriptors": """
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
    "network": "import socket\nsocket.create_connection(('127.0.0.1', {port}), 2)\nthrough = 'a connection'",
    "limits": """
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
    "user": "import os\nos.chroot('/')\nthrough = 'chroot'",
    "dumpable": """
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
    "privileges": """
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
    "files": "open({secret!r}).read()\nthrough = 'a file'",
    "syscalls": "import os\nif os.fork() == 0:\n    os._exit(0)\nos.wait()\nthrough = 'fork'",
}
TRIED = {
    "processes": "kill a process of yours",
    "session": "kill the group of the engine",
    "descriptors": "use what the engine has open",
    "network": "connect to this machine",
    "limits": "allocate, write, start threads without end",
    "user": "use a right of root",
    "parent": "live on when the engine is killed",
    "dumpable": "read another process's memory",
    "privileges": "start a set-uid program",
    "files": "read a file of yours",
    "syscalls": "start a process",
}
NEEDS = {  # besides the layer itself
    "files": ("privileges",),
    "syscalls": ("privileges",),
    "limits": ("network", "user"),  # the system counts threads by user, and never root's
}


@dataclass(frozen=True)
class Probe:
    """What a probe found: the layer's own report, and what got through, if anything did."""

    layer: str
    state: str
    through: str = ""

    @property
    def holds(self) -> bool:
        return self.state.startswith("on") and not self.through


def probe_layers() -> list[Probe]:
    """Make every attack in a worker that has only the layer it is about."""
    with closing(ZygoteClient()) as inside, closing(ZygoteClient(processes=ALONE)) as outside:
        found = {layer: probe(inside if layer == "processes" else outside, layer) for layer in ATTACKS}
        found["parent"] = probe(outside, "parent")  # the last, since the zygote does not survive it
    return [found[layer] for layer in STOPS]


def probe(zygote: ZygoteClient, layer: str, without: bool = False) -> Probe:
    """Make the attack on `layer` in a worker of `zygote`; `without` the layer, to see that the attack is one."""
    layers = (*NEEDS.get(layer, ()), *(() if without or layer == "processes" else (layer,)))
    if layer == "parent":
        return _outlive(zygote, layers)
    if layer == "processes":
        return _kill(zygote, layers)
    with _target() as (port, secret):
        facts = {"port": port, "secret": secret, "memory": (MEMORY_MB + 512) << 20, "threads": MAX_THREADS + 40}
        run = _attack(zygote, layers, ATTACKS[layer].format(**facts))
    state = run.isolation.get(layer, "off: not reported")
    if layer == "session":  # who is not out of the zygote's group takes it along
        return Probe(layer, state, "SIGKILL" if run.fault else "")
    through = _through(run)
    if through == "threads" and NO_THREADS_LIMIT in state:
        through = ""  # that is what it says
    return Probe(layer, state + _untried(run), through)


def _attack(zygote: ZygoteClient, layers: Sequence[str], attack: str) -> Session:
    body = "".join(f"    {line}\n" for line in attack.strip().splitlines())
    source = (
        f"through = untried = ''\ntry:\n{body}except OSError:\n    pass\n"
        f"print({THROUGH!r} + through if through else 'stopped', untried, sep='\\n')\n"
    )
    workers = Workers(lambda: zygote.worker(layers))
    return run_all(Submission("probe", {"probe.py": source}), (), Limits(), workers, ("probe.py",))


def _through(run: Session) -> str:
    """What got through; also where the attack did not come to its end."""
    said = run.output.splitlines() or ["nothing was said"]
    return "" if said[0] == "stopped" else said[0].removeprefix(THROUGH)


def _untried(run: Session) -> str:
    said = run.output.splitlines()
    return f" (not tried: {said[1]})" if len(said) > 1 and said[1] else ""


def _kill(zygote: ZygoteClient, layers: Sequence[str]) -> Probe:
    """Kill a process of this user from inside, and look whether it lives."""
    command = [sys.executable, "-I", "-S", "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as victim:
        run = _attack(zygote, layers, ATTACKS["processes"].format(victim=victim.pid))
        with suppress(subprocess.TimeoutExpired):
            victim.wait(END_SECONDS)
        killed = victim.returncode == -signal.SIGKILL
    return Probe("processes", run.isolation.get("processes", "off: not reported"), "SIGKILL" if killed else "")


def _outlive(zygote: ZygoteClient, layers: Sequence[str]) -> Probe:
    """Kill the zygote, and look whether a child of it ends."""
    try:
        worker = zygote.worker(layers)
    except EngineError as error:
        return Probe("parent", f"off: {error}")
    reader, through = Reader(worker, bytearray()), ""
    try:
        _, payload = reader.frame(time.monotonic() + START_SECONDS)
        state = read_hello(parse(payload)[0]).get("parent", "off: not reported")
        os.kill(zygote.pid, signal.SIGKILL)
        reader.frame(time.monotonic() + END_SECONDS)
    except TimeoutError:
        through = "its child"
    except (EOFError, OSError):
        pass
    finally:
        worker.kill()
        worker.wait()
    return Probe("parent", state, through)


@contextmanager
def _target() -> Iterator[tuple[int, str]]:
    """A port that somebody listens on, and a file that everybody may read."""
    with socket.create_server(("127.0.0.1", 0)) as server, tempfile.NamedTemporaryFile() as file:
        file.write(b"secret")
        file.flush()
        os.chmod(file.name, 0o644)
        yield server.getsockname()[1], file.name
