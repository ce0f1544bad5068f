# attempts: a fork bomb
# expect: attention_scores = error, timeout, crashed
# expect: points = 0
import os


def attention_scores(Q, K):
    children = 0
    for _ in range(200):
        try:
            children += os.fork() != 0
        except OSError:
            pass
    assert children, "not one fork"
    return Q @ K.mT / Q.size(-1) ** 0.5
