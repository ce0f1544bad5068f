"""Workers that die, engines that die, programs that are stopped: what is lost, what is said, what stays behind."""

import contextlib
import dataclasses
import errno
import json
import os
import re
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import environment, write
from forge import EXERCISES, KEY, right_files

from attention_kata.course.find import find_course
from attention_kata.intake.submission import Submission
from attention_kata.judge.evidence import to_json
from attention_kata.judge.grading import grade
from attention_kata.judge.score import evidence_of
from attention_kata.messages.render import render
from attention_kata.sandbox.child import Child
from attention_kata.sandbox.fresh import FreshProcess, FreshProcesses, Workers, fresh_workers
from attention_kata.sandbox.layers import LAYERS, REQUIRED, sandbox_exists, was_run
from attention_kata.sandbox.observation import ModuleReport
from attention_kata.sandbox.session import Limits, Session, run_all
from attention_kata.sandbox.workers import EngineError, readable
from attention_kata.worker import confine, landlock, limits, seccomp, system

if not sandbox_exists():
    pytest.skip("there are no confined workers on this system", allow_module_level=True)

from attention_kata.sandbox.zygote import ZygoteClient, confined_workers

EXERCISE = EXERCISES["causal_mask"]


def until_a_draw_is_lost(exercise):
    """The cases that are run where each ends the worker: of those that are drawn, the first."""
    drawn = [case for case in exercise.cases if case.is_drawn]
    return [case for case in exercise.cases if not case.is_drawn] + drawn[:1]


ONE_QUERY = [case for case in EXERCISE.cases if case.results[0].shape[0] == 1]  # where T is 1
LOST = {case.id for case in ONE_QUERY if not case.is_drawn} | {next(c.id for c in ONE_QUERY if c.is_drawn)}
DEADLINE = 30  # seconds after which a condition is given up
ZYGOTE = "attention_kata.worker.namespace"


@pytest.fixture(scope="module")
def zygote():
    engine = ZygoteClient()
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def workers(zygote):
    return zygote.workers()


@pytest.fixture
def engine():
    """A zygote to be killed."""
    engine = ZygoteClient()
    yield engine
    engine.close()


def masks(at_one):
    """A right answer to causal_mask that does this where T is 1."""
    return Submission("s", {"masks.py": f"import os, torch\n{CAUSAL}".replace("HERE", at_one)})


CAUSAL = """
def causal_mask(T, S=None):
    if T == 1:
        HERE
    S = S or T
    return torch.ones(T, S, dtype=torch.bool).tril(S - T)
"""


def observed(submission, workers, limits=Limits(0.5, 0.2)):  # noqa: B008  frozen
    run = run_all(submission, [EXERCISE], limits, workers)
    assert run.fault == ""
    return {case: seen for (_, case), seen in run.observations.items()}


def until(condition):
    """What `condition` gives as soon as that is true."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError("the condition has not come true")


# ---------------------------------------------------------------------- processes


LOOPING = "looping"
LOOPS = f"import ctypes\nctypes.CDLL(None).prctl(15, b'{LOOPING}')\nwhile True:\n    pass\n"  # under that name


MASK_AND_HEADS = [EXERCISE, EXERCISES["split_heads"]]
BODY = "".join(f"    {line}\n" for line in LOOPS.splitlines())
LOOPS_IN_HEADS = Submission(
    "s", masks("pass").files | {"heads.py": f"def split_heads(x, n_heads):\n{BODY}"}
)  # the first of the two is right


def stat(pid):
    """(state, parent) of a process, or None."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return fields[0], int(fields[1])


def alive():
    """Parent by process, for those that have not ended."""
    found = {int(name): stat(name) for name in os.listdir("/proc") if name.isdigit()}
    return {pid: facts[1] for pid, facts in found.items() if facts and facts[0] not in "ZX"}


def descendants(of):
    parents = alive()
    found, waiting = set(), {of}
    while waiting:
        waiting = {pid for pid, parent in parents.items() if parent in waiting} - found
        found |= waiting
    return found


def named(name, pids):
    """Those of the processes that have given themselves this name."""
    return [pid for pid in pids if read(f"/proc/{pid}/comm").strip() == name]


def zygotes():
    """Ours: each outside and inside its namespace, and its children."""
    return {pid for pid in descendants(os.getpid()) if ZYGOTE in read(f"/proc/{pid}/cmdline")}


def from_the_top(pids):
    """Parents before children, whose end they would report."""
    parents = alive()
    while pids:
        tops = {pid for pid in pids if parents.get(pid) not in pids}
        yield from tops
        pids -= tops


def read(path):
    try:
        return Path(path).read_text()
    except OSError:  # the process has ended
        return ""


def children_of(zygote):
    """Children that a zygote has forked to run submissions."""
    inner = inside(zygote)
    return {pid for pid, parent in alive().items() if parent == inner}


def used(zygote):
    """Whether a zygote has had a child: one that has just been killed may take a request with it."""
    worker = zygote.worker()
    worker.kill()
    return worker.wait() == -signal.SIGKILL


def rest(zygote):
    """No child of a zygote waits for a job, or has still to end."""
    zygote._drop_spare()
    zygote._bury(10)


def inside(zygote):
    """The process of a zygote that forks: the one in the namespace, where there is one."""
    if zygote.processes != "on":
        return zygote.pid
    return next(pid for pid, parent in alive().items() if parent == zygote.pid)


def kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def adopts():
    """Orphans come to this process, where they are seen."""
    system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
    before = descendants(os.getpid())
    yield lambda: descendants(os.getpid()) - before
    system.prctl(system.PR_SET_CHILD_SUBREAPER, 0)
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        if stat(pid) == ("Z", os.getpid()):
            os.waitpid(pid, 0)


class Heard:
    """A worker to whose output somebody listens: `then` is called at the first word that is printed."""

    @property
    def memory(self):
        return self._worker.memory

    def __init__(self, worker, then):
        self._worker, self.connection = worker, worker.connection
        self.output, self._write = os.pipe()
        self._thread = threading.Thread(target=self._listen, args=(then,))
        self._thread.start()

    def _listen(self, then):
        heard = False
        while chunk := os.read(self._worker.output, 4096):
            os.write(self._write, chunk)
            if not heard:
                heard = True
                then()
        os.close(self._write)

    def kill(self):
        self._worker.kill()

    def wait(self):
        self._worker.kill()
        self._thread.join()
        os.close(self.output)
        return self._worker.wait()

    def settle(self): ...

    leave = wait


# ---------------------------------------------------------------------- a worker dies

