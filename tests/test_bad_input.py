"""Whatever is in a submission, the program says what is the matter, in one clear sentence, and never falls over.

The rows are handed in together as one submission to a tiny course: one exercise for each, in a file of its own.
"""

import json

import pytest
from conftest import FOLDER, checked, kata, make_course, right, write

GOOD = "def NAME(x):\n    return 2 * x\n"
NOT_STARTED = "Not started yet: the body of NAME is still the stub's."
MODULE = """
from torch import nn


class NAME(nn.Module):
    def __init__(self, width):
        super().__init__()
        {layers}

    def forward(self, x):
        return 2 * self.proj(x)
"""


def returning(expression):
    return f"import numpy as np\nimport torch\n\n\ndef NAME(x):\n    return {expression}\n"


# exercise: kind, content of its file (NAME is the exercise), the message
ROWS = {
    # ------------------------------------------------------------------ the file
    "missing_file": ("function", None, "NAME.py is missing from submission."),
    "folder": ("function", FOLDER, "NAME.py is a folder; a file was expected."),
    "empty_file": ("function", "", "NAME.py is empty."),
    "blank_file": ("function", "\n  \n\t\n", "NAME.py is empty."),
    "too_large": ("function", GOOD + "#" * 1_000_000, "NAME.py is larger than 1 MB."),
    "not_utf8": ("function", GOOD.encode() + b"# caf\xe9\n", "NAME.py is not UTF-8 text: see line 3."),
    "nul_byte": ("function", GOOD.encode() + b"\0", "NAME.py holds a NUL byte on line 3."),
    "syntax_error": (
        "function",
        "def NAME(x)\n    return 2 * x\n",
        "SyntaxError in NAME.py, line 1: expected ':' in `def NAME(x)`",
    ),
    "indentation_error": (
        "function",
        "def NAME(x):\n    y = 2 * x\n      return y\n",
        "IndentationError in NAME.py, line 3: unexpected indent in `return y`",
    ),
    "tabs_and_spaces": (
        "function",
        "def NAME(x):\n    y = 2 * x\n\treturn y\n",
        "TabError in NAME.py, line 3: inconsistent use of tabs and spaces in indentation in `return y`",
    ),
    # ------------------------------------------------------------------ importing it
    "missing_package": (
        "function",
        "import einops\n" + GOOD,
        "ModuleNotFoundError in NAME.py, line 1: No module named 'einops'",
    ),
    "missing_name": (
        "function",
        "from crlf import three\n" + GOOD,
        "ImportError in NAME.py, line 1: cannot import name 'three' from 'crlf' (crlf.py)",
    ),
    "error_at_import": (
        "function",
        GOOD + "NAME(undefined)\n",
        "NameError in NAME.py, line 3, while the file was being imported: name 'undefined' is not defined",
    ),
    "loop_at_import": (
        "function",
        "while True:\n    pass\n",
        "Importing NAME.py did not finish: it was stopped after 1 s.",
    ),
    "exit_at_import": (
        "function",
        GOOD + "exit()\n",
        "The program was asked to exit in NAME.py, line 3, while the file was being imported.",
    ),
    "os_exit_at_import": (
        "function",
        "import os\nos._exit(0)\n",
        "The Python process ended while NAME.py was being imported: exited early, by os._exit or something similar.",
    ),
    "base_exception_at_import": (
        "function",
        "raise BaseException('mine')\n",
        "BaseException in NAME.py, line 1, while the file was being imported: mine",
    ),
    # ------------------------------------------------------------------ the function
    "missing_function": ("function", "def other(x):\n    return 2 * x\n", "NAME.py has no function named NAME yet."),
    "misspelled_function": (
        "function",
        "def NAMES(x):\n    return 2 * x\n",
        "There is no function named NAME in NAME.py; did you mean NAMES, in NAME.py, line 1?",
    ),
    "function_inside": (
        "function",
        "class Mine:\n    def NAME(x):\n        return 2 * x\n",
        "NAME is defined inside Mine, in NAME.py, line 2: from outside it cannot be called.",
    ),
    "class_for_function": (
        "function",
        "class NAME:\n    def __init__(self, x):\n        self.x = 2 * x\n",
        "NAME is a class; a function was expected.",
    ),
    "no_function": ("function", "NAME = 3\n", "NAME is an int; a function was expected."),
    "too_few_parameters": (
        "function",
        "def NAME():\n    return 2\n",
        "The exercise calls it with 1 argument; found NAME(): too many positional arguments.",
    ),
    "too_many_parameters": (
        "function",
        "def NAME(x, factor):\n    return factor * x\n",
        "The exercise calls it with 1 argument; found NAME(x, factor): missing a required argument: 'factor'.",
    ),
    "not_implemented": ("function", "def NAME(x):\n    raise NotImplementedError\n", NOT_STARTED),
    "ellipsis": ("function", "def NAME(x):\n    ...\n", NOT_STARTED),
    "passed_over": ("function", 'def NAME(x):\n    """Twice x."""\n    pass\n', NOT_STARTED),
    "raises": ("function", "def NAME(x):\n    return x @ x\n", None),
    "loop": (
        "function",
        "def NAME(x):\n    while True:\n        pass\n",
        "It did not finish: it was stopped after 1 s.",
    ),
    "sys_exit": (
        "function",
        "import sys\n\ndef NAME(x):\n    sys.exit(0)\n",
        "The program was asked to exit in NAME.py, line 4.",
    ),
    "os_exit": (
        "function",
        "import os\n\ndef NAME(x):\n    os._exit(0)\n",
        "The Python process ended: exited early in NAME, by os._exit or something similar.",
    ),
    "base_exception": (
        "function",
        "class Mine(BaseException):\n    pass\n\n\ndef NAME(x):\n    raise Mine('and mine alone')\n",
        "Mine in NAME.py, line 6: and mine alone",
    ),
    "interrupt": ("function", "def NAME(x):\n    raise KeyboardInterrupt\n", "KeyboardInterrupt in NAME.py, line 2"),
    "recursion": (
        "function",
        "def NAME(x):\n    return NAME(x)\n",
        "RecursionError in NAME.py, line 2: maximum recursion depth exceeded",
    ),
    "lone_surrogate": (
        "function",
        "def NAME(x):\n    raise ValueError('\\udcff')\n",
        "ValueError in NAME.py, line 2: \udcff",
    ),
    # ------------------------------------------------------------------ the result
    "returns_none": ("function", "def NAME(x):\n    2 * x\n", "It returns None."),
    "returns_list": ("function", returning("(2 * x).tolist()"), "It returns a list; a torch tensor was expected."),
    "returns_numpy": (
        "function",
        returning("(2 * x).numpy()"),
        "It returns a numpy array; a torch tensor was expected.",
    ),
    "returns_scalar": ("function", returning("2.0"), "It returns a float; a torch tensor was expected."),
    "returns_int": ("function", returning("2"), "It returns an int; a torch tensor was expected."),
    "returns_coroutine": (
        "function",
        "async def NAME(x):\n    return 2 * x\n",
        "It returns a coroutine; a torch tensor was expected.",
    ),
    "returns_generator": (
        "function",
        "def NAME(x):\n    yield 2 * x\n",
        "It returns a generator; a torch tensor was expected.",
    ),
    "returns_complex": (
        "function",
        returning("2 * x + 0j"),
        "The dtype of doubled is complex128; float64 was expected.",
    ),
    "returns_sparse": (
        "function",
        returning("(2 * x).to_sparse()"),
        "Doubled: the layout is sparse_coo; a dense tensor was expected.",
    ),
    "returns_meta": (
        "function",
        returning("(2 * x).to('meta')"),
        "Doubled: a tensor on the device meta was returned; the inputs are on cpu.",
    ),
    "returns_nan": ("function", returning("2 * x * float('nan')"), "Every number in doubled is NaN."),
    "returns_infinity": (
        "function",
        returning("2 * x / (x > 0)"),
        "Some numbers in doubled are not finite.",
    ),
    "returns_zeros": ("function", returning("0 * x"), "Every number in doubled is 0."),
    "returns_a_mean": ("function", returning("x.mean()"), "The shape of doubled is not the expected one."),
    "returns_an_int64_sum": ("function", returning("x.long().sum()"), "The shape of doubled is not the expected one."),
    "returns_a_bool": ("function", returning("x.bool().all()"), "The shape of doubled is not the expected one."),
    "returns_a_half": ("function", returning("x.half().max()"), "The shape of doubled is not the expected one."),
    "returns_float32": (
        "function",
        returning("(2 * x).float()"),
        "The numbers are right, but the dtype of doubled is float32; float64 was expected.",
    ),
    "returns_int64": ("function", returning("(2 * x).long()"), "The dtype of doubled is int64; float64 was expected."),
    "returns_two": (
        "function",
        returning("(2 * x, x)"),
        "It should return 1 result (doubled); it returned 2: a tensor, a tensor.",
    ),
    "one_of_two": (
        "pair",
        returning("2 * x"),
        "It should return 2 results (doubled and plain); it returned 1: a tensor.",
    ),
    "none_of_two": ("pair", "def NAME(x):\n    2 * x\n", "It returns None."),
    "two_nones": ("pair", returning("None, None"), "It returns None as doubled."),
    "one_none": ("pair", returning("2 * x, None"), "It returns None as plain."),
    # ------------------------------------------------------------------ the class
    "missing_class": ("class", "class Other:\n    pass\n", "NAME.py has no class named NAME yet."),
    "function_for_class": (
        "class",
        "def NAME(width):\n    return width\n",
        "NAME is a function; a class was expected.",
    ),
    "no_module": ("class", "class NAME:\n    def __init__(self, width):\n        pass\n", "NAME is not an nn.Module."),
    "makes_no_module": (
        "class",
        "NAME = int\n",
        "NAME(...) returned an int; an nn.Module was expected.",
    ),
    "other_layers": (
        "class",
        MODULE.format(layers="self.projection = nn.Linear(width, 4)"),
        "These parameters are missing: proj.weight, proj.bias (found: projection.bias, projection.weight).",
    ),
    "no_layers": (
        "class",
        MODULE.format(layers="self.layers = [nn.Linear(width, 4)]"),
        "These parameters are missing: proj.weight, proj.bias (found: no parameters at all).",
    ),
    "no_bias": (
        "class",
        MODULE.format(layers="self.proj = nn.Linear(width, 4, bias=False)"),
        "These parameters are missing: proj.bias (found: proj.weight).",
    ),
    "other_shapes": (
        "class",
        MODULE.format(layers="self.proj = nn.Linear(width, 5)"),
        "Proj.weight has shape (5, 3) where (4, 3) was expected; proj.bias has shape (5,) where (4,) was expected.",
    ),
    "other_layer_and_shape": (
        "class",
        MODULE.format(layers="self.proj = nn.Linear(width, 5, bias=False)"),
        "These parameters are missing: proj.bias (found: proj.weight); "
        "proj.weight has shape (5, 3) where (4, 3) was expected.",
    ),
    "other_constructor": (
        "class",
        MODULE.replace("width", "").format(layers="self.proj = nn.Linear(3, 4)"),
        "The exercise calls it with 1 argument; found NAME(): too many positional arguments.",
    ),
    "other_forward": (
        "class",
        MODULE.format(layers="self.proj = nn.Linear(width, 4)").replace("self, x", "self"),
        "The exercise calls it with 1 argument; found forward(): too many positional arguments.",
    ),
    "super_forgotten": (
        "class",
        MODULE.replace("super().__init__()", "pass").format(layers="self.proj = nn.Linear(width, 4)"),
        "AttributeError in NAME.py, line 8, while the module was being built: "
        "cannot assign module before Module.__init__() call",
    ),
    "class_not_started": (
        "class",
        MODULE.format(layers="raise NotImplementedError").replace(
            "return 2 * self.proj(x)", "raise NotImplementedError"
        ),
        NOT_STARTED,
    ),
    "class_passed_over": (
        "class",
        MODULE.format(layers="pass").replace("return 2 * self.proj(x)", "pass"),
        NOT_STARTED,
    ),
    "forward_not_written": (
        "class",
        MODULE.format(layers="self.proj = nn.Linear(width, 4)").replace("return 2 * self.proj(x)", "..."),
        "It returns None.",
    ),
}

