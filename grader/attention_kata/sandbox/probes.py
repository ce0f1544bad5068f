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
from .layers import LAYERS, NOT_REPORTED, LayerState, in_force
from .observation import read_hello
from .reader import Reader, parse
from .session import Limits, Session, run_all
from .workers import MEMORY_MB, START_SECONDS, EngineError
from .zygote import ZygoteClient

THROUGH = "the probe got through: "
END_SECONDS = 1.0  # for a process that has been killed to be gone
ALONE = "off: this probe does without"  # the namespace of process ids, which by itself stops some of the attacks


@dataclass(frozen=True)
class Probe:
    """What a probe found: the layer's own report, and what got through, if anything did."""

    layer: str
    state: str
    through: str = ""

    @property
    def holds(self) -> bool:
        return in_force(self.state) and not self.through


def probe_layers() -> list[Probe]:
    """Make every attack in a worker that has only the layer it is about."""
    with closing(ZygoteClient()) as inside, closing(ZygoteClient(processes=ALONE)) as outside:
        order = sorted(LAYERS, key=lambda layer: layer == "parent")  # the last, since the zygote does not survive it
        found = {layer: probe(inside if layer == "processes" else outside, layer) for layer in order}
    return [found[layer] for layer in LAYERS]


def probe(zygote: ZygoteClient, layer: str, without: bool = False) -> Probe:
    """Make the attack on `layer` in a worker of `zygote`; `without` the layer, to see that the attack is one."""
    layers = (*LAYERS[layer].needs, *(() if without or layer == "processes" else (layer,)))
    if layer == "parent":
        return _outlive(zygote, layers)
    if layer == "processes":
        return _kill(zygote, layers)
    with _target() as (port, secret):
        facts = {"port": port, "secret": secret, "memory": (MEMORY_MB + 512) << 20, "threads": MAX_THREADS + 40}
        run = _attack(zygote, layers, LAYERS[layer].attack.format(**facts))
    state = run.isolation.get(layer, NOT_REPORTED)
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
        run = _attack(zygote, layers, LAYERS["processes"].attack.format(victim=victim.pid))
        with suppress(subprocess.TimeoutExpired):
            victim.wait(END_SECONDS)
        killed = victim.returncode == -signal.SIGKILL
    return Probe("processes", run.isolation.get("processes", NOT_REPORTED), "SIGKILL" if killed else "")


def _outlive(zygote: ZygoteClient, layers: Sequence[str]) -> Probe:
    """Kill the zygote, and look whether a child of it ends."""
    try:
        worker = zygote.worker(layers)
    except EngineError as error:
        return Probe("parent", f"{LayerState.OFF}: {error}")
    reader, through = Reader(worker, bytearray()), ""
    try:
        _, payload = reader.frame(time.monotonic() + START_SECONDS)
        state = read_hello(parse(payload)[0]).get("parent", NOT_REPORTED)
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
