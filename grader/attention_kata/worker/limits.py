"""Limits a worker puts on itself.  Where the system has no such limit, it says so instead of failing."""

from __future__ import annotations

import sys
from contextlib import suppress

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

from .system import read_text, write_text

MEBIBYTE = 1 << 20
MAX_THREADS = 64


def limit_process(memory_mb: int, cpu_seconds: int) -> dict[str, str]:
    """Limit memory beyond what is in use now, total CPU time, file size and descriptors -> layer: state.

    When the machine runs out of memory all the same, this process is the first to go.
    """
    if resource is None:
        return {"limits": "off: this system has no resource limits"}
    states = {"cpu": _limit(resource.RLIMIT_CPU, cpu_seconds)}
    if sys.platform == "linux":
        states["memory"] = _limit(resource.RLIMIT_AS, _address_space() + memory_mb * MEBIBYTE)
        with suppress(OSError):
            write_text("/proc/self/oom_score_adj", "1000")
    else:
        states["memory"] = "off: this system does not keep such a limit"
    states["files"] = _limit(resource.RLIMIT_FSIZE, MEBIBYTE)
    states["descriptors"] = _limit(resource.RLIMIT_NOFILE, 64)
    _limit(resource.RLIMIT_CORE, 0)
    return states


def limit_threads() -> str:
    """Limit the threads of a process whose uid, or user namespace, is its own: the system counts by these."""
    return _limit(resource.RLIMIT_NPROC, MAX_THREADS)


def limit_cpu_of_check(seconds: int) -> None:
    """Give the next case `seconds` of CPU time, within the total; the process dies of SIGXCPU when it takes more."""
    if resource is not None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        soft = int(usage.ru_utime + usage.ru_stime) + seconds + 1
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (_stricter(soft, most), most))


def _limit(kind: int, value: int) -> str:
    value = _stricter(value, resource.getrlimit(kind)[1])
    try:
        resource.setrlimit(kind, (value, value))
    except (OSError, ValueError) as error:
        return f"off: {error}"
    return "on"


def _stricter(value: int, most: int) -> int:
    """Within a limit that is in force already: who has no right to raise it must not be refused for trying."""
    return value if most == resource.RLIM_INFINITY else min(value, most)


def _address_space() -> int:
    """Bytes of address space in use."""
    return int(read_text("/proc/self/statm").split()[0]) * resource.getpagesize()


def oom_kills() -> int:
    """How many processes the system has ended for want of memory since it started; 0 where it does not say."""
    try:
        return int(read_text("/proc/vmstat").split("\noom_kill ")[1].split("\n")[0])
    except (OSError, IndexError):
        return 0
