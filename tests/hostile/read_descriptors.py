# attempts: reading, seeking and mapping every descriptor it was born with
# expect: attention_scores = error
# expect: points = 0
import mmap
import os
import stat

found = []
for fd in range(256):
    try:
        status = os.fstat(fd)
    except OSError:
        continue
    if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode) or stat.S_ISBLK(status.st_mode):
        found.append(("file", fd))
    if stat.S_ISSOCK(status.st_mode) and fd > 2 and len([f for f, _ in found if f == "socket"]):
        found.append(("second socket", fd))
    if stat.S_ISSOCK(status.st_mode):
        found.append(("socket", fd))
    for attempt in (lambda fd=fd: os.pread(fd, 16, 0), lambda fd=fd: mmap.mmap(fd, 4096, prot=mmap.PROT_READ)):
        try:
            if attempt():
                found.append(("bytes", fd))
        except (OSError, ValueError):
            pass
found = [each for each in found if each[0] != "socket"]
if found:
    print(found)


def attention_scores(Q, K):
    assert found, "only one socket and the output"
    return Q @ K.mT / Q.size(-1) ** 0.5
