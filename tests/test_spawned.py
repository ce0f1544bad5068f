"""The worker of systems that hand no descriptors to a child: the same grades behind the same interface."""

import os
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import write

from attention_kata.course.find import find_course
from attention_kata.intake.submission import Submission
from attention_kata.judge.grading import grade
from attention_kata.key.file import load_key
from attention_kata.sandbox.fresh import FreshProcesses, Workers
from attention_kata.sandbox.session import Limits
from attention_kata.sandbox.spawned import SpawnedProcess, accept
from attention_kata.sandbox.workers import EngineError

KEY = load_key(find_course().public_key)
EXERCISES = [KEY.exercises[0]]
RIGHT = "print('hello')\ndef attention_scores(Q, K):\n    return Q @ K.mT / Q.size(-1) ** 0.5\n"
CHILD = "import subprocess, sys\nprint(subprocess.Popen([sys.executable, '-c', 'input()'], stdin=-1).pid, flush=True)\n"
DEADLINE = 30  # seconds after which a condition is given up
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


def test_the_last_that_is_printed_is_heard_however_slowly_it_is_carried(monkeypatch):
    carry = SpawnedProcess._carry
    monkeypatch.setattr(SpawnedProcess, "_carry", lambda self, to: (time.sleep(0.5), carry(self, to)))
    assert graded(RIGHT).output == "hello\n"


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


def until(condition):
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, "the condition has not come true"
        time.sleep(0.01)


def runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(os.name != "posix", reason="asks for a process by its number as only POSIX can")
def test_what_a_submission_has_started_ends_with_it():
    pid = int(graded(CHILD + RIGHT).output.split()[0])
    try:
        until(lambda: not runs(pid))
    finally:
        if runs(pid):
            os.kill(pid, signal.SIGKILL)


def test_starting_holds_nobody_up_and_is_stopped(tmp_path, monkeypatch):
    """Two at a time, which never get to connect."""
    write(tmp_path, {"torch/__init__.py": "import time\nwhile True: time.sleep(1)"})
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    processes = FreshProcesses(SpawnedProcess)
    with ThreadPoolExecutor(2) as pool:
        started = [pool.submit(processes.worker) for _ in range(2)]
        until(lambda: len(processes._running) == 2)
        running = [worker._process for worker in processes._running]
        processes.close()
        assert [str(future.exception(DEADLINE)) for future in started] == ["it was stopped"] * 2
    assert [process.poll() is None for process in running] == [False] * 2


def test_a_process_that_ends_before_it_connects_is_not_waited_for(tmp_path, monkeypatch):
    write(tmp_path, {"torch/__init__.py": "raise ImportError('no torch here')"})
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(EngineError, match="the worker does not start: ImportError: no torch here"):
        FreshProcesses(SpawnedProcess).worker()
