# attempts: right answers the first time only
# expect: attention_scores = passed, failed
# expect: points = 7
seen = []


def attention_scores(Q, K):
    known = any(each is Q for each in seen)
    seen.append(Q)
    return Q @ K.mT / Q.size(-1) ** 0.5 * (2 if known else 1)
