# attempts: exit code 0 in the middle of each call
# expect: attention_scores = crashed
# expect: softmax = crashed
# expect: points = 0
import ctypes
import os
import sys


def attention_scores(Q, K):
    sys.stdout.flush()
    os._exit(0)


def softmax(x, dim=-1):
    ctypes.CDLL(None).exit(0)
