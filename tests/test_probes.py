"""The attacks of `kata doctor` are real: each is stopped by its layer, and gets through without it."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from plain_user import run_as_plain_user

from attention_kata.sandbox.layers import LAYERS, sandbox_exists

if not sandbox_exists():
    pytest.skip("there are no layers on this system", allow_module_level=True)

from attention_kata.sandbox.probes import ALONE, _attack, _through, probe, probe_layers
from attention_kata.sandbox.zygote import ZygoteClient
from attention_kata.worker.confine import NO_THREADS_LIMIT

STATUS = Path("/proc/self/status").read_text()
NO_NEW_PRIVILEGES = re.search(r"NoNewPrivs:\t1", STATUS) is not None
ROOT = Path(__file__).parent.parent
AS_ROOT = os.geteuid() == 0


@pytest.fixture(scope="module")
def outside():
    """A zygote without a namespace of process ids, which by itself stops some of the attacks."""
    zygote = ZygoteClient(processes=ALONE)
    yield zygote
    zygote.close()


def test_every_layer_has_an_attack():
    assert [name for name, layer in LAYERS.items() if not layer.attack] == ["parent"]
    assert {need for layer in LAYERS.values() for need in layer.needs} <= set(LAYERS)


def test_every_layer_stops_its_attack():
    found = probe_layers()
    assert [finding.layer for finding in found] == list(LAYERS)
    assert [
        (f.layer, f.state, f.through) for f in found if not f.holds and f.layer not in ("processes", "network")
    ] == []
    assert [(f.layer, f.through) for f in found if f.state.startswith("on") and f.through] == []


GETS_THROUGH = {
    "processes": "SIGKILL",
    "session": "SIGKILL",
    "descriptors": "listening to the engine",
    "network": "a connection",
    "limits": "a file",
    "user": "chroot",
    "parent": "its child",
    "files": "a file",
    "syscalls": "fork",
}


@pytest.mark.parametrize("layer", GETS_THROUGH)
def test_without_the_layer_the_attack_gets_through(outside, layer):
    if layer == "user" and not AS_ROOT:
        pytest.skip("a plain user has no right of root")
    assert probe(outside, layer, without=True).through == GETS_THROUGH[layer]


@pytest.mark.skipif(NO_NEW_PRIVILEGES, reason="nothing here may gain rights anyway")
def test_without_its_layer_a_set_uid_program_gains_rights(outside):
    finding = probe(outside, "privileges", without=True)
    if "not tried" in finding.state:
        pytest.skip(finding.state)
    assert finding.through.startswith("/usr/bin/")


def test_of_a_process_that_lets_others_read_its_memory_it_is_read(outside):
    """The zygote itself does not, and its children take after it: this one is made to."""
    allow = "import ctypes\nctypes.CDLL(None).prctl(4, 1, 0, 0, 0)\n"
    run = _attack(outside, (), allow + LAYERS["dumpable"].attack.format())
    assert _through(run) == "another's memory"


@pytest.mark.parametrize("part", ["memory", "threads"])
def test_each_limit_is_tried(outside, part):
    """With the other limits taken for kept."""
    others = {"memory": ("file.write(bytes(4 << 20)) == 4 << 20", "False"), "threads": ('through = "a file"', "pass")}
    attack = LAYERS["limits"].attack.replace(*others[part])
    if part == "threads":
        attack = attack.replace('through = "memory"', "pass")
    run = _attack(outside, (), attack.format(memory=1 << 32, threads=200))
    assert _through(run) == part


PLAIN = """
import errno, json, sys
sys.path.insert(0, sys.argv[1])
from refusing import refuse
if sys.argv[2] == "alone":  # without namespaces
    refuse(("unshare", errno.EPERM))
from attention_kata.sandbox.probes import probe_layers
print(json.dumps([(f.layer, f.state, f.through) for f in probe_layers()]))
"""


@pytest.mark.skipif(not AS_ROOT, reason="this user's own limits are in the other tests")
@pytest.mark.parametrize("namespaces", ["allowed", "alone"])
def test_for_a_plain_user_every_layer_stops_its_attack_or_says_what_it_does_not(namespaces):
    done = run_as_plain_user([sys.executable, "-B", "-c", PLAIN, str(ROOT / "tests"), namespaces], [ROOT])
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    off = [layer for layer, state, _ in found if not state.startswith("on")]
    assert [(layer, through) for layer, state, through in found if through and state.startswith("on")] == []
    if namespaces == "alone":
        limits = next(state for layer, state, _ in found if layer == "limits")
        assert (off, limits) == (["processes", "network"], f"on ({NO_THREADS_LIMIT})")
    else:
        assert set(off) <= {"processes", "network"}
