# attempts: more output than anybody can read, on stdout and stderr, without a line end
# expect: attention_scores = timeout, error
# expect: points = 0
import os

BLOCK = b"A" * 65536


def attention_scores(Q, K):
    while Q.dim() == 2:
        os.write(1, BLOCK)
        os.write(2, BLOCK)
    raise RuntimeError
