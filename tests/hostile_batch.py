"""Grading the hostile submissions in one batch with honest ones, and seeing what a batch leaves behind (Linux).

`python tests/hostile_batch.py NAME...` grades the hostile files of these names and prints what each got as JSON.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from attention_kata.course import find_course
from attention_kata.engine import Limits
from attention_kata.grading import grade
from attention_kata.isolation import REQUIRED
from attention_kata.key import load_key
from attention_kata.process import Workers
from attention_kata.score import as_json
from attention_kata.submission import Submission
from attention_kata.warm import Zygote

ROOT = Path(__file__).resolve().parent.parent
HOSTILE = {path.stem: path for path in sorted((ROOT / "tests" / "hostile").glob("*.py"))}
HONEST = {  # full marks, a named mistake, two mistakes, half of it
    name: ROOT / "tests" / "answers" / name / "attention.py"
    for name in ("right/articles", "wrong/late_night", "wrong/two_at_once", "wrong/halfway")
}
TOPIC = "attention.py"
LIMITS = Limits(seconds=2.0, hurried_seconds=0.2)
JOBS = 2  # at a time
MARK = "kata-hostile"  # begins the name of everything that an attack tries to leave behind
FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/run", "~", ".", str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "hostile"))
PR_SET_CHILD_SUBREAPER = 36


# ---------------------------------------------------------------------- what a file may get


@dataclass(frozen=True)
class Expectation:
    """From the first lines of a hostile file."""

    attempts: str
    verdicts: dict[str, set[str]]
    points: float | None
    at_most: bool = False

    def complaints(self, got: dict) -> list[str]:
        """What `got`, a grade as JSON, has that it may not have."""
        if "broken" in got:
            return [f"the trusted side broke: {got['broken']}"]
        points = got["points"]
        found = []
        if self.points is not None and (points > self.points or (points < self.points and not self.at_most)):
            found.append(f"{points:g} points where {'at most ' * self.at_most}{self.points:g} were expected")
        for exercise in got["exercises"]:
            allowed = self.verdicts.get(exercise["id"])
            odd = {check["verdict"] for check in exercise["checks"]} - (allowed or {"error", "failed", "crashed", "timeout", "skipped", "passed"})
            if odd:
                found.append(f"{exercise['id']} has checks that are {', '.join(sorted(odd))}")
        return found


def expectation(path: Path) -> Expectation:
    """ValueError when the first lines are not as agreed."""
    attempts, verdicts, points, at_most = "", {}, None, False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# attempts: "):
            attempts = line.removeprefix("# attempts: ")
        elif line.startswith("# expect: points"):
            at_most = "<=" in line
            points = float(line.rsplit("=", 1)[1])
        elif line.startswith("# expect: "):
            name, _, allowed = line.removeprefix("# expect: ").partition(" = ")
            verdicts[name] = {verdict.strip() for verdict in allowed.split(",")}
        else:
            break
    if not attempts or not (verdicts or points is not None):
        raise ValueError(f"{path.name} does not begin with `# attempts:` and `# expect:` lines")
    return Expectation(attempts, verdicts, points, at_most)


# ---------------------------------------------------------------------- the batch


@dataclass
class Batch:
    """What everybody got, as JSON; the state of the world before and after."""

    hostile: dict[str, dict] = field(default_factory=dict)
    honest: list[tuple[str, dict]] = field(default_factory=list)  # in the order in which they were done
    reference: dict[str, dict] = field(default_factory=dict)
    isolation: dict[str, str] = field(default_factory=dict)
    before: dict = field(default_factory=dict)
    after: dict = field(default_factory=dict)
    left: list[str] = field(default_factory=list)  # processes, once the engine is closed
    files: list[str] = field(default_factory=list)


def run_batch(names: list[str]) -> Batch:
    """Grade hostile files through one zygote, an honest submission before, after and between every four of them."""
    batch = Batch()
    with adopting_orphans():
        mine = set(descendants())
        zygote = Zygote()
        try:
            workers = Workers(zygote.worker, zygote.alone, REQUIRED)
            for name, path in HONEST.items():
                batch.reference[name] = graded(path, workers)
            for name, path in HONEST.items():  # once more: what grows in the first runs has grown
                batch.honest.append((name, graded(path, workers)))
            batch.isolation = batch.reference["right/articles"]["isolation"]
            reset_peak()
            batch.before = state(zygote.pid)
            _run_mixed(names, workers, batch)
            batch.after = state(zygote.pid)
            for name, path in HONEST.items():
                batch.honest.append((name, graded(path, workers)))
        finally:
            zygote.close()
        batch.left = wait_for_none(lambda: [each for pid, each in descendants().items() if pid not in mine])
        batch.files = marked_files()
    return batch


def _run_mixed(names: list[str], workers: Workers, batch: Batch) -> None:
    honest = list(HONEST.items())

    def hostile_one(name: str) -> None:
        batch.hostile[name] = graded(HOSTILE[name], workers)

    def honest_one(name: str, path: Path) -> None:
        batch.honest.append((name, graded(path, workers)))

    with ThreadPoolExecutor(JOBS) as pool:
        waiting = []
        for i, name in enumerate(names):
            waiting.append(pool.submit(hostile_one, name))
            if i % 4 == 0:
                waiting.append(pool.submit(honest_one, *honest[i // 4 % len(honest)]))
        for each in waiting:
            each.result()


def graded(path: Path, workers: Workers) -> dict:
    """The grade as JSON without what differs from run to run; what went wrong on the trusted side, if anything did."""
    submission = Submission(path.stem, {TOPIC: path.read_text(encoding="utf-8")})
    try:
        result = as_json(grade(submission, KEY, EXERCISES, LIMITS, workers))
        json.dumps(result, allow_nan=False)
    except Exception as error:  # shown by the test of this file
        return {"broken": f"{type(error).__name__}: {error}", "exercises": [], "points": 0.0}
    for exercise in result["exercises"]:
        for check in exercise["checks"]:
            del check["seconds"]
    return result


KEY = load_key(find_course().public_key)  # what an attack could read and use
EXERCISES = [exercise for exercise in KEY.exercises if exercise.file == TOPIC]


# ---------------------------------------------------------------------- traces


@contextmanager
def adopting_orphans():
    """Whatever our descendants leave behind becomes our child, in whatever session it hides."""
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def descendants() -> dict[int, str]:
    """Every process below this one: pid -> name, state and session."""
    parents, told = {}, {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            head, _, rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
        except OSError:
            continue
        status, parent, _, session, *_ = rest.split()
        parents[int(pid)] = int(parent)
        told[int(pid)] = f"{head.partition('(')[2]} ({status}, session {session})"
    below, found = {os.getpid()}, {}
    while True:
        new = {pid for pid, parent in parents.items() if parent in below} - below
        if not new:
            return found
        below |= new
        found |= {pid: told[pid] for pid in new}


def wait_for_none(look, seconds: float = 10.0) -> list:
    """What `look` finds, once it finds nothing or the time is over; a killed process needs a moment to go."""
    end = time.monotonic() + seconds
    while (found := look()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def marked_files() -> list[str]:
    """Files with the attackers' mark in their names, wherever an attack tries to make one."""
    found = []
    for folder in {Path(name).expanduser() for name in (*FOLDERS, *sys.path)}:
        if folder.is_dir():
            found += [str(path) for path in folder.iterdir() if path.name.startswith(MARK) or MARK in path.suffix]
    return found