# what earns full marks all the same
ACCEPTED = {
    "subclass": (
        "import torch\n\nclass Mine(torch.Tensor):\n    pass\n\ndef NAME(x):\n    return (2 * x).as_subclass(Mine)\n"
    ),
    "prints": 'print("loaded \\x1b[31m", "\\r\\x07")\n' + GOOD,
    "byte_order_mark": b"\xef\xbb\xbf" + GOOD.encode(),
    "crlf": GOOD.replace("\n", "\r\n"),
    "tabs": GOOD.replace("    ", "\t"),
    "no_newline_at_the_end": GOOD.strip(),
    "own_module": "from helpers.factors import two\n\n\ndef NAME(x):\n    return two * x\n",
    "own_topic": "from crlf import crlf\n\n\ndef NAME(x):\n    return crlf(x)\n",
}


def filled(name, content):
    if isinstance(content, bytes):
        return content.replace(b"NAME", name.encode())
    return content.replace("NAME", name) if isinstance(content, str) else content


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    kinds = {name: kind for name, (kind, _, _) in ROWS.items()} | dict.fromkeys(ACCEPTED, "function")
    return make_course(tmp_path_factory.mktemp("course"), kinds)


@pytest.fixture(scope="module")
def submission(tmp_path_factory):
    contents = {name: content for name, (_, content, _) in ROWS.items()} | ACCEPTED
    files = {f"{name}.py": filled(name, content) for name, content in contents.items() if content is not None}
    files["helpers/factors.py"] = "two = 2\n"
    return write(tmp_path_factory.mktemp("class") / "submission", files)


