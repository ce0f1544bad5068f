"""A notebook becomes one module: what it defines is there, what it merely shows does not run."""

import json

import pytest
from intake_files import notebook

from attention_kata.course.find import find_course
from attention_kata.intake.notebooks.cells import notebook_source
from attention_kata.intake.notebooks.parse import MAX_NOTEBOOK, Cell, read_notebook
from attention_kata.intake.reading import read_answers, read_cells
from attention_kata.intake.submission import MAX_BYTES
from attention_kata.intake.tree import Collection, Piece, Unreadable
from attention_kata.key.file import load_key
from attention_kata.messages.render import render

SOFTMAX = "def softmax(x, dim=-1):\n    return x\n"


def source(*cells, wanted=None, **more):
    return notebook_source(notebook(*cells, **more), wanted)


def run(text):
    """The names that the text defines, run for real."""
    names = {}
    exec(compile(text, "notebook", "exec"), names)
    return names


@pytest.mark.parametrize("cells", [(), ("",), ("  \n", "\n")])
def test_a_notebook_without_code_is_nothing_to_grade(cells):
    with pytest.raises(Unreadable, match="holds no code"):
        source(*cells)


def test_empty_lines_count_as_code_does():
    with pytest.raises(Unreadable, match="holds more than"):
        source("x" + "\n" * MAX_BYTES)


def test_cells_become_one_text_in_order():
    made = source("import math\n", "def root(x):\n    return math.sqrt(x)\n")
    assert made.text == "import math\ndef root(x):\n    return math.sqrt(x)\n"


@pytest.mark.parametrize(
    "cell",
    [
        "print('shown')",
        "raise RuntimeError",
        "assert False",
        "while True:\n    pass",
        "for i in range(10**9):\n    pass",
        "plt.plot(softmax(1))",
        "with open('/etc/passwd') as file:\n    text = file.read()",
        "weights = softmax(train())",
        "x = y = softmax(1)",
        "await later()",
        "if __name__ == '__main__':\n    main = 1",
        "del softmax",
    ],
)
def test_what_a_cell_merely_does_is_left_out(cell):
    assert source(SOFTMAX, cell).text == SOFTMAX


@pytest.mark.parametrize(
    "line", ["%matplotlib inline", "!pip install einops", "files = !ls", "softmax?", "softmax??", "?softmax", "%%"]
)
def test_a_line_that_is_no_python_is_left_out(line):
    assert source(f"{line}\n{SOFTMAX}").text == SOFTMAX


def test_a_magic_inside_of_a_block_leaves_the_block_valid():
    made = source("def f(x):\n    if x:\n        %time g(x)\n    return x\n")
    assert run(made.text)["f"](3) == 3


@pytest.mark.parametrize(
    "cell",
    [
        'def text():\n    return """\n%matplotlib\n!ls\n"""\n',
        "def rest(x):\n    return (x\n% 3)\n",
        "def rest(x):\n    return x \\\n% 3\n",
        "def mark():\n    return '# (' + \"it's\"\n%time 1",
    ],
)
def test_a_percent_sign_inside_of_a_text_or_of_brackets_is_python(cell):
    assert source(cell).text == cell.removesuffix("%time 1")


@pytest.mark.parametrize("magic", ["%%time", "%%capture out", "%%capture\n"])
def test_a_cell_that_is_timed_or_captured_keeps_its_body(magic):
    assert source(f"{magic}\n{SOFTMAX}").text == SOFTMAX


@pytest.mark.parametrize("magic", ["%%bash", "%%html", "%%javascript", "%%script python", "%%timeit", "%%unheard_of"])
def test_a_cell_in_another_language_is_dropped(magic):
    assert source(f"{magic}\n{SOFTMAX}").text == ""


def test_a_written_file_is_kept_apart():
    made = source("%%writefile masks.py\nx = 1\n", "%%writefile -a masks.py\ny = 2\n")
    assert (made.text, made.written) == ("", {"masks.py": "x = 1\ny = 2\n"})


def test_the_last_definition_counts():
    made = source("def f():\n    return 1\n", "def f():\n    return 2\n", "f()")
    assert made.text == "def f():\n    return 2\n"


