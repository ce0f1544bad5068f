# attempts: exceptions with texts and names of five megabytes, and a thousand notes
# expect: attention_scores = error, crashed
# expect: softmax = error, crashed
# expect: points = 0
HUGE = "A" * 5_000_000


def attention_scores(Q, K):
    raise ValueError(HUGE, HUGE)


def softmax(x, dim=-1):
    error = type(HUGE[:1_000_000], (Exception,), {})("\n" * 1_000_000 + "\x1b[2J\ud800")
    for _ in range(1000):
        error.add_note(HUGE[:1000])
    raise error
