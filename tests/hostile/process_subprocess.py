# attempts: other programs through subprocess, os.system, os.popen, posix_spawn, multiprocessing and pty
# expect: attention_scores = error
# expect: points = 0
import multiprocessing
import os
import pty
import subprocess
import sys

MARK = "kata-hostile-spawned"
ways = (
    lambda: subprocess.run([sys.executable, "-c", "print(1)", MARK], check=True),
    lambda: subprocess.Popen(f"sleep 600 # {MARK}", shell=True),
    lambda: os.system(f"touch /tmp/{MARK}") == 0 or 1 / 0,
    lambda: os.popen(f"echo {MARK}").read() or 1 / 0,
    lambda: os.posix_spawn("/bin/sh", ["sh", "-c", f"touch /tmp/{MARK}"], {}),
    lambda: pty.spawn(["sh", "-c", f"touch /tmp/{MARK}"]) == 0 or 1 / 0,
    lambda: multiprocessing.get_context("fork").Process(target=print).start(),
    lambda: multiprocessing.get_context("spawn").Process(target=print).start(),
    lambda: multiprocessing.get_context("forkserver").Process(target=print).start(),
)
started = 0
for way in ways:
    try:
        way()
        started += 1
    except Exception:
        pass


def attention_scores(Q, K):
    assert started, "no program could be started"
    return Q @ K.mT / Q.size(-1) ** 0.5
