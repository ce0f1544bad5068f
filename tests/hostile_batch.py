"""Grading the hostile submissions in one batch with honest ones, and seeing what a batch leaves behind (Linux).

`python tests/hostile_batch.py NAME...` grades the hostile files of these names and prints what each got as JSON.
"""

from __future__ import annotations

import ctypes
import json
import os
import pkgutil
import re
import resource
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import attention_kata
from attention_kata.course.find import find_course
from attention_kata.intake.submission import Submission
from attention_kata.judge.evidence import to_json
from attention_kata.judge.grading import grade
from attention_kata.judge.score import evidence_of
from attention_kata.key.file import load_key
from attention_kata.sandbox.fresh import Workers
from attention_kata.sandbox.layers import REQUIRED
from attention_kata.sandbox.session import Limits
from attention_kata.sandbox.zygote import ZygoteClient

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT / "tests" / "hostile" / "shared"
HOSTILE = {path.stem: path for path in sorted((ROOT / "tests" / "hostile").glob("*.py"))}
HONEST = {  # full marks, and mistakes that are named
    name: ROOT / "tests" / "answers" / name / "attention.py"
    for name in ("right/articles", "wrong/late_night", "wrong/two_at_once", "wrong/first_try")
}
TOPIC = "attention.py"
KEY = load_key(find_course().public_key)  # the one that an attack could read, and use
EXERCISES = [exercise for exercise in KEY.exercises if exercise.file == TOPIC]
UNREAD = [replace(exercise, forbidden=()) for exercise in EXERCISES]  # only the sandbox stands in the way of points
ABOUT_SOURCE = ("forbidden_", "source_")  # names of those that the reader of the source has to stop
LIMITS = Limits(seconds=2.0, hurried_seconds=0.2)
JOBS = 2  # at a time
MARK = "kata-hostile"  # in the name of everything that an attack tries to leave behind
OWN_MARK = f"{MARK}-{os.getpid()}-{os.urandom(4).hex()}"  # in its place: what others have left is not ours
FOLDERS = (
    "/tmp",
    tempfile.gettempdir(),
    "/var/tmp",
    "/dev/shm",
    "/run",
    "~",
    ".",
    ROOT,
    ROOT / "tests",
    ROOT / "tests" / "hostile",
    *sys.path,
)
SETTINGS = (
    "Umask", "Uid", "Gid", "Groups", "SigBlk", "SigIgn", "SigCgt", "CapEff", "NoNewPrivs", "Seccomp", "Cpus_allowed",
)  # fmt: skip
SYSTEM = ("kernel/hostname", "kernel/pid_max", "kernel/core_pattern", "vm/overcommit_memory")
PR_SET_CHILD_SUBREAPER = 36


# ---------------------------------------------------------------------- what a file may get


@dataclass(frozen=True)
class Expectation:
    """From the first lines of a hostile file: the verdicts each exercise's checks may get, the points in total."""

    attempts: str
    verdicts: dict[str, set[str]]
    points: float | None
    at_most: bool = False  # fewer points are fine too

    def complaints(self, got: dict) -> list[str]:
        """What `got`, a grade as JSON, has that it may not have."""
        if "broken" in got:
            return [f"the trusted side broke: {got['broken']}"]
        found = []
        points = got["points"]
        if self.points is not None and (points > self.points or (points < self.points and not self.at_most)):
            found.append(f"{points:g} points where {'at most ' * self.at_most}{self.points:g} were expected")
        for exercise in got["exercises"]:
            verdicts = {check["verdict"] for check in exercise["checks"]}
            odd = verdicts - self.verdicts.get(exercise["id"], verdicts - {"ungradable"})
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
            at_most, points = "<=" in line, float(line.rsplit("=", 1)[1])
        elif line.startswith("# expect: "):
            name, _, allowed = line.removeprefix("# expect: ").partition(" = ")
            verdicts[name] = {verdict.strip() for verdict in allowed.split(",")}
        else:
            break
    if not attempts or points is None:
        raise ValueError(f"{path.name} does not begin with `# attempts: ...` and `# expect: points = N`")
    return Expectation(attempts, verdicts, points, at_most)


