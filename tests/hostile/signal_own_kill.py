# attempts: ending itself by SIGKILL in every call
# expect: attention_scores = crashed
# expect: points = 0
import os
import signal


def attention_scores(Q, K):
    os.kill(os.getpid(), signal.SIGKILL)
