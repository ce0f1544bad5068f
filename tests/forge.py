"""Replies for tests: those that real workers give, and workers that send whatever they are told to."""

import contextlib
import io
import json
import os
import select
import socket
import threading
import unicodedata

import numpy as np
from conftest import right

from attention_kata.cli.screens import ClassTable, show_check
from attention_kata.course.find import find_course
from attention_kata.gradebook.records import Identity, Result, Status, Student, now
from attention_kata.gradebook.standing import Standing
from attention_kata.intake.submission import Submission
from attention_kata.judge.diagnose import diagnose
from attention_kata.judge.evidence import from_json, json_bytes, to_json
from attention_kata.judge.score import ExerciseGrade, Grade, evidence_of
from attention_kata.judge.trace import normal_form
from attention_kata.key.file import load_key
from attention_kata.sandbox.fresh import FreshProcess, Workers
from attention_kata.sandbox.session import Limits, run_all
from attention_kata.sandbox.workers import Memory

KEY = load_key(find_course().public_key)
EXERCISES = {exercise.name: exercise for exercise in KEY.exercises}
TOPICS = [file.removesuffix(".py") for file in KEY.files]
NUMERIC = ("values", "half", "gradient")  # checks that nothing but the right numbers can pass

FUNCTION = """
_right_{name} = {name}
def {name}(*args, **kwargs):
    result = _right_{name}(*args, **kwargs)
    spoil = lambda x: ~x if x.dtype == torch.bool else 3 * x + 1
    return tuple(map(spoil, result)) if isinstance(result, tuple) else spoil(result)
"""
CLASS = """
_right_{name} = {name}.forward
def _spoilt(self, *args, _forward=_right_{name}, **kwargs):
    result = _forward(self, *args, **kwargs)
    spoil = lambda x: 3 * x + 1
    return tuple(map(spoil, result)) if isinstance(result, tuple) else spoil(result)
{name}.forward = _spoilt
"""


def right_files():
    return {f"{topic}.py": right(topic) for topic in TOPICS}


def wrong_files():
    """Answers that run in every case and give a wrong number everywhere."""
    files = {file: text + "\nimport torch\n" for file, text in right_files().items()}
    for name, exercise in EXERCISES.items():
        files[exercise.file] += (CLASS if name[0].isupper() else FUNCTION).format(name=name)
    return files


# ---------------------------------------------------------------------- workers


class Overheard:
    """A worker in a process of its own, whose every word is kept."""

    def __init__(self):
        self._worker = FreshProcess()
        self.output, self.said = self._worker.output, bytearray()
        self.connection, self._ours = socket.socketpair()
        threading.Thread(target=self._pass_on, daemon=True).start()

    def _pass_on(self):
        sides = {self._ours: self._worker.connection, self._worker.connection: self._ours}
        with contextlib.suppress(OSError, ValueError):
            while True:
                for side in select.select(list(sides), [], [])[0]:
                    chunk = side.recv(1 << 18)
                    if not chunk:
                        return
                    if side is not self._ours:
                        self.said += chunk
                    sides[side].sendall(chunk)

    @property
    def memory(self):
        return self._worker.memory

    def kill(self):
        self._worker.kill()

    def wait(self):
        self._ours.close()
        self.connection.close()
        return self._worker.wait()

    def settle(self): ...

    leave = wait


class Forger:
    """A worker that says `words`, whatever it is told, and ends with `code`; or stays, saying nothing more."""

    memory = Memory()

    def __init__(self, words, code=0, stays=False, printed=b""):
        self.connection, self._theirs = socket.socketpair()
        self.output, write = os.pipe()
        os.write(write, printed[:4096])
        os.close(write)
        self._words, self._code, self._stays = words, code, stays
        self._threads = [threading.Thread(target=f, daemon=True) for f in (self._talk, self._listen)]
        for thread in self._threads:
            thread.start()

    def _talk(self):
        with contextlib.suppress(OSError):
            self._theirs.sendall(self._words)
            if not self._stays:
                self._theirs.shutdown(socket.SHUT_WR)

    def _listen(self):
        with contextlib.suppress(OSError):
            while self._theirs.recv(1 << 18):
                pass

    def kill(self):
        with contextlib.suppress(OSError):
            self._theirs.shutdown(socket.SHUT_RDWR)

    def wait(self):
        self.kill()
        for thread in self._threads:
            thread.join()
        self._theirs.close()
        self.connection.close()
        os.close(self.output)
        return self._code

    def settle(self): ...

    leave = wait


