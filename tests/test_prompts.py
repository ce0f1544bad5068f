"""The worked example in each stub's prompt is a check of its own: the same numbers stand in both."""

import re
from math import log

import numpy as np
import pytest
from promises import COURSE, prompt

from attention_kata.course.draw import draw_cases
from attention_kata.key.model import Asks, Build

SOLUTIONS = {solution.name: (topic, solution) for topic, solution in COURSE.solutions}
ROW = re.compile(r"\[([^\[\]]+)\]")
LAYERS = "doubles every feature"  # how the prompts of several heads put weights into words


def number(text):
    """5, -1., True, ln 3, 1000 + ln 2"""
    text = text.strip().rstrip(".") if text.strip().endswith(".") else text.strip()
    if text in ("True", "False"):
        return float(text == "True")
    total = 0.0
    for part in text.split("+"):
        part = part.strip()
        total += log(float(part.removeprefix("ln "))) if part.startswith("ln ") else float(part)
    return round(total, 3)


def rows_in(text):
    found = []
    for row in ROW.findall(text):
        try:
            found.append(tuple(number(each) for each in row.split(",")))
        except ValueError:  # words in brackets
            continue
    return found


def example_of(name):
    """What the prompt says from the word Example on, up to its source."""
    topic, _ = SOLUTIONS[name]
    after = re.split(r"\nExamples?\b", prompt(topic, name))[1]
    return after.split('"Attention Is All You Need"')[0]


def rows_of(array):
    last = np.round(np.asarray(array, dtype=float), 3).reshape(-1, np.shape(array)[-1])
    return [tuple(float(each) + 0.0 for each in row) for row in last]


def drawn(name):
    _, solution = SOLUTIONS[name]
    [check] = [check for check in solution.checks if check.asks is Asks.EXAMPLE]
    assert solution.checks[0] is check
    return [case for case in draw_cases(solution, 0) if case.id in check.cases]


@pytest.mark.parametrize("name", SOLUTIONS)
def test_the_numbers_of_the_example_stand_in_the_prompt(name):
    stated = rows_in(example_of(name))
    for case in drawn(name):
        inputs = [array for key, array in case.arrays.items() if "/weights/" not in key and array.ndim > 0]
        if name == "combine_masks":  # its causal mask is that of causal_mask(3)
            inputs = inputs[:1]
        if name == "padding_mask":
            assert "torch.tensor([2, 4]), 5" in example_of(name)
            inputs = []
        for array in (*inputs, *case.results):
            assert [row for row in rows_of(array) if row not in stated] == []


@pytest.mark.parametrize("name", SOLUTIONS)
def test_every_result_in_the_prompt_is_one_of_the_check(name):
    """No row of the prompt is of neither inputs nor results, but for steps on the way, which are named."""
    known = {row for case in drawn(name) for array in (*case.arrays.values(), *case.results) for row in rows_of(array)}
    strange = [row for row in rows_in(example_of(name)) if row not in known]
    steps = {"attention": 2, "SelfAttention": 8, "LoopMultiHeadAttention": 4}.get(name, 0)
    strange = [row for row in strange if f"result[{row[0]:g}, {row[-1]:g}]" not in example_of(name)]
    if name == "padding_mask":
        strange = [row for row in strange if row != (2.0, 4.0)]
    assert len(strange) <= steps, strange


def test_layers_in_words_are_those_of_the_check():
    for name, layers in (("LoopMultiHeadAttention", "wq wk wv wz"), ("MultiHeadAttention", "W_q W_k W_v W_o")):
        text = " ".join(example_of(name).split())
        q, k, v, o = layers.split()
        assert f"{q} doubles every feature; {k} adds 1 to feature 0; {v} adds 1 to feature 1; {o} moves every" in text
        [case] = drawn(name)
        arrays = {key.split("/weights/")[1]: array for key, array in case.arrays.items() if "/weights/" in key}
        x = np.array([5.0, 6, 7, 8])
        made = {layer: arrays[f"{layer}.weight"] @ x + arrays[f"{layer}.bias"] for layer in (q, k, v, o)}
        assert made[q].tolist() == [10, 12, 14, 16]
        assert made[k].tolist() == [6, 6, 7, 8]
        assert made[v].tolist() == [5, 7, 7, 8]
        assert made[o].tolist() == [6, 7, 8, 5]


def test_the_second_example_of_causal_mask_is_checked_too():
    assert [len(case.script["steps"][0]["args"]) for case in drawn("causal_mask")] == [1, 2]


def test_steps_are_builds_only_for_modules():
    _, solution = SOLUTIONS["SelfAttention"]
    case = next(case for case in solution.cases if case.id == "example")
    assert isinstance(case.script(None).steps[0], Build)
