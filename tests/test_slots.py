"""User ids of submissions: no two programs on a machine share one."""

import json
import os
import subprocess
import sys

import pytest

from attention_kata.intake.submission import Submission
from attention_kata.sandbox.fresh import Workers
from attention_kata.sandbox.layers import sandbox_exists
from attention_kata.sandbox.session import Limits, run_all
from attention_kata.sandbox.slots import RANGES, SLOTS, Slots
from attention_kata.sandbox.workers import EngineError
from attention_kata.worker import system
from attention_kata.worker.confine import FIRST_UID

if not sandbox_exists():
    pytest.skip("nothing is confined on this system", allow_module_level=True)

from attention_kata.sandbox.zygote import ZygoteClient

CLONE_NEWNET = 0x40000000
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="a plain user has one user id")
HOLD = "from attention_kata.sandbox.slots import Slots\ns = Slots()\nprint(*s.free, flush=True)\ninput()"


def test_no_range_holds_the_user_id_of_nobody():
    assert FIRST_UID + RANGES * SLOTS <= 65534


def in_a_network_of_its_own(function):
    """What `function` gives, in a process to which no other program on this machine has numbers."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            system.unshare(CLONE_NEWNET)
            os.write(write, json.dumps(function()).encode())
        except BaseException as error:
            os.write(write, json.dumps(repr(error)).encode())
        finally:
            os._exit(0)
    os.close(write)
    with open(read, "rb") as answer:
        found = json.loads(answer.read())
    os.waitpid(pid, 0)
    return found


@as_root
def test_two_programs_have_no_number_in_common_and_one_that_is_killed_gives_its_own_back():
    def two():
        other = subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        with other:
            theirs = [*map(int, other.stdout.readline().split())]
            ours = Slots()
            ours.close()
            other.kill()
        return theirs, ours.free, Slots().free

    theirs, ours, again = in_a_network_of_its_own(two)
    assert (len(theirs), len(ours), set(theirs) & set(ours)) == (SLOTS, SLOTS, set())
    assert again == theirs


@as_root
def test_submissions_of_two_zygotes_have_different_user_ids():
    zygotes = ZygoteClient(), ZygoteClient()
    try:
        runs = [
            run_all(Submission("s", {"a.py": "import os; print(os.getuid())"}), (), Limits(),
                           Workers(start), ("a.py",))
            for zygote in zygotes for start in (zygote.worker, zygote.alone)
        ]  # fmt: skip
    finally:
        for zygote in zygotes:
            zygote.close()
    if any("capabilities dropped" in run.isolation["user"] for run in runs):
        pytest.skip("root keeps its user id here, without its rights")
    ranges = [(int(run.output) - FIRST_UID) // SLOTS for run in runs]
    first, second = set(ranges[:2]), set(ranges[2:])
    assert (len(first), len(second), first & second) == (1, 1, set())


@as_root
def test_where_every_range_is_taken_it_is_said():
    def one_more():
        taken = [Slots() for _ in range(RANGES)]
        return [all(slots.free for slots in taken), _refusal(Slots())]

    why = "all user ids for submissions are in use by other programs"
    assert in_a_network_of_its_own(one_more) == [True, why]


def _refusal(slots):
    try:
        return slots.take()
    except EngineError as error:
        return str(error)
