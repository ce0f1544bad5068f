"""The notebooks in `autograded/`, as formgrader and feedback read them; written without running a cell."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..files import write_whole
from ..gradebook.standing import Standing
from ..intake.notebooks.parse import MAX_NOTEBOOK
from ..intake.tree import Tree, Unreadable
from ..judge.evidence import ExerciseEvidence
from ..notebook.html import brief
from ..text import plain
from .restore import JsonCell, NotRestored, Source, id_of, restored


@dataclass(frozen=True)
class Released:
    """One notebook of the assignment, as the gradebook knows it."""

    name: str
    kernelspec: Mapping[str, Any] | None
    sources: tuple[Source, ...]


def released(notebook: Any) -> Released:
    """Read it from the gradebook."""
    graded = {cell.name: cell for cell in [*notebook.grade_cells, *notebook.task_cells]}
    solutions = {cell.name for cell in notebook.solution_cells}
    tasks = {cell.name for cell in notebook.task_cells}
    sources = [
        Source(
            cell.name,
            cell.cell_type,
            cell.source or "",
            bool(cell.locked),
            cell.name in graded and cell.name not in tasks,
            cell.name in solutions,
            cell.name in tasks,
            graded[cell.name].max_score if cell.name in graded else None,
            cell.checksum,
        )
        for cell in notebook.source_cells
    ]
    kernelspec = None
    with suppress(TypeError, ValueError):
        kernelspec = json.loads(notebook.kernelspec)
    return Released(notebook.name, kernelspec, tuple(sources))


def restore(
    tree: Tree | None, name: str, notebooks: Sequence[Released], exercises: Sequence[str], say: Callable[[str], None]
) -> dict[str, Any] | None:
    """The notebook `name` in order, None where there is none to show; `say` takes what was odd about it."""
    known = next(notebook for notebook in notebooks if notebook.name == name)
    try:
        data = _handed_in(tree, name, [notebook.name for notebook in notebooks], say)
        whole, notes = restored(data, known.sources, known.kernelspec, exercises)
    except NotRestored as reason:
        say(f"formgrader has no {plain(name)}.ipynb to show: {reason}")
        return None
    for note in notes:
        say(f"{plain(name)}.ipynb: {note}")
    return whole


def cells_of(notebook: Mapping[str, Any] | None) -> dict[str, JsonCell]:
    """The cells of a restored notebook by nbgrader's ids."""
    return {id_of(cell): cell for cell in notebook["cells"] if id_of(cell)} if notebook else {}


def put_result(cell: JsonCell, exercise: ExerciseEvidence, points: float) -> None:
    """The output that the check cell would have had, without the numbers of the key."""
    shown, number = brief(exercise), {"text/plain": repr(points)}
    data = {"text/html": shown.html, "text/plain": shown.text}
    cell["execution_count"] = 1
    cell["outputs"] = [
        {"output_type": "display_data", "data": data, "metadata": {}},
        {"output_type": "execute_result", "data": number, "metadata": {}, "execution_count": 1},
    ]


def write(folder: Path, name: str, notebook: Mapping[str, Any], row: Standing) -> None:
    """Write a notebook, and the time by which nbgrader sees that it has been graded.  OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / f"{name}.ipynb", [json.dumps(notebook)])
    if row.handed_in:
        write_whole(folder / "timestamp.txt", [f"{row.handed_in:%Y-%m-%d %H:%M:%S.%f} UTC"])


def _handed_in(tree: Tree | None, name: str, known: Sequence[str], say: Callable[[str], None]) -> bytes:
    """The bytes of a notebook of the assignment; of the only one there is, where that has another name."""
    if tree is None:
        raise NotRestored("nothing was found")
    found = sorted(node.name for node in tree.nodes() if node.name.endswith(".ipynb"))
    wanted = f"{name}.ipynb"
    if wanted not in found:
        others = [other for other in found if other.removesuffix(".ipynb") not in known]
        if len(others) != 1:
            raise NotRestored(f"none of that name was handed in (there is {', '.join(map(plain, found)) or 'none'})")
        say(f"{plain(others[0])} stands for {plain(wanted)}, which was renamed")
        wanted = others[0]
    try:
        return tree.read(wanted, MAX_NOTEBOOK)
    except Unreadable as reason:
        raise NotRestored(str(reason)) from None
