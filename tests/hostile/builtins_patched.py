# attempts: builtins that say what the worker wants to hear
# expect: attention_scores = error, crashed, skipped
# expect: points = 0
import builtins

isinstance_, all_, len_ = builtins.isinstance, builtins.all, builtins.len
builtins.all = builtins.any = builtins.callable = lambda *args: True
builtins.abs = builtins.max = builtins.min = lambda *args, **kwargs: 0
builtins.sorted = lambda *args, **kwargs: []
builtins.str = builtins.repr = lambda *args: "passed"
builtins.print = lambda *args, **kwargs: None
builtins.BaseException = builtins.Exception = ArithmeticError


def attention_scores(Q, K):
    raise KeyError("not caught")
