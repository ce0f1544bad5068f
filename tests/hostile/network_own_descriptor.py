# attempts: passing descriptors and credentials over the one socket it has, and shutting it down
# expect: attention_scores = error, crashed
# expect: points = 0
import array
import os
import socket
import stat

sent = []
for fd in range(3, 64):
    try:
        if not stat.S_ISSOCK(os.fstat(fd).st_mode):
            continue
    except OSError:
        continue
    for act in (
        lambda s: s.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1] * 16))]),
        lambda s: s.send(b"", socket.MSG_OOB), lambda s: s.recv(1, socket.MSG_DONTWAIT),
        lambda s: s.shutdown(socket.SHUT_RDWR),
        lambda s: s.getpeername(), lambda s: s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 30),
        lambda s: s.accept(),
    ):  # fmt: skip
        try:
            sent.append(act(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=os.dup(fd))))
        except OSError:
            pass


def attention_scores(Q, K):
    assert sent, "read and write only"
    return Q @ K.mT / Q.size(-1) ** 0.5