def test_an_earlier_definition_that_is_needed_at_once_stays():
    made = source(
        "class A:\n    x = 1\n", "class B(A):\n    pass\n", "class A(A):\n    y = 2\n", "class A(A):\n    z = 3\n"
    )
    names = run(made.text)
    assert (names["B"].x, names["A"].x, names["A"].y, names["A"].z) == (1, 1, 2, 3)


def test_helpers_constants_and_imports_come_along_and_nothing_else():
    made = source(
        "import math, statistics\nimport matplotlib.pyplot as plt",
        "SCALE = math.sqrt(4.0)\nUNUSED = 3\nQ = random(3)",
        "def helper(x):\n    return SCALE * x\n\ndef show(x):\n    plt.imshow(x)\n",
        "def wanted(x):\n    return helper(x)\n",
        wanted={"wanted"},
    )
    assert "matplotlib" not in made.text
    assert "UNUSED" not in made.text
    assert run(made.text)["wanted"](3) == 6.0


def test_a_constant_that_is_made_of_an_unknown_one_is_left_out():
    made = source("x = train()", "x = x + 1", "def f():\n    return x\n")
    assert made.text == "def f():\n    return x\n"


def test_an_import_from_the_future_comes_first():
    made = source("x = 1", "from __future__ import annotations\ndef f(a: Unknown = x):\n    return a\n")
    assert run(made.text)["f"]() == 1


def test_a_method_that_is_added_later_belongs_to_its_class():
    made = source("class A:\n    pass\n", "def f(self):\n    return 5\n", "A.f = f", wanted={"A"})
    assert run(made.text)["A"]().f() == 5


def test_an_import_that_may_fail_stays_with_its_way_out():
    made = source(
        "try:\n    import absent\nexcept ImportError:\n    print('none')\n    absent = None\n",
        "def f():\n    return absent\n",
    )
    assert run(made.text)["f"]() is None


def test_two_statements_on_one_line_are_taken_apart():
    made = source("print('no'); import math; é = 3; print('no')", "def f():\n    return math, é\n")
    assert run(made.text)["f"]()[1] == 3


def test_a_line_of_the_text_leads_back_to_its_cell():
    markdown = {"cell_type": "markdown", "source": "# Softmax"}
    made = source(markdown, f"%matplotlib inline\n\n{SOFTMAX}", "print(1)", "def f():\n    pass\n")
    lines = made.text.split("\n")
    found = {lines[i - 1]: made.cells.where(i) for i in range(1, len(lines))}
    assert found["    return x"] == (2, 4)
    assert found["def f():"] == (4, 1)


def test_a_cell_that_cannot_be_parsed_is_a_problem_of_what_only_it_defines():
    made = source(SOFTMAX, "def softmax(x)\n    pass\ndef attention(Q):\n    pass\n", "def other():\n    pass\n")
    assert set(made.problems) == {"attention"}
    problem = made.problems["attention"]
    assert render(problem.message) == "SyntaxError in cell 2, line 1: expected ':' in `def softmax(x)`"
    assert "def other" in made.text
    assert tuple(map(render, made.notes)) == ("SyntaxError in cell 2, line 1: expected ':' in `def softmax(x)`",)


def test_a_definition_that_needs_a_value_that_is_not_kept_is_a_problem():
    made = source("width = train()", "def f(x=width):\n    pass\n", SOFTMAX)
    assert render(made.problems["f"].message) == "f in cell 2 cannot be defined: it needs width."
    assert made.text == SOFTMAX


@pytest.mark.parametrize("cell", ["\ud800 = 1", "x = '\0'", "(" * 5000, "-" * 100_000 + "1", "#" * 300_000])
def test_a_hostile_cell_is_a_note(cell):
    made = source(cell, SOFTMAX)
    assert made.text == SOFTMAX
    assert len(made.notes) == 1


def test_long_lines_take_no_time():
    blanks, name = " " * 90_000, "x" * 90_000
    assert source(f"{blanks}\n{name}\n{SOFTMAX}").text == SOFTMAX


