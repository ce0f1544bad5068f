# attempts: a daemon that outlives the grader: two forks, a session of its own, then sleep
# expect: attention_scores = error
# expect: points = 0
import os
import time


def daemon():
    if os.fork():
        return True
    os.setsid()
    if os.fork():
        os._exit(0)
    os.closerange(0, 64)
    with open("/proc/self/comm", "w") as name:
        name.write("kata-hostile")
    time.sleep(600)
    os._exit(0)


def attention_scores(Q, K):
    assert daemon()
    return Q @ K.mT / Q.size(-1) ** 0.5
