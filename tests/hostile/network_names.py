# attempts: names and pages: DNS, http, ftp, e-mail, asyncio, torch.hub, distributed torch
# expect: attention_scores = error
# expect: points = 0
import asyncio
import ftplib
import smtplib
import socket
import urllib.request

import torch

reached = []
for act in (
    lambda: socket.getaddrinfo("example.org", 80), lambda: socket.gethostbyname("example.org"),
    lambda: socket.getfqdn("1.1.1.1") == "1.1.1.1" and 1 / 0,
    lambda: urllib.request.urlopen("http://example.org", timeout=1), lambda: ftplib.FTP("127.0.0.1", timeout=1),
    lambda: smtplib.SMTP("127.0.0.1", timeout=1), lambda: asyncio.run(asyncio.sleep(0)),
    lambda: torch.hub.load_state_dict_from_url("http://example.org/kata-hostile.pt", progress=False),
    lambda: torch.distributed.TCPStore("127.0.0.1", 29500, 1, True),
):  # fmt: skip
    try:
        act()
        reached.append(act)
    except Exception:
        pass


def attention_scores(Q, K):
    assert reached, "no way out"
    return Q @ K.mT / Q.size(-1) ** 0.5
