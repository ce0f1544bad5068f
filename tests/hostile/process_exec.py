# attempts: becoming another program: execve, execveat, fexecve, a memory file, a script
# expect: attention_scores = error
# expect: softmax = error, crashed
# expect: points = 0
import ctypes
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
SOURCE = "import time; time.sleep(600)  # kata-hostile"


def attention_scores(Q, K):
    failures = 0
    for attempt in (
        lambda: os.execv(sys.executable, [sys.executable, "-c", SOURCE]),
        lambda: os.execvp("sleep", ["kata-hostile", "600"]),
        lambda: os.execv("/lib64/ld-linux-x86-64.so.2", ["ld.so", sys.executable, "-c", SOURCE]),
        lambda: os.execve(os.open(sys.executable, os.O_RDONLY), [sys.executable, "-c", SOURCE], {}),
        lambda: os.memfd_create("kata-hostile"),
    ):
        try:
            attempt()
            break
        except OSError:
            failures += 1
    raise RuntimeError(f"{failures} ways are closed")


def softmax(x, dim=-1):
    arguments = (ctypes.c_char_p * 3)(b"sleep", b"600", None)
    libc.execvp(b"sleep", arguments)
    libc.syscall(322, -100, b"/bin/sh", arguments, None, 0)
    raise RuntimeError("still here")
