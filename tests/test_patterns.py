"""What the numbers teach where no known mistake explains them, and that it is never false."""

import numpy as np
import pytest
from promises import COURSE

from attention_kata.course.draw import choices, observe_all
from attention_kata.course.trials import Trials
from attention_kata.judge.compare import compare
from attention_kata.judge.diagnose import diagnose
from attention_kata.judge.patterns import Facts, _length, across, along
from attention_kata.key.file import load_key
from attention_kata.key.model import Check

KEY = load_key(COURSE.public_key)
EXERCISES = {exercise.name: exercise for exercise in KEY.exercises}
SOLUTIONS = {solution.name: solution for _, solution in COURSE.solutions}


def seen(name, target):
    return observe_all(SOLUTIONS[name], target, EXERCISES[name].cases, Trials())


# ---------------------------------------------------------------------- what it says


def in_some(condition, wrong=lambda output: output + 0.1 * output**2 + 0.01):
    """attention, right but where `condition` holds."""

    def answer(Q, K, V, mask=None):
        output, weights = SOLUTIONS["attention"].reference(Q, K, V, mask)
        return (wrong(output), weights) if condition(Q, K, mask) else (output, weights)

    return answer


SAID = {
    "right-without-mask": lambda Q, K, mask: mask is not None,
    "right-with-mask": lambda Q, K, mask: mask is None,
    "right-same-length": lambda Q, K, mask: Q.size(-2) != K.size(-2),
}


@pytest.mark.parametrize("template", SAID)
def test_what_tells_wrong_cases_from_right_ones_is_said(template):
    exercise = EXERCISES["attention"]
    observations = seen("attention", in_some(SAID[template]))
    assert across(exercise, observations).template == template
    verdicts = diagnose(exercise, KEY.catalogue, observations)
    told = {verdict.message.template for verdict in verdicts if verdict.message and verdict.check.id != "gradient"}
    assert template in told


def test_a_size_that_is_too_large_is_said():
    short, long = [Facts(4, 3, False), Facts(4, 16, True)], [Facts(4, 17, True), Facts(4, 130, False)]
    said = _length(short, long)
    assert (said.template, said.slots["most"], said.slots["least"]) == ("right-up-to-keys", 16, 17)
    assert _length(short, [*long, Facts(4, 5, False)]) is None
    assert _length(short[:1], long) is None
    assert _length(long, short) is None


def test_nothing_is_said_where_an_error_is_among_the_cases():
    def answer(Q, K, V, mask=None):
        if Q.dim() == 2:
            raise ValueError
        return in_some(SAID["right-without-mask"])(Q, K, V, mask)

    assert across(EXERCISES["attention"], seen("attention", answer)) is None


def test_nothing_is_said_of_what_is_wrong_everywhere_or_nowhere():
    for answer in (SOLUTIONS["attention"].reference, in_some(lambda *_: True)):
        assert across(EXERCISES["attention"], seen("attention", answer)) is None


@pytest.mark.parametrize(
    ("part", "template"),
    [
        (slice(1, None), "first-right-sample"),
        (slice(0, 1), "first-wrong-sample"),
    ],
)
def test_the_part_that_is_wrong_is_said(part, template):
    def answer(Q, K):
        scores = SOLUTIONS["attention_scores"].reference(Q, K).clone()
        if scores.dim() > 2:
            scores[part] = scores[part] + 0.1 * scores[part] ** 2
        return scores

    verdicts = diagnose(EXERCISES["attention_scores"], KEY.catalogue, seen("attention_scores", answer))
    [values] = [verdict for verdict in verdicts if verdict.check.id == "values"]
    assert values.message.template == template


# ---------------------------------------------------------------------- that it is true


def sizes_of(case):
    """Shapes by the names of the arguments, found by running through them once more."""
    found = {}
    for argument in case.script["steps"][-1]["args"]:
        if "tensor" in argument:
            array = case.arrays[argument["tensor"]].transpose(argument["axes"])
            shape = np.broadcast_to(array, argument["expanded"]).shape if "expanded" in argument else array.shape
            found[argument["tensor"].split("/")[1]] = shape
    return found


def lengths(case):
    """(T, S) of a case; x is its own keys, and scores have both."""
    sizes = sizes_of(case)
    if "scores" in sizes:
        return sizes["scores"][-2], sizes["scores"][-1]
    query = next((sizes[name] for name in ("Q", "q", "query", "x") if name in sizes), (0, 0))
    key = next((sizes[name] for name in ("K", "k", "key") if name in sizes), (0, 0))
    return query[-2] if len(query) > 1 else 0, key[-2]


def is_wrong(exercise, case, observations):
    check = Check("values", "", "values", 0, (case.id,), "values")
    return compare(check, exercise, observations) is not None


CLAIMS = {
    "right-without-mask": lambda case, said: "mask" not in sizes_of(case),
    "right-with-mask": lambda case, said: "mask" in sizes_of(case),
    "right-same-length": lambda case, said: lengths(case)[0] == lengths(case)[1],
    "right-other-length": lambda case, said: lengths(case)[0] != lengths(case)[1],
    "right-up-to-keys": lambda case, said: lengths(case)[1] <= said.slots["most"],
    "right-up-to-queries": lambda case, said: lengths(case)[0] <= said.slots["most"],
}


@pytest.mark.parametrize("name", EXERCISES)
def test_no_sentence_is_false_of_any_mistake_of_the_course(name):
    exercise, solution = EXERCISES[name], SOLUTIONS[name]
    trials, said = Trials(), 0
    for ids, keywords in choices(solution, most=1):
        observations = observe_all(solution, solution.variant(**keywords), exercise.cases, trials)
        sentence = across(exercise, observations) if ids else None
        if sentence is not None:
            said += 1
            for case in exercise.cases:
                plain = case.fingerprinted and not (case.raises or case.script["purity"] or case.script["operations"])
                if plain and CLAIMS[sentence.template](case, sentence):
                    assert not is_wrong(exercise, case, observations), (ids, sentence, case.id)
                elif plain and "most" in sentence.slots:
                    assert is_wrong(exercise, case, observations), (ids, sentence, case.id)
        for check in exercise.checks:
            finding = compare(check, exercise, observations)
            if finding is None or finding.found is None or finding.expected is None:
                continue
            part = along(finding, exercise)
            if part is not None:
                _holds(part, finding, exercise)
    if name == "attention":
        assert said > 10


def _holds(part, finding, exercise):
    kind, which, word = part.template.split("-")
    letter = {"sample": "B", "head": "H", "token": "T"}[word]
    axis = finding.expected.shape.index(exercise.axes[letter])
    free = finding.facts.get("free")
    each = []
    for i in range(finding.expected.shape[axis]):
        found, right = (array.take(i, axis) for array in (finding.found, finding.expected))
        off = ~np.isclose(found, right, rtol=1e-4, atol=1e-6) if found.dtype != bool else found != right
        each.append(
            bool((off if free is None else off & ~np.broadcast_to(free, finding.found.shape).take(i, axis)).any())
        )
    expected = [False] + [True] * (len(each) - 1)
    if which == "wrong":
        expected = [not wrong for wrong in expected]
    if kind == "last":
        expected = expected[::-1]
    assert each == expected, (part, finding.case)
