"""Attacks that `kata doctor` really tries, one for each layer of confinement, with that layer alone."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .engine import Limits, run_submission
from .isolation import STOPS
from .process import Workers
from .submission import Submission
from .warm import Zygote

THROUGH = "the probe got through"
_PRCTL = "import ctypes\nread = lambda option: ctypes.CDLL(None).prctl(option, 0, 0, 0, 0)\n"
# Each sets `through`; {pid}, {port} and {secret} are this process, a port it listens on, a file it can read.
ATTACKS = {
    "processes": "import os\nos.kill({pid}, 0)\nthrough = True",
    "session": "import os\nthrough = os.getsid(0) != os.getpid()",
    "descriptors": (
        "import os\nopened = 0\nfor fd in range(3, 256):\n"
        "    try:\n        os.fstat(fd)\n        opened += 1\n    except OSError:\n        pass\n"
        "through = opened > 1  # the one it answers on"
    ),
    "network": "import socket\nsocket.create_connection(('127.0.0.1', {port}), 2)\nthrough = True",
    "limits": "import mmap\nmmap.mmap(-1, 1 << 36)\nthrough = True",
    "user": "import os\nos.chroot('/')\nthrough = True",
    "parent": "import ctypes\nsignal = ctypes.c_int()\nctypes.CDLL(None).prctl(2, ctypes.byref(signal))\n"
    "through = signal.value != 9",
    "dumpable": _PRCTL + "through = read(3) != 0",
    "privileges": _PRCTL + "through = read(39) != 1",
    "files": "open({secret!r}).read()\nthrough = True",
    "syscalls": "import os\nif os.fork() == 0:\n    os._exit(0)\nthrough = True",
}
TRIED = {
    "processes": "signal the engine",
    "session": "stay in your session",
    "descriptors": "use what the engine has open",
    "network": "connect to this machine",
    "limits": "allocate 64 GB",
    "user": "use a right of root",
    "parent": "live on without the engine",
    "dumpable": "let others read its memory",
    "privileges": "gain rights by exec",
    "files": "read a file of yours",
    "syscalls": "start a process",
}
NEEDS = {"files": ("privileges", "files"), "syscalls": ("privileges", "syscalls"), "processes": ()}


@dataclass(frozen=True)
class Finding:
    """What a probe found: the layer's own report, and whether the attack was stopped."""

    layer: str
    state: str
    stopped: bool

    @property
    def holds(self) -> bool:
        return self.state.startswith("on") and self.stopped


def probe_layers() -> Iterator[Finding]:
    """Try every attack in a worker that has only the layer it is about."""
    zygote = Zygote()
    try:
        with _target() as (port, secret):
            for layer in STOPS:
                source = ATTACKS[layer].format(pid=os.getpid(), port=port, secret=secret)
                yield _probe(zygote, layer, source)
    finally:
        zygote.close()


def _probe(zygote: Zygote, layer: str, attack: str) -> Finding:
    body = "".join(f"    {line}\n" for line in attack.splitlines())
    source = f"try:\n{body}except OSError:\n    through = False\nprint('{THROUGH}' if through else 'stopped')\n"
    workers = Workers(lambda: zygote.worker(NEEDS.get(layer, (layer,))))
    run = run_submission(Submission("probe", {"probe.py": source}), (), Limits(), workers, ("probe.py",))
    state = zygote.processes if layer == "processes" else run.isolation.get(layer, "off: not reported")
    stopped = "stopped" in run.output and THROUGH not in run.output
    return Finding(layer, state, stopped)


@contextmanager
def _target() -> Iterator[tuple[int, str]]:
    """A port that somebody listens on, and a file that everybody may read."""
    with socket.create_server(("127.0.0.1", 0)) as server, tempfile.NamedTemporaryFile() as file:
        file.write(b"secret")
        file.flush()
        os.chmod(file.name, 0o644)
        yield server.getsockname()[1], file.name
