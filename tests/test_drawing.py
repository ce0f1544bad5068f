"""Drawing a key: trials, modules used again, and processes that share the work change nothing in what is drawn."""

import os
import select
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from attention_kata.authoring import Call, build
from attention_kata.course.draw import choices, draw_cases, draw_exercise, observe_all, told_by
from attention_kata.course.find import PUBLIC_SEED, find_course
from attention_kata.course.pool import processes
from attention_kata.course.trials import Trials
from attention_kata.key.model import Script
from attention_kata.key.script import encode
from attention_kata.sandbox.observation import read_observation
from attention_kata.worker.observe import observe

COURSE = find_course()
SOLUTIONS = {s.name: (f"{topic}.py", s) for topic, s in COURSE.solutions}


@pytest.fixture(autouse=True)
def one_thread():
    """As in whatever draws."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


class Worker:
    """In place of `Trials`: each case as a worker carries it out, with a module of its own, and its report read."""

    def run(self, name, target, script, arrays):
        return read_observation(*observe({name: target}, script, arrays, set()))


def told(observation):
    """All that can be compared: not how long it took, and arrays as bytes."""
    seen = [*observation.results, *(observation.gradients or {}).values()]
    numbers = [s if s is None or s.value is None else (s.value.dtype, s.value.tobytes()) for s in seen]
    return numbers, repr(replace(observation, seconds=0.0))


@pytest.mark.parametrize("name", SOLUTIONS)
def test_a_trial_sees_the_very_numbers_that_a_worker_sees(name):
    """Every fiftieth choice, in all the cases it is drawn in."""
    _, solution = SOLUTIONS[name]
    cases, trials = draw_cases(solution, 0), Trials()
    for ids, keywords in list(choices(solution))[::50]:
        target, own = solution.variant(**keywords), told_by(ids, cases)
        again, anew = (observe_all(solution, target, own, each) for each in (trials, Worker()))
        assert [told(again[case.id]) for case in own] == [told(anew[case.id]) for case in own], ids


# ---------------------------------------------------------------------- what is left behind

X = np.array([[1.0, 2.0]])
WEIGHTS = {"layer.weight": np.array([[1.0, 0.1], [0.3, 1.0]]), "layer.bias": np.array([0.1, 0.2])}


class Plain(nn.Module):
    built = 0

    def __init__(self, width):
        super().__init__()
        type(self).built += 1
        self.layer = nn.Linear(width, width)
        self.register_buffer("steps", torch.zeros(1))
        self.list, self.table, self.number = [], {"of": 0}, 0

    def forward(self, x):
        y = self.layer(x)
        self.leave(x)
        return y * (1 + self.steps + len(self.list) + self.table["of"] + self.number)

    def leave(self, x):
        pass


def edited_weight(self, x):
    self.layer.weight.data *= 2  # loaded anew, and so no reason to build anew


def number(self, x):
    self.number += 1


def grown(self, x):
    self.list.append(x)


def entry(self, x):
    self.table["of"] += 1


def buffer(self, x):
    self.steps += 1


def another_buffer(self, x):
    self.steps = self.steps + 1


def another_layer(self, x):
    self.layer = nn.Linear(2, 2).to(x.dtype)


def another_weight(self, x):
    self.layer.weight = nn.Parameter(torch.zeros_like(self.layer.weight))


def hook(self, x):
    self.register_forward_hook(lambda module, inputs, result: result + 1)


def frozen(self, x):
    self.layer.weight.requires_grad_(False)


def training(self, x):
    self.number = 0 if not self.training else 7
    self.train()


def seen_twice(leave, dtype="float64", weights=(WEIGHTS, WEIGHTS)):
    """(how often a module is built, what each of two cases sees; the same with modules built anew)."""
    found = []
    for trials in (Trials(), Worker()):
        target = type("Left", (Plain,), {"leave": leave, "built": 0})
        seen = []
        for own in weights:
            script = Script((build("f", 2, weights=own), Call(None, (X,))), dtype=dtype, upstream=(np.ones((1, 2)),))
            seen.append(told(trials.run("f", target, *encode(script, ["x"]))))
        found.append((target.built, seen))
    return found


@pytest.mark.parametrize("leave", [Plain.leave, edited_weight])
def test_a_module_in_which_nothing_is_left_is_built_once(leave):
    (built, seen), (_, anew) = seen_twice(leave)
    assert (built, seen) == (1, anew)


@pytest.mark.parametrize(
    "leave",
    [number, grown, entry, buffer, another_buffer, another_layer, another_weight, hook, frozen, training],
    ids=lambda leave: leave.__name__,
)
def test_a_module_in_which_something_is_left_is_built_anew(leave):
    (built, seen), (_, anew) = seen_twice(leave)
    assert (built, seen) == (2, anew)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_other_weights_are_rounded_as_in_a_module_built_anew(dtype):
    others = {name: array / 3 for name, array in WEIGHTS.items()}  # float32 does not hold them
    (built, seen), (_, anew) = seen_twice(Plain.leave, dtype, (WEIGHTS, others))
    assert (built, seen) == (1, anew)


# ---------------------------------------------------------------------- classes that build alike


def made(width, times=1.0, forward=lambda self, x: self.layer(x)):
    class Made(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.layer = nn.Linear(size, width)
            self.times = times

    Made.forward = forward
    return Made


def modules_of(*targets):
    """The modules that calls in turn, one for each target, are made on; and whether all see what a worker sees."""
    modules, trials = [], Trials()
    for target in targets:
        forward = target.forward

        def noted(self, x, forward=forward):
            modules.append(self)
            return forward(self, x) * self.times

        target.forward = noted
        asked = encode(Script((build("f", 2, weights=WEIGHTS), Call(None, (X,)))), ["x"])
        assert told(trials.run("f", target, *asked)) == told(Worker().run("f", target, *asked))
        modules.pop()  # the worker's
    return modules


def test_classes_that_differ_in_forward_alone_take_turns_with_one_module():
    one, two = modules_of(made(2), made(2, forward=lambda self, x: -self.layer(x)))
    assert one is two


def test_a_class_that_builds_from_something_else_has_a_module_of_its_own():
    one, two = modules_of(made(2), made(2, times=3.0))
    assert one is not two


def test_a_class_that_changes_how_modules_work_has_a_module_of_its_own():
    changed = made(2)
    changed.register_parameter = lambda self, name, value: nn.Module.register_parameter(self, name, value)
    one, two = modules_of(made(2), changed)
    assert one is not two


# ---------------------------------------------------------------------- processes


def _draw(name):
    file, solution = SOLUTIONS[name]
    return draw_exercise(replace(solution, pairs=()), file, PUBLIC_SEED)


def test_an_exercise_drawn_in_a_process_of_the_pool_is_that_drawn_here():
    with processes(2) as pool:
        there = pool.submit(_draw, "SelfAttention").result()
    here = _draw("SelfAttention")
    assert (there.mistakes.ids, there.mistakes.kind_names) == (here.mistakes.ids, here.mistakes.kind_names)
    assert there.mistakes.prints.tobytes() == here.mistakes.prints.tobytes()


ENDED = """
import os, signal, sys, time
from attention_kata.course.pool import processes
with processes(2) as pool:
    print(pool.submit(os.getpid).result(), flush=True)
    pool.submit(time.sleep, 600)
    time.sleep(600)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_of_the_pool_outlives_its_parent(number):
    parent = subprocess.Popen([sys.executable, "-c", ENDED], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    child = int(parent.stdout.readline())
    pidfd = os.pidfd_open(child)
    try:
        assert select.select([pidfd], [], [], 0) == ([], [], [])
        parent.send_signal(number)
        assert select.select([pidfd], [], [], 60) == ([pidfd], [], [])  # it has ended
        parent.wait()
    finally:
        os.close(pidfd)