def state(zygote: int) -> dict:
    """Settings and use of resources of this process and of the zygote; settings of the system; the hostile files."""
    inner = max(pid for pid in descendants_of(zygote))
    return {
        "limits": [resource.getrlimit(kind) for kind in range(16)],
        "zygote's limits": Path(f"/proc/{inner}/limits").read_text(),
        "status": _status("self", SETTINGS),
        "zygote's status": _status(str(inner), SETTINGS),
        "niceness": [os.getpriority(os.PRIO_PROCESS, pid) for pid in (0, inner)],
        "affinity": [sorted(os.sched_getaffinity(pid)) for pid in (0, inner)],
        "folder": os.getcwd(),
        "environment": dict(os.environ),
        "handlers": [str(signal.getsignal(number)) for number in sorted(signal.valid_signals())],
        "system": [os.uname().nodename, time.tzname, *_system()],
        "files": {name: (path.stat().st_mode, path.stat().st_mtime, path.read_bytes()) for name, path in HOSTILE.items()},
        "zygote": (zygote, inner),
        "zygote's memory": _kibibytes(str(inner), "VmRSS"),
        "zygote's descriptors": _descriptors(inner),
        "descriptors": _descriptors(os.getpid()),
        "threads": threading.active_count(),
        "peak": _kibibytes("self", "VmHWM"),
    }


SETTINGS = ("Umask", "Uid", "Gid", "Groups", "SigBlk", "SigIgn", "SigCgt", "CapEff", "NoNewPrivs", "Seccomp", "Cpus_allowed")


def descendants_of(pid: int) -> list[int]:
    """The process and its children: inside its namespace the zygote is a child of the process that was started."""
    return [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]


def _status(pid: str, names: tuple[str, ...]) -> list[str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return [line for line in lines if line.split(":")[0] in names]


def _kibibytes(pid: str, name: str) -> int:
    return int(_status(pid, (name,))[0].split()[1])


def _descriptors(pid: int) -> int:
    """How many are open; -1 where only root may know."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return -1


def _system() -> list[str]:
    names = ("kernel/hostname", "kernel/pid_max", "kernel/core_pattern", "kernel/randomize_va_space", "vm/overcommit_memory")
    return [Path("/proc/sys", name).read_text() for name in names]


def reset_peak() -> None:
    """Start measuring this process's highest use of memory anew."""
    Path("/proc/self/clear_refs").write_text("5")


if __name__ == "__main__":
    done = run_batch(sys.argv[1:])
    print(json.dumps({"uid": os.getuid(), "hostile": done.hostile, "honest": done.honest, "reference": done.reference, "isolation": done.isolation, "left": done.left, "files": done.files}))
