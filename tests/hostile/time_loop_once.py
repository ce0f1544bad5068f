# attempts: a loop in one case only: the others keep their verdicts
# expect: attention_scores = timeout, passed
# expect: points = 4
def attention_scores(Q, K):
    while Q.dim() == 4 and Q.dtype.itemsize == 8:
        pass
    return Q @ K.mT / Q.size(-1) ** 0.5
