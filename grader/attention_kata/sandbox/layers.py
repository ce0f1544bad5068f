"""What must be in force before a submission runs, and what each layer stops.  No torch here."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

STOPS = {
    "processes": "seeing or signalling any process outside",
    "session": "signals to and from your terminal",
    "descriptors": "files and sockets that the engine has open",
    "network": "every connection",
    "limits": "huge allocations, endless computing, big files",
    "user": "the rights of root",
    "parent": "outliving the engine",
    "dumpable": "other processes of its user reading its memory",
    "privileges": "gaining rights through set-uid programs",
    "files": "reading your files, the solutions and the key; any writing",
    "syscalls": "sockets, new processes, exec, ptrace",
}
NOTHING_RUN = "nothing was run"
WHERE_AVAILABLE = ("processes", "network")  # namespaces: files and syscalls stop the same by other means
REQUIRED = tuple(layer for layer in STOPS if layer not in WHERE_AVAILABLE)


def sandbox_exists() -> bool:
    """Whether this system has the means at all; whether they work is seen from a worker's own report."""
    return sys.platform == "linux"


def nothing_run(required: Sequence[str]) -> dict[str, str]:
    """The report where no byte of a submission has run: not one layer fell short of what was required."""
    return dict.fromkeys(STOPS, f"on ({NOTHING_RUN})" if required else f"off: {NOTHING_RUN}")


def was_run(report: Mapping[str, str]) -> bool:
    """Whether a report is about layers that a worker has tried."""
    return not all(NOTHING_RUN in state for state in report.values())


def missing(report: Mapping[str, str], required: tuple[str, ...] = REQUIRED) -> list[str]:
    """The required layers that are not in force, each with the reason."""
    return [
        f"{layer} ({report.get(layer, 'off: not reported').removeprefix('off: ')})"
        for layer in required
        if not report.get(layer, "").startswith("on")
    ]
