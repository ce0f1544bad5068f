# attempts: writing into the inputs, and hiding it: by .data, by numpy, by a thread, by putting them back
# expect: attention_scores = passed, failed
# expect: softmax = passed, failed
# expect: points = 10.5
def attention_scores(Q, K):
    scores = Q @ K.mT / Q.size(-1) ** 0.5
    Q.data.zero_()
    K.data.numpy()[:] = 7
    return scores


def softmax(x, dim=-1):
    e = (x.detach() - x.detach().amax(dim, keepdim=True)).exp()
    weights = e / e.sum(dim, keepdim=True)
    memory = x.detach().numpy()
    memory += 1
    return weights