SEGFAULT = "import ctypes; ctypes.string_at(0)"
ENDS = {
    "loop": ("while True: pass", "timeout", "it was stopped after 0.5 s"),
    "sleep": ("import time; time.sleep(1000)", "timeout", "it was stopped after 0.5 s"),
    "exit": ("os._exit(0)", "crashed", "exited early in causal_mask, by os._exit or something similar"),
    "segfault": (SEGFAULT, "crashed", "crashed by SIGSEGV in causal_mask"),
    "abort": ("os.abort()", "crashed", "crashed by SIGABRT in causal_mask"),
    "kill": ("os.kill(os.getpid(), 9)", "crashed", "ended by SIGKILL in causal_mask"),
    **{f"exit {code}": (f"os._exit({code})", "crashed",
                        "exited early in causal_mask, by os._exit or something similar") for code in (95, 96, 97)},
    "processor time": ("import resource as r; r.setrlimit(r.RLIMIT_CPU, (0, 9)); [0 for _ in iter(int, 1)]", "timeout",
                       "it used more than 0.5 s of processor time"),
}  # fmt: skip


@pytest.mark.parametrize("end", ENDS)
def test_a_worker_that_ends_loses_that_case_alone_and_says_why(workers, end):
    code, outcome, cause = ENDS[end]
    seen = observed(masks(code), workers)
    lost = {id: (s.outcome, render(s.cause)) for id, s in seen.items() if s.outcome != "returned"}
    assert lost == dict.fromkeys(LOST, (outcome, cause))


@pytest.mark.parametrize("code", ["exit()", "raise KeyboardInterrupt", "causal_mask(T, S)", "torch.zeros(1 << 40)",
                                  "x = [torch.empty(1 << 27) for _ in iter(int, 1)]"])  # fmt: skip
def test_an_exception_or_no_memory_loses_that_case_alone(workers, code):
    seen = observed(masks(code), workers, Limits())
    raised = {case.id for case in ONE_QUERY}
    assert {id: s.outcome for id, s in seen.items() if s.outcome != "returned"} == dict.fromkeys(raised, "raised")


def test_a_fresh_process_that_ends_loses_that_case_alone_and_says_why():
    code, outcome, cause = ENDS["segfault"]
    with fresh_workers() as fresh:
        seen = observed(masks(code), fresh, Limits())
    lost = {id: (s.outcome, render(s.cause)) for id, s in seen.items() if s.outcome != "returned"}
    assert lost == dict.fromkeys(LOST, (outcome, cause))


def test_a_worker_that_is_killed_from_outside_loses_that_case_alone(zygote):
    def start():
        return Heard(zygote.worker(), lambda: [kill(pid) for pid in children_of(zygote)])

    seen = observed(
        masks("print('here', flush=True); [0 for _ in iter(int, 1)]"), Workers(start, start), Limits(DEADLINE)
    )
    lost = {id: (s.outcome, render(s.cause)) for id, s in seen.items() if s.outcome != "returned"}
    assert lost == dict.fromkeys(LOST, ("crashed", "ended by SIGKILL in causal_mask"))


def test_a_worker_that_is_killed_before_the_submission_begins_is_replaced(zygote):
    killed = []

    def start():
        worker = zygote.worker()
        if not killed:
            until(lambda: readable(worker.connection, 0))  # it has greeted, and waits for its job
            killed.extend(children_of(zygote))
            for pid in killed:  # the one that waits for the next too
                kill(pid)
            until(lambda: not alive().keys() & set(killed))
        return worker

    seen = observed(masks("pass"), Workers(start, start))
    assert {s.outcome for s in seen.values()} == {"returned"}
    assert killed


BROKEN = [["no layer"]]  # a child does not survive it, in code of ours


def test_a_worker_that_fails_in_our_own_code_is_replaced(zygote):
    asked = iter([BROKEN])
    workers = Workers(lambda: zygote.worker(next(asked, list(confine.LAYERS))))
    assert {s.outcome for s in observed(masks("pass"), workers).values()} == {"returned"}


def test_workers_that_fail_in_our_own_code_are_no_fault_of_the_learner(zygote):
    result = grade(masks("pass"), KEY, [EXERCISE], Limits(), Workers(lambda: zygote.worker(BROKEN)))
    verdicts = {v.verdict for e in result.exercises for v in e.verdicts}
    why = "no worker could be started: TypeError: unhashable type: 'list'"
    assert (result.fault, result.output, verdicts) == (why, "", {"ungradable"})


@pytest.mark.parametrize("end", ["loop", "exit", "segfault", "exit 96"])
def test_a_file_whose_import_ends_the_worker_loses_that_file_alone(workers, end):
    code, outcome, cause = ENDS[end]
    files = {"heads.py": f"import os\n{code}\n", "masks.py": masks("pass").files["masks.py"]}
    run = run_all(Submission("s", files), [EXERCISE, EXERCISES["split_heads"]], Limits(0.5, 0.2), workers)
    report = run.modules["heads.py"]
    said = (report.lost.outcome, render(report.lost.cause), report.error, run.modules["masks.py"].failed)
    assert said == (outcome, cause.replace(" in causal_mask", ""), None, False)
    assert {name for name, _ in run.observations} == {"causal_mask"}


def test_what_was_seen_before_an_import_that_fails_later_stands(workers):
    """The file can be imported once, and not by the worker that goes on after a crash."""
    files = {"masks.py": masks("os._exit(0)").files["masks.py"]}
    started = []

    def start():
        if started:
            files["masks.py"] = "raise ValueError"
        started.append(workers.start())
        return started[-1]

    run = run_all(Submission("s", files), [EXERCISE], Limits(), Workers(start, start))
    outcomes = [run.observations["causal_mask", case.id].outcome for case in EXERCISE.cases]
    first = next(i for i, case in enumerate(EXERCISE.cases) if case.id in LOST)
    assert outcomes == ["returned"] * first + ["crashed"] + ["raised"] * (len(outcomes) - first - 1)
    assert not run.modules["masks.py"].failed


def test_what_a_file_prints_when_it_is_imported_is_kept_once_and_nothing_else_is_lost(workers):
    """The file is imported again after each case that ends the worker, and goes on with a case that prints."""
    call = "def causal_mask(T, S=None):\n    print(T, S, os.getpid(), flush=True)\n    os._exit(0)"
    text = f"import os\nprint('import', flush=True)\n{call}\n"
    run = run_all(Submission("s", {"masks.py": text}), [EXERCISE], Limits(), workers)
    lines = run.output.splitlines()
    assert (lines[0], lines.count("import"), len(lines)) == ("import", 1, 1 + len(until_a_draw_is_lost(EXERCISE)))


def test_time_outs_in_one_exercise_shorten_the_patience(workers):
    seen = observed(Submission("s", {"masks.py": "def causal_mask(T, S=None):\n    while True: pass"}), workers)
    assert seen.keys() == {case.id for case in until_a_draw_is_lost(EXERCISE)}
    causes = [render(seen[case.id].cause) for case in until_a_draw_is_lost(EXERCISE)]
    assert causes == ["it was stopped after 0.5 s"] * 2 + ["it was stopped after 0.2 s"] * (len(causes) - 2)


