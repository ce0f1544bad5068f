"""A new exercise: a stub and a solution module of the same name."""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import Path

from ..errors import KataError
from .find import Course

STUB = '''"""TOPIC: say in two lines what these exercises are about."""

from torch import Tensor


def NAME(x: Tensor) -> Tensor:
    """What it gives, in one line.

    x (B, T) -> (B, T)

    The rule, in words and as a formula; all of the contract; one small example with numbers:

        NAME([[1, 2]]) = [[2, 4]]

    The paper and its section.
    """
    raise NotImplementedError
'''

SOLUTION = '''"""TOPIC: references, variants and checks."""

from attention_kata.authoring import Case, Check, Mechanism, Script, Solution, call

B, T = 2, 3


def NAME(x):
    return 2 * x


def _NAME_by_mechanism(*, factor):
    return lambda x: factor(x)


_FACTOR = Mechanism(
    "factor",
    "the factor",
    right={"two": lambda x: 2 * x, "sum": lambda x: x + x},
    mistakes={"scale-missing": lambda x: x},  # an id of solutions/catalogue.py
)

_PLAIN = Case("plain", lambda s: Script((call("NAME", s.normal(B, T)),)))

SOLUTION = Solution(
    "NAME",
    points=2,
    summary="what it gives, in a few words",
    reference=NAME,
    variant=_NAME_by_mechanism,
    mechanisms=(_FACTOR,),
    cases=(_PLAIN, _PLAIN.having("float32", dtype="float32")),
    checks=(
        Check("values", "the right numbers", "values", 1.5, ("plain",)),
        Check("float32", "works in float32", "robustness", 0.5, ("float32",)),
    ),
    hints=("A nudge.", "A step.", "Nearly the solution, in words."),
    axes={"B": B, "T": T},
)

EXERCISES = (SOLUTION,)
'''

TAKEN = ("torch", "numpy", "safetensors", "attention_kata", "catalogue")

COURSE = 'id = "course"\ntitle = "A new course"\nversion = "0.1"\ntopics = []\n'
CATALOGUE = '''"""The catalogue of mistakes: an id, what the learner's numbers show, the question that leads on."""

from attention_kata.authoring import Mistake

CATALOGUE: tuple[Mistake, ...] = (
    Mistake("scale-missing", "Nothing is scaled.", "Which factor does the formula have?"),
)
'''


class ScaffoldError(Exception):
    """An exercise that cannot be begun, in one line that says what to do."""


def scaffold(course: Course, name: str, topic: str) -> list[Path]:
    """Make the stub and the solution module of exercise `name` in a new topic -> the files made or changed."""
    for word in (name, topic):
        if not word.isidentifier() or keyword.iskeyword(word):
            raise ScaffoldError(f"{word!r} is not a Python name: use letters, digits and _")
    if topic in sys.stdlib_module_names or topic in TAKEN:
        raise ScaffoldError(f"{topic}.py would hide the module {topic}: choose another name with --topic")
    solutions = course.exercises.parent / "solutions"
    stub, solution, facts = course.exercises / f"{topic}.py", solutions / f"{topic}.py", solutions / "course.toml"
    if stub.exists() or solution.exists():
        raise ScaffoldError(f"{topic}.py exists: write {name} into it, in exercises/ and in solutions/")
    solutions.mkdir(exist_ok=True)
    made = [stub, solution]
    if not facts.exists():
        facts.write_text(COURSE, encoding="utf-8")
    if not (solutions / "catalogue.py").exists():
        (solutions / "catalogue.py").write_text(CATALOGUE, encoding="utf-8")
        made.append(solutions / "catalogue.py")
    _add_topic(facts, topic)
    stub.write_text(STUB.replace("NAME", name).replace("TOPIC", topic), encoding="utf-8")
    solution.write_text(SOLUTION.replace("NAME", name).replace("TOPIC", topic), encoding="utf-8")
    return [*made, facts]


def _add_topic(facts: Path, topic: str) -> None:
    text = facts.read_text(encoding="utf-8")
    found = re.search(r"^topics = \[(.*?)\s*,?\s*\]", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise KataError(f"{facts} has no line topics = [...]")
    listed = f"{found[1]}, " if found[1].strip() else ""
    facts.write_text(text[: found.start()] + f'topics = [{listed}"{topic}"]' + text[found.end() :], encoding="utf-8")
