"""Seccomp: the few system calls that computing needs, and no other.

The filter is our own because the well-kept binding, pyseccomp, needs a libseccomp that not every machine has, and
takes several times as long for each process as loading this program.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from .system import LINUX, MACHINE, syscall

ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
SECCOMP = {"x86_64": 317, "aarch64": 277}
SET_MODE_FILTER = 1
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
CLONE_THREAD = 0x10000
CLONE_NAMESPACES = 0x7E020000  # any new one
FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 1030)  # copying, flags, locks; not F_SETOWN or F_SETSIG: signals to others
WRITING = 0o1103  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC: before its version 3 Landlock does not know of the last
PR_SET_NAME, PR_SET_VMA = 15, 0x53564D41
RLIMIT_CPU = 0
ANY_PID = 0x7FFFFFFF  # where a process id goes; no process has this one
LINE_BYTES = 8
NUMBER, ARCH, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data

X86_64 = {
    "read": 0, "write": 1, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "poll": 7, "lseek": 8, "mmap": 9,
    "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15,
    "pread64": 17, "readv": 19, "writev": 20, "access": 21, "select": 23, "sched_yield": 24, "mremap": 25,
    "mincore": 27, "madvise": 28, "dup": 32, "dup2": 33, "pause": 34, "nanosleep": 35, "getpid": 39, "exit": 60,
    "uname": 63, "getcwd": 79, "readlink": 89, "gettimeofday": 96, "getrlimit": 97, "getrusage": 98,
    "sysinfo": 99, "times": 100, "getuid": 102, "getgid": 104, "geteuid": 107, "getegid": 108, "getppid": 110,
    "sigaltstack": 131, "statfs": 137, "fstatfs": 138, "sched_getparam": 143, "sched_getscheduler": 145,
    "rt_sigtimedwait": 128, "gettid": 186, "time": 201, "futex": 202, "sched_getaffinity": 204, "getdents64": 217,
    "restart_syscall": 219, "clock_gettime": 228, "clock_getres": 229, "clock_nanosleep": 230, "exit_group": 231,
    "newfstatat": 262, "readlinkat": 267, "pselect6": 270, "ppoll": 271, "set_robust_list": 273,
    "dup3": 292, "pipe2": 293, "getcpu": 309, "getrandom": 318, "membarrier": 324, "statx": 332, "rseq": 334,
    "faccessat": 269, "faccessat2": 439,
}  # fmt: skip
AARCH64 = {
    "getcwd": 17, "dup": 23, "dup3": 24, "statfs": 43, "fstatfs": 44, "faccessat": 48,
    "close": 57, "pipe2": 59, "getdents64": 61, "lseek": 62, "read": 63, "write": 64, "readv": 65, "writev": 66,
    "pread64": 67, "pselect6": 72, "ppoll": 73, "readlinkat": 78, "newfstatat": 79, "fstat": 80, "exit": 93,
    "exit_group": 94, "futex": 98, "set_robust_list": 99, "nanosleep": 101, "clock_gettime": 113, "clock_getres": 114,
    "clock_nanosleep": 115, "sched_getscheduler": 120, "sched_getparam": 121, "sched_getaffinity": 123,
    "sched_yield": 124, "restart_syscall": 128, "sigaltstack": 132, "rt_sigaction": 134, "rt_sigprocmask": 135,
    "rt_sigtimedwait": 137, "rt_sigreturn": 139, "times": 153, "uname": 160, "getrlimit": 163, "getrusage": 165,
    "getcpu": 168, "gettimeofday": 169, "getpid": 172, "getppid": 173, "getuid": 174, "geteuid": 175, "getgid": 176,
    "getegid": 177, "gettid": 178, "sysinfo": 179, "brk": 214, "munmap": 215, "mremap": 216, "mmap": 222,
    "mprotect": 226, "mincore": 232, "madvise": 233, "getrandom": 278, "membarrier": 283, "statx": 291, "rseq": 293,
    "faccessat2": 439,
}  # fmt: skip
ALLOWED = {"x86_64": X86_64, "aarch64": AARCH64}
GUARDED = {  # allowed for some arguments only
    "x86_64": {
        "clone": 56, "clone3": 435, "fcntl": 72, "ioctl": 16, "prctl": 157, "tgkill": 234, "kill": 62, "prlimit64": 302,
        "open": 2, "openat": 257,
    },
    "aarch64": {
        "clone": 220, "clone3": 435, "fcntl": 25, "ioctl": 29, "prctl": 167, "tgkill": 131, "kill": 129,
        "prlimit64": 261, "openat": 56,
    },
}  # fmt: skip

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant
_ALLOW: Instruction = (RETURN, 0, 0, ALLOW)
_REFUSE: Instruction = (RETURN, 0, 0, ERRNO | errno.EPERM)


def program(pid: int, machine: str = MACHINE) -> list[Instruction]:
    """The filter for the process `pid`: what is not allowed fails with EPERM."""
    guarded = GUARDED[machine]
    lines: list[Instruction] = [(LOAD, 0, 0, ARCH), (EQUAL, 1, 0, ARCHITECTURE[machine]), (RETURN, 0, 0, KILL)]
    lines.append((LOAD, 0, 0, NUMBER))

    def when(number: int, *body: Instruction) -> None:
        lines.append((EQUAL, 0, len(body), number))
        lines.extend(body)

    when(guarded["clone3"], (RETURN, 0, 0, ERRNO | errno.ENOSYS))  # glibc then uses clone, whose flags can be read
    threads = (ANY_BIT, 2, 0, CLONE_NAMESPACES), (ANY_BIT, 0, 1, CLONE_THREAD), _ALLOW, _REFUSE
    when(guarded["clone"], (LOAD, 0, 0, _argument(0)), *threads)
    commands = [line for command in FCNTL for line in ((EQUAL, 0, 1, command), _ALLOW)]
    when(guarded["fcntl"], (LOAD, 0, 0, _argument(1)), *commands, _REFUSE)
    for name, flags in (("open", 1), ("openat", 2)):
        if name in guarded:
            when(guarded[name], (LOAD, 0, 0, _argument(flags)), (ANY_BIT, 0, 1, WRITING), _REFUSE, _ALLOW)
    when(guarded["ioctl"], (RETURN, 0, 0, ERRNO | errno.ENOTTY))
    for name in ("tgkill", "kill"):  # abort() and raise(), but no other process
        when(guarded[name], (LOAD, 0, 0, _argument(0)), (EQUAL, 0, 1, pid), _ALLOW, _REFUSE)
    prctl = (LOAD, 0, 0, _argument(0)), (EQUAL, 1, 0, PR_SET_NAME), (EQUAL, 0, 1, PR_SET_VMA), _ALLOW, _REFUSE
    when(guarded["prctl"], *prctl)
    # prlimit64(0, resource, new, old): reading any limit, setting only that of processor time
    read_only = (LOAD, 0, 0, _argument(2)), (EQUAL, 0, 3, 0), (LOAD, 0, 0, _argument(2) + 4), (EQUAL, 0, 1, 0), _ALLOW
    cpu = (LOAD, 0, 0, _argument(1)), (EQUAL, 0, 1, RLIMIT_CPU), _ALLOW, _REFUSE
    when(guarded["prlimit64"], (LOAD, 0, 0, _argument(0)), (EQUAL, 1, 0, 0), _REFUSE, *read_only, *cpu)
    for number in sorted(ALLOWED[machine].values()):
        lines += [(EQUAL, 0, 1, number), _ALLOW]
    lines.append(_REFUSE)
    return lines


def assembled() -> bytes:
    """The filter for any process, made once: `restrict` puts the process id in.  Empty where there is no table."""
    if not LINUX or MACHINE not in ALLOWED:
        return b""
    return b"".join(struct.pack("<HBBI", *line) for line in program(ANY_PID, MACHINE))


def restrict(filter: bytes, pid: int) -> None:
    """Load an assembled filter for the process `pid`, for good.  Needs no-new-privileges.

    OSError where it cannot be had.
    """
    if not filter:
        raise OSError(errno.ENOSYS, f"no table of system calls for {MACHINE}")
    code = ctypes.create_string_buffer(for_process(filter, pid), len(filter))
    head = ctypes.create_string_buffer(struct.pack("@HxxxxxxP", len(filter) // LINE_BYTES, ctypes.addressof(code)))
    syscall(SECCOMP[MACHINE], SET_MODE_FILTER, 0, head)


def for_process(filter: bytes, pid: int) -> bytes:
    """An assembled filter with the process id put in."""
    return filter.replace(_equals(ANY_PID), _equals(pid))


def _equals(pid: int) -> bytes:
    """How a line begins and ends that compares with a process id."""
    return struct.pack("<HBBI", EQUAL, 0, 1, pid)


def _argument(number: int) -> int:
    """Offset of the low half of a system call's argument."""
    return ARGUMENTS + 8 * number
