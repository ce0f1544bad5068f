"""Progress of a class: a live line on a terminal, a plain one now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from ..text import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..gradebook.batch import Watch

EVERY = 10.0  # seconds between plain lines
STUCK = 3.0  # seconds after which it is said who is being waited for
MAX_STUCK = 2


@contextmanager
def progress_of(watch: Watch, total: int) -> Iterator[Callable[[], None]]:
    """-> what to call whenever something may have changed."""
    error = Console(stderr=True)
    if error.is_terminal:
        with _live(watch, total, error) as tick:
            yield tick
    else:
        yield _plain_lines(watch, total, error)


@contextmanager
def _live(watch: Watch, total: int, error: Console) -> Iterator[Callable[[], None]]:
    columns = (BarColumn(bar_width=20), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    start = time.monotonic()
    with Progress(*columns, console=error, transient=True, refresh_per_second=4) as progress:
        task = progress.add_task("", total=total)

        def tick() -> None:
            words = ", ".join(filter(None, (_pace(watch, total, start), _verdicts(watch), waiting(watch))))
            progress.update(task, completed=_finished(watch), description=words)

        yield tick


def _plain_lines(watch: Watch, total: int, error: Console) -> Callable[[], None]:
    start = said = time.monotonic()

    def tick() -> None:
        nonlocal said
        if time.monotonic() - said >= EVERY:
            said = time.monotonic()
            words = ", ".join(filter(None, (_pace(watch, total, start), waiting(watch))))
            error.print(f"kata: {_finished(watch)} of {total} submissions, {words}", markup=False, soft_wrap=True)

    return tick


def _finished(watch: Watch) -> int:
    return watch.done + watch.kept + watch.empty


def _pace(watch: Watch, total: int, start: float) -> str:
    """Submissions per second and the time left, once they can be told."""
    seconds = time.monotonic() - start
    if not watch.done or seconds <= 0:
        return "starting"
    rate = watch.done / seconds
    return f"{rate:.1f}/s, {_clock((total - _finished(watch)) / rate)} left"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _verdicts(watch: Watch) -> str:
    return " ".join(f"{count} {verdict}" for verdict, count in watch.verdicts.copy().most_common(4))


def waiting(watch: Watch) -> str:
    """Who is being waited for, the longest first."""
    stuck = watch.stuck(STUCK)
    more = f" and {len(stuck) - MAX_STUCK} more" if len(stuck) > MAX_STUCK else ""
    return f"waiting for {_times(stuck[:MAX_STUCK])}{more}" if stuck else ""


def slowest(watch: Watch) -> str:
    """Who took longest, once it is done; "" where nobody took long."""
    slow = [each for each in watch.took if each[0] >= STUCK]
    return f"Slowest: {_times(slow)}." if slow else ""


def _times(of: Iterable[tuple[float, str]]) -> str:
    return ", ".join(f"{visible(student)[:30]} ({seconds:.0f} s)" for seconds, student in of)
