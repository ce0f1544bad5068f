# attempts: sleeping through the night, and waiting on a lock that nobody lets go
# expect: attention_scores = timeout, error
# expect: points = 0
import threading
import time


def attention_scores(Q, K):
    lock = threading.Lock()
    lock.acquire()
    if Q.dim() == 4 and Q.dtype.itemsize == 8:
        time.sleep(3600)
    if Q.dim() == 2:
        lock.acquire()
    raise RuntimeError
