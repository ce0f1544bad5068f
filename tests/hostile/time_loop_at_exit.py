# attempts: loops when the interpreter ends: atexit, a thread that is waited for, a module's __del__
# expect: attention_scores = passed, skipped
# expect: points = 7.5
import atexit
import threading


def endless():
    while True:
        pass


class Last:
    __del__ = staticmethod(endless)


last = Last()
atexit.register(endless)
threading._register_atexit(endless)
threading.Thread(target=threading.Event().wait, daemon=False).start()


def attention_scores(Q, K):
    return Q @ K.mT / Q.size(-1) ** 0.5
