# attempts: raising its limits of memory, files, descriptors, processes, priority; its own and the parent's
# expect: attention_scores = error
# expect: points = 0
import ctypes
import os
import resource

libc = ctypes.CDLL(None, use_errno=True)
raised = []
for name in ("AS", "DATA", "STACK", "NOFILE", "FSIZE", "NPROC", "CORE", "MEMLOCK", "NICE", "RTPRIO", "MSGQUEUE", "CPU"):
    kind = getattr(resource, f"RLIMIT_{name}")
    before = resource.getrlimit(kind)
    for pid in (0, os.getppid(), 1):
        try:
            resource.prlimit(pid, kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        except (OSError, ValueError):
            continue
        if pid or resource.getrlimit(kind) != before:
            raised.append(name)
    libc.setrlimit(kind, (ctypes.c_ulong * 2)(2**64 - 1, 2**64 - 1))
    if resource.getrlimit(kind)[1] != before[1]:
        raised.append(name)


def attention_scores(Q, K):
    assert raised, "no limit can be raised"
    return Q @ K.mT / Q.size(-1) ** 0.5
