# attempts: leaving through exceptions that `except Exception` does not catch
# expect: attention_scores = error
# expect: softmax = error
# expect: attention = error
# expect: points = 0
class Through(BaseException):
    pass


def attention_scores(Q, K):
    raise Through("not an Exception")


def softmax(x, dim=-1):
    raise KeyboardInterrupt


def attention(Q, K, V, mask=None):
    try:
        raise SystemExit(0)
    finally:
        raise GeneratorExit
