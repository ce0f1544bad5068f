"""The entry point: how the program ends when it is interrupted."""

import signal
import subprocess
import sys


def test_ctrl_c_inside_an_exec_ends_with_130(tmp_path):
    """As while importing, where named tuples are made by `exec`: Python would end itself by SIGINT instead."""
    strike = "import os, signal; os.kill(os.getpid(), signal.SIGINT); [0 for _ in range(10**7)]"
    (tmp_path / "struck.py").write_text(
        "import attention_kata.cli, attention_kata.program\n"
        f"attention_kata.cli.main = lambda zygote: exec({strike!r})\n"
        "attention_kata.program.main()\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "struck"], cwd=tmp_path, capture_output=True, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (130, "kata: stopped; your files are as they were.\n")
