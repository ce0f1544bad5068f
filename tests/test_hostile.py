"""No hostile submission changes anything but its own grade, or gets more than an honest version of its code would.

One batch for all tests: the files of tests/hostile, each what a learner might hand in as attention.py, with honest
submissions between them.
"""

import json
import os
import subprocess
import sys

import pytest

from attention_kata.isolation import sandbox_exists

if not sandbox_exists():
    pytest.skip("there is no sandbox on this system, and nothing claims that there is", allow_module_level=True)

from hostile_batch import HONEST, HOSTILE, REQUIRED, ROOT, Workers, Zygote, expectation, graded, run_batch

from attention_kata.worker import system
from attention_kata.worker.confine import closed_to_others

READING = ("read_solutions", "read_public_key", "read_other_students", "read_system", "fool_import_reference")
AS_A_PLAIN_USER = (
    *READING, "fool_patch_observe", "frames_hello_twice", "limits_raised", "network_connections", "process_fork",
    "process_threads_bomb", "signal_by_descriptor", "signal_everyone", "signal_parent", "system_calls", "time_loop_at_import",
    "write_files", "write_links",
)  # fmt: skip
NOBODY = 65534
MEBIBYTE = 1 << 10  # in KiB
CLONE_NEWUSER = 0x10000000


@pytest.fixture(scope="module")
def batch():
    return run_batch(list(HOSTILE))


def test_there_are_enough_of_them():
    assert len(HOSTILE) >= 64


@pytest.mark.parametrize("name", HOSTILE)
def test_it_gets_what_it_deserves(batch, name):
    assert expectation(HOSTILE[name]).complaints(batch.hostile[name]) == []


def test_everything_required_was_in_force(batch):
    assert {layer: state for layer, state in batch.isolation.items() if layer in REQUIRED and not state.startswith("on")} == {}


def test_honest_grades_are_the_same_before_between_and_after(batch):
    changed = [name for name, got in batch.honest if _without_isolation(got) != _without_isolation(batch.reference[name])]
    assert changed == []


def test_honest_submissions_are_told_apart(batch):
    assert [batch.reference[name]["points"] for name in HONEST] == sorted({r["points"] for r in batch.reference.values()}, reverse=True)


def test_no_process_is_left(batch):
    assert batch.left == []


def test_no_file_is_left(batch):
    assert batch.files == []


@pytest.mark.parametrize(
    "what",
    ["limits", "zygote's limits", "status", "zygote's status", "niceness", "affinity", "folder", "environment", "handlers", "system", "files"],
)
def test_no_setting_is_changed(batch, what):
    assert batch.after[what] == batch.before[what]


def test_the_zygote_is_still_the_same(batch):
    assert batch.after["zygote"] == batch.before["zygote"]


@pytest.mark.parametrize("what", ["zygote's descriptors", "descriptors", "threads"])
def test_nothing_stays_open(batch, what):
    assert batch.after[what] == batch.before[what]


def test_the_zygote_does_not_grow(batch):
    assert batch.after["zygote's memory"] < batch.before["zygote's memory"] + 16 * MEBIBYTE


def test_the_trusted_side_never_holds_much(batch):
    assert batch.after["peak"] < batch.before["peak"] + 300 * MEBIBYTE


def test_a_plain_user_is_as_safe():
    done = _as_a_plain_user(AS_A_PLAIN_USER)
    complaints = {name: expectation(HOSTILE[name]).complaints(got) for name, got in done["hostile"].items()}
    assert {name: found for name, found in complaints.items() if found} == {}
    assert (done["uid"] != 0, done["left"], done["files"]) == (True, [], [])
    assert [name for name, got in done["honest"] if got["exercises"] != done["reference"][name]["exercises"]] == []


@pytest.mark.parametrize("name", READING)
def test_without_the_sandbox_it_would_have_got_through(name):
    """These tests can fail: what the sandbox stops is really tried."""
    zygote = Zygote()
    try:
        unconfined = Workers(lambda: zygote.worker(("session", "limits", "parent")))
        got = graded(HOSTILE[name], unconfined)
    finally:
        zygote.close()
    assert expectation(HOSTILE[name]).complaints(got) != []


def _without_isolation(got):
    return {name: value for name, value in got.items() if name != "isolation"}


def _as_a_plain_user(names):
    """Run a batch without any right of root.

    Root becomes nobody where nobody can read the interpreter.  Where it lies below a closed home, a user namespace
    in which our uid has nobody's number does the same: after exec no capability is left, every test for uid 0 says
    no, and only the files of our own can be read, as a plain user reads their own.
    """
    closed = closed_to_others(sys.executable, sys.prefix, sys.base_prefix, os.__file__, str(ROOT / "tests" / "hostile"))

    def become_nobody():
        if closed:
            system.unshare(CLONE_NEWUSER)
            for file, line in (("setgroups", "deny"), ("uid_map", f"{NOBODY} 0 1"), ("gid_map", f"{NOBODY} 0 1")):
                with open(f"/proc/self/{file}", "w") as map_of_ids:
                    map_of_ids.write(line)
        else:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)

    command = [sys.executable, "-B", str(ROOT / "tests" / "hostile_batch.py"), *names]
    done = subprocess.run(
        command, cwd="/", capture_output=True, text=True, preexec_fn=become_nobody if os.geteuid() == 0 else None
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
