"""What tests of the program share: running it for real, and small courses and submissions to run it on."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import surroundings
from warm_kata import WarmKata

surroundings.put_right()

ROOT = Path(__file__).parent.parent
EXERCISES = ROOT / "exercises"
RIGHT = ROOT / "tests" / "answers" / "right" / "articles"  # full marks in every exercise of the core track

FOLDER = object()  # in the place of a file's content: a folder of that name

CATALOGUE = """
from attention_kata.authoring import Mistake

CATALOGUE = (Mistake("not-doubled", "You return x as it came.", "Which factor does the formula have?"),)
"""

STUB = """
def NAME(x):
    raise NotImplementedError
"""

CLASS_STUB = """
from torch import nn


class NAME(nn.Module):
    def __init__(self, width):
        super().__init__()
        raise NotImplementedError

    def forward(self, x):
        raise NotImplementedError
"""

IMPORTS = """
from torch import nn

from attention_kata.authoring import Call, Case, Check, Mechanism, Script, Solution, build, call
"""

FUNCTION = """
EXERCISES = (
    Solution(
        "NAME",
        1,
        "twice x",
        lambda x: 2 * x,
        lambda *, factor: lambda x: factor * x,
        (Mechanism("factor", "the factor", {"two": 2}, {"not-doubled": 1}),),
        (Case("plain", lambda s: Script((call("NAME", s.normal(2, 3)),))),),
        (Check("values", "the numbers", "values", 1, ("plain",)),),
        ("A nudge.", "A step.", "Nearly all of it."),
        axes={"B": 2, "T": 3},
        returns=("doubled",),
    ),
)
"""

PAIR = """
EXERCISES = (
    Solution(
        "NAME",
        1,
        "twice x, and x",
        lambda x: (2 * x, x),
        lambda *, factor: lambda x: (factor * x, x),
        (Mechanism("factor", "the factor", {"two": 2}, {"not-doubled": 1}),),
        (Case("plain", lambda s: Script((call("NAME", s.normal(2, 3)),))),),
        (Check("values", "the numbers", "values", 1, ("plain",)),),
        ("A nudge.", "A step.", "Nearly all of it."),
        axes={"B": 2, "T": 3},
        returns=("doubled", "plain"),
    ),
)
"""

CLASS = """
def reference(factor):
    class Projection(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.proj = nn.Linear(width, 4)

        def forward(self, x):
            return factor * self.proj(x)

    return Projection


def script(s):
    weights = {"proj.weight": s.normal(4, 3), "proj.bias": s.normal(4)}
    return Script((build("NAME", 3, weights=weights), Call(None, (s.normal(2, 3),))))


EXERCISES = (
    Solution(
        "NAME",
        1,
        "twice a projection",
        reference(2),
        lambda *, factor: reference(factor),
        (Mechanism("factor", "the factor", {"two": 2}, {"not-doubled": 1}),),
        (Case("plain", script),),
        (Check("values", "the numbers", "values", 1, ("plain",)),),
        ("A nudge.", "A step.", "Nearly all of it."),
        axes={"B": 2, "D": 4},
    ),
)
"""

KINDS = {"function": (STUB, FUNCTION), "pair": (STUB, PAIR), "class": (CLASS_STUB, CLASS)}


WARM = WarmKata() if sys.platform == "linux" else None


def kata(*args, cwd, **env):
    """Run the program in `cwd` as a learner does, in a process of its own -> exit code, stdout, stderr."""
    if WARM is None or env.keys() - {"COLUMNS"}:  # the others are for Python as it starts
        return cold_kata(*args, cwd=cwd, **env)
    return WARM.run("kata", [*map(str, args)], cwd, environment(**env))


def cold_kata(*args, cwd, **env):
    """The same, and Python itself is started for it."""
    command = [sys.executable, "-m", "attention_kata", *map(str, args)]
    return subprocess.run(
        command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", env=environment(**env)
    )


def environment(**env):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"  # where `kata` is
    return {**os.environ, "PATH": path, "COLUMNS": "200", "PYTHONIOENCODING": "utf-8", **env}


def checked(*args, cwd):
    """What `kata check --json` prints."""
    return json.loads(kata("check", "--json", *args, cwd=cwd).stdout)


def write(folder, files):
    """Files by name: text, bytes, or FOLDER."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is FOLDER:
            path.mkdir()
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return folder


def right(topic):
    """The text of a right answer to a topic of the core track."""
    return (RIGHT / f"{topic}.py").read_text(encoding="utf-8")


def make_course(folder, exercises):
    """A course of one-check exercises (name: kind), each in a topic file of its own, and its public key."""
    topics = ", ".join(f'"{name}"' for name in exercises)
    facts = f'id = "tiny"\ntitle = "A tiny course"\nversion = "1"\ntopics = [{topics}]\n'
    files = {"solutions/course.toml": facts, "solutions/catalogue.py": CATALOGUE}
    for name, kind in exercises.items():
        stub, solution = KINDS[kind]
        files[f"exercises/{name}.py"] = stub.replace("NAME", name)
        files[f"solutions/{name}.py"] = (IMPORTS + solution).replace("NAME", name)
    write(folder, files)
    drawn = kata("dev", "key", "--course", folder, cwd=folder)
    assert drawn.returncode == 0, drawn.stderr
    return folder


# Files whose fixtures take longest: each is begun first, by a process of its own as far as there are enough.
FIRST = ("test_hostile", "test_nbgrader", "test_engine")


def pytest_collection_modifyitems(items):
    """Each process begins with an equal share of the tests in their order, and takes from the end of others' shares."""
    shares = [[] for _ in range(int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1)))]
    if len(shares) == 1:
        return
    for place, name in enumerate(FIRST):
        shares[place % len(shares)] += [item for item in items if item.path.stem == name]
    rest = [item for item in items if item.path.stem not in FIRST]
    size = -(-len(items) // len(shares))
    for share in shares:
        taken = max(0, size - len(share))
        share += rest[:taken]
        del rest[:taken]
    items[:] = [item for share in shares for item in share] + rest


def pytest_configure():
    surroundings.warn_as_usual()


def pytest_unconfigure():
    if WARM is not None:
        WARM.close()


@pytest.fixture
def stubs(tmp_path):
    """A folder as `kata init` makes it."""
    return shutil.copytree(EXERCISES, tmp_path / "attention-kata", ignore=shutil.ignore_patterns("__pycache__"))


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """A course of two functions, `double` and `twice`."""
    return make_course(tmp_path_factory.mktemp("tiny"), {"double": "function", "twice": "function"})
