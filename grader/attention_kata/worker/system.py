"""System calls that Python does not offer, through ctypes."""

from __future__ import annotations

import ctypes
import os
import platform
import sys

LINUX = sys.platform == "linux"
MACHINE = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_KEEPCAPS = 8
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

CAP_DAC_READ_SEARCH = 1 << 2  # entering closed folders

_libc = ctypes.CDLL(None, use_errno=True) if LINUX else None


def syscall(number: int, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """The raw system call.  OSError with the kernel's reason."""
    if _libc is None:
        raise OSError(38, f"{sys.platform} has no such system call")
    converted = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result: int = _libc.syscall(ctypes.c_long(number), *converted)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def prctl(option: int, value: int) -> None:
    """prctl(option, value, 0, 0, 0).  OSError with the kernel's reason."""
    if _libc is None:
        raise OSError(38, f"{sys.platform} has no prctl")
    if _libc.prctl(*(ctypes.c_ulong(n) for n in (option, value, 0, 0, 0))) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def unshare(flags: int) -> None:
    """Leave the namespaces named by `flags` for new ones.  OSError where that is not allowed."""
    if _libc is None:
        raise OSError(38, f"{sys.platform} has no namespaces")
    if _libc.unshare(ctypes.c_int(flags)) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def drop_capabilities(kept: int = 0) -> None:
    """Give up every capability of this process but those `kept`, also when its uid is 0."""
    header = (0x20080522).to_bytes(4, sys.byteorder) + (0).to_bytes(4, sys.byteorder)  # version 3, this process
    low = kept.to_bytes(4, sys.byteorder)  # effective, permitted, inheritable; then the same for those above 31
    syscall({"x86_64": 126, "aarch64": 91}[MACHINE], header, low + low + bytes(16))


def read_text(path: str) -> str:
    """A small file of /proc.  Without Python's layers of files, which cost each child more than all the rest."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 1 << 16).decode()
    finally:
        os.close(descriptor)


def write_text(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)
