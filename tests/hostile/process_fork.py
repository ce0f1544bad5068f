# attempts: a child process of its own: fork, vfork, clone and clone3, through os and through raw system calls
# expect: attention_scores = error
# expect: points = 0
import ctypes
import os
import platform
import signal

libc = ctypes.CDLL(None, use_errno=True)
FORK, VFORK, CLONE = {"x86_64": (57, 58, 56)}.get(platform.machine(), (220, 220, 220))
CLONE3, SIGCHLD = 435, signal.SIGCHLD
made = []


def attempt(make):
    try:
        pid = make()
    except OSError:
        return
    if pid == 0:
        os._exit(0)
    if pid > 0:
        made.append(pid)


attempt(os.fork)
attempt(lambda: os.forkpty()[0])
attempt(lambda: libc.fork())
attempt(lambda: libc.syscall(FORK, SIGCHLD, 0, 0, 0, 0))
for flags in (SIGCHLD, 0, 0x100 | SIGCHLD, 0x8000 | SIGCHLD, 0x10000000 | SIGCHLD, 0x20000000 | SIGCHLD):
    attempt(lambda flags=flags: libc.syscall(CLONE, flags, 0, 0, 0, 0))
arguments = (ctypes.c_uint64 * 11)(0, 0, 0, 0, SIGCHLD)
attempt(lambda: libc.syscall(CLONE3, arguments, ctypes.sizeof(arguments)))


def attention_scores(Q, K):
    assert made, "no process could be made"
    return Q @ K.mT / Q.size(-1) ** 0.5
