"""The entry point: what takes longest, importing torch, begins before the command line is even read."""

from __future__ import annotations

import sys

from .isolation import sandbox_exists


def main() -> None:
    """The program `kata`; see attention_kata.cli."""
    zygote = None
    if sys.argv[1:2] == ["check"] and not {"-h", "--help"} & set(sys.argv) and sandbox_exists():
        from .warm import Zygote

        zygote = Zygote()
    from .cli import main as run

    run(zygote)
