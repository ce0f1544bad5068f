"""The flow: what a worker says of a submission becomes its grade."""

import contextlib
import os
import socket
import threading

import numpy as np
import pytest
from judged import asking, drawn, exercise, numbers

from attention_kata.intake.submission import CellMap, Problem, Submission
from attention_kata.judge.grading import grade
from attention_kata.key.model import AnswerKey
from attention_kata.messages.said import said
from attention_kata.sandbox.fresh import Workers
from attention_kata.sandbox.session import Limits
from attention_kata.sandbox.workers import Memory
from attention_kata.worker.frames import BEGIN, HELLO, MODULE, OBSERVATION, pack

pytestmark = pytest.mark.skipif(os.name != "posix", reason="output is a pipe where there are descriptors")
X = numbers(2, 4)
FILES = {"topic.py": "\ndef thing(x):\n    return x\n"}


def its(name, file="topic.py", **facts):
    checks = [asking("values", "a", points=2), asking("forbidden", "a", points=1)]
    return exercise([drawn("a", X)], checks, name=name, file=file, **facts)


THING = its("thing", forbidden=("softmax",))
OTHER = its("other", "lib.py")


class Speaker:
    """A worker that has said everything, has printed something, and ends well."""

    memory = Memory()

    def __init__(self, words):
        self.connection, self._theirs = socket.socketpair()
        self.output, write = os.pipe()
        os.write(write, b"printed\n")
        os.close(write)
        self._talk = threading.Thread(target=self._speak, args=(words,), daemon=True)
        self._talk.start()

    def _speak(self, words):
        with contextlib.suppress(OSError):
            self._theirs.sendall(words)
            while self._theirs.recv(1 << 18):
                pass

    def kill(self): ...

    def settle(self): ...

    def wait(self):
        if self.connection.fileno() >= 0:
            self.connection.close()
            self._talk.join()
            self._theirs.close()
            os.close(self.output)
        return 0

    leave = wait


def saying(*exercises, array=X):
    """Workers that greet, import every file and give `array` in every case."""
    words = [pack(HELLO, {"isolation": {"files": "on"}}), pack(BEGIN, {})]
    words += [pack(MODULE, {"file": file}) for file in dict.fromkeys(each.file for each in exercises)]
    for each in exercises:
        result = {"type": "Tensor", "dtype": "float64", "shape": list(X.shape), "device": "cpu", "layout": "strided"}
        facts = {"key": f"{each.name}/a", "outcome": "returned", "results": [result]}
        words.append(pack(OBSERVATION, facts, {"result/0": array}))
    return Workers(lambda: Speaker(b"".join(words)))


def graded(submission, *exercises, workers=None, **facts):
    key = AnswerKey("course", "A course", "7", "2.6", None, tuple(exercises), {})
    return key, grade(submission, key, exercises, Limits(), workers or saying(*exercises), **facts)


def test_a_right_answer_gets_its_points_and_what_was_in_force_is_kept():
    key, found = graded(Submission("ada", FILES), THING, student="ada")
    assert (found.points, found.max_points, found.student, found.fault) == (3, 3, "ada", "")
    assert (found.output, found.isolation) == ("printed\n", {"files": "on"})
    assert found.key is key
    [own] = found.exercises
    assert (own.exercise, own.line, own.notebook) == (THING, 2, None)


def test_a_wrong_answer_does_not():
    _, found = graded(Submission("ada", FILES), THING, workers=saying(THING, array=np.zeros((2, 4))))
    assert [str(v.verdict) for v in found.exercises[0].verdicts] == ["failed", "passed"]


def test_exercises_are_in_the_order_asked_for_each_with_its_own_file():
    files = FILES | {"lib.py": "def other(x):\n    return x\n"}
    cells = {"lib.py": CellMap(((1, 1), (2, 1)))}
    _, found = graded(Submission("ada", files, notebooks=cells), THING, OTHER)
    assert [(e.exercise.name, e.line, e.notebook) for e in found.exercises] == [
        ("thing", 2, None),
        ("other", 1, cells["lib.py"]),
    ]
    assert found.points == 6


@pytest.mark.parametrize("about", ["topic.py", "thing"])
def test_what_could_not_be_read_is_said_of_the_file_or_of_the_exercise(about):
    problem = Problem(said("file-empty", shown="topic.py", file="topic.py"))
    files = FILES if about == "thing" else {}
    _, found = graded(Submission("ada", files, problems={about: problem}), THING)
    assert [v.message for v in found.exercises[0].verdicts] == [problem.message] * 2
    assert found.points == 0


def test_what_the_source_says_is_judged_with_what_was_seen():
    text = "import torch\n\ndef thing(x):\n    return torch.softmax(x, -1)\n"
    _, found = graded(Submission("ada", {"topic.py": text}), THING)
    assert found.exercises[0].verdicts[1].message.template == "void"
    assert (found.exercises[0].verdicts[1].line, found.points) == (4, 0)
    text = "import sys\n\nsys.setprofile(None)\n\ndef thing(x):\n    return x\n"
    _, found = graded(Submission("ada", {"topic.py": text}), THING)
    assert [str(v.verdict) for v in found.exercises[0].verdicts] == ["passed", "skipped"]


def test_a_worker_that_cannot_be_had_is_our_fault():
    def none():
        raise OSError("no worker today")

    _, found = graded(Submission("ada", FILES), THING, workers=Workers(none))
    assert found.fault == "no worker today"
    assert [str(v.verdict) for v in found.exercises[0].verdicts] == ["ungradable"] * 2
