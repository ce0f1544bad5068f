"""A new exercise: a stub and its solution, in modules of the same name, new ones or such as are there."""

from __future__ import annotations

import ast
import keyword
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from ..errors import KataError
from ..files import write_whole
from .find import Course
from .stubs import lines_of

STUB_HEAD = '''"""TOPIC: say in two lines what these exercises are about."""

from torch import Tensor
'''

STUB = '''

def NAME(x: Tensor) -> Tensor:
    """What it gives, in one line.

    x (B, T) -> (B, T)

    The rule, in words and as a formula; all of the contract; one small example with numbers:

        NAME([[1, 2]]) = [[2, 4]]

    The paper and its section.
    """
    raise NotImplementedError
'''

SOLUTION_HEAD = '''"""TOPIC: references, variants and checks."""

from attention_kata.authoring import Case, Check, Mechanism, Script, Solution, call
'''

SOLUTION = """

def NAME(x):
    return 2 * x


def _NAME_by_mechanism(*, factor):
    return lambda x: factor(x)


_CONSTANT_FACTOR = Mechanism(
    "factor",
    "the factor",
    right={"two": lambda x: 2 * x, "sum": lambda x: x + x},
    mistakes={"scale-missing": lambda x: x},  # an id of solutions/catalogue.py
)

_CONSTANT_PLAIN = Case("plain", lambda s: Script((call("NAME", s.normal(2, 3)),)))

CONSTANT = Solution(
    "NAME",
    points=2,
    summary="what it gives, in a few words",
    reference=NAME,
    variant=_NAME_by_mechanism,
    mechanisms=(_CONSTANT_FACTOR,),
    cases=(_CONSTANT_PLAIN, _CONSTANT_PLAIN.having("float32", dtype="float32")),
    checks=(
        Check("values", "the right numbers", "values", 1.5, ("plain",)),
        Check("float32", "works in float32", "robustness", 0.5, ("float32",)),
    ),
    hints=("A nudge.", "A step.", "Nearly the solution, in words."),
    axes={"B": 2, "T": 3},
)
"""

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
    """Begin exercise `name` in a topic, after what is in it already -> the files made or changed."""
    for word in (name, topic):
        if not word.isidentifier() or keyword.iskeyword(word):
            raise ScaffoldError(f"{word!r} is not a Python name: use letters, digits and _")
    if topic in sys.stdlib_module_names or topic in TAKEN:
        raise ScaffoldError(f"{topic}.py would hide the module {topic}: choose another name with --topic")
    solutions = course.exercises.parent / "solutions"
    stub, solution, facts = course.exercises / f"{topic}.py", solutions / f"{topic}.py", solutions / "course.toml"
    constant = name.upper() if name.upper() != name else f"{name}_SOLUTION"
    words = {"NAME": name, "TOPIC": topic, "CONSTANT": constant}
    made = {
        stub: _appended(stub, STUB_HEAD, STUB, words),
        solution: _listed(solution, _appended(solution, SOLUTION_HEAD, SOLUTION, words), constant),
    }
    if not (solutions / "catalogue.py").exists():
        made[solutions / "catalogue.py"] = CATALOGUE
    made[facts] = _with_topic(facts, topic)
    solutions.mkdir(exist_ok=True)
    for path, text in made.items():
        write_whole(path, [text])
    return list(made)


def _filled(template: str, words: Mapping[str, str]) -> str:
    return re.sub("|".join(words), lambda found: words[found[0]], template)


def _appended(path: Path, head: str, body: str, words: Mapping[str, str]) -> str:
    """The text of `path`, or of a new file, with `body` at its end and all that `head` imports."""
    text, added = _filled(head, words), _filled(body, words)
    if not path.exists():
        return text + added
    text = path.read_text(encoding="utf-8")
    try:
        known, wanted = ast.parse(text), ast.parse(added)
    except SyntaxError as error:
        raise ScaffoldError(f"{path}, line {error.lineno}: {error.msg}. Fix it first") from None
    if taken := sorted(_names(known) & _names(wanted)):
        raise ScaffoldError(f"{path} already has {taken[0]}: choose another name")
    return _with_imports(text, head).rstrip("\n") + "\n" + added


def _names(tree: ast.Module) -> set[str]:
    """What is defined at the top."""
    named = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assigned = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return named | {target.id for target in assigned if isinstance(target, ast.Name)}


def _with_imports(text: str, head: str) -> str:
    """`text` with what of the imports of `head` it lacks, after its own."""
    known = {alias.asname or alias.name for node in _imports(text) for alias in node.names}
    missing = [
        f"from {node.module} import {', '.join(names)}\n"
        for node in _imports(head)
        if (names := [alias.name for alias in node.names if alias.name not in known])
    ]
    last = max((node.end_lineno or 0 for node in ast.parse(text).body if _is_preamble(node)), default=0)
    lines = lines_of(text)
    return "".join((*lines[:last], *missing, *lines[last:]))


def _imports(text: str) -> list[ast.ImportFrom]:
    return [node for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)]


def _is_preamble(node: ast.stmt) -> bool:
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return docstring or isinstance(node, ast.Import | ast.ImportFrom)


def _listed(path: Path, text: str, constant: str) -> str:
    """`text` with the new solution as the last of its EXERCISES, which close the file."""
    if not path.exists():
        return f"{text}\nEXERCISES = ({constant},)\n"
    lines = lines_of(text)
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Assign) or ast.unparse(node.targets[0]) != "EXERCISES":
            continue
        if isinstance(node.value, ast.Tuple | ast.List):
            listed = [*(ast.get_source_segment(text, each) or "" for each in node.value.elts), constant]
            before, after = "".join(lines[: node.lineno - 1]), "".join(lines[node.end_lineno or 0 :])
            rest = f"{before.rstrip()}\n\n\n{after.strip()}"
            return f"{rest}\n\nEXERCISES = ({', '.join(listed)}{',' if len(listed) == 1 else ''})\n"
    raise ScaffoldError(f"{path} has no line EXERCISES = (...) to add to")


def _with_topic(facts: Path, topic: str) -> str:
    text = facts.read_text(encoding="utf-8") if facts.exists() else COURSE
    found = re.search(r"^topics = \[(.*?)\s*,?\s*\]", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise KataError(f"{facts} has no line topics = [...]")
    if f'"{topic}"' in found[1]:
        return text
    listed = f"{found[1]}, " if found[1].strip() else ""
    return text[: found.start()] + f'topics = [{listed}"{topic}"]' + text[found.end() :]
