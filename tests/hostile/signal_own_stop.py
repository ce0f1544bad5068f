# attempts: stopping itself, so that somebody waits for ever
# expect: attention_scores = timeout, error
# expect: points = 0
import os
import signal


def attention_scores(Q, K):
    if Q.dim() == 2:
        os.kill(os.getpid(), signal.SIGSTOP)
    raise RuntimeError
