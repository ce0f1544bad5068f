# attempts: killing, stopping, tracing and reading the process that started it
# expect: attention_scores = error
# expect: points = 0
import ctypes
import os
import signal

libc = ctypes.CDLL(None, use_errno=True)
PTRACE, READV, WRITEV, PIDFD_OPEN, PIDFD_SIGNAL, TKILL, QUEUE = 101, 310, 311, 434, 424, 200, 129
done = []


def attempt(name, act):
    try:
        if act() not in (-1, None):
            done.append(name)
    except OSError:
        pass


def memory(pid):
    with open(f"/proc/{pid}/mem", "rb") as file:
        file.seek(0x400000)
        return file.read(1)


buffer = ctypes.create_string_buffer(64)
vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 64)
for pid in (os.getppid(), 1):
    for number in (signal.SIGCONT, signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP):
        attempt("kill", lambda: os.kill(pid, number) or 0)
        attempt("tkill", lambda: libc.syscall(TKILL, pid, number))
        attempt("sigqueue", lambda: libc.syscall(QUEUE, pid, number, buffer))
    attempt("ptrace attach", lambda: libc.syscall(PTRACE, 16, pid, 0, 0))
    attempt("ptrace seize", lambda: libc.syscall(PTRACE, 0x4206, pid, 0, 0))
    attempt("read memory", lambda: libc.syscall(READV, pid, vector, 1, vector, 1, 0))
    attempt("write memory", lambda: libc.syscall(WRITEV, pid, vector, 1, vector, 1, 0))
    attempt("pidfd", lambda: libc.syscall(PIDFD_OPEN, pid, 0))
    attempt("proc mem", lambda: len(memory(pid)))
    attempt("proc fd", lambda: len(os.listdir(f"/proc/{pid}/fd")))
    attempt("proc link", lambda: len(os.readlink(f"/proc/{pid}/exe")))


def attention_scores(Q, K):
    assert done, "the parent is out of reach"
    return Q @ K.mT / Q.size(-1) ** 0.5
