"""The coverage-guided fuzzer finds nothing in a short run; what it starts from is what real workers say."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

FUZZ = Path(__file__).parent / "fuzz"
RUNS = 2000  # of which the real replies are some 400


def fuzz(corpus, *options):
    command = [
        sys.executable,
        str(FUZZ / "fuzz_replies.py"),
        str(corpus),
        "-seed=1",
        f"-artifact_prefix={corpus}/",
        *options,
    ]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=corpus)


@pytest.fixture(autouse=True)
def atheris():
    if find_spec("atheris") is None:
        if os.environ.get("CI"):
            pytest.fail("atheris is not installed: pip install -e '.[dev]'")
        pytest.skip("atheris is not installed")


def test_a_short_run_finds_nothing(tmp_path):
    run = fuzz(tmp_path, f"-runs={RUNS}", f"-dict={FUZZ / 'replies.dict'}", "-timeout=60", "-rss_limit_mb=4096")
    found = [path.name for path in tmp_path.iterdir() if path.name.startswith(("crash-", "timeout-", "oom-", "slow-"))]
    assert (run.returncode, found, f"Done {RUNS} runs" in run.stderr) == (0, [], True), run.stderr[-3000:]


def test_a_crash_would_be_seen(tmp_path):
    """The same program with a target that survives no input."""
    fatal = "import fuzz_replies as f; f.Target.__call__ = lambda self, data: 1 / 0; f.main('.', '-runs=500')"
    environment = {**os.environ, "PYTHONPATH": str(FUZZ)}
    run = subprocess.run([sys.executable, "-c", fatal], capture_output=True, cwd=tmp_path, env=environment)
    assert (run.returncode != 0, b"ZeroDivisionError" in run.stdout + run.stderr) == (True, True)
