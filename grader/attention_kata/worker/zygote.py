"""The zygote: imports torch once and forks a confined child for each request.  It holds no key and no secret.

Started by attention_kata.worker.namespace, with a SOCK_SEQPACKET socket.  The zygote's first word is
`{"processes": state}`, whether there is a namespace of process ids.

A request is JSON with three descriptors: the child's connection, where its output goes, and a status socket on which
the zygote reports `{"started": pid}` with a pidfd, where the system has such, and, when the child has been reaped,
`{"exited": code}` with what it used of memory; or `{"failed": why}` where no child can be had.
`{"kill": pid}` asks for the end of a child.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import socket
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

gc.disable()  # nothing that importing torch makes is garbage; looking for some takes long

import torch

from . import system
from .answer import answer
from .confine import LAYERS, Plan, confine, means
from .light import keep_compiler_out
from .memory import fill_holes
from .observe import start_meta_device
from .record import Recorder

CRASHED = 96  # exit code of a child that failed before or outside the submission's code


class Zygote:
    def __init__(self, control: socket.socket, processes: str):
        self.control, self.processes = control, processes
        self.running: dict[int, socket.socket] = {}  # child -> its status socket
        self.resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB that each child begins with
        self.null = os.open(os.devnull, os.O_RDWR)
        self.pid = os.getpid()
        self.means = means(Path(__file__).parents[1])
        self.meta = False  # whether torch's meta device has been started
        self.filling = fill_holes()

    def serve(self) -> None:
        """Fork on request and reap, until the controller closes the control socket."""
        wake, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the controller says when to stop
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        poll.register(wake, select.POLLIN)
        while True:
            for fd, _ in poll.poll():
                if fd == wake:
                    with suppress(BlockingIOError):
                        os.read(wake, 4096)
                    self.reap()
                elif not self.fork():
                    return

    def fork(self) -> bool:
        """Carry out one request; False when the controller is gone."""
        try:
            data, descriptors, _, _ = socket.recv_fds(self.control, 1 << 16, 3)
        except ConnectionResetError:
            return False
        if not data:
            return False
        request = json.loads(data)
        if "kill" in request:
            if request["kill"] in self.running:
                os.kill(request["kill"], signal.SIGKILL)
            return True
        if request["meta"] and not self.meta:
            self.meta = True
            start_meta_device()
            self.filling += fill_holes()
        gc.freeze()  # what is here now is shared with the child: its collector leaves it alone
        connection, output, status_fd = descriptors
        status = socket.socket(fileno=status_fd)
        try:
            pid = os.fork()
        except OSError as error:  # no memory, or no process id: that is about this request alone
            with suppress(OSError):
                status.send(json.dumps({"failed": error.strerror}).encode())
            status.close()
            os.close(connection)
            os.close(output)
            return True
        if pid == 0:
            self.child(request, connection, output)
        self.running[pid] = status
        os.close(connection)
        os.close(output)
        pidfds = _pidfds(pid)
        with suppress(OSError):  # the controller may have given up on this child
            socket.send_fds(status, [json.dumps({"started": pid}).encode()], pidfds)
        for pidfd in pidfds:
            os.close(pidfd)
        return True

    def reap(self) -> None:
        """Look before reaping, so that the pid stays the child's until nothing of its session is left."""
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None:
                return
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(ended.si_pid, signal.SIGKILL)
            _, status_code, usage = os.wait4(ended.si_pid, 0)
            status = self.running.pop(ended.si_pid, None)
            if status is not None:
                message = {
                    "exited": os.waitstatus_to_exitcode(status_code),
                    "most_mb": max(0, usage.ru_maxrss - self.resident) >> 10,
                }
                with suppress(OSError):
                    status.send(json.dumps(message).encode())
                status.close()

    def child(self, request: dict[str, Any], connection: int, output: int) -> NoReturn:
        """In the child: confine, answer the job, end.  Never returns into the zygote's code."""
        code = CRASHED
        try:
            gc.enable()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            os.dup2(self.null, 0)
            os.dup2(output, 1)
            os.dup2(output, 2)
            plan = Plan(
                (connection,),
                request["slot"],
                request["memory_mb"],
                request["total_seconds"],
                self.means,
                self.pid,
                request.get("layers", LAYERS),
            )
            isolation = {"processes": self.processes, **confine(plan)}
            answer(connection, isolation)
            code = 0
        except BaseException:
            with suppress(BaseException):
                os.write(2, traceback.format_exc().encode()[-2000:])
        finally:
            os._exit(code)


def _pidfds(pid: int) -> list[int]:
    """What the controller kills the child by; nothing before Linux 5.3: then it asks for that here."""
    try:
        return [os.pidfd_open(pid)]
    except (OSError, AttributeError):
        return []


def warm_up() -> None:
    """Touch once what every child would otherwise have to set up for itself."""
    torch.set_num_threads(1)
    keep_compiler_out()
    attention = torch.nn.MultiheadAttention(16, 2, batch_first=True)
    x = torch.randn(2, 4, 16)
    with Recorder():
        y = attention(x, x, x)[0]
    y.sum().backward()
    torch.softmax(x, -1) @ x.mT
    torch.from_numpy(x.numpy().astype("float64")).masked_fill(x.double() > 0, 1.0).half().to(torch.bfloat16)
    gc.freeze()  # what torch has made is not looked through for garbage
    gc.collect()


def main(fd: int, namespace: str) -> None:
    """`namespace` says whether this process is in one of its own; see attention_kata.worker.namespace."""
    control = socket.socket(fileno=fd)
    warm_up()
    if namespace != "on":
        system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)  # orphans come here and are reaped
    system.prctl(system.PR_SET_DUMPABLE, 0)
    zygote = Zygote(control, namespace)
    with suppress(BrokenPipeError):  # nobody waits any more: nothing to serve either
        control.send(json.dumps({"processes": namespace}).encode())
    zygote.serve()
    os._exit(0)  # the controller waits; taking torch down takes longer than it is worth
