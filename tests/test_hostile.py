"""No hostile submission changes anything but its own grade, or gets more than an honest version of its code would.

One batch for all tests: the files of tests/hostile, each what a learner might hand in as attention.py, with honest
submissions between them.
"""

import json
import os
import signal
import sys
import tempfile
from dataclasses import asdict

import pytest
from filelock import FileLock

from attention_kata.sandbox.layers import REQUIRED, sandbox_exists

if not sandbox_exists():
    pytest.skip("there is no sandbox on this system, and nothing claims that there is", allow_module_level=True)

from hostile_batch import (
    HOSTILE,
    OWN_MARK,
    ROOT,
    Batch,
    Workers,
    ZygoteClient,
    adopting_orphans,
    descendants,
    expectation,
    graded,
    marked_files,
    our_modules,
    run_batch,
    source,
)
from plain_user import run_as_plain_user

READING = ("read_solutions", "read_public_key", "read_other_students", "read_system", "fool_import_reference")
AS_A_PLAIN_USER = (
    *READING, "fool_patch_observe", "frames_hello_twice", "limits_raised", "network_connections", "process_fork",
    "process_raw_threads", "process_threads_bomb", "signal_by_descriptor", "signal_everyone", "signal_parent",
    "system_calls", "system_settings", "time_loop_at_import", "write_files", "write_links",
)  # fmt: skip
MEBIBYTE = 1 << 10  # in KiB


@pytest.fixture(scope="module")
def batch(tmp_path_factory, worker_id):
    """One batch for all processes that share these tests: whoever comes first grades, with both cores."""
    if worker_id == "master":
        return run_batch(list(HOSTILE))
    done = tmp_path_factory.getbasetemp().parent / "hostile_batch.json"
    with FileLock(f"{done}.lock"):
        if not done.exists():
            done.write_text(json.dumps(asdict(run_batch(list(HOSTILE)))))
        return Batch(**json.loads(done.read_text()))


@pytest.fixture(scope="module")
def unconfined():
    """Workers without the layers that matter here, for attacks that only read."""
    zygote = ZygoteClient()
    yield Workers(lambda: zygote.worker(("session", "limits", "parent")))
    zygote.close()


def test_there_are_enough_of_them():
    assert len(HOSTILE) >= 64


@pytest.mark.parametrize("name", HOSTILE)
def test_it_gets_what_it_deserves(batch, name):
    assert expectation(HOSTILE[name]).complaints(batch.hostile[name]) == []


def test_everything_required_was_in_force(batch):
    states = batch.reference["right/articles"]["isolation"]
    assert [layer for layer in REQUIRED if not states[layer].startswith("on")] == []


def test_honest_grades_are_told_apart(batch):
    assert len({got["points"] for got in batch.reference.values()}) == len(batch.reference)


def test_honest_grades_are_the_same_before_between_and_after(batch):
    assert [name for name, got in batch.honest if got != batch.reference[name]] == []


def test_no_process_is_left(batch):
    assert batch.processes == []


def test_no_file_is_left(batch):
    assert batch.files == []


@pytest.mark.parametrize(
    "what",
    [
        "limits", "zygote's limits", "status", "zygote's status", "niceness", "affinity", "folder", "environment",
        "handlers", "system", "files",
    ],
)  # fmt: skip
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


@pytest.fixture(scope="module")
def as_plain_user():
    command = [sys.executable, "-B", str(ROOT / "tests" / "hostile_batch.py"), *AS_A_PLAIN_USER]
    done = run_as_plain_user(command, [ROOT])
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", AS_A_PLAIN_USER)
def test_a_plain_user_is_as_safe(as_plain_user, name):
    if name == "process_threads_bomb" and as_plain_user["map"][:2] == ["65534", "0"]:
        pytest.skip("a user namespace stands in for a plain user here, and the system does not count root's threads")
    assert expectation(HOSTILE[name]).complaints(as_plain_user["hostile"][name]) == []


def test_a_plain_user_is_no_root(as_plain_user):
    assert as_plain_user["uid"] != 0


def test_a_plain_user_grades_honestly_and_leaves_nothing(as_plain_user):
    reference = as_plain_user["reference"]
    assert [name for name, got in as_plain_user["honest"] if got != reference[name]] == []
    assert as_plain_user["processes"] + as_plain_user["files"] == []


@pytest.mark.parametrize("name", READING)
def test_without_the_sandbox_it_gets_through(unconfined, name):
    """What the sandbox stops is really tried: these tests can fail."""
    assert expectation(HOSTILE[name]).complaints(graded(HOSTILE[name], unconfined)) != []


def test_a_process_that_is_left_would_be_seen():
    with adopting_orphans():
        others = set(descendants())
        graded(HOSTILE["process_daemon"], Workers())  # a fresh process, which is no sandbox
        left = descendants().keys() - others
        for pid in left:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    assert left


def test_a_file_that_is_left_would_be_seen_and_one_of_others_is_not_ours():
    def made(mark):
        return tempfile.NamedTemporaryFile(prefix=f"{mark}-", dir="/tmp")

    with made(OWN_MARK) as file, made("kata-hostile"):
        assert marked_files() == [file.name]


def test_what_hostile_files_share_is_in_them():
    text = source(HOSTILE["frames_bad_numbers"])
    assert ("# shared:" in text, "def frame(kind" in text, "def look(name" in text) == (False, True, True)


def test_the_modules_that_a_hostile_file_tries_are_those_there_are():
    """A name that is none would be refused for another reason."""
    from importlib.util import find_spec

    names = our_modules()
    assert len(names) > 40
    assert [name for name in names if name.startswith("attention_kata") and find_spec(name) is None] == []