def forgers(*speeches, then=b"", **options):
    """Workers of which the first say `speeches`, and all later ones `then`."""
    waiting = list(speeches)

    def start():
        return Forger(waiting.pop(0) if waiting else then, **options)

    return Workers(start, start)


# ---------------------------------------------------------------------- replies


def overhear(files, exercises):
    """What a real worker says of `files`: (run, its frames without the one that says that it begins)."""
    worker = Overheard()
    run = run_all(Submission("real", files), exercises, Limits(), Workers(lambda: worker))
    assert run.fault == ""
    return run, [f for f in frames(bytes(worker.said)) if f[0] != b"B"]


def frames(data):
    """(kind, payload) of each whole frame."""
    while len(data) >= 5:
        length = int.from_bytes(data[1:5], "little")
        yield data[:1], data[5 : 5 + length]
        data = data[5 + length :]


def frame(kind, payload):
    return kind + len(payload).to_bytes(4, "little") + payload


def payload(text, numbers):
    """The payload with this JSON and these bytes of safetensors."""
    return len(text).to_bytes(4, "little") + text + numbers


def parts(payload):
    """(JSON, bytes of safetensors) of a payload."""
    length = int.from_bytes(payload[:4], "little")
    return payload[4 : 4 + length], payload[4 + length :]


# ---------------------------------------------------------------------- judging


def judge(exercise, observations, report=None, output=""):
    """The verdicts on observations, after everything that is made from verdicts has been made."""
    verdicts = diagnose(exercise, KEY.catalogue, observations, report)
    grade = Grade(key=KEY, exercises=(ExerciseGrade(exercise, verdicts),), student="student", output=output)
    found = evidence_of(grade)
    text = json_bytes(to_json(found)).decode()
    assert from_json(json.loads(text, parse_constant=_no_number)) == found
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        show_check(found, in_full=True)
        table = ClassTable(KEY)
        identity = Identity("", "", "", "")
        result = Result(
            student="student",
            identity=identity,
            handed_in=None,
            graded_at=now(),
            seconds=0,
            torch="",
            grader="",
            points=grade.points,
            max_points=grade.max_points,
            fault="",
            evidence=found,
        )
        table.add(
            Standing(
                student=Student(id="student"),
                status=Status.GRADED,
                max_points=grade.max_points,
                points=grade.points,
                result=result,
            )
        )
        table.show()
    odd = {c for c in shown.getvalue() if c != "\n" and unicodedata.category(c)[0] == "C"}
    assert not odd, f"printed unescaped: {odd}"
    assert [verdict.check for verdict in verdicts] == list(exercise.checks)
    for verdict in verdicts:
        if verdict.verdict == "passed" and verdict.check.asks in NUMERIC:
            assert not list(wrong_numbers(verdict.check, exercise, observations)), verdict.check.id
    return verdicts


def _no_number(text):
    raise AssertionError(f"{text} is not JSON")


def wrong_numbers(check, exercise, observations):
    """Where a check's observations are far from what was expected: said once more, in plain words."""
    for id in check.cases:
        case, seen = exercise.case(id), observations[id]
        if check.asks == "gradient":
            pairs = [(seen.gradients[n].value, e, None) for n, e in case.gradients.items() if e is not None]
        elif len(seen.results) != len(case.results):
            yield id, len(seen.results)
            continue
        else:
            free = case.free or (None,) * len(case.results)
            results = [normal_form(result, exercise.mask_result).value for result in seen.results]
            pairs = list(zip(results, case.results, free, strict=True))
        for found, expected, free in pairs:
            if exercise.mask_result == "squeeze":
                expected = expected.squeeze()
            if found.shape != expected.shape:
                yield id, found.shape
                continue
            found, wanted = found.astype(float), expected.astype(float)
            off = ~(np.abs(found - wanted) <= 10 * case.tolerance * (1 + np.abs(wanted)))
            off &= np.isfinite(found) | np.isfinite(wanted)
            if (off if free is None else off & ~free).any():
                yield id, found