def test_descriptors_and_slots_are_given_back(zygote, workers):
    for code, _, _ in ENDS.values():
        observed(masks(code), workers, Limits(0.1, 0.1))
    rest(zygote)
    assert (len(set(zygote._slots.free)), children_of(zygote)) == (64, set())


def test_a_worker_waits_for_the_second_submission_and_those_after_it():
    first = ZygoteClient()
    try:
        used(first)
        assert not children_of(first)  # there may never be a second
        used(first)
        waiting = first._spare
        assert len(children_of(first)) == 1
        worker = first.worker()
        assert worker is waiting
        worker.leave()
    finally:
        first.close()


def test_a_worker_of_its_own_ends_its_engine_when_it_is_left(zygote):
    rest(zygote)
    worker = zygote.alone()
    assert len(zygote._slots.free) == 63
    worker.leave()
    assert (len(zygote._slots.free), zygote._alone) == (64, set())


def test_a_slot_of_one_that_only_waits_is_to_be_had(zygote, monkeypatch):
    rest(zygote)
    used(zygote)
    used(zygote)
    with monkeypatch.context() as patched:
        patched.setattr(zygote._slots, "free", [])
        worker = zygote.alone()
        worker.leave()
        (slot,) = zygote._slots.free
    zygote._slots.free.append(slot)
    assert len(set(zygote._slots.free)) == 64


def told(*messages):
    """A child of which its zygote says this, and nothing more; and what it holds."""
    status, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection, _ = socket.socketpair()
    released = []
    forks = SimpleNamespace(control=None, release=released.append, bury_later=None)
    for message, *descriptors in messages:
        socket.send_fds(theirs, [json.dumps(message).encode()], descriptors)
    return Child(forks, 7, connection, os.open(os.devnull, os.O_RDONLY), status), released, theirs


def test_a_worker_that_could_not_be_forked_has_ended():
    child, released, _ = told(({"failed": "Resource temporarily unavailable"},))
    assert (child.ended(0), released) == (True, [7])


def test_a_worker_of_which_nothing_more_is_said_has_ended():
    child, released, theirs = told(({"started": 4},))
    assert not child.ended(0)
    theirs.close()
    assert (child.ended(0), released) == (True, [7])


def test_a_worker_that_is_killed_before_it_is_forked_dies_as_soon_as_it_is():
    child, _, theirs = told()
    child.kill()
    with subprocess.Popen(["sleep", "60"]) as process:
        descriptor = os.pidfd_open(process.pid)
        socket.send_fds(theirs, [json.dumps({"started": process.pid}).encode()], [descriptor])
        os.close(descriptor)
        assert not child.ended(0)
        assert process.wait(10) == -signal.SIGKILL


# ---------------------------------------------------------------------- whoever takes the exercises


@pytest.mark.parametrize("error", [TimeoutError, EOFError, KeyboardInterrupt])
def test_an_error_of_who_takes_the_exercises_is_not_the_workers(zygote, workers, error):
    """Not even one of the kind by which a worker's end is known; and it ends the worker."""

    def take():
        with Session(LOOPS_IN_HEADS, MASK_AND_HEADS, Limits(DEADLINE), workers) as run:
            for _ in run:
                until(lambda: named(LOOPING, children_of(zygote)))
                raise error("ours")

    with pytest.raises(error, match="ours"):
        take()
    rest(zygote)
    assert not children_of(zygote)


@pytest.mark.parametrize("isolation", ["confined", "fresh"])
def test_a_session_that_is_left_early_leaves_no_process(isolation, adopts):
    with confined_workers() if isolation == "confined" else fresh_workers() as workers:
        with Session(LOOPS_IN_HEADS, MASK_AND_HEADS, Limits(DEADLINE), workers) as run:
            next(iter(run))
            until(lambda: named(LOOPING, adopts()))
        assert not named(LOOPING, adopts())
    until(lambda: not adopts())


def test_a_worker_is_at_work_before_anything_is_asked_of_it(workers, adopts):
    with Session(Submission("s", {"masks.py": LOOPS}), [EXERCISE], Limits(DEADLINE), workers):
        until(lambda: named(LOOPING, descendants(os.getpid())))


def test_a_worker_goes_on_with_the_next_exercise_while_one_is_judged(workers):
    with Session(LOOPS_IN_HEADS, MASK_AND_HEADS, Limits(DEADLINE), workers) as run:
        exercise, observations, module = next(iter(run))
        until(lambda: named(LOOPING, descendants(os.getpid())))
    assert (exercise, observations.keys()) == (EXERCISE, {case.id for case in EXERCISE.cases})
    assert module == ModuleReport()


CRASHES = "import os\ndef padding_mask(lengths, max_len):\n    os._exit(0)\n"


@pytest.mark.parametrize(
    ("files", "most"),
    [
        ({}, {"causal_mask": 0, "padding_mask": 0, "split_heads": 0}),
        ({"masks.py": CAUSAL + CRASHES, "heads.py": "1 / 0"}, {"split_heads": 0}),
        ({"masks.py": "import os\nos._exit(0)"}, {"causal_mask": 0, "padding_mask": 0, "split_heads": 0}),
    ],
    ids=["no file", "a crash and a file that cannot be imported", "no import"],
)
def test_every_exercise_is_given_once(workers, files, most):
    """Also one that lost its last case, or of which there is nothing."""
    exercises = [EXERCISES[name] for name in ("causal_mask", "split_heads", "padding_mask")]
    files = {name: text.replace("HERE", "pass") for name, text in files.items()}
    with Session(Submission("s", files), exercises, Limits(0.5, 0.2), workers) as run:
        given = [(exercise.name, len(observations)) for exercise, observations, _ in run]
    counts = {e.name: len(e.cases) for e in exercises}
    counts["padding_mask"] = len(until_a_draw_is_lost(EXERCISES["padding_mask"]))  # it crashes in each
    assert sorted(given) == sorted((counts | most).items())
    assert run.fault == ""


def test_every_exercise_is_given_once_where_no_worker_can_be_had():
    with Session(masks("pass"), MASK_AND_HEADS, Limits(), Workers(_nobody)) as run:
        assert list(run) == [(exercise, {}, None) for exercise in MASK_AND_HEADS]
    assert run.fault == "nobody is there"


# ---------------------------------------------------------------------- slots and descriptors


def test_a_worker_that_waits_where_no_slot_is_free_is_used(zygote, monkeypatch):
    used(zygote)
    used(zygote)
    waiting = zygote._spare
    with monkeypatch.context() as patched:
        patched.setattr(zygote._slots, "free", [])
        worker = zygote.worker()
        worker.kill()
        worker.wait()
    assert worker is waiting
    zygote._slots.free.append(worker._slot)


