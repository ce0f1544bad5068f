# attempts: a thread that goes on computing after every call, to starve whoever comes next
# expect: attention_scores = passed, timeout, error, skipped
# expect: points <= 8
import threading


def busy():
    while True:
        pass


def attention_scores(Q, K):
    threading.Thread(target=busy, daemon=True).start()
    return Q @ K.mT / Q.size(-1) ** 0.5
