"""Every sentence of a prompt is kept: something shows each promise, and draws show each of its corners."""

import pytest
from promises import COURSE, clauses, prompt

from attention_kata.authoring import Sampler

DRAWS = 1500  # of which each corner shows up in one at least
SOLUTIONS = {solution.name: (topic, solution) for topic, solution in COURSE.solutions}


@pytest.mark.parametrize("name", SOLUTIONS)
def test_no_sentence_of_a_prompt_is_without_a_promise(name):
    topic, solution = SOLUTIONS[name]
    left = [
        clause
        for clause in clauses(prompt(topic, name))
        if not any(promise.words.rstrip(".") in clause for promise in solution.promises)
    ]
    assert left == []


@pytest.mark.parametrize("name", SOLUTIONS)
def test_every_promise_is_in_the_prompt_and_shown_by_something(name):
    topic, solution = SOLUTIONS[name]
    text = " ".join(prompt(topic, name).split())
    checks = {check.id for check in solution.checks}
    for promise in solution.promises:
        assert promise.words in text
        assert set(promise.checks) <= checks, promise.words
        assert promise.checks or promise.corners or solution.mask_result, promise.words


@pytest.mark.parametrize("name", SOLUTIONS)
def test_the_domain_reaches_every_corner(name):
    _, solution = SOLUTIONS[name]
    missing = {(p.words, corner): shown for p in solution.promises for corner, shown in p.corners.items()}
    for number in range(DRAWS):
        use = solution.domain(Sampler(number, f"{name}/corners"))
        missing = {of: shown for of, shown in missing.items() if not shown(use)}
        if not missing:
            return
    assert [corner for _, corner in missing] == []


def test_a_promise_that_nothing_shows_would_be_noticed():
    _, solution = SOLUTIONS["attention"]
    rest = solution.promises[1:]
    text = clauses(prompt("attention", "attention"))
    assert not all(any(promise.words in clause for promise in rest) for clause in text)