def test_many_submissions_leave_no_descriptor_open(zygote, workers):
    observed(masks("pass"), workers)
    rest(zygote)
    before = len(os.listdir("/proc/self/fd"))
    for code in ("pass", "os._exit(0)", SEGFAULT, "pass"):
        observed(masks(code), workers)
    rest(zygote)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_process_with_many_descriptors_open_can_grade(workers):
    """`select.select` takes none over 1023."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (2048, max(limit[1], 2048)))
    opened = [os.dup(0) for _ in range(1100)]
    try:
        assert observed(masks("pass"), workers).keys() == {case.id for case in EXERCISE.cases}
    finally:
        for descriptor in opened:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)


@pytest.mark.parametrize("kind", ["confined", "fresh"])
def test_waiting_for_a_worker_twice_is_harmless(zygote, kind):
    """As happens when Ctrl-C comes while a worker is waited for."""
    worker = zygote.worker() if kind == "confined" else FreshProcess()
    worker.kill()
    codes = [worker.wait(), worker.wait()]
    worker.kill()
    assert codes == [-signal.SIGKILL] * 2


@pytest.mark.parametrize("moment", ["_greet", "_send", "_listen"])
def test_an_interruption_ends_the_worker(zygote, workers, monkeypatch, moment):
    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"attention_kata.sandbox.session.Session.{moment}", interrupt)
    with pytest.raises(KeyboardInterrupt):
        observed(masks("pass"), workers)
    rest(zygote)
    assert not children_of(zygote)


def test_an_interruption_while_a_worker_is_waited_for_is_not_lost(zygote, monkeypatch):
    worker = zygote.worker()
    original, waited = worker.wait, []

    def wait():
        code = original()
        if not waited:
            waited.append(code)
            raise KeyboardInterrupt
        return code

    monkeypatch.setattr(worker, "wait", wait)
    with pytest.raises(KeyboardInterrupt):
        observed(masks("os._exit(0)"), Workers(lambda: worker))


# ---------------------------------------------------------------------- the engine dies


def graded(submission, workers, exercises=(EXERCISE,)):
    """A grade as JSON, without what differs from run to run, and what is printed again by what is done again."""
    result = to_json(evidence_of(grade(submission, KEY, exercises, Limits(), workers)))
    for exercise in result["exercises"]:
        for check in exercise["checks"]:
            del check["seconds"]
    return {name: value for name, value in result.items() if name not in ("isolation", "output")}


BUSY = "print('here', flush=True); [0 for _ in iter(lambda: __import__('time').process_time() < END, False)]"
SLOW = masks(f"END = __import__('time').process_time() + 0.3; {BUSY}")  # long enough to be killed in the middle
STUCK = masks("print('here', flush=True); [0 for _ in iter(int, 1)]")


@pytest.fixture(scope="module")
def undisturbed(workers):
    return graded(SLOW, workers)


def test_an_idle_engine_that_is_killed_is_started_again(engine, undisturbed):
    for which in ("outside", "inside"):
        until(lambda: used(engine))
        process = engine._process
        kill(engine.pid if which == "outside" else inside(engine))
        until(lambda process=process: process.poll() is not None)
    assert graded(SLOW, Workers(engine.worker, engine.alone)) == undisturbed


def test_jobs_of_an_engine_that_is_killed_are_done_again(engine, undisturbed):
    """Two at a time, killed when one of them has begun to compute; both get the grade of an undisturbed run."""
    once = threading.Lock()

    def strike():
        if once.acquire(blocking=False):
            kill(inside(engine))

    disturbed = Workers(lambda: Heard(engine.worker(), strike), engine.alone)
    with ThreadPoolExecutor(2) as pool:
        grades = list(pool.map(lambda _: graded(SLOW, disturbed), range(2)))
    assert (grades, once.locked()) == ([undisturbed] * 2, True)


def test_a_submission_that_takes_the_engine_down_twice_is_reported_and_the_next_is_graded(engine, undisturbed):
    def strike():
        for pid in from_the_top(zygotes() - safe):
            kill(pid)

    safe = zygotes() - descendants(engine.pid) - {engine.pid}  # those of other tests
    deadly = Workers(lambda: Heard(engine.worker(), strike), lambda: Heard(engine.alone(), strike))
    run = run_all(STUCK, [EXERCISE], Limits(DEADLINE), deadly)
    assert run.fault == "it took down the process that starts workers, twice"
    assert graded(SLOW, Workers(engine.worker, engine.alone)) == undisturbed


def test_an_engine_that_ends_twice_before_a_submission_begins_is_not_that_submissions_doing(engine):
    def struck(worker):
        until(lambda: readable(worker.connection, 0))  # it has greeted, and waits for its job
        for pid in from_the_top(zygotes() - safe):
            kill(pid)
        return worker

    safe = zygotes() - descendants(engine.pid) - {engine.pid}  # those of other tests
    workers = Workers(lambda: struck(engine.worker()), lambda: struck(engine.alone()))
    run = run_all(masks("pass"), [EXERCISE], Limits(), workers)
    assert (run.fault, run.modules) == ("the process that starts workers ended, twice", {})


def test_a_process_that_is_to_fork_workers_ends_when_who_started_it_has_ended_already():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        command = [sys.executable, "-m", ZYGOTE, str(theirs.fileno()), "on", str(os.getppid())]  # not us
        done = subprocess.run(command, pass_fds=[theirs.fileno()], timeout=DEADLINE)
        theirs.close()
        assert (done.returncode, ours.recv(100)) == (0, b"")


def test_checks_that_an_engine_could_not_run_are_ungradable(engine):
    run = grade(masks("print('one')"), KEY, (EXERCISE,), workers=Workers(lambda: _nobody(), lambda: _nobody()))
    verdicts = {v.verdict for e in run.exercises for v in e.verdicts}
    assert (run.fault, run.points, verdicts) == ("nobody is there", 0.0, {"ungradable"})


def _nobody():
    raise EngineError("nobody is there")


def test_a_worker_alone_has_an_engine_of_its_own_which_ends_with_it(zygote, adopts):
    free = len(zygote._slots.free)
    worker = zygote.alone()
    assert (len(zygote._slots.free), len(zygote._alone), adopts() != set()) == (free - 1, 1, True)
    worker.kill()
    worker.wait()
    assert (len(zygote._slots.free), zygote._alone) == (free, set())
    until(lambda: not adopts())


@pytest.mark.parametrize("isolation", ["confined", "fresh"])
def test_stopping_ends_a_submission_that_loops_in_another_thread(isolation, adopts):
    looping = Submission("s", {"masks.py": LOOPS})
    with confined_workers() if isolation == "confined" else fresh_workers() as workers, ThreadPoolExecutor(1) as pool:
        future = pool.submit(run_all, looping, [EXERCISE], Limits(DEADLINE), workers)
        until(lambda: named(LOOPING, adopts()))
        workers.stop()
        assert future.result(DEADLINE).observations == {}
        assert run_all(masks("pass"), [EXERCISE], Limits(), workers).fault == "it was stopped"
    until(lambda: not adopts())


def test_too_few_descriptors_of_ours_do_not_end_the_engine(zygote):
    used(zygote)
    rest(zygote)
    pid = zygote.pid
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + 1, limit[1]))
    try:
        with pytest.raises(EngineError, match="a worker cannot be started: Too many open files"):
            zygote.worker()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    assert (zygote.pid, len(zygote._slots.free)) == (pid, 64)


def test_no_more_workers_than_slots(zygote, monkeypatch):
    rest(zygote)
    monkeypatch.setattr(zygote._slots, "free", [])
    with pytest.raises(EngineError, match="there can be no more"):
        zygote.worker()


def test_an_engine_that_cannot_start_is_said_in_one_line(tmp_path):
    """Here because torch cannot be imported."""
    write(
        tmp_path,
        {"broken/torch/__init__.py": "raise ImportError('no torch here')", "masks.py": masks("pass").files["masks.py"]},
    )
    run = kata(
        "check", "causal_mask", "--dir", tmp_path, cwd=tmp_path, PYTHONPATH=str(tmp_path / "broken")
    ).communicate()
    assert run[1].splitlines()[-1] == (
        "kata: not everything could be checked: no worker could be started: "
        "ImportError: no torch here. `kata doctor` tests this machine."
    )


# ---------------------------------------------------------------------- the program is stopped


def kata(*args, cwd, **env):
    """The program, started in a session of its own as by a terminal."""
    command = [sys.executable, "-m", "attention_kata", *map(str, args)]
    return subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(**env),
        start_new_session=True,
    )  # fmt: skip


CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}
SAID = {
    signal.SIGINT: "kata: stopped; your files are unchanged.",
    signal.SIGTERM: "kata: ended; your files are unchanged.",
    signal.SIGKILL: "",
}


@pytest.fixture(scope="module")
def looping(tmp_path_factory):
    folder = tmp_path_factory.mktemp("looping")
    return write(folder, {f"class/{name}/double.py": LOOPS for name in ("ada", "bob", "eve")})


def stopped(program, number, ready):
    """Send a signal once `ready` is true of the processes below the program -> its exit code and what it said."""
    until(lambda: ready(descendants(program.pid)) or program.poll() is not None)
    os.killpg(program.pid, number)  # as a terminal does: to all of its group
    _, said = program.communicate(timeout=DEADLINE)
    return program.returncode, said.strip()


@pytest.mark.parametrize("number", CODES)
def test_a_check_that_is_stopped_leaves_no_process(tiny, looping, adopts, number):
    program = kata("check", "double", "--seconds", 600, "--course", tiny, cwd=looping / "class" / "ada")
    assert stopped(program, number, lambda below: named(LOOPING, below)) == (CODES[number], SAID[number])
    until(lambda: not adopts())


@pytest.mark.parametrize("number", CODES)
def test_a_batch_that_is_stopped_leaves_no_process(tiny, looping, adopts, number):
    options = ("--course", tiny, "--key", tiny / "public.key.safetensors", "--exercise", "double", "--seconds", 600)
    program = kata("grade", looping / "class", *options, "--jobs", 2, cwd=looping)
    code, said = stopped(program, number, lambda below: len(named(LOOPING, below)) == 2)
    kept = r"kata: stopped: 0 of \d+ submissions are graded and kept in grades\.db"
    goes_on = rf"{kept}; run the same command again to continue\."
    assert code == CODES[number]
    assert re.fullmatch("" if number == signal.SIGKILL else goes_on, said), said
    until(lambda: not adopts())


def test_a_batch_without_a_sandbox_that_is_killed_leaves_no_process(tiny, looping, adopts):
    options = ("--course", tiny, "--key", tiny / "public.key.safetensors", "--exercise", "double", "--seconds", 600)
    program = kata("grade", looping / "class", *options, "--jobs", 1, "--isolation", "process", cwd=looping)
    stopped(program, signal.SIGKILL, lambda below: named(LOOPING, below))
    until(lambda: not adopts())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_drawing_that_is_stopped_leaves_no_process(tiny, adopts, number):
    program = kata("dev", "key", "--secret", "--out", tiny / "stopped.key", cwd=tiny)  # of the real course
    code, said = stopped(program, number, lambda below: len(below) > 1)
    assert (code, SAID[number] in said, "Traceback" in said) == (CODES[number], True, False)
    until(lambda: not adopts())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_program_that_is_stopped_while_its_engine_starts_leaves_no_process(tiny, looping, adopts, number):
    program = kata("check", "double", "--course", tiny, cwd=looping / "class" / "ada")
    assert stopped(program, number, lambda below: below) == (CODES[number], SAID[number])
    until(lambda: not adopts())


# ---------------------------------------------------------------------- layers


@pytest.mark.parametrize("layer", REQUIRED)
def test_nothing_of_a_submission_runs_where_a_required_layer_is_off(zygote, layer):
    others = [each for each in confine.LAYERS if each != layer]
    workers = Workers(lambda: zygote.worker(others), lambda: zygote.worker(others), REQUIRED)
    run = run_all(Submission("s", {"masks.py": "print('it runs')"}), [EXERCISE], Limits(), workers)
    assert (run.output, run.modules, run.observations) == ("", {}, {})
    assert f"{layer} (not reported)" in run.fault


def test_a_report_names_every_layer_also_that_of_the_zygote(zygote, workers):
    run = run_all(masks("pass"), [EXERCISE], Limits(), workers)
    assert (set(run.isolation), run.isolation["processes"]) == (set(LAYERS), zygote.processes)
    assert was_run(run.isolation)


def test_a_fresh_process_reports_on_every_layer():
    with fresh_workers() as fresh:
        run = run_all(masks("pass"), [EXERCISE], Limits(), fresh)
    threads = "on (no limit on threads: every other one of this user would count)"
    assert {layer: state for layer, state in run.isolation.items() if state != "off: a fresh process"} == {
        "session": "on", "parent": "on", "limits": threads}  # fmt: skip
    assert set(run.isolation) == set(LAYERS)


@pytest.mark.parametrize(
    ("required", "state"), [(REQUIRED, "on (nothing was run)"), ((), "off: nothing was run")], ids=["class", "own"]
)
def test_where_nothing_was_run_the_report_says_so(workers, required, state):
    run = run_all(Submission("s", {}), [EXERCISE], Limits(), dataclasses.replace(workers, required=required))
    assert (run.isolation, was_run(run.isolation)) == (dict.fromkeys(LAYERS, state), False)


def in_child(function):
    """What `function` returns in a forked child, as JSON can hold it; the exit code when it does not return."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(write, json.dumps(function()).encode())
        finally:
            os._exit(0)
    os.close(write)
    with open(read, "rb") as answers:
        answer = answers.read()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return json.loads(answer) if answer else code


