"""The entry point: how the program ends when it is interrupted."""

import os
import subprocess
import sys
from pathlib import Path


def test_ctrl_c_inside_an_exec_ends_with_130(tmp_path):
    """As while importing, where named tuples are made by `exec`: Python would end itself by SIGINT instead."""
    strike = "import os, signal; os.kill(os.getpid(), signal.SIGINT); [0 for _ in range(10**7)]"
    (tmp_path / "struck.py").write_text(
        "import attention_kata.cli, attention_kata.program\n"
        f"attention_kata.cli.main = lambda zygote: exec({strike!r})\n"
        "attention_kata.program.main()\n"
    )
    run = subprocess.run([sys.executable, "-m", "struck"], cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (130, "kata: stopped; your files are unchanged.\n")


def test_signals_are_heard_whatever_started_the_tests(tmp_path):
    """A shell's job in the background ignores SIGINT, and so would all that the tests start, but for `surroundings`."""
    tests = Path(__file__).parent
    (tmp_path / "test_inner.py").write_text(
        "import signal\nimport surroundings\nsurroundings.hear_signals()\n"
        "def test_heard():\n"
        "    assert signal.SIG_IGN not in map(signal.getsignal, (signal.SIGINT, signal.SIGHUP, signal.SIGTERM))\n"
        "    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()\n"
    )
    command = f"trap '' INT HUP TERM; exec {sys.executable} -m pytest -q -n0 -p no:cacheprovider -c /dev/null ."
    env = {**os.environ, "PYTHONPATH": str(tests)}
    run = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, env=env)
    assert run.returncode == 0, run.stdout
