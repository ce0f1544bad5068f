"""`%load_ext attention_kata`: then `%%kata softmax` on a cell, `%kata list`, `%kata hint softmax`, `%kata softmax`."""

from __future__ import annotations

import difflib
import os
from typing import Any

from .checks import EXECUTION, CouldNotCheck, evidence_of
from .html import full, hint, listing
from .shell import show

USAGE = "%%kata EXERCISE at the top of a cell; %kata EXERCISE, %kata list, %kata hint EXERCISE [1-3] on a line"


def register(shell: Any) -> None:
    """Make the magic known to a running IPython."""
    shell.register_magic_function(kata_magic(shell), "line_cell", "kata")


def kata_magic(shell: Any) -> Any:
    def kata(line: str, cell: str | None = None) -> None:
        words = line.split()
        if cell is not None:
            _run_and_check(shell, words, cell)
        elif words == ["list"]:
            _show_list()
        elif words[:1] == ["hint"] and 2 <= len(words) <= 3:
            _show_hint(words[1], words[2] if len(words) == 3 else "1")
        elif len(words) == 1:
            _check(words[0])
        else:
            print(f"kata: {USAGE}")

    return kata


def _run_and_check(shell: Any, words: list[str], cell: str) -> None:
    """The cell runs as it would without the first line; when it does, it is checked with the cells it depends on."""
    done = shell.run_cell(cell, store_history=False)
    if done.success and not os.environ.get(EXECUTION):  # nbgrader has cells of its own to check with
        if len(words) == 1:
            _check(words[0])
        else:
            print(f"kata: {USAGE}")


def _check(name: str) -> None:
    problem = _unknown(name)
    if problem:
        print(f"kata: {problem}")
        return
    try:
        found = evidence_of(name)
    except CouldNotCheck as reason:
        print(f"kata: not checked: {reason}")
        return
    show(full(found, found.exercises[0]))


def _key() -> Any:
    from ..course.find import find_course
    from ..key.file import load_key

    return load_key(find_course().public_key)


def _unknown(name: str) -> str:
    names = [exercise.name for exercise in _key().exercises]
    if name in names:
        return ""
    near = difflib.get_close_matches(name, names, 1)
    return f"there is no exercise {name!r}. " + (f"Did you mean {near[0]}?" if near else "%kata list shows them all.")


def _show_list() -> None:
    show(listing(_key()))


def _show_hint(name: str, level: str) -> None:
    problem = _unknown(name) or ("" if level in ("1", "2", "3") else f"{level!r} is not a level: 1, 2 or 3.")
    if problem:
        print(f"kata: {problem}")
        return
    show(hint(next(exercise for exercise in _key().exercises if exercise.name == name), int(level)))