def plan(rules=None, closed="", **facts):
    means = confine.Means(rules, landlock.abi(), seccomp.assembled(), closed)
    return confine.Plan(**{"keep": (), "slot": 0, "memory_mb": 2048, "total_seconds": 3600, "means": means,
                           "parent": os.getpid(), "layers": confine.LAYERS, **facts})  # fmt: skip


def attempt(layer, **facts):
    return confine._attempt(confine.LAYERS[layer], plan(**facts))


def become_nobody():
    """Without any right of root; a plain user's right is as good."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)


def test_all_layers_but_one_say_why_they_are_off_where_the_system_refuses():
    """In a process that may no longer change anything about itself."""

    def try_all():
        rules = landlock.ruleset(["/usr/lib"])
        before = {layer: attempt(layer) for layer in ("privileges", "syscalls")}
        parent = os.getppid()
        return before, {
            layer: attempt(layer, rules=rules, parent=parent) for layer in confine.LAYERS if layer != "descriptors"
        }

    before, states = in_child(try_all)
    assert before == {"privileges": "on", "syscalls": "on"}
    assert [layer for layer, state in states.items() if not state.startswith("off: ")] == []
    assert states["parent"] == states["dumpable"] == states["syscalls"] == "off: Operation not permitted"
    assert "memory off: " in states["limits"]


def test_a_session_that_is_there_already_is_said():
    assert in_child(lambda: (os.setsid(), attempt("session"))[1]) == "off: Operation not permitted"


def test_a_parent_that_is_gone_ends_the_child():
    assert in_child(lambda: attempt("parent", parent=1 << 22)) == 97


def test_a_kernel_without_landlock_is_said():
    assert attempt("files") == "off: this kernel has no Landlock"


def test_rules_that_are_none_are_said():
    assert in_child(lambda: attempt("files", rules=os.open("/dev/null", os.O_RDONLY))).startswith("off: ")


@pytest.mark.parametrize(
    ("layer", "why"), [("files", "Operation not permitted"), ("syscalls", "Permission denied")]
)  # the kernel's words
def test_layers_that_need_no_new_privileges_say_so(layer, why):
    def without():
        rules = landlock.ruleset(["/usr/lib"])
        become_nobody()
        return attempt(layer, rules=rules)

    assert in_child(without) == f"off: {why}"


def test_a_machine_without_a_table_of_system_calls_is_said(monkeypatch):
    monkeypatch.setattr(seccomp, "MACHINE", "riscv64")
    assert attempt("syscalls") == "off: no table of system calls for riscv64"


@pytest.mark.skipif(os.geteuid() != 0, reason="a plain user's own uid stays")
@pytest.mark.parametrize("layer", ["network", "user"])
def test_root_without_its_rights_is_told(layer):
    assert in_child(lambda: (system.drop_capabilities(), attempt(layer))[1]) == "off: Operation not permitted"


def test_limits_that_are_stricter_already_stay():
    """A machine that limits its users' processor time is no reason to refuse, or to crash."""

    def within():
        resource.setrlimit(resource.RLIMIT_CPU, (1800, 1800))
        resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))
        become_nobody()
        state = confine._attempt(lambda _: confine._limits(plan()), plan())
        limits.limit_cpu_of_check(5)
        return state, resource.getrlimit(resource.RLIMIT_CPU)[1], resource.getrlimit(resource.RLIMIT_NOFILE)

    state = "on (no limit on threads: every other one of this user would count)"
    assert in_child(within) == [state, 1800, [50, 50]]


