# attempts: recursion without end: in Python, in a callback from C, in a repr that the report needs
# expect: attention_scores = error
# expect: softmax = crashed, error
# expect: attention = crashed, error
# expect: points = 0
import ctypes
import sys


def attention_scores(Q, K):
    return attention_scores(K, Q)


class Endless:
    def __repr__(self):
        return repr(self)


def softmax(x, dim=-1):
    sys.setrecursionlimit(1 << 30)
    return repr(Endless())


def attention(Q, K, V, mask=None):
    sys.setrecursionlimit(1 << 30)
    callback = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: callback())
    return callback()
