"""The program `kata`, or `nbgrader`, started once and run many times: torch is not imported again (Linux).

`python tests/warm_kata.py FD` answers runs asked for on the socket FD.  Each is a process of its own, forked from
this one, with its own arguments, folder, environment, streams and exit code, and goes through the program's `main` to
its end as one started anew does.  It finds the modules imported and a zygote waiting; its pools fork.  `WarmKata` is
who asks.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess
from typing import NoReturn

PACKAGES = {  # what a program imports, where that takes long
    "kata": (),
    "nbgrader": ("nbgrader.apps", "nbgrader.converters", "nbgrader.preprocessors", "nbgrader.plugins"),
}
SIZE = 1 << 17  # of a message at most


class WarmKata:
    """Starts the process at the first run; it ends with this one."""

    def __init__(self) -> None:
        self._control: socket.socket | None = None

    def run(self, program: str, words: Sequence[str], cwd: Path, env: Mapping[str, str]) -> CompletedProcess[str]:
        control = self._control or self._start(env)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            asked = {"program": program, "words": [*words], "cwd": os.fspath(cwd), "env": dict(env)}
            socket.send_fds(control, [json.dumps(asked).encode()], [out.fileno(), err.fileno()])
            answer = control.recv(SIZE)
            if not answer:
                raise RuntimeError("tests/warm_kata.py has ended")
            said = [_text(stream) for stream in (out, err)]
        return CompletedProcess([program, *words], int(answer), *said)

    def _start(self, env: Mapping[str, str]) -> socket.socket:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [sys.executable, __file__, str(theirs.fileno())]
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=env, pass_fds=[theirs.fileno()])
        return self._control

    def close(self) -> None:
        if self._control is not None:
            self._control.close()
            self._process.wait()


def _text(stream) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


# ---------------------------------------------------------------------- the process


def main(fd: int) -> None:
    control = socket.socket(fileno=fd)
    lender = _prepare()
    while True:
        asked, descriptors, _, _ = socket.recv_fds(control, SIZE, 2)
        if not asked:
            return
        request = json.loads(asked)
        for package in PACKAGES[request["program"]]:
            _load(package)
        if {"release", "--gradebook"} & set(request["words"]):
            _load("attention_kata.nbgrader")
        pid = os.fork()
        if not pid:
            control.close()
            lender.lend()
            _become(**request, streams=descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        _, status = os.waitpid(pid, 0)
        lender.tidy()
        control.send(str(os.waitstatus_to_exitcode(status)).encode())


def _become(program: str, words: list[str], cwd: str, env: dict[str, str], streams: list[int]) -> NoReturn:
    """Run the program as if this process had just been started for it."""
    null = os.open(os.devnull, os.O_RDONLY)
    for descriptor, number in zip((null, *streams), range(3), strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = [program, *words]
    if program == "kata":
        from attention_kata.program import main
    else:
        from nbgrader.apps.nbgraderapp import main
    code: object = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # these two as the interpreter does, which would then take down torch, piece by piece
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


class _Lender:
    """Has a zygote ready, which each run takes for its own."""

    def __init__(self) -> None:
        from attention_kata.sandbox.zygote import ZygoteClient

        self._new, self._module = ZygoteClient, sys.modules[ZygoteClient.__module__]
        self._zygote = ZygoteClient()

    def ready(self) -> None:
        self._zygote._await_ready()

    def lend(self) -> None:
        """In the forked process: the first zygote it asks for is the one that waits, and closing it leaves it be."""
        lent = [self._zygote]
        self._zygote.close = self._give_back
        self._module.ZygoteClient = lambda *args, **kwargs: (
            lent.pop() if lent and not args and not kwargs else self._new(*args, **kwargs)
        )

    def _give_back(self) -> None:
        self._zygote._closed = True
        with self._zygote._lock:
            self._zygote._drop_spare()
            self._zygote._bury(10)

    def tidy(self) -> None:
        """The next run finds no worker of the last one, and a zygote that lives."""
        if self._zygote._process.poll() is not None or self._has_children():
            self._zygote.close()
            self._zygote = self._new()
            self.ready()

    def _has_children(self) -> bool:
        pids = [str(self._zygote.pid)]
        if self._zygote.processes == "on":
            pids = _children(*pids)  # the one that is inside the namespace
        return bool(_children(*pids))


def _children(*pids: str) -> list[str]:
    texts = []
    for pid in pids:
        with suppress(OSError):  # it has just ended
            texts += Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return texts


def _prepare() -> _Lender:
    """Import what the commands import, while a zygote starts."""
    del sys.path[0]  # tests/ is no place for libraries
    lender = _Lender()
    import multiprocessing

    import torch  # noqa: F401

    started = multiprocessing.get_context
    multiprocessing.get_context = lambda method=None: started("fork" if method == "spawn" else method)
    _load("attention_kata", but=("attention_kata.worker.", "attention_kata.nbgrader."))
    lender.ready()
    gc.collect()
    gc.freeze()  # what is shared with the runs stays shared
    return lender


@cache
def _load(package: str, but: tuple[str, ...] = ()) -> None:
    """Import all of it, except what is for another system or needs what is not installed."""
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        if not module.name.endswith("__main__") and not module.name.startswith(but):
            with suppress(ImportError):
                importlib.import_module(module.name)


if __name__ == "__main__":
    main(int(sys.argv[1]))
