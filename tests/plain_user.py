"""Running a program without any right of root, as root (Linux): for tests."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from attention_kata.worker import system
from attention_kata.worker.confine import closed_to_others

NOBODY = 65534
CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE, MS_REMOUNT, MS_RDONLY = 0x20000, 0x1000, 0x4000, 0x40000, 32, 1


def run_as_plain_user(
    command: Sequence[str], trees: Sequence[Path], first: Callable[[], None] = lambda: None
) -> subprocess.CompletedProcess[str]:
    """Run `command`, which needs to read the interpreter and `trees`, as the user nobody, or as us if we are no root.

    Nobody may not read what lies below a closed home.  There the process first gets a view of the file system of its
    own, in which an empty open folder hides the closed one and holds the trees alone.  Where mounting is not allowed
    it gets a user namespace in which our uid has nobody's number: after exec it has no capability, and it is told
    apart from nobody only by being able to read our files, and by the system's not counting its processes.  What
    `first` does is done in the process before it gives up its rights.
    """
    wanted = [Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), *trees]
    closed = {folder for tree in wanted if (folder := closed_to_others(str(tree)))}

    def become_nobody() -> None:
        first()
        try:
            if closed:
                _open_up(sorted(closed), wanted)
        except OSError:
            _rename_uid()
            return
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)

    return subprocess.run(
        command, cwd="/", capture_output=True, text=True, preexec_fn=become_nobody if os.geteuid() == 0 else None
    )


def _open_up(closed: Sequence[str], trees: Sequence[Path]) -> None:
    """Hide closed folders behind open ones, for this process alone, and bring the trees back into them."""
    system.unshare(CLONE_NEWNS)
    descriptors = [os.open(tree, os.O_PATH) for tree in trees]
    _mount(None, "/", None, MS_REC | MS_PRIVATE, None)
    for folder in closed:
        _mount("tmpfs", folder, "tmpfs", 0, "mode=755")
    for tree, descriptor in zip(trees, descriptors, strict=True):
        tree.mkdir(mode=0o755, parents=True, exist_ok=True)
        _mount(f"/proc/self/fd/{descriptor}", str(tree), None, MS_BIND | MS_REC, None)


def _rename_uid() -> None:
    system.unshare(system.CLONE_NEWUSER)
    for file, line in (("setgroups", "deny"), ("uid_map", f"{NOBODY} 0 1"), ("gid_map", f"{NOBODY} 0 1")):
        Path(f"/proc/self/{file}").write_text(line)


def mount_read_only(folder: str) -> None:
    """For this process alone, and those that it starts."""
    system.unshare(CLONE_NEWNS)
    _mount(None, "/", None, MS_REC | MS_PRIVATE, None)
    _mount(folder, folder, None, MS_BIND | MS_REC, None)
    _mount(None, folder, None, MS_BIND | MS_REMOUNT | MS_RDONLY, None)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None) -> None:
    texts = [text.encode() if text is not None else None for text in (source, target, kind, data)]
    if ctypes.CDLL(None, use_errno=True).mount(*texts[:3], ctypes.c_ulong(flags), texts[3]):
        raise OSError(ctypes.get_errno(), "mount")
