# attempts: clocks that stand still or run backwards
# expect: attention_scores = timeout, error
# expect: points = 0
import time

import attention_kata.worker.limits as limits

time.time = time.monotonic = time.perf_counter = time.process_time = lambda: 0.0
limits.limit_cpu_of_check = lambda *args: None
limits.resource = None


def attention_scores(Q, K):
    while Q.dim() == 2:
        pass
    raise RuntimeError
