"""A student's notebook put in order for nbgrader: forged ones too."""

import json

import pytest

from attention_kata.nbgrader.answers import Text, answer
from attention_kata.nbgrader.restore import NotRestored, Source, id_of, restored

ANSWER = Source("f", "code", "def f(x):\n    raise NotImplementedError()", False, False, True, False, None, "a" * 32)
CHECK = Source("f-check", "code", "_kata.check('f')", True, True, False, False, 2.0, "b" * 32)
SOURCES = (ANSWER, CHECK)
KERNEL = {"name": "python3", "display_name": "Python 3"}


def cell(source, id="", kind="code", **more):
    marks = {"nbgrader": {"grade_id": id}} if id else {}
    return {"cell_type": kind, "source": source, "metadata": {**marks, **more.pop("metadata", {})}, **more}


def restore(*cells, **more):
    notebook = {"cells": list(cells), "metadata": {"kernelspec": KERNEL}, "nbformat": 4, "nbformat_minor": 5, **more}
    return restored(json.dumps(notebook).encode(), SOURCES, KERNEL, ["f"])


WHOLE = (cell("def f(x): return x", "f"), cell(CHECK.source, "f-check"))


def test_what_is_in_order_has_no_notes():
    assert restore(*WHOLE)[1] == []


def test_output_and_metadata_of_a_students_cells_are_gone():
    html = {"output_type": "display_data", "data": {"text/html": "<script>"}, "metadata": {}}
    notebook, _ = restore(cell("1", outputs=[html], metadata={"jupyter": {"x": 1}}), *WHOLE, metadata={"widgets": {}})
    assert (notebook["cells"][0]["outputs"], notebook["cells"][0]["metadata"]) == ([], {})
    assert list(notebook["metadata"]) == ["kernelspec"]


def test_marks_are_the_released_ones_whatever_the_student_made_of_them():
    forged = {"nbgrader": {"grade_id": "f-check", "points": 100, "locked": False, "grade": False}}
    notebook, _ = restore(WHOLE[0], cell("1", metadata=forged))
    assert notebook["cells"][1]["metadata"]["nbgrader"] == CHECK.marks


def test_a_changed_locked_cell_is_put_back_and_named():
    notebook, notes = restore(WHOLE[0], cell("2.0", "f-check"))
    assert (notebook["cells"][1]["source"], notes) == (
        CHECK.source,
        ["the locked cell f-check was changed: the released one was put back"],
    )


def test_pictures_in_text_cells_stay_and_nothing_else_does():
    attached = {"a.png": {"image/png": "AAAA", "text/html": "<script>"}, "b.svg": {"image/svg+xml": "<svg>"}}
    notebook, _ = restore(cell("![](attachment:a.png)", kind="markdown", attachments=attached), *WHOLE)
    assert notebook["cells"][0]["attachments"] == {"a.png": {"image/png": "AAAA"}}


@pytest.mark.parametrize(
    "data",
    [
        b"", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"nbformat": 4}', b'{"nbformat": "x", "cells": []}',
        b'{"nbformat": 4, "cells": 3}', b'{"nbformat": 4, "cells": [1]}',
        b'{"nbformat": 4, "cells": [{"cell_type": "code"}]}',
        b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "", "metadata": 3}]}',
    ],
)  # fmt: skip
def test_what_is_no_notebook_is_told_in_words(data):
    with pytest.raises(NotRestored, match="not a notebook that Jupyter can open"):
        restored(data, SOURCES, KERNEL, ["f"])


@pytest.mark.parametrize("marks", [3, [], {"grade_id": ["f"]}, {"grade_id": None}, {}])
def test_forged_marks_are_no_marks(marks):
    notebook, _ = restore(*WHOLE, {"cell_type": "code", "source": "1", "metadata": {"nbgrader": marks}})
    assert id_of(notebook["cells"][-1]) == ""


# ---------------------------------------------------------------------- answer cells


STUB = '''
from torch import nn


def f(x):
    """Twice x."""
    raise NotImplementedError


class G(nn.Module):
    """Twice x, as a module."""

    def __init__(self):
        super().__init__()
        raise NotImplementedError

    def forward(self, x):
        """x -> 2 * x"""
        raise NotImplementedError
'''
SOLUTIONS = '''
from math import tau
from torch import nn

TWO = 2


def _factor():
    return TWO


def f(x):
    """Said elsewhere."""
    return _factor() * x  # twice


class G(nn.Module):
    def __init__(self):
        super().__init__()
        self.two = 2

    def forward(self, x):
        return self._twice(x) + 0 * tau

    def _twice(self, x):
        return _factor() * x
'''


def made(name):
    return answer(Text(STUB), Text(SOLUTIONS), name)


def test_helpers_and_constants_of_the_reference_are_inside_of_the_markers():
    assert made("f").cell.splitlines() == [
        "def f(x):",
        "    ### BEGIN SOLUTION",
        "    return _factor() * x  # twice",
        "",
        "TWO = 2",
        "",
        "def _factor():",
        "    return TWO",
        "    ### END SOLUTION",
    ]


def test_prompt_and_imports_stand_outside_of_the_answer_cell():
    answer = made("G")
    assert (answer.prompt, answer.imports) == (
        "Twice x, as a module.",
        ("from torch import nn", "from math import tau"),
    )


@pytest.mark.parametrize("name", ["f", "G"])
def test_the_cell_works_with_the_reference_and_defines_a_stub_without(name):
    cell, lines, inside = made(name).cell, [], False
    for line in cell.splitlines():
        if "END SOLUTION" in line:
            inside = False
        elif "BEGIN SOLUTION" in line:
            inside = True
            lines.append(line.split("#")[0] + "raise NotImplementedError()")
        elif not inside:
            lines.append(line)
    for text in (cell, "\n".join(lines)):
        names = {}
        exec("\n".join([*made(name).imports, text]), names)
        assert callable(names[name])
