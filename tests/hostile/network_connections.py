# attempts: connections and listeners: TCP, UDP, IPv6, raw, netlink, packet, vsock, unix, abstract, socket pairs
# expect: attention_scores = error
# expect: points = 0
import socket

opened = []
for family, kind, protocol in (
    (socket.AF_INET, socket.SOCK_STREAM, 0), (socket.AF_INET, socket.SOCK_DGRAM, 0),
    (socket.AF_INET6, socket.SOCK_STREAM, 0),
    (socket.AF_INET, socket.SOCK_RAW, 1), (socket.AF_NETLINK, socket.SOCK_RAW, 0),
    (socket.AF_PACKET, socket.SOCK_RAW, 3),
    (socket.AF_UNIX, socket.SOCK_STREAM, 0), (socket.AF_UNIX, socket.SOCK_DGRAM, 0),
    (socket.AF_VSOCK, socket.SOCK_STREAM, 0),
    (socket.AF_ALG, socket.SOCK_SEQPACKET, 0), (16, 3, 15), (44, 1, 0),
):  # fmt: skip
    try:
        opened.append(socket.socket(family, kind, protocol))
    except OSError:
        pass
for act in (
    lambda: socket.socketpair(), lambda: socket.create_server(("127.0.0.1", 0)),
    lambda: socket.create_connection(("127.0.0.1", 80), 1),
    lambda: socket.create_connection(("1.1.1.1", 53), 1),
    lambda: socket.socket(socket.AF_UNIX).bind("\0kata-hostile"),
    lambda: socket.socket(socket.AF_UNIX).bind("/tmp/kata-hostile.sock"),
    lambda: socket.socket(socket.AF_UNIX).connect("/run/docker.sock"),
):  # fmt: skip
    try:
        opened.append(act())
    except OSError:
        pass


def attention_scores(Q, K):
    assert opened, "no socket"
    return Q @ K.mT / Q.size(-1) ** 0.5