@pytest.fixture(scope="module")
def run(course, submission):
    return kata("check", "--json", "--seconds", 1, "--course", course, cwd=submission)


@pytest.fixture(scope="module")
def result(run):
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def verdicts(result):
    """The only check of each exercise."""
    return {exercise["id"]: exercise["checks"][0] for exercise in result["exercises"]}


@pytest.mark.parametrize("name", [name for name, (_, _, message) in ROWS.items() if message])
def test_a_bad_submission_is_told_what_is_the_matter(name, verdicts):
    assert verdicts[name]["message"] == filled(name, ROWS[name][2])


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_only_unusual_earns_full_marks(name, verdicts):
    assert (verdicts[name]["verdict"], verdicts[name]["message"]) == ("passed", "")


def test_a_bad_submission_earns_nothing(verdicts):
    assert {name for name in ROWS if verdicts[name]["points"]} == set()


def test_no_check_of_a_bad_submission_is_left_unjudged(verdicts):
    assert {name for name, check in verdicts.items() if check["verdict"] in ("ungradable", "skipped")} == set()


def test_the_program_itself_does_not_fall_over(run):
    assert (run.returncode, run.stderr, "Traceback" in run.stdout) == (1, "", False)


def test_no_file_of_the_program_is_shown_to_the_learner(run):
    assert "attention_kata" not in run.stdout


