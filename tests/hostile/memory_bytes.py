# attempts: memory through Python objects: huge texts, numbers, lists and powers
# expect: attention_scores = error, crashed, timeout
# expect: points = 0
BOMBS = [
    lambda: bytearray(50 << 30), lambda: [0] * (10 << 30), lambda: "x" * (50 << 30), lambda: 1 << (1 << 38),
    lambda: range(1 << 62)[:].__len__(),
    lambda: bytes(1 << 62), lambda: set(range(1 << 32)),
]  # fmt: skip


def attention_scores(Q, K):
    for bomb in BOMBS[:-1]:
        try:
            bomb()
        except (MemoryError, OverflowError):
            continue
        break
    raise MemoryError
