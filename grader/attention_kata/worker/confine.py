"""A process confines itself, layer by layer, before the first untrusted byte runs.

Each layer is a function that says in its docstring what it stops, and answers "on" or "off: why".
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from . import landlock, seccomp, system
from .limits import limit_process, limit_threads
from .system import read_text

FIRST_UID = 60000  # of the slots
NO_THREADS_LIMIT = "no limit on threads: every other one of this user would count"


@dataclass(frozen=True)
class Means:
    """What is the same for every child, found out once in the zygote."""

    rules: int | None  # of Landlock
    abi: int  # of Landlock
    filter: bytes  # of system calls; see seccomp.assembled
    closed: str  # a folder on the way to the interpreter that another uid may not enter, or ""


@dataclass(frozen=True)
class Plan:
    """What a child needs to confine itself; made in the zygote."""

    keep: tuple[int, ...]  # descriptors
    slot: int
    memory_mb: int
    total_seconds: int
    means: Means
    parent: int
    layers: Collection[str]


def means(secret: Path) -> Means:
    """`secret` is a folder that no child may read."""
    try:
        rules: int | None = landlock.ruleset(*landlock.interpreter_paths(secret))
    except OSError:
        rules = None
    ours = (sys.executable, sys.prefix, sys.base_prefix, os.__file__)
    closed = closed_to_others(*ours) if os.geteuid() == 0 else ""  # only root's children change their uid
    return Means(rules, landlock.abi(), seccomp.assembled(), closed)


def confine(plan: Plan) -> dict[str, str]:
    """Apply the layers in their order -> layer: state."""
    return {layer: _attempt(apply, plan) for layer, apply in LAYERS.items() if layer in set(plan.layers)}


def _attempt(apply: Callable[[Plan], str | None], plan: Plan) -> str:
    try:
        return apply(plan) or "on"
    except (OSError, ValueError, KeyError, AttributeError) as error:
        return f"off: {getattr(error, 'strerror', None) or error}"


def _session(plan: Plan) -> None:
    """Stops signals from and to the terminal and the group of the caller; lets the whole session be killed."""
    os.setsid()


def _descriptors(plan: Plan) -> None:
    """Stops reading and writing what the parent had open: other jobs' sockets, the control socket, files."""
    low = 3
    rules = (plan.means.rules,) if plan.means.rules is not None and "files" in plan.layers else ()
    for descriptor in sorted({*plan.keep, *rules}):
        os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, 1 << 16)


def _network(plan: Plan) -> None:
    """Stops every connection: the new network has no interface, not even a working loopback."""
    flags = system.CLONE_NEWNET if os.geteuid() == 0 else system.CLONE_NEWNET | system.CLONE_NEWUSER
    system.unshare(flags)


def _limits(plan: Plan) -> str | None:
    """Stops huge allocations, endless computing, big files, many descriptors and many threads."""
    states = limit_process(plan.memory_mb, plan.total_seconds)
    alone = os.geteuid() == 0 or _has_own_user_namespace()
    if alone:
        states["threads"] = limit_threads()
    off = [f"{name} {state}" for name, state in states.items() if state != "on"]
    if off:
        return "off: " + ", ".join(off)
    return None if alone else f"on ({NO_THREADS_LIMIT})"


def _user(plan: Plan) -> str | None:
    """Stops, when started as root, reading and signalling what belongs to root: a uid of its own for each slot.

    An interpreter below a closed home could not be read by that uid: then it keeps the one right of entering
    closed folders, or, where root has not even that, stays root without any right.
    """
    if os.geteuid() != 0:
        system.drop_capabilities()  # those that it has in a namespace of its own
        return "on (a plain user's own)"
    closed = plan.means.closed
    if closed and not _may_enter_closed_folders():
        system.drop_capabilities()
        return f"on (capabilities dropped; {closed} is closed to other uids)"
    uid = FIRST_UID + plan.slot
    if closed:
        system.prctl(system.PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    system.drop_capabilities(system.CAP_DAC_READ_SEARCH if closed else 0)
    return f"on (may enter {closed}, where Python is)" if closed else None


def _parent(plan: Plan) -> None:
    """Stops outliving the engine.  After the change of uid, which would clear it."""
    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != plan.parent:
        os._exit(97)


def _dumpable(plan: Plan) -> None:
    """Stops other processes of this uid from reading its memory."""
    system.prctl(system.PR_SET_DUMPABLE, 0)


def _privileges(plan: Plan) -> None:
    """Stops gaining rights through set-uid programs; the next two layers need it."""
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)


def _files(plan: Plan) -> str:
    """Stops reading files outside the interpreter's, any writing, TCP, and signals to processes outside."""
    if plan.means.rules is None:
        raise OSError(38, "this kernel has no Landlock")
    landlock.restrict(plan.means.rules)
    os.close(plan.means.rules)
    return f"on (Landlock {plan.means.abi})"


def _syscalls(plan: Plan) -> None:
    """Stops sockets, new processes, exec, ptrace, and every system call that computing does not need."""
    seccomp.restrict(plan.means.filter, os.getpid())


def _has_own_user_namespace() -> bool:
    """Whether this process has left for a user namespace that is new: no uid is mapped in it yet."""
    with suppress(OSError):
        return not read_text("/proc/self/uid_map").strip()
    return False


def _may_enter_closed_folders() -> bool:
    status = read_text("/proc/self/status")
    return bool(int(status.split("CapPrm:")[1].split()[0], 16) & system.CAP_DAC_READ_SEARCH)


def closed_to_others(*paths: str) -> str:
    """The first folder on the way to `paths` that another uid may not enter, or ""."""
    for path in paths:
        for folder in reversed(Path(path).resolve().parents):
            if not folder.stat().st_mode & 0o001:
                return str(folder)
    return ""


LAYERS: dict[str, Callable[[Plan], str | None]] = {  # in their order
    "session": _session,
    "descriptors": _descriptors,
    "network": _network,
    "limits": _limits,
    "user": _user,
    "parent": _parent,
    "dumpable": _dumpable,
    "privileges": _privileges,
    "files": _files,
    "syscalls": _syscalls,
}
