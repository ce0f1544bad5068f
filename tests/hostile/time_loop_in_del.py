# attempts: a loop in __del__ of a result, when the worker lets it go
# expect: attention_scores = timeout, failed
# expect: points = 0
class Sticky:
    def __del__(self):
        while True:
            pass


def attention_scores(Q, K):
    return Sticky() if Q.dim() == 2 else None
