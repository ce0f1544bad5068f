"""A system that refuses some system calls to a process and to what it starts, for real (Linux): for tests."""

import ctypes
import struct

from attention_kata.worker import seccomp, system

NUMBERS = {  # on x86_64, aarch64
    "clone": (56, 220), "unshare": (272, 97), "pidfd_open": (434, 434), "landlock_create_ruleset": (444, 444),
    "pidfd_send_signal": (424, 424), "setresuid": (117, 147),
}  # fmt: skip
FORK = 0x01200011  # the flags by which the C library forks, and starts no thread and no other program


def refuse(*calls):
    """From now on each (name, error number) fails so; (name, error number, first argument) with that alone."""
    lines = [(seccomp.LOAD, 0, 0, seccomp.NUMBER)]
    for name, error, *argument in calls:
        number = NUMBERS[name][list(seccomp.ARCHITECTURE).index(system.MACHINE)]
        body = [(seccomp.RETURN, 0, 0, seccomp.ERRNO | error)]
        if argument:
            back = [(seccomp.LOAD, 0, 0, seccomp.NUMBER)]
            body = [(seccomp.LOAD, 0, 0, seccomp.ARGUMENTS), (seccomp.EQUAL, 0, 1, argument[0]), *body, *back]
        lines += [(seccomp.EQUAL, 0, len(body), number), *body]
    lines.append((seccomp.RETURN, 0, 0, seccomp.ALLOW))
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *line) for line in lines))
    filter = ctypes.create_string_buffer(struct.pack("@HxxxxxxP", len(lines), ctypes.addressof(code)))
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    system.syscall(seccomp.SECCOMP[system.MACHINE], seccomp.SET_MODE_FILTER, 0, filter)