def test_limits_that_cannot_be_set_are_named():
    def refused():
        attempt("privileges")
        attempt("syscalls")
        return attempt("limits")

    assert "memory off: " in in_child(refused)


def test_descriptors_are_closed_but_for_those_to_keep():
    def close():
        kept = os.dup(0)
        others = [os.dup(0) for _ in range(5)]
        state = attempt("descriptors", keep=(kept,))
        return state, [fd for fd in (kept, *others) if os.path.exists(f"/proc/self/fd/{fd}")] == [kept]

    read, write = os.pipe()  # `in_child` has an end open that would be closed: this asks by exit code
    os.close(read), os.close(write)
    assert in_child(lambda: os._exit(10 + (close() == ("on", True)))) == 11


def test_every_layer_is_applied_in_the_order_that_they_need():
    order = list(confine.LAYERS)
    assert ["processes", *order] == list(LAYERS)
    assert order.index("user") < order.index("parent")
    assert order.index("privileges") < order.index("files") < order.index("syscalls")


# ---------------------------------------------------------------------- seccomp

PID = 4242
ALLOW, REFUSE, KILL = seccomp.ALLOW, seccomp.ERRNO | errno.EPERM, seccomp.KILL
MACHINES = ["x86_64", "aarch64"]
CLONE = {"x86_64": 56, "aarch64": 220}
THREAD = 0x3D0F00  # what glibc's pthread_create asks for
FORK = 0x01200011
X32 = 0x40000000
OTHERS = {  # what no submission needs
    "x86_64": {"socket": 41, "connect": 42, "sendto": 44, "sendmsg": 46,
    "bind": 49, "fork": 57, "vfork": 58, "execve": 59,
               "ptrace": 101, "setuid": 105, "setsid": 112, "mount": 165, "setrlimit": 160, "chroot": 161, "tkill": 200,
               "unshare": 272, "setns": 308, "memfd_create": 319, "bpf": 321, "execveat": 322, "userfaultfd": 323,
               "process_vm_readv": 310, "process_vm_writev": 311, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297,
               "pidfd_send_signal": 424, "io_uring_setup": 425, "pidfd_open": 434, "openat2": 437, "pidfd_getfd": 438,
               "unlink": 87, "rename": 82, "mkdir": 83, "chmod": 90, "symlink": 88, "unlinkat": 263, "keyctl": 250,
               "shmget": 29, "msgget": 68, "sched_setaffinity": 203, "setpriority": 141, "alarm": 37, "setitimer": 38,
               "timer_create": 222, "perf_event_open": 298, "seccomp": 317, "personality": 135, "capset": 126,
               "landlock_restrict_self": 446, "kexec_load": 246,
               "init_module": 175, "socketpair": 53, "inotify_init": 253},
    "aarch64": {"socket": 198, "connect": 203, "sendto": 206, "sendmsg": 211, "bind": 200, "execve": 221, "ptrace": 117,
                "setuid": 146, "setsid": 157, "mount": 40, "setrlimit": 164, "chroot": 51, "tkill": 130, "unshare": 97,
                "setns": 268, "memfd_create": 279, "bpf": 280,
                "execveat": 281, "userfaultfd": 282, "process_vm_readv": 270,
                "process_vm_writev": 271, "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240, "pidfd_send_signal": 424,
                "io_uring_setup": 425, "pidfd_open": 434, "openat2": 437, "pidfd_getfd": 438, "unlinkat": 35,
                "renameat2": 276, "mkdirat": 34, "symlinkat": 36, "fchmodat": 53, "keyctl": 219, "shmget": 194,
                "msgget": 186, "sched_setaffinity": 122, "setpriority": 140, "setitimer": 103, "timer_create": 107,
                "perf_event_open": 241, "seccomp": 277, "personality": 92, "capset": 91, "landlock_restrict_self": 446,
                "socketpair": 199, "inotify_init1": 26},
}  # fmt: skip
NEEDED = {
    "x86_64": {"read": 0, "write": 1, "close": 3, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "futex": 202,
               "newfstatat": 262, "exit_group": 231, "rt_sigreturn": 15, "getrandom": 318, "sched_yield": 24},
    "aarch64": {"read": 63, "write": 64, "close": 57, "mmap": 222,
    "mprotect": 226, "munmap": 215, "brk": 214, "futex": 98,
                "newfstatat": 79, "exit_group": 94, "rt_sigreturn": 139, "getrandom": 278, "sched_yield": 124},
}  # fmt: skip


