"""Systems that refuse what confinement needs: what still works does, and what does not is said."""

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import environment, write
from plain_user import mount_read_only, run_as_plain_user
from refusing import FORK, refuse

from attention_kata.sandbox.layers import LAYERS, sandbox_exists
from attention_kata.worker import seccomp, system

if not sandbox_exists() or system.MACHINE not in seccomp.ARCHITECTURE:
    pytest.skip("no system calls can be refused here", allow_module_level=True)

ROOT = Path(__file__).parent.parent
ONE_RUN = [sys.executable, "-B", str(ROOT / "tests" / "one_run.py")]
AGAIN = "Resource temporarily unavailable"
NO_FORK = ("clone", errno.EAGAIN, FORK)
LOOP = "print('here', flush=True)\nwhile True: pass"


def one_run(*calls, source="print('here')"):
    """What tests/one_run.py prints where these calls are refused."""
    done = subprocess.run([*ONE_RUN, source], capture_output=True, text=True, preexec_fn=lambda: refuse(*calls))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(*args, cwd, calls=()):
    """The program where these calls are refused -> exit code, stdout, stderr."""
    command = [sys.executable, "-m", "attention_kata", *map(str, args)]
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, env=environment(), preexec_fn=lambda: refuse(*calls)
    )


def test_the_filter_refuses_and_lets_the_rest_through():
    code = "import os\ntry: os.pidfd_open(os.getpid())\nexcept OSError as e: print(e.errno)\nprint(os.getpid() > 0)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True,
        preexec_fn=lambda: refuse(("unshare", errno.EPERM), ("pidfd_open", errno.ENOSYS)),
    )  # fmt: skip
    assert done.stdout.split() == [str(errno.ENOSYS), "True"]


@pytest.mark.parametrize("call", ["pidfd_open", "pidfd_send_signal"])
def test_without_pidfds_workers_are_killed_through_the_zygote(call):
    run = one_run((call, errno.ENOSYS), source=LOOP)
    assert (run["fault"], run["errors"], run["killed"]) == ("", {"a.py": "it was stopped after 0.5 s"}, -signal.SIGKILL)


def test_where_namespaces_are_refused_the_layers_say_so_and_the_rest_holds():
    run = one_run(("unshare", errno.EPERM))
    off = [layer for layer, state in run["isolation"].items() if not state.startswith("on")]
    assert (run["fault"], run["output"], off) == ("", "here\n", ["processes", "network"])
    assert run["isolation"]["processes"] == "off: Operation not permitted"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a part of the file system unwritable")
def test_where_ids_cannot_be_mapped_the_zygote_does_without_a_namespace():
    """A plain user, to whom /proc is not writable, has made a namespace when it finds out."""
    done = run_as_plain_user([*ONE_RUN, "print('here')"], [ROOT], lambda: mount_read_only("/proc"))
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)
    assert (run["fault"], run["output"], run["isolation"]["processes"]) == ("", "here\n", "off: Read-only file system")


def test_where_the_zygote_cannot_fork_a_fresh_process_stands_in_and_says_why():
    run = one_run(NO_FORK)
    why = f"off: a fresh process, since a worker cannot be started: {AGAIN}"
    off = {layer for layer, state in run["isolation"].items() if state == why}
    assert (run["fault"], run["output"], run["killed"]) == ("", "here\n", f"a worker cannot be started: {AGAIN}")
    assert off == set(LAYERS) - {"session", "limits", "parent"}


def test_a_check_goes_on_in_a_fresh_process_and_says_what_is_off(tiny, tmp_path):
    write(tmp_path, {"double.py": "def double(x):\n    return 2 * x\n"})
    run = refused("check", "double", "--json", "--course", tiny, cwd=tmp_path, calls=[NO_FORK])
    result = json.loads(run.stdout)
    assert (run.returncode, result["points"], run.stderr) == (0, 1.0, "")
    assert result["isolation"]["files"] == f"off: a fresh process, since a worker cannot be started: {AGAIN}"


def test_doctor_says_that_a_worker_is_not_confined_and_why(tiny, tmp_path):
    run = refused("doctor", "--course", tiny, cwd=tmp_path, calls=[NO_FORK])
    said = next(line for line in run.stdout.splitlines() if "answers in" in line)
    why = f"not confined (off: a fresh process, since a worker cannot be started: {AGAIN})"
    assert (run.returncode, why in said) == (2, True)


def test_a_class_is_not_graded_in_a_fresh_process(tiny, tmp_path):
    write(tmp_path, {"class/ada/double.py": "def double(x):\n    return 2 * x\n"})
    run = refused("grade", tmp_path / "class", "--course", tiny, cwd=tmp_path, calls=[NO_FORK])
    assert (run.returncode, run.stdout, len(run.stderr.splitlines())) == (2, "", 1)
    assert f"a worker cannot be started: {AGAIN}" in run.stderr


def test_a_class_is_not_graded_where_a_layer_is_refused(tiny, tmp_path):
    write(tmp_path, {"class/ada/double.py": "def double(x):\n    return 2 * x\n"})
    calls = [("landlock_create_ruleset", errno.ENOSYS)]
    run = refused("grade", tmp_path / "class", "--course", tiny, cwd=tmp_path, calls=calls)
    assert (run.returncode, run.stdout, len(run.stderr.splitlines())) == (2, "", 1)
    assert "files (this kernel has no Landlock)" in run.stderr
