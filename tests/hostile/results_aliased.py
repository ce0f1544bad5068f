# attempts: results that are views of the inputs, and that a thread changes after the return
# expect: attention_scores = failed, passed, skipped
# expect: points <= 3
import threading
import time

import torch


def later(tensor):
    time.sleep(0.0005)
    while True:
        tensor.mul_(-1)


def attention_scores(Q, K):
    with torch.no_grad():
        threading.Thread(target=later, args=(Q.detach(),), daemon=True).start()
        threading.Thread(target=later, args=(K.detach(),), daemon=True).start()
    return Q.as_strided((*Q.shape[:-1], K.size(-2)), (0,) * Q.dim())
