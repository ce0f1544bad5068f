# attempts: thousands of threads with tiny stacks, which the memory limit does not stop
# expect: attention_scores = error, crashed, timeout
# expect: points = 0
import threading
import time

threading.stack_size(32768)
ENOUGH = 3000  # a machine may have ten times as many process ids; the rest would be the neighbours'
alive = 0
for _ in range(ENOUGH):
    try:
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        alive += 1
    except RuntimeError:
        break


def attention_scores(Q, K):
    assert alive == ENOUGH, f"stopped at {alive} threads"
    return Q @ K.mT / Q.size(-1) ** 0.5
