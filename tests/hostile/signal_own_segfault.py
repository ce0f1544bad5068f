# attempts: ending itself by SIGSEGV, SIGABRT, SIGILL and SIGFPE
# expect: attention_scores = crashed
# expect: softmax = crashed
# expect: points = 0
import ctypes
import os
import signal

DEATHS = (signal.SIGABRT, signal.SIGILL, signal.SIGFPE, signal.SIGBUS, signal.SIGTRAP, signal.SIGSYS, signal.SIGPIPE)


def attention_scores(Q, K):
    ctypes.string_at(0)


def softmax(x, dim=-1):
    number = DEATHS[os.getpid() % len(DEATHS)]
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
