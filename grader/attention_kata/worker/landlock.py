"""Landlock: which files a process may read, and that it opens no TCP connection and signals nobody outside.

It has no "except": what must stay secret may not lie below an allowed path.  Linux 5.13 and newer.
"""

from __future__ import annotations

import os
import struct
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from .system import LINUX, syscall

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
CREATE_RULESET_VERSION = 1
RULE_PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE, IOCTL_DEV = (1 << bit for bit in (0, 1, 2, 3, 14, 15))
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
BITS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15}  # from 5 on: 16
HANDLES_NETWORK, HANDLES_SCOPES = 4, 6  # the ABI from which these are there
BOTH = 3  # bind and connect; abstract sockets and signals


def abi() -> int:
    """The version the kernel speaks; 0 where there is none."""
    try:
        return syscall(CREATE_RULESET, None, 0, CREATE_RULESET_VERSION) if LINUX else 0
    except OSError:
        return 0


def ruleset(readable: Iterable[str], listable: Iterable[str] = ()) -> int:
    """A descriptor of rules: files below `readable` may be read, folders in `listable` listed, nothing else.

    Made once; a process that calls `restrict` with it can never widen it.
    """
    version = abi()
    if not version:
        raise OSError(38, "this kernel has no Landlock")
    handled = (1 << BITS_BY_ABI.get(version, 16)) - 1
    attributes = struct.pack("<Q", handled)
    if version >= HANDLES_NETWORK:
        attributes += struct.pack("<Q", BOTH)
    if version >= HANDLES_SCOPES:
        attributes += struct.pack("<Q", BOTH)
    rules = syscall(CREATE_RULESET, attributes, len(attributes), 0)
    for paths, access in ((readable, EXECUTE | READ_FILE | READ_DIR), (listable, READ_DIR)):
        for path in paths:
            _allow(rules, path, access & handled)
    return rules


def restrict(rules: int) -> None:
    """Confine this process, for good.  Needs no-new-privileges."""
    syscall(RESTRICT_SELF, rules, 0)


def _allow(rules: int, path: str, access: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no rule
    try:
        allowed = access if os.path.isdir(path) else access & ON_FILES
        syscall(ADD_RULE, rules, RULE_PATH_BENEATH, struct.pack("<Qi", allowed, descriptor), 0)
    finally:
        os.close(descriptor)


def interpreter_paths(secret: Path) -> tuple[list[str], list[str]]:
    """(readable, listable): what Python and torch may need to import or load, but nothing that holds `secret`.

    Of a folder of packages each entry is allowed by itself, except our own package.
    """
    own = secret.resolve()
    readable = {
        "/usr/lib", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo", "/etc/localtime",
        "/dev/null", "/dev/zero", "/dev/urandom", "/sys/devices/system/cpu", sys.executable,
    }  # fmt: skip
    packages = [p for p in map(Path, sys.path) if p.is_dir() and p.name in ("site-packages", "dist-packages")]
    for folder in packages:
        readable |= {
            str(entry) for entry in folder.iterdir() if not entry.name.startswith(("attention_kata", "__editable__"))
        }
    for name in ("stdlib", "platstdlib"):
        library = Path(sysconfig.get_path(name))
        if any(folder.is_relative_to(library) for folder in packages):  # site-packages lies below lib/python3.X
            readable |= {str(entry) for entry in library.iterdir() if entry not in packages}
        else:
            readable.add(str(library))
    safe = {path for path in readable if os.path.exists(path) and not own.is_relative_to(Path(path).resolve())}
    return sorted(safe), [str(folder) for folder in (*packages, Path(sysconfig.get_path("stdlib")))]
