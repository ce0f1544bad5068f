# attempts: writing into the interpreter's memory: small numbers, True and False, code, the type of Tensor
# expect: attention_scores = failed, error, crashed, timeout
# expect: softmax = failed, error, crashed, timeout
# expect: points = 0
import ctypes

import torch

from attention_kata.worker import observe


def attention_scores(Q, K):
    ctypes.memmove(id(False), id(True), 32)
    for number in (0, 2):
        ctypes.c_long.from_address(id(number) + 24).value = 1
    return torch.zeros(1)


def softmax(x, dim=-1):
    code = observe._all_same.__code__.co_code
    ctypes.memmove(id(code) + bytes.__basicsize__ - 1, b"\x64\x01\x53\x00" * (len(code) // 4), len(code) // 4 * 4)
    ctypes.memset(id(torch.Tensor) + 16, 0x41, 64)
    return torch.zeros(1)
