# attempts: running the worker a second time inside itself, with a job of its own
# expect: attention_scores = crashed, failed, skipped, timeout, error
# expect: points = 0
import os
import sys

from attention_kata.worker import answer, frames

zygote = sys.modules["__main__"]


def job(fd):
    return frames.JOB, frames.pack(frames.JOB, {"files": {}, "topics": [], "exercises": 0, "skip": [], "limits": {}})[
        5:
    ]


frames.receive = job
for fd in range(3, 64):
    try:
        os.fstat(fd)
    except OSError:
        continue
    try:
        answer.answer(fd, {"files": "on", "syscalls": "on"})
    except Exception:
        pass
try:
    zygote.main(3, "on")
except BaseException:
    pass


def attention_scores(Q, K):
    return Q
