"""A notebook as one module of Python: what its cells define, and nothing that they merely show.

Kept are, from the code cells in order: functions and classes (the last definition of a name), and the imports
and simple constants that they need.  Left out is whatever would run: calls, loops, prints, plots, asserts,
training; magics, shell commands and help; `%%bash` and the like.  `%%time`, `%%timeit`'s relatives that run
in the notebook itself and `%%capture` keep their body, and `%%writefile FILE` makes a file of it.  See
statements.py for how that is chosen.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...messages.said import Place, Said, said
from ...text import plain
from ..submission import MAX_BYTES, CellMap, Problem
from ..tree import Unreadable
from .magics import RUN_HERE, WRITING, cell_magic, without_magics
from .parse import Cell, mapping, read_notebook
from .statements import Statement, choose, statements

MAX_CELLS = 5_000
NOTEBOOK = ""  # in place of a file's name: a cell is where it is in any notebook
DEFINED = re.compile(r"^[ \t]*(?:async +)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class NotebookSource:
    """`text` is the module, `cells` where its lines came from.

    `problems` has, by the name of a function or class, why it is not in the text; `notes` what was left out;
    `written` the files of `%%writefile`.
    """

    text: str
    cells: CellMap
    problems: Mapping[str, Problem]
    notes: tuple[Said, ...] = ()
    written: Mapping[str, str] = field(default_factory=dict)


def notebook_source(data: bytes, wanted: Collection[str] | None = None) -> NotebookSource:
    """The module of a notebook's file.  `wanted` names what it is read for; None: all that it defines.

    Raises Unreadable when `data` is not a Python notebook, or holds no code.
    """
    notebook = read_notebook(data)
    language = mapping(notebook.metadata, "kernelspec").get("language") or "python"
    if not str(language).lower().startswith(("python", "ipython")):
        raise Unreadable(said("other-language", name=plain(str(language))))
    return cells_source(notebook.cells, wanted)


def cells_source(cells: Sequence[Cell], wanted: Collection[str] | None = None) -> NotebookSource:
    """The module that cells in this order make.  Unreadable when they hold too much, or no code."""
    found: list[Statement] = []
    problems: dict[str, Problem] = {}
    notes: list[Said] = []
    written: dict[str, str] = {}
    size = 0
    for number, source in _code(cells):
        size += len(source)
        if size > MAX_BYTES:
            raise Unreadable(said("too-much-code", limit=MAX_BYTES // 1_000_000))
        magic, arguments, body = cell_magic(source)
        if magic in WRITING:
            _write(written, arguments, body)
        elif not magic or magic in RUN_HERE:
            body = without_magics(body)
            try:
                found += statements(body, number)
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                problem = _unparsed(error, number)
                notes.append(problem.message)
                problems |= dict.fromkeys(DEFINED.findall(body), problem)
    kept, broken = choose(found, wanted)
    problems |= {name: _needs_more(statement, found) for name, statement in broken.items()}
    defined = {name for statement in kept for name in statement.binds}
    text, lines = _joined(kept)
    problems = {name: problem for name, problem in problems.items() if name not in defined}
    return NotebookSource(text, lines, problems, tuple(notes), written)


def _joined(kept: list[Statement]) -> tuple[str, CellMap]:
    """One text, and where each of its lines came from."""
    lines, cells = [], []
    for statement in kept:
        for i, line in enumerate(statement.text.split("\n")):
            lines.append(line)
            cells.append((statement.cell, statement.line + i))
    return "".join(f"{line}\n" for line in lines), CellMap(tuple(cells))


# ---------------------------------------------------------------------- the cells


def _code(cells: Sequence[Cell]) -> Iterator[tuple[int, str]]:
    """(number, source) of every code cell of the student's."""
    if len(cells) > MAX_CELLS:
        raise Unreadable(said("too-many-cells", limit=f"{MAX_CELLS:,}"))
    restored = _restored(cells)
    blank = not restored
    for number, cell in enumerate(cells, 1):
        if cell.kind == "code" and cell.source is not None and number not in restored:
            blank = blank and not cell.source.strip()
            yield number, cell.source.replace("\r\n", "\n").replace("\r", "\n")
    if blank:
        raise Unreadable(said("no-code"))


def _restored(cells: Sequence[Cell]) -> set[int]:
    """Numbers of the cells that are the course's and not the student's: nbgrader restores what is locked.

    Of several cells with one id nbgrader takes the last.
    """
    last: dict[str, int] = {}
    for number, cell in enumerate(cells, 1):
        if cell.marks.get("locked") and not cell.marks.get("solution"):
            last[str(cell.marks.get("grade_id"))] = number
    return set(last.values())


def _write(written: dict[str, str], arguments: str, body: str) -> None:
    """%%writefile FILE, or %%writefile -a FILE to append."""
    words = arguments.split()
    if words:
        file = words[-1].strip("\"'").removeprefix("./")
        written[file] = (written.get(file, "") if "-a" in words[:-1] else "") + body.lstrip("\n")


# ---------------------------------------------------------------------- problems


def _unparsed(error: BaseException, cell: int) -> Problem:
    hint = said("hint-repair-cell")
    if isinstance(error, SyntaxError):
        code = plain((error.text or "").strip()[:80])
        place = Place(NOTEBOOK, error.lineno, cell)
        message = said("notebook-syntax", error=type(error).__name__, place=place, text=error.msg, shown=code)
        return Problem(message, hint)
    why = plain(str(error)) or type(error).__name__
    return Problem(said("notebook-unparsed", count=cell, text=why), hint)


def _needs_more(statement: Statement, found: list[Statement]) -> Problem:
    bound = {name for each in found for name in each.binds}
    missing = sorted(statement.at_once - bound - set(dir(builtins))) or sorted(statement.at_once)
    needs = ", ".join(missing[:3])
    message = said("notebook-needs", exercise=statement.defines, count=statement.cell, text=needs)
    return Problem(message, said("hint-definitions"))