def test_format_3_has_worksheets():
    cells = [{"cell_type": "code", "language": "python", "input": ["def f():\n", "    pass\n"]}]
    data = json.dumps({"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]}).encode()
    assert notebook_source(data).text == "def f():\n    pass\n"


def test_outputs_and_nbgrader_metadata_are_ignored():
    cell = {"cell_type": "code", "source": SOFTMAX, "outputs": [{"data": "x" * 2_000_000}], "metadata": {"nbgrader": 1}}
    assert source(cell).text == SOFTMAX


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"no json", "is not a notebook: it is not JSON"),
        (b"[" * 100_000, "is not a notebook: it is not JSON"),
        (b'{"cells": ' + b"1" * 10_000 + b"}", "is not a notebook: it is not JSON"),
        (b'"\xff"', "is not a notebook: it is not UTF-8 text"),
        (b"[]", "is not a notebook: it has no cells"),
        (b"{}", "is not a notebook: it has no cells"),
        (b'{"worksheets": 3}', "is not a notebook: it has no cells"),
        (b" " * (MAX_NOTEBOOK + 1), "is larger than 16 MB"),
        (
            notebook(metadata={"kernelspec": {"language": "julia"}}),
            "is a notebook in julia; a Python notebook was expected",
        ),
        (notebook(*["#" * 150_000] * 7), "holds more than 1 MB of code"),
        (notebook(*[""] * 5_001), "has more than 5,000 cells"),
    ],
)
def test_what_is_no_notebook_is_said_in_one_line(data, message):
    with pytest.raises(Unreadable) as caught:
        notebook_source(data)
    assert str(caught.value) == message


@pytest.mark.parametrize("cell", [3, None, [], {"cell_type": "code"}, {"cell_type": "code", "source": [1, None]}])
def test_a_cell_of_another_form_is_passed_over(cell):
    data = json.dumps({"metadata": [], "cells": [cell, {"cell_type": "code", "source": SOFTMAX}]}).encode()
    assert notebook_source(data).text == SOFTMAX


OPEN = {
    "answers and what they need": ("import torch", "K = 2", "def causal_mask(T, S=None):\n    return torch.ones(T, K)"),
    "a cell that cannot be parsed": ("def causal_mask(T:", "def padding_mask(lengths, max_len):\n    return 1"),
    "a definition that lacks something": ("class causal_mask(Base): pass",),
    "magics": ("%%kata causal_mask\n!ls\ndef causal_mask(T, S=None): pass", "%%bash\nls"),
    "a file that a cell writes": ("%%writefile masks.py\ndef causal_mask(T, S=None): pass",),
    "an import from itself": ("def helper(): pass", "from masks import helper\ndef causal_mask(T, S=None): helper()"),
    "old ends of lines": ("import torch\r\ndef causal_mask(T, S=None):\r    pass",),
    "half a character": ("def causal_mask(T, S=None):\n    return '\ud800'",),
    "another function": ("def other(): pass",),
    "nothing": ("", " "),
    "no cell": (),
    "too much": ("#" * 150_000,) * 7,
    "too many": ("",) * 5_001,
}


@pytest.mark.parametrize("cells", OPEN.values(), ids=OPEN)
def test_a_notebook_that_is_open_is_read_as_if_it_were_saved(cells):
    homes = {exercise.name: exercise.file for exercise in load_key(find_course().public_key).exercises}
    nowhere, shown = Collection(""), "this notebook.ipynb"
    saved = Collection("", {shown: Piece(nowhere, shown, shown, notebook(*cells))})
    read = read_cells([Cell("code", cell) for cell in cells], shown, ("masks.py",), homes)
    assert read == read_answers(saved, ("masks.py",), homes, "")
    assert read.files or read.problems


HEADING = {"cell_type": "heading", "level": 2, "source": ["Two\n", "lines"], "metadata": {}}
OLD_CODE = {"cell_type": "code", "input": ["1\n", "2"], "language": "python", "outputs": [], "metadata": {}}


def test_cells_of_format_3_are_as_jupyter_converts_them():
    nbformat = pytest.importorskip("nbformat")
    cells = [HEADING, OLD_CODE, {"cell_type": "html", "source": "<b>", "metadata": {}}]
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells, "metadata": {}}]}
    read = read_notebook(json.dumps(old).encode())
    converted = nbformat.convert(nbformat.reader.reads(json.dumps(old)), 4)
    assert [(cell.kind, cell.source) for cell in read.cells] == [(c.cell_type, c.source) for c in converted.cells]


def test_a_heading_is_no_deeper_than_headings_go():
    cell = HEADING | {"level": 10**12}
    (read,) = read_notebook(json.dumps({"nbformat": 3, "worksheets": [{"cells": [cell]}]}).encode()).cells
    assert read.source == "###### Two lines"
