"""Memory that runs out, for real: what is said of it, and that nothing is said of it where nothing shows it."""

import os
import signal
import uuid
from dataclasses import replace
from pathlib import Path

import pytest
from forge import EXERCISES, KEY

from attention_kata.intake.submission import Submission
from attention_kata.judge.grading import grade
from attention_kata.judge.words import raised
from attention_kata.messages.render import render
from attention_kata.sandbox.fresh import FreshProcess, Workers
from attention_kata.sandbox.layers import sandbox_exists
from attention_kata.sandbox.observation import Raised
from attention_kata.sandbox.reader import End, cause_of
from attention_kata.sandbox.session import Limits, run_all
from attention_kata.sandbox.workers import Memory

if not sandbox_exists():
    pytest.skip("no other system keeps limits of memory", allow_module_level=True)

from hostile_batch import forking

from attention_kata.sandbox.zygote import ZygoteClient

EXERCISE = replace(EXERCISES["causal_mask"], cases=EXERCISES["causal_mask"].cases[:1])
LIMITS = Limits(30.0, 30.0)
FILL = """
    keep, size = [], 64 << 20
    while size >= 4096:
        try:
            keep.append(mmap.mmap(-1, size))
            for at in range(0, size, 4096):
                keep[-1][at] = 1
        except (OSError, MemoryError):
            size //= 2
"""
DEEP = """
    class Large(ctypes.Structure):
        _fields_ = [("x", ctypes.c_char * (6 << 20))]
    large, call = Large(), ctypes.CDLL(None).abs
HERE
    call(large)  # by value: the stack has to grow
"""
NEW = """
    new = ctypes.CDLL("libstdc++.so.6")._Znwm
    new.argtypes = [ctypes.c_size_t]
    new(1 << 40)  # C++ throws, and nothing catches
"""
ENDS = {
    "filled, then aborted": (FILL + "    os.abort()", "out of memory in causal_mask: it had used "),
    "no room for the stack": (DEEP.replace("HERE", FILL), "out of memory in causal_mask: it had used "),
    "an allocation of C++": (NEW, "out of memory in causal_mask: an allocation failed (limit 2048 MB)"),
    "little, then aborted": ("    os.abort()", "crashed by SIGABRT in causal_mask"),
    "little, then killed": ("    os.kill(os.getpid(), 9)", "ended by SIGKILL in causal_mask"),
    "filled, then killed": (FILL + "    os.kill(os.getpid(), 9)", "ended by SIGKILL in causal_mask"),
}
RAISES = {
    "torch": "    torch.zeros(1 << 40)",
    "numpy": "    import numpy\n    numpy.ones(1 << 40)",
    "Python": "    bytearray(1 << 40)",
    "the system": "    mmap.mmap(-1, 1 << 40)",
    "little by little": "    x = [torch.ones(1 << 22) for _ in iter(int, 1)]",
}


@pytest.fixture(scope="module")
def workers():
    zygote = ZygoteClient()
    yield zygote.workers()
    zygote.close()


def submission(body):
    return Submission("s", {"masks.py": f"import ctypes, mmap, os, torch\ndef causal_mask(T, S=None):\n{body}\n"})


def first_cause(body, workers):
    run = run_all(submission(body), [EXERCISE], LIMITS, workers)
    assert run.fault == ""
    return render(run.observations["causal_mask", EXERCISE.cases[0].id].cause)


@pytest.mark.parametrize("end", ENDS)
def test_a_worker_that_ends_is_out_of_memory_only_where_that_is_seen(workers, end):
    body, cause = ENDS[end]
    assert first_cause(body, workers).startswith(cause)


@pytest.mark.parametrize("asked", RAISES)
def test_an_allocation_that_fails_is_said_with_the_limit(workers, asked):
    result = grade(submission(RAISES[asked]), KEY, [EXERCISES["causal_mask"]], LIMITS, workers)
    first = result.exercises[0].verdicts[0]
    said = render(first.message).split(":")[0]
    line = 4 if asked == "numpy" else 3
    assert (first.verdict, said) == ("error", f"Out of memory in masks.py, line {line} (limit 2048 MB)")


def test_what_torch_was_asked_for_is_said_in_megabytes():
    text = "DefaultCPUAllocator: can't allocate memory: you tried to allocate 4398046511104 bytes. Error code 12"
    said = raised(Raised("call", "RuntimeError", text, "masks.py", 3))
    assert render(said.message) == "Out of memory in masks.py, line 3 (limit 2048 MB): it asked for 4194304 MB more"


def test_another_error_is_no_lack_of_memory():
    said = raised(Raised("call", "RuntimeError", "can't multiply", "masks.py", 3, ("RuntimeError",)))
    assert render(said.message) == "RuntimeError in masks.py, line 3: can't multiply"


def test_a_file_that_has_no_memory_to_be_imported_is_said_so(workers):
    text = "import mmap, os\nif True:\n" + FILL + "    os.abort()\n"
    run = run_all(Submission("s", {"masks.py": text}), [EXERCISE], LIMITS, workers)
    assert render(run.modules["masks.py"].lost.cause).startswith("out of memory: it had used ")


# ---------------------------------------------------------------------- the system has none left

GROUPS = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
MEBIBYTE = 1 << 20


@pytest.fixture
def join():
    """Puts a process, and what it starts, into a group which the system allows 500 MB, all together."""
    root = next((root for root in GROUPS if (root / "cgroup.procs").exists() and os.access(root, os.W_OK)), None)
    if root is None:
        pytest.skip("groups of processes cannot be limited here")
    folder = root / f"kata-test-{uuid.uuid4().hex}"
    folder.mkdir()
    try:
        limit = next((f for f in (folder / "memory.limit_in_bytes", folder / "memory.max") if f.exists()), None)
        if limit is None:
            pytest.skip("groups of processes cannot be limited here")
        limit.write_text(str(500 * MEBIBYTE))
        yield lambda pid: (folder / "cgroup.procs").write_text(str(pid))
    finally:
        folder.rmdir()


NONE_LEFT = "out of memory in causal_mask: the system had none left (limit 2048 MB)"


def test_a_worker_that_the_system_ends_for_want_of_memory_is_told_so(join):
    zygote = ZygoteClient()
    zygote.worker().kill()
    join(forking(zygote))
    try:
        assert first_cause(FILL, Workers(zygote.worker, zygote.alone)) == NONE_LEFT
    finally:
        zygote.close()


def test_a_fresh_process_that_the_system_ends_for_want_of_memory_is_told_so(join):
    def start():
        worker = FreshProcess()
        join(worker._process.pid)
        return worker

    assert first_cause(FILL, Workers(start, start)) == NONE_LEFT


def test_a_signal_to_a_worker_says_nothing_of_memory_by_itself():
    memories = (Memory(), Memory(2000), Memory(None, True))
    seen = [render(cause_of(EOFError(), End(-signal.SIGKILL, memory, b""), 5.0).cause) for memory in memories]
    assert seen == ["ended by SIGKILL", "ended by SIGKILL", "out of memory: the system had none left (limit 2048 MB)"]
