"""What is needed of IPython, which is there in a notebook and nowhere else of this package."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shown:
    """One picture of a result, for browsers and for terminals."""

    html: str
    text: str


def executed_cells() -> list[str]:
    """The text of every cell that was run, oldest first, the one under way included."""
    from IPython import get_ipython

    shell = get_ipython()
    if shell is None:
        raise RuntimeError("this works only in a notebook; in a terminal, use `kata check`")
    return [cell for cell in shell.history_manager.input_hist_raw if cell.strip()]


def show(what: Shown) -> None:
    from IPython.display import display

    display({"text/html": what.html, "text/plain": what.text}, raw=True)
