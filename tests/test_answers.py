"""Learners' files in many styles: right ones earn everything, wrong ones are called by their mistakes.

Each folder of `answers/right` and `answers/wrong` is a submission.  A topic file of a wrong one says what is
expected of each exercise it holds:

    # expect: attention = mask-inverted                      this mistake, and no other, is named
    # expect: attention = scale-missing + mask-inverted      these two
    # expect: softmax = weights-detached | scores-recreated  one of the two, said as such
    # expect: merge_heads = -                                it fails, and no mistake of the catalogue is claimed

Mistakes that no result can tell apart (twins) count as one.
"""

import ast
import re
from pathlib import Path

import pytest

from attention_kata.course.find import find_course
from attention_kata.intake.submission import read_submission
from attention_kata.judge.grading import grade
from attention_kata.judge.recognise import Confidence
from attention_kata.judge.score import evidence_of
from attention_kata.key.file import load_key
from attention_kata.sandbox.start import any_workers

ANSWERS = Path(__file__).parent / "answers"
RIGHT = sorted(path for path in (ANSWERS / "right").iterdir() if path.is_dir())
WRONG = sorted(path for path in (ANSWERS / "wrong").iterdir() if path.is_dir())
KEY = load_key(find_course().public_key)
EXPECTATION = re.compile(r"^# expect: (\w+) = (.+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def workers():
    with any_workers() as workers:
        yield workers


def graded(folder, names, workers):
    """name -> the evidence of that exercise, for the exercises `names`."""
    exercises = [exercise for exercise in KEY.exercises if exercise.name in names]
    files = tuple(dict.fromkeys(exercise.file for exercise in exercises))
    grade_ = grade(read_submission(folder, files), KEY, exercises, workers=workers)
    return {exercise.id: exercise for exercise in evidence_of(grade_).exercises}


# ---------------------------------------------------------------------- right answers


def defined(file, folder):
    """Names that a file binds at its top level, those of starred imports from the same folder included."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name))
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
            own = folder / f"{node.module}.py"
            if node.names[0].name == "*" and own.exists():
                yield from defined(own, folder)


def exercises_in(folder):
    files = {e.file for e in KEY.exercises if (folder / e.file).exists()}
    names = {file: set(defined(folder / file, folder)) for file in files}
    return [e.name for e in KEY.exercises if e.name in names.get(e.file, ())]


@pytest.mark.parametrize("folder", RIGHT, ids=lambda folder: folder.name)
def test_right_answers_earn_full_marks(folder, workers):
    names = exercises_in(folder)
    exercises = graded(folder, names, workers)
    complaints = {
        name: [f"{check.id}: {check.message}" for check in exercises[name].failing]
        for name in names
        if exercises[name].points != exercises[name].max_points
    }
    assert names
    assert complaints == {}


# ---------------------------------------------------------------------- wrong answers


def expectations(folder):
    """exercise -> the expectation as written in its file."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.py"))]
    return {match[1]: match[2].strip() for text in texts for match in EXPECTATION.finditer(text)}


def family(id):
    return min(id, *KEY.catalogue[id].twins) if KEY.catalogue[id].twins else id


def read_expectation(text):
    """-> (families of the mistakes, whether one of two)."""
    ids = [] if text == "-" else re.split(r"[+|]", text)
    return frozenset(family(id.strip()) for id in ids), "|" in text


def named(exercise):
    """What the failing checks of an exercise name, in the form of `read_expectation`."""
    ids = frozenset(family(id) for check in exercise.failing for id in check.mistakes)
    return ids, any(check.confidence is Confidence.EITHER for check in exercise.failing)


@pytest.mark.parametrize("folder", WRONG, ids=lambda folder: folder.name)
def test_wrong_answers_are_called_by_their_mistakes(folder, workers):
    expected = expectations(folder)
    exercises = graded(folder, expected, workers)
    assert [name for name in expected if not exercises[name].failing] == []
    assert {name: named(exercises[name]) for name in expected} == {
        name: read_expectation(text) for name, text in expected.items()
    }
    assert [title for name, text in expected.items() for title in falsely_right(exercises[name], text)] == []


def falsely_right(exercise, expectation):
    """Titles of mechanisms that are called right though a mistake that is expected lies in them."""
    families, _ = read_expectation(expectation)
    mechanisms = next(each.mechanisms for each in KEY.exercises if each.name == exercise.id)
    wrong = {m.title for m in mechanisms if not families.isdisjoint(map(family, m.mistakes))}
    return [title for check in exercise.failing for title in check.already_right if title in wrong]


def test_every_exercise_has_right_and_wrong_answers():
    right = {name for folder in RIGHT for name in exercises_in(folder)}
    wrong = {name for folder in WRONG for name in expectations(folder)}
    assert right == wrong == {exercise.name for exercise in KEY.exercises}
