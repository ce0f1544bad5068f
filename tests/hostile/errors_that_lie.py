# attempts: exceptions whose type, bases, text or traceback raise, exit, or pretend to be others
# expect: attention_scores = error, crashed
# expect: softmax = error, crashed
# expect: attention = error, crashed, failed
# expect: points = 0
import os


class Meta(type):
    @property
    def __name__(cls):
        raise SystemExit(0)

    @property
    def __mro__(cls):
        return (cls, "passed", os)


class Masked(Exception, metaclass=Meta):
    pass


class Exiting(Exception):
    def __str__(self):
        os._exit(0)

    @property
    def __class__(self):
        return SystemExit

    @property
    def __traceback__(self):
        raise KeyboardInterrupt


class NumberText(Exception):
    def __str__(self):
        return 42


def attention_scores(Q, K):
    raise Masked


def softmax(x, dim=-1):
    raise Exiting


def attention(Q, K, V, mask=None):
    try:
        raise NumberText
    except NumberText as error:
        error.__cause__ = error.__context__ = error
        raise
