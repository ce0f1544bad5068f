"""Where the zygote begins, in a namespace of processes of its own.

`python -m attention_kata.worker.namespace FD PROCESSES PARENT`: FD is the zygote's control socket; PROCESSES is "on",
or why there shall be no namespace; PARENT is who starts it.  `{"again": state}` is the only word of a process that
could not be used after it had tried: one that does not try must be started.

Before torch is imported, so that the zygote's memory is its own alone: what two processes share is copied page by
page when one of them writes, and each fork takes longer.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from contextlib import suppress
from typing import NoReturn

from . import system


def enter_namespace() -> str:
    """New process ids: children cannot even name a process outside, and end when the zygote does.

    The namespace holds for processes forked from now on, so the zygote goes on in a fork of this one.  OSError for a
    process that is half way in, and cannot go back.
    """
    uid, gid = os.geteuid(), os.getegid()
    flags = system.CLONE_NEWPID if uid == 0 else system.CLONE_NEWPID | system.CLONE_NEWUSER
    try:
        system.unshare(flags)
    except OSError as error:
        return f"off: {error.strerror}"
    if uid != 0:  # unless its own ids are known in its namespace, children cannot have namespaces of their own
        for file, line in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            system.write_text(f"/proc/self/{file}", line)
    pid = os.fork()
    if pid:
        _wait_for(pid)
    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    return "on"


def _wait_for(pid: int) -> NoReturn:
    """Outside the namespace: end as the zygote ends, and take it along."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        os.closerange(3, 1 << 16)
    _, status = os.waitpid(pid, 0)
    os._exit(max(os.waitstatus_to_exitcode(status), 1) if status else 0)


def main(fd: int, processes: str, parent: int) -> None:
    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before, and nobody is told
        return
    try:
        namespace = enter_namespace() if processes == "on" else processes
    except OSError as error:
        with socket.socket(fileno=fd) as control:
            control.send(json.dumps({"again": f"off: {error.strerror}"}).encode())
        return
    from . import zygote

    zygote.main(fd, namespace)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
