# attempts: killing every process it may: kill(-1), its group, every pid up to ten thousand
# expect: attention_scores = error
# expect: points = 0
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
reached = []


def attempt(*arguments, through=os.kill):
    try:
        through(*arguments)
        reached.append(arguments)
    except OSError:
        pass


me = os.getpid()
for pid in (*range(2, me), *range(me + 1, 10_000)):
    attempt(pid, 0)
if reached:  # say so, and harm nobody
    raise SystemExit(f"{len(reached)} processes can be signalled")
attempt(-1, 0)
attempt(1, 0)
attempt(os.getppid(), 0)
attempt(0, 0, through=os.killpg)
attempt(1, 0, through=os.killpg)
attempt(me, 0, through=os.killpg)
attempt(-me, 0)


def attention_scores(Q, K):
    assert reached, "nobody can be signalled"
    return Q @ K.mT / Q.size(-1) ** 0.5
