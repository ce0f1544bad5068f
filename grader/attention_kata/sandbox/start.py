"""The best workers that this machine has, and what they say of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from .fresh import Workers
from .workers import FRESH, EngineError

if TYPE_CHECKING:
    from .zygote import ZygoteClient


@contextmanager
def any_workers(zygote: ZygoteClient | None = None) -> Iterator[Workers]:
    """The best workers this system has, started at once: confined where that works, else fresh processes.

    `zygote` is one that has been started already.
    """
    from .fresh import FreshProcesses, fresh_workers
    from .layers import sandbox_exists
    from .zygote import confined_workers

    if not sandbox_exists():
        with fresh_workers() as workers:
            yield workers
        return
    with closing(FreshProcesses()) as fresh, confined_workers(zygote=zygote) as workers:
        yield replace(workers, instead=lambda why: fresh.worker(f"{FRESH}, since {why}"))


def report_of(workers: Workers) -> Mapping[str, str]:
    """What a real worker says of its layers, whichever hold; EngineError where it does not answer."""
    from ..intake.submission import Submission
    from .session import Limits, run_all

    anyhow = replace(workers, required=())
    run = run_all(Submission("probe", {"probe.py": ""}), (), Limits(), anyhow, ("probe.py",))
    report = run.modules.get("probe.py")
    if run.fault or report is None or report.error is not None:
        raise EngineError(run.fault or "it does not answer")
    return run.isolation
