# attempts: a recorder that records nothing, and torch's softmax in the open
# expect: softmax = failed, skipped
# expect: points = 0
from contextlib import ExitStack

import torch

from attention_kata.worker import observe, record


class Blind(ExitStack):
    names, operations, largest = set(), 12, 144


observe.Recorder = record.Recorder = Blind


def softmax(x, dim=-1):
    return torch.nn.functional.softmax(x, dim)