def source(path: Path) -> str:
    """What is handed in: the file, with the text of tests/hostile/shared/NAME.py where it says `# shared: NAME`.

    `# shared: modules` stands for the names of all there is to be imported, so that no new name makes it hollow.
    """

    def text(found: re.Match[str]) -> str:
        if found[1] == "modules":
            return f"MODULES = {our_modules()!r}\n"
        return (SHARED / f"{found[1]}.py").read_text(encoding="utf-8")

    written = re.sub(r"^# shared: (\w+)\n", text, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return written.replace(MARK, OWN_MARK)


def our_modules() -> tuple[str, ...]:
    """The solutions, and every module of the grader's but those that a worker has."""
    topics = sorted(path.stem for path in find_course().solutions_path.glob("*.py"))
    found = [module.name for module in pkgutil.walk_packages(attention_kata.__path__, "attention_kata.")]
    ours = [name for name in found if not re.search(r"\.(worker|__main__)\b", name)]
    return (*(f"solutions.{topic}" for topic in topics), *topics, *ours)


# ---------------------------------------------------------------------- the batch


@dataclass
class Batch:
    """What everybody got, as JSON; the state of the world before and after; what was left when all was closed."""

    hostile: dict[str, dict] = field(default_factory=dict)
    honest: list[tuple[str, dict]] = field(default_factory=list)  # in the order in which they were done
    reference: dict[str, dict] = field(default_factory=dict)
    before: dict = field(default_factory=dict)
    after: dict = field(default_factory=dict)
    processes: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


def run_batch(names: Sequence[str]) -> Batch:
    """Grade hostile files through one zygote, with honest submissions before, after and between every four of them."""
    batch = Batch()
    with adopting_orphans():
        others = set(descendants())
        zygote = ZygoteClient()
        try:
            workers = zygote.workers(REQUIRED)
            batch.reference = {name: graded(path, workers) for name, path in HONEST.items()}
            batch.honest += [(name, graded(path, workers)) for name, path in HONEST.items()]
            Path("/proc/self/clear_refs").write_text("5")  # the highest use of memory is measured from here on
            batch.before = state(zygote)
            _run_mixed(names, workers, batch)
            batch.after = state(zygote)
            batch.honest += [(name, graded(path, workers)) for name, path in HONEST.items()]
        finally:
            zygote.close()
        batch.processes = wait_for_none(lambda: [text for pid, text in descendants().items() if pid not in others])
        batch.files = marked_files()
    return batch


def _run_mixed(names: Sequence[str], workers: Workers, batch: Batch) -> None:
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
    submission = Submission(path.stem, {TOPIC: source(path)})
    read = path not in HOSTILE.values() or path.stem.startswith(ABOUT_SOURCE)
    try:
        result = to_json(evidence_of(grade(submission, KEY, EXERCISES if read else UNREAD, LIMITS, workers)))
        json.dumps(result, allow_nan=False)
    except Exception as error:  # the test of this file shows it
        return {"broken": f"{type(error).__name__}: {error}", "exercises": [], "points": 0.0, "isolation": {}}
    for exercise in result["exercises"]:
        for check in exercise["checks"]:
            del check["seconds"]
    return result


# ---------------------------------------------------------------------- traces


@contextmanager
def adopting_orphans() -> Iterator[None]:
    """Whatever our descendants leave behind becomes our child, in whatever session it hides."""
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def descendants() -> dict[int, str]:
    """Every process below this one: pid -> name, state and session."""
    parents, texts = {}, {}
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            name, _, rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
        except OSError:
            continue
        status, parent, _, session, *_ = rest.split()
        parents[pid], texts[pid] = int(parent), f"{name.partition('(')[2]} (state {status}, session {session})"
    found, new = set(), {os.getpid()}
    while new:
        new = {pid for pid, parent in parents.items() if parent in new} - found
        found |= new
    return {pid: texts[pid] for pid in sorted(found)}


def wait_for_none(look: Callable[[], list[str]], seconds: float = 10.0) -> list[str]:
    """What `look` finds, once it finds nothing or the time is over: a killed process needs a moment to go."""
    end = time.monotonic() + seconds
    while (found := look()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def marked_files() -> list[str]:
    """What has the attackers' mark in its name, wherever an attack tries to make a file, a folder or a socket."""
    folders = {Path(name).expanduser().resolve() for name in FOLDERS}
    return [str(path) for folder in folders if folder.is_dir() for path in folder.iterdir() if OWN_MARK in path.name]


def forking(zygote: ZygoteClient) -> int:
    """The process that forks the workers: in a namespace of its own it is the only child of what was started."""
    if zygote.processes != "on":
        return zygote.pid
    (inner,) = Path(f"/proc/{zygote.pid}/task/{zygote.pid}/children").read_text().split()
    return int(inner)


def state(zygote: ZygoteClient) -> dict:
    """Settings, and use of resources, of this process and of the zygote; settings of the system; the hostile files."""
    for _ in range(2):  # what killed workers held is given back when another is asked for, and they have ended
        zygote.worker().wait()
    inner = forking(zygote)
    return {
        "limits": [resource.getrlimit(kind) for kind in range(16)],
        "zygote's limits": Path(f"/proc/{inner}/limits").read_text(),
        "status": _status("self", SETTINGS),
        "zygote's status": _status(inner, SETTINGS),
        "niceness": [os.getpriority(os.PRIO_PROCESS, pid) for pid in (0, inner)],
        "affinity": [sorted(os.sched_getaffinity(pid)) for pid in (0, inner)],
        "folder": os.getcwd(),
        "environment": dict(os.environ),
        "handlers": [str(signal.getsignal(number)) for number in sorted(signal.valid_signals())],
        "system": [time.tzname, *(Path("/proc/sys", name).read_text() for name in SYSTEM)],
        "files": {
            name: (path.stat().st_mode, path.stat().st_mtime, path.read_text()) for name, path in HOSTILE.items()
        },
        "zygote": (zygote.pid, inner),
        "zygote's memory": _kibibytes(inner, "VmRSS"),
        "zygote's descriptors": _descriptors(inner),
        "descriptors": _descriptors(os.getpid()),
        "threads": threading.active_count(),
        "peak": _kibibytes("self", "VmHWM"),
    }


def _status(pid: int | str, names: Sequence[str]) -> list[str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return [line for line in lines if line.split(":")[0] in names]


def _kibibytes(pid: int | str, name: str) -> int:
    return int(_status(pid, (name,))[0].split()[1])


def _descriptors(pid: int) -> int:
    """How many are open; -1 where only root may know."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return -1


if __name__ == "__main__":
    done = asdict(run_batch(sys.argv[1:]))
    ids = {"uid": os.getuid(), "map": Path("/proc/self/uid_map").read_text().split()}
    print(
        json.dumps({**ids, **{name: done[name] for name in ("hostile", "honest", "reference", "processes", "files")}})
    )
