# attempts: filling the disk, and the places that look like memory
# expect: attention_scores = error
# expect: points = 0
import os

MEBIBYTE = b"\0" * (1 << 20)
written = 0


def attention_scores(Q, K):
    global written
    for folder in ("/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~"), "."):
        try:
            with open(f"{folder}/kata-hostile-big", "wb") as file:
                for _ in range(64):
                    written += file.write(MEBIBYTE)
        except OSError:
            pass
    assert written, "no room anywhere"
    return Q @ K.mT / Q.size(-1) ** 0.5
