# attempts: living on: every signal ignored or blocked, the limits of processor time raised, then a loop
# expect: attention_scores = timeout, error
# expect: points = 0
import resource
import signal

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
for kind in range(16):
    try:
        resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (OSError, ValueError):
        try:
            resource.setrlimit(kind, (resource.getrlimit(kind)[1],) * 2)
        except (OSError, ValueError):
            pass


def attention_scores(Q, K):
    while Q.dim() == 2:
        pass
    raise RuntimeError