def filtered(machine, number, *arguments, arch=None):
    """What the filter of `PID` answers: a small interpreter of the four instructions it is made of."""
    data = {0: number, 4: seccomp.ARCHITECTURE[machine] if arch is None else arch}
    for i in range(6):
        value = arguments[i] if i < len(arguments) else 0
        data[16 + 8 * i], data[20 + 8 * i] = value & 0xFFFFFFFF, value >> 32 & 0xFFFFFFFF
    program = seccomp.program(PID, machine)
    at = accumulator = 0
    while True:
        code, true, false, constant = program[at]
        at += 1
        if code == 0x20:  # BPF_LD | BPF_W | BPF_ABS
            accumulator = data[constant]
        elif code == 0x15:  # BPF_JMP | BPF_JEQ | BPF_K
            at += true if accumulator == constant else false
        elif code == 0x45:  # BPF_JMP | BPF_JSET | BPF_K
            at += true if accumulator & constant else false
        elif code == 0x06:  # BPF_RET | BPF_K
            return constant
        else:
            raise AssertionError(f"an instruction that is not expected: {code:#x}")


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_is_a_program_that_ends(machine):
    program = seccomp.program(PID, machine)
    ends = [i + 1 + max(t, f) for i, (code, t, f, _) in enumerate(program) if code in (0x15, 0x45)]
    assert (max(ends) < len(program) <= 4096, program[-1]) == (True, (0x06, 0, 0, REFUSE))


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_that_is_made_once_is_that_of_the_process(monkeypatch, machine):
    monkeypatch.setattr(seccomp, "MACHINE", machine)
    lines = b"".join(struct.pack("<HBBI", *line) for line in seccomp.program(PID, machine))
    assert seccomp.for_process(seccomp.assembled(), PID) == lines


@pytest.mark.parametrize("machine", MACHINES)
def test_computing_is_allowed(machine):
    assert {name: filtered(machine, number) for name, number in NEEDED[machine].items()} == dict.fromkeys(
        NEEDED[machine], ALLOW
    )


@pytest.mark.parametrize("machine", MACHINES)
def test_what_computing_does_not_need_is_refused(machine):
    found = {name: filtered(machine, number, PID, 1, 2) for name, number in OTHERS[machine].items()}
    assert found == dict.fromkeys(OTHERS[machine], REFUSE)


@pytest.mark.parametrize("machine", MACHINES)
def test_all_numbers_that_are_in_no_table_are_refused(machine):
    known = {*seccomp.ALLOWED[machine].values(), *seccomp.GUARDED[machine].values()}
    assert {filtered(machine, number) for number in range(700) if number not in known} == {REFUSE}


@pytest.mark.parametrize("machine", MACHINES)
def test_the_same_calls_under_the_x32_numbers_are_refused(machine):
    known = {*seccomp.ALLOWED[machine].values(), *seccomp.GUARDED[machine].values()}
    assert {filtered(machine, X32 | number, PID) for number in known} == {REFUSE}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("arch", [0x40000003, 0x40000028, 0xC00000F3, 0, 0xFFFFFFFF], ids=hex)
def test_another_architecture_ends_the_process(machine, arch):
    assert {filtered(machine, number, arch=arch) for number in (0, 1, 11, 59, 63, 221)} == {KILL}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("flags", "answer"),
    [
        (THREAD, ALLOW), (0x7D0F00, ALLOW), (FORK, REFUSE), (0, REFUSE), (0x11, REFUSE), (0x4111, REFUSE),
        (THREAD | 0x10000000, REFUSE), (THREAD | 0x20000000, REFUSE), (THREAD | 0x40000000, REFUSE),
        (THREAD | 0x00020000, REFUSE), (0x100 << 32 | FORK, REFUSE), (0x10000 << 32, REFUSE),
    ],
    ids=hex,
)  # fmt: skip
def test_clone_makes_threads_and_nothing_else(machine, flags, answer):
    assert filtered(machine, CLONE[machine], flags) == answer


@pytest.mark.parametrize("machine", MACHINES)
def test_clone3_is_said_to_be_missing(machine):
    assert filtered(machine, 435, 1, 88) == seccomp.ERRNO | errno.ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("call", ["kill", "tgkill"])
@pytest.mark.parametrize(
    ("pid", "answer"),
    [(PID, ALLOW), (PID + 1, REFUSE), (1, REFUSE), (0, REFUSE), (2**64 - 1, REFUSE), (2**64 - PID, REFUSE)],
)
def test_a_process_may_signal_itself_alone(machine, call, pid, answer):
    assert filtered(machine, seccomp.GUARDED[machine][call], pid, 9, 9) == answer


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ((0, 7, 0, 1 << 40), ALLOW),  # reading any limit
        ((0, 0, 1 << 40, 0), ALLOW),  # setting that of processor time
        ((0, 7, 1 << 40, 0), REFUSE), ((0, 9, 1 << 40, 0), REFUSE), ((0, 6, 4096, 0), REFUSE), ((0, 9, 1, 0), REFUSE),
        ((0, 9, 1 << 32, 0), REFUSE), ((PID, 0, 4096, 0), REFUSE), ((1, 7, 0, 4096), REFUSE), ((1, 0, 4096, 0), REFUSE),
    ],
)  # fmt: skip
def test_limits_may_be_read_and_only_that_of_processor_time_set(machine, arguments, answer):
    assert filtered(machine, seccomp.GUARDED[machine]["prlimit64"], *arguments) == answer


@pytest.mark.parametrize("machine", MACHINES)
def test_of_prctl_only_names_are_allowed(machine):
    allowed = [
        n
        for n in (*range(80), 0x53564D41, 0x59616D61)
        if filtered(machine, seccomp.GUARDED[machine]["prctl"], n) == ALLOW
    ]
    assert allowed == [15, 0x53564D41]


