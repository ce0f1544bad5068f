"""Workers that are confined as the command line asks, or a clear refusal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import rich_click as click

if TYPE_CHECKING:
    from ..sandbox.fresh import Workers
    from ..sandbox.zygote import ZygoteClient


@contextmanager
def workers_for(isolation: str, zygote: ZygoteClient | None = None) -> Iterator[Workers]:
    """Workers that are confined as asked; a clear refusal where this machine cannot.  `zygote` was started already."""
    from ..sandbox.fresh import fresh_workers
    from ..sandbox.layers import REQUIRED, missing, sandbox_exists
    from ..sandbox.start import report_of
    from ..sandbox.workers import EngineError
    from ..sandbox.zygote import confined_workers

    if isolation == "process":
        if zygote is not None:
            zygote.close()
        click.echo("kata: warning: no sandbox: the code being graded can read and write whatever you can.", err=True)
        with fresh_workers() as workers:
            yield workers
        return
    advice = "`kata doctor` shows what this machine can do; for code you trust, use --isolation=process."
    if not sandbox_exists():
        raise click.ClickException(f"submissions can be confined on Linux only. {advice}")
    with confined_workers(REQUIRED, zygote) as workers:
        try:
            off = missing(report_of(workers))
        except EngineError as error:
            raise click.ClickException(f"{error}: does `python -c 'import torch'` work?") from None
        if off:
            raise click.ClickException(f"this machine cannot confine submissions: {', '.join(off)}. {advice}")
        yield workers


def describe_isolation(reports: Sequence[Mapping[str, str]], mode: str) -> str:
    """The layers in force for everybody, or that there was no sandbox."""
    from ..sandbox.layers import in_force, was_run

    if mode == "process":
        return "process, no sandbox"
    states = [{layer: state for layer, state in report.items() if layer != "mode"} for report in reports]
    layers = [report for report in states if was_run(report)]
    if not layers:
        return "full, nothing was run"
    return "full, " + ", ".join(layer for layer in layers[0] if all(in_force(each.get(layer, "")) for each in layers))
