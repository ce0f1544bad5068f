# attempts: a loop in a call, while the other functions are right
# expect: attention_scores = timeout
# expect: softmax = passed
# expect: points = 6
def attention_scores(Q, K):
    while True:
        pass


def softmax(x, dim=-1):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)
