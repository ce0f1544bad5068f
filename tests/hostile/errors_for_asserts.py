# attempts: raising whatever a check may be waiting for, by name
# expect: attention_scores = error
# expect: softmax = error
# expect: attention = error, passed
# expect: points <= 0.5
class ValueError(Exception):  # noqa: A001
    pass


class Passed(ValueError, AssertionError, LookupError, ArithmeticError):
    pass


Passed.__name__ = "ValueError"


def attention_scores(Q, K):
    raise Passed("passed")


def softmax(x, dim=-1):
    raise Passed("not on the expected device: meta")


def attention(Q, K, V, mask=None):
    raise Passed("this code reads numbers out of a tensor on meta")
