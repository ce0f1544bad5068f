# attempts: signals sent by the kernel on its behalf: the owner of a descriptor, timers, dnotify, leases
# expect: attention_scores = error
# expect: points = 0
import fcntl
import os
import signal

SETSIG, SETOWN_EX = 10, 15
accepted = []
me = os.getpid()
for victim in {os.getppid(), 1, *range(max(2, me - 64), me)} - {me, 0}:
    read, write = os.pipe()
    try:
        fcntl.fcntl(read, fcntl.F_SETOWN, victim)
        fcntl.fcntl(read, SETSIG, signal.SIGCONT)
        fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        if fcntl.fcntl(read, fcntl.F_GETFL) & os.O_ASYNC:
            os.write(write, b"x")
            accepted.append(victim)
    except OSError:
        pass
    finally:
        os.close(read)
        os.close(write)
for attempt in (
    lambda: signal.setitimer(signal.ITIMER_REAL, 600),
    lambda: fcntl.fcntl(os.open("/usr/lib", os.O_RDONLY), fcntl.F_NOTIFY, 1),
):
    try:
        attempt()
        accepted.append(attempt)
    except OSError:
        pass


def attention_scores(Q, K):
    assert accepted, "the kernel sends none"
    return Q @ K.mT / Q.size(-1) ** 0.5