def test_an_error_of_the_learners_code_names_its_line(verdicts):
    assert verdicts["raises"]["message"].startswith("RuntimeError in raises.py, line 2: mat1 and mat2 shapes")


def test_a_loop_is_a_timeout_wherever_it_is(verdicts):
    assert [verdicts[name]["verdict"] for name in ("loop", "loop_at_import")] == ["timeout", "timeout"]


def test_a_dead_process_is_a_crash_wherever_it_dies(verdicts):
    assert [verdicts[name]["verdict"] for name in ("os_exit", "os_exit_at_import")] == ["crashed", "crashed"]


def test_the_line_of_a_syntax_error_is_the_learners_line(verdicts):
    assert verdicts["indentation_error"]["learner_line"] == 3


def test_what_a_file_prints_when_imported_is_reported_once(result):
    assert result["output"] == "loaded \x1b[31m \r\x07\n"


# ---------------------------------------------------------------------- on the terminal


@pytest.fixture(scope="module")
def shown(course, submission):
    """The same for three of the exercises, as a learner sees it."""
    return kata("check", "prints", "syntax_error", "passed_over", "--course", course, cwd=submission)


def test_control_characters_are_shown_and_never_sent_to_the_terminal(shown):
    assert ("    loaded \\x1b[31m \\x0d\\x07\n" in shown.stdout, "\x1b" in shown.stdout) == (True, False)


