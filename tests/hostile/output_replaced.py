# attempts: streams that hang, raise or lie when the worker flushes them
# expect: attention_scores = passed
# expect: points = 8
import sys


class Stream:
    encoding = "utf-8"

    def write(self, text):
        raise SystemExit(text)

    def flush(self):
        while True:
            pass

    def fileno(self):
        return 3


sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = Stream()
sys.excepthook = sys.unraisablehook = lambda *args: None


def attention_scores(Q, K):
    return Q @ K.mT / Q.size(-1) ** 0.5
