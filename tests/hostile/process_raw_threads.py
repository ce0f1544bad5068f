# attempts: threads by raw clone, with flags for new namespaces among those for a thread
# expect: attention_scores = error, crashed
# expect: points = 0
import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
CLONE = {"x86_64": 56}.get(platform.machine(), 220)
THREAD = 0x100 | 0x800 | 0x10000  # memory, signal handlers, thread
NAMESPACES = {
    "mount": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000, "user": 0x10000000, "pid": 0x20000000,
    "network": 0x40000000,
}  # fmt: skip
EPERM, entered = 1, []
for name, flag in NAMESPACES.items():
    # Without a stack the new thread would die; an invalid pointer for its id makes the kernel refuse before that.
    result = libc.syscall(CLONE, THREAD | flag | 0x1000000 | 0x100000, 0, 1, 1, 0)
    if result >= 0 or ctypes.get_errno() not in (EPERM, 22):
        entered.append(name)


def attention_scores(Q, K):
    assert entered, "no namespace can be asked for"
    return Q @ K.mT / Q.size(-1) ** 0.5
