# attempts: replacing the worker's framing: every observation sent twice, then as the case before it
# expect: attention_scores = crashed, failed, skipped
# expect: points = 0
import torch

from attention_kata.worker import frames

send, sent = frames.send, []


def twice(fd, frame):
    sent.append(frame)
    send(fd, sent[max(0, len(sent) - 2)])
    send(fd, sent[max(0, len(sent) - 2)])


frames.send = twice


def attention_scores(Q, K):
    return torch.zeros(1)
