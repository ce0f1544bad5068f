"""The worker of systems that hand no descriptors to a child: the same grades behind the same interface."""

import socket

import pytest

from attention_kata.course import find_course
from attention_kata.engine import Limits
from attention_kata.grading import grade
from attention_kata.key import load_key
from attention_kata.process import Workers
from attention_kata.spawned import SpawnedProcess, accept
from attention_kata.submission import Submission

KEY = load_key(find_course().public_key)
EXERCISES = [KEY.exercises[0]]
RIGHT = "print('hello')\ndef attention_scores(Q, K):\n    return Q @ K.mT / Q.size(-1) ** 0.5\n"
ENDS = {
    "loop": ("while True:\n        pass", "timeout"),
    "exit": ("import os\n    os._exit(0)", "crashed"),
}


def connected():
    worker = SpawnedProcess()
    worker.connect()
    return worker


def graded(body):
    return grade(Submission("", {"attention.py": body}), KEY, EXERCISES, Limits(seconds=2), Workers(connected))


def test_a_right_answer_earns_all_its_points_and_its_output_is_heard():
    result = graded(RIGHT)
    assert (result.points, result.output) == (8, "hello\n")


def test_it_says_that_it_is_no_sandbox():
    assert graded(RIGHT).isolation["files"].startswith("off")


@pytest.mark.parametrize("name", ENDS)
def test_what_ends_it_loses_that_check_and_says_why(name):
    body, verdict = ENDS[name]
    result = graded(
        RIGHT.replace(
            "    return", f"    if Q.dim() == 2:\n        {body.replace(chr(10), chr(10) + '    ')}\n    return"
        )
    )
    found = {v.check.id: v.verdict for v in result.exercises[0].verdicts}
    assert (found["leading-axes"], found["values"]) == (verdict, "passed")


def test_who_does_not_know_the_word_is_not_let_in():
    with socket.create_server(("127.0.0.1", 0)) as server:
        stranger, friend = (socket.create_connection(server.getsockname()) for _ in range(2))
        stranger.sendall(b"x" * 4)
        friend.sendall(b"word")
        accepted = accept(server, "word", lambda: None)
        with accepted, friend, stranger:
            assert accepted.getpeername() == friend.getsockname()
