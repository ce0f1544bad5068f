# attempts: files in the folders for temporary ones, shared memory, its own folder, the home, the package
# expect: attention_scores = error
# expect: points = 0
import os
import shelve
import sqlite3
import sys
import tempfile
from multiprocessing import shared_memory
from pathlib import Path

import torch

root = Path(sys.modules["attention_kata.worker.answer"].__file__).resolve().parents[3]
packages = [path for path in sys.path if os.path.isdir(path)]
made = []


def attempt(act):
    try:
        act()
        made.append(act)
    except Exception:
        pass


for folder in (
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/run",
    ".",
    os.path.expanduser("~"),
    str(root),
    str(root / "tests/hostile"),
    *packages,
):
    name = os.path.join(folder, "kata-hostile-file")
    attempt(lambda name=name: open(name, "w").write("x"))
    attempt(lambda name=name: os.mkdir(name + ".d"))
    attempt(lambda name=name: os.open(name + ".o", os.O_CREAT | os.O_WRONLY, 0o666))
    attempt(lambda name=name: os.open(folder, os.O_TMPFILE | os.O_RDWR))
    attempt(lambda name=name: torch.save(torch.zeros(2), name + ".pt"))
    attempt(lambda name=name: sqlite3.connect(name + ".db").execute("create table t (x)"))
    attempt(lambda name=name: shelve.open(name + ".shelf"))
attempt(lambda: tempfile.NamedTemporaryFile(prefix="kata-hostile-", delete=False))
attempt(lambda: tempfile.mkdtemp(prefix="kata-hostile-"))
attempt(lambda: shared_memory.SharedMemory("kata-hostile-memory", create=True, size=4096))
attempt(lambda: os.memfd_create("kata-hostile-memory"))


def attention_scores(Q, K):
    assert made, "nothing can be written"
    return Q @ K.mT / Q.size(-1) ** 0.5