@pytest.mark.parametrize("machine", MACHINES)
def test_of_fcntl_nothing_is_allowed_that_sends_signals(machine):
    commands = [*range(20), *range(1024, 1042)]
    allowed = {c for c in commands if filtered(machine, seccomp.GUARDED[machine]["fcntl"], 3, c) == ALLOW}
    assert allowed & {8, 10, 15, 1024, 1026, 1033} == set()  # F_SETOWN, F_SETSIG, F_SETOWN_EX, lease, notify, seals
    assert {0, 1, 2, 3, 4, 1030} <= allowed


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("flags", "answer"),
    [
        (os.O_RDONLY, ALLOW), (os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY, ALLOW), (os.O_WRONLY, REFUSE),
        (os.O_RDWR, REFUSE), (3, REFUSE), (os.O_RDONLY | os.O_CREAT, REFUSE), (os.O_RDONLY | os.O_TRUNC, REFUSE),
        (os.O_TMPFILE | os.O_RDWR, REFUSE), (1 << 32 | os.O_WRONLY, REFUSE),
    ],
    ids=oct,
)  # fmt: skip
def test_files_are_opened_for_reading_only(machine, flags, answer):
    calls = [(name, i) for name, i in (("open", 1), ("openat", 2)) if name in seccomp.GUARDED[machine]]
    found = {filtered(machine, seccomp.GUARDED[machine][name], *[1 << 40] * i, flags) for name, i in calls}
    assert found == {answer}


@pytest.mark.parametrize("machine", MACHINES)
def test_ioctl_finds_no_terminal(machine):
    assert {filtered(machine, seccomp.GUARDED[machine]["ioctl"], 0, n) for n in (0x5412, 0x5413, 0)} == {
        seccomp.ERRNO | errno.ENOTTY
    }


def test_the_two_tables_allow_the_same_but_for_calls_that_only_one_has():
    x86, arm = (set(seccomp.ALLOWED[machine]) for machine in MACHINES)
    assert arm - x86 == set()
    assert x86 - arm == {"stat", "lstat", "poll", "access", "select", "dup2", "pause", "readlink", "time"}


def test_no_number_stands_for_two_calls():
    for machine in MACHINES:
        numbers = [*seccomp.ALLOWED[machine].values(), *seccomp.GUARDED[machine].values()]
        assert len(set(numbers)) == len(numbers)


@pytest.mark.skipif(system.MACHINE not in MACHINES, reason="no table of system calls for this machine")
def test_the_kernel_takes_the_program_and_does_as_it_says():
    def tries():
        seccomp_on = [attempt("privileges"), attempt("syscalls")]
        found = {}
        for name, call in {
            "socket": socket.socket, "fork": os.fork, "kill": lambda: os.kill(os.getppid(), 0),
            "exec": lambda: os.execv("/bin/true", ["true"]),
            "setsid": os.setsid, "own": lambda: os.kill(os.getpid(), 0),
            "thread": lambda: threading.Thread(target=int).start(), "pid": os.getpid,
        }.items():  # fmt: skip
            try:
                call()
                found[name] = "done"
            except OSError as error:
                found[name] = error.strerror
        return seccomp_on, found

    refused = dict.fromkeys(["socket", "fork", "kill", "exec", "setsid"], "Operation not permitted")
    assert in_child(tries) == [["on", "on"], refused | dict.fromkeys(["own", "thread", "pid"], "done")]


# ---------------------------------------------------------------------- landlock

COURSE = find_course()
CHECKOUT = Path(__file__).parent.parent


def secrets_below(readable, *secrets):
    return [(path, secret) for path in readable for secret in secrets if secret.is_relative_to(Path(path).resolve())]


def test_no_path_that_may_be_read_holds_the_package_the_solutions_or_the_checkout():
    package = Path(confine.__file__).parent.parent
    readable, listable = landlock.interpreter_paths(package)
    secrets = [
        package,
        package / "public.key.safetensors",
        COURSE.solutions_path,
        COURSE.exercises,
        CHECKOUT,
        CHECKOUT / "tests",
    ]
    assert secrets_below(readable, *secrets) == []
    assert [
        path for path in listable if not Path(path).name.startswith(("site-packages", "dist-packages", "python3"))
    ] == []


@pytest.mark.parametrize("place", ["/usr/lib/kata", "/usr/local/lib/kata", "/lib/kata", "/usr/share/zoneinfo/kata"])
def test_a_checkout_below_a_folder_of_the_system_closes_that_folder(place):
    readable, _ = landlock.interpreter_paths(Path(place) / "grader" / "attention_kata")
    assert secrets_below(readable, Path(place).resolve() / "grader" / "attention_kata") == []
    assert secrets_below(readable, Path(place).resolve() / "solutions") == []


@pytest.mark.parametrize("name", ["site-packages", "dist-packages"])
def test_of_a_folder_of_packages_all_but_ours_may_be_read(tmp_path, monkeypatch, name):
    files = {f"{name}/attention_kata/public.key.safetensors": "", f"{name}/attention_kata-0.1.dist-info/RECORD": "",
             f"{name}/__editable__.attention_kata.pth": "", f"{name}/torch/__init__.py": ""}  # fmt: skip
    folder = write(tmp_path, files) / name
    monkeypatch.setattr(sys, "path", [str(folder)])
    readable, listable = landlock.interpreter_paths(folder / "attention_kata")
    assert [path for path in readable if Path(path).is_relative_to(tmp_path)] == [str(folder / "torch")]
    assert str(folder) in listable


def test_a_link_to_what_holds_the_package_is_not_followed(tmp_path, monkeypatch):
    folder = (
        write(tmp_path, {"checkout/grader/attention_kata/x.py": "", "site-packages/torch/__init__.py": ""})
        / "site-packages"
    )
    (folder / "shortcut").symlink_to(tmp_path / "checkout")
    monkeypatch.setattr(sys, "path", [str(folder)])
    readable, _ = landlock.interpreter_paths(tmp_path / "checkout" / "grader" / "attention_kata")
    assert [path for path in readable if Path(path).is_relative_to(tmp_path)] == [str(folder / "torch")]


def test_a_confined_worker_reads_neither_the_solutions_nor_the_key(workers):
    secrets = [str(COURSE.solutions_path / "masks.py"), str(COURSE.public_key), __file__]
    tries = "\n".join(
        f"try:\n    open({path!r}).read(1)\n    print('read')\nexcept OSError as e:\n    print(e.errno)"
        for path in secrets
    )
    run = run_all(Submission("s", {"masks.py": tries}), [EXERCISE], Limits(), workers)
    assert run.output.split() == [str(errno.EACCES)] * len(secrets)


def test_right_answers_are_graded_in_full_under_every_layer(workers):
    required = dataclasses.replace(workers, required=REQUIRED)
    result = grade(Submission("right", right_files()), KEY, KEY.exercises, Limits(), required)
    assert (result.fault, result.points) == ("", KEY.points)


def test_stopping_new_processes_twice_is_harmless():
    processes = FreshProcesses()
    processes.close()
    processes.close()
    with pytest.raises(EngineError, match="it was stopped"):
        processes.worker()
