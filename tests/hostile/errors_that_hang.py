# attempts: exceptions whose text never ends
# expect: attention_scores = timeout, error
# expect: points = 0
class Hanging(Exception):
    def __str__(self):
        while self.args:
            pass
        return "at once"

    __repr__ = __str__


def attention_scores(Q, K):
    raise Hanging(1) if Q.dim() == 2 else Hanging
