# attempts: memory that some limits do not count: shared mappings, pipes, stacks
# expect: attention_scores = error, crashed, timeout
# expect: points = 0
import mmap
import os
import threading

GIBIBYTE = 1 << 30


def attention_scores(Q, K):
    kept = []
    try:
        for _ in range(64):
            kept.append(mmap.mmap(-1, GIBIBYTE, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))
    except OSError:
        pass
    pipes = 0
    try:
        while True:
            os.pipe()
            pipes += 1
    except OSError:
        pass
    threading.stack_size(GIBIBYTE)
    started = 0
    try:
        for _ in range(64):
            threading.Thread(target=threading.Event().wait, daemon=True).start()
            started += 1
    except (RuntimeError, MemoryError):
        pass
    assert len(kept) > 8 or pipes > 64 or started > 8, "every limit counts"
    return Q @ K.mT / Q.size(-1) ** 0.5
