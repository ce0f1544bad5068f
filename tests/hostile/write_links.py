# attempts: links, renames, pipes, devices, permissions, times, attributes; deleting and truncating its own file
# expect: attention_scores = error
# expect: points = 0
import os
import sys
from pathlib import Path

root = Path(sys.modules["attention_kata.worker.answer"].__file__).resolve().parents[3]
me = str(root / "tests/hostile/write_links.py")
name = "/tmp/kata-hostile-link"
done = []
for act in (
    lambda: os.symlink("/etc/passwd", name), lambda: os.link(me, name), lambda: os.mkfifo(name),
    lambda: os.mknod(name),
    lambda: os.mknod(name, 0o20666, os.makedev(1, 1)), lambda: os.rename(me, me + ".kata-hostile"),
    lambda: os.replace(me, name),
    lambda: os.chmod(me, 0o777), lambda: os.chown(me, 65534, 65534), lambda: os.utime(me), lambda: os.truncate(me, 0),
    lambda: os.unlink(me), lambda: os.rmdir("/tmp"), lambda: os.setxattr(me, "user.kata", b"x"),
    lambda: os.mkdir("/tmp/kata-hostile.d"),
    lambda: os.chmod("/tmp", 0o777), lambda: os.utime("/tmp"), lambda: os.open(me, os.O_RDONLY | os.O_TRUNC),
    lambda: os.fchmod(1, 0o777), lambda: os.sync() or 1 / 0,
    lambda: os.lockf(os.open(os.__file__, os.O_RDWR), os.F_LOCK, 1),
):  # fmt: skip
    try:
        act()
        done.append(act)
    except (OSError, ZeroDivisionError):
        pass


def attention_scores(Q, K):
    assert done, "nothing can be changed"
    return Q @ K.mT / Q.size(-1) ** 0.5