def test_a_syntax_error_is_shown_with_its_line_and_a_way_on(shown):
    assert (
        "  syntax_error › the numbers   0 of 1 points   syntax_error.py:1\n"
        "  SyntaxError in syntax_error.py, line 1: expected ':' in `def syntax_error(x)`\n"
        "  Python cannot read the file from there on: look at this line and at the one above it.\n"
    ) in shown.stdout


def test_an_exercise_that_was_not_begun_is_shown_without_blame(shown):
    assert "    ○ passed_over       0/1  not started\n" in shown.stdout


@pytest.mark.parametrize("renamed", ["def forwards(", "        def forward("])
def test_a_module_whose_forward_is_not_found_has_been_started(tmp_path, renamed):
    text = right("self_attention").replace("    def forward(", renamed if renamed[0] == " " else f"    {renamed}")
    if renamed[0] == " ":  # inside __init__
        before, _, after = text.partition(renamed)
        text = before + renamed + after.replace("\n        ", "\n            ")
    write(tmp_path, {"self_attention.py": text})
    (exercise,) = checked("self_attention", cwd=tmp_path)["exercises"]
    said = {(check["message"], check["hint"]) for check in exercise["checks"]}
    hint = "Is it called forward, and is it indented as a method of the class?"
    assert (exercise["not_started"], ("The module has no forward method.", hint) in said) == (False, True)


# ---------------------------------------------------------------------- the core track


def test_the_core_track_takes_every_encoding_and_layout_of_a_right_answer(tmp_path):
    write(
        tmp_path,
        {
            "attention.py": b"\xef\xbb\xbf" + right("attention").encode(),
            "masks.py": right("masks").replace("\n", "\r\n"),
            "heads.py": right("heads").replace("    ", "\t"),
            "self_attention.py": "from layers.linear import Linear\n"
            + right("self_attention").replace("nn.Linear", "Linear"),
            "layers/linear.py": "from torch.nn import Linear\n",
            "multihead.py": right("multihead").replace("    ", "\t"),
        },
    )
    run = kata("check", cwd=tmp_path)
    assert (run.returncode, run.stdout.splitlines()[-1]) == (0, "  100 of 100 points.  Everything is right.")


def test_returning_something_useless_everywhere_earns_nothing(stubs):
    for topic in ("attention", "masks", "heads"):
        write(
            stubs, {f"{topic}.py": (stubs / f"{topic}.py").read_text().replace("raise NotImplementedError", "return 0")}
        )
    points = {e["id"]: e["points"] for e in checked("attention.py", "masks", "heads", cwd=stubs)["exercises"]}
    assert points == dict.fromkeys(points, 0.0)
