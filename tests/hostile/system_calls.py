# attempts: system calls that no attention needs: namespaces, mounts, bpf, perf, io_uring, keys, tracing, modules
# expect: attention_scores = error
# expect: points = 0
import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
X86_64 = {
    "unshare": (272, 0x10000000), "unshare mounts": (272, 0x20000), "setns": (308, 0, 0),
    "mount": (165, 0, 0, 0, 0, 0),
    "umount": (166, 0, 0), "pivot_root": (155, 0, 0), "chroot": (161, 0), "bpf": (321, 0, 0, 0),
    "open_tree": (428, 0, 0, 0),
    "fsopen": (430, 0, 0), "move_mount": (429, 0, 0, 0, 0, 0), "perf_event_open": (298, 0, 0, -1, -1, 0),
    "kcmp": (312, 1, 1, 0, 0, 0),
    "io_uring_setup": (425, 0, 0), "userfaultfd": (323, 0), "keyctl": (250, 0, 0, 0, 0, 0),
    "add_key": (248, 0, 0, 0, 0, 0),
    "ptrace": (101, 0, 0, 0, 0), "process_vm_readv": (310, 1, 0, 0, 0, 0, 0), "personality": (135, 0xFFFFFFFF),
    "init_module": (175, 0, 0, 0), "finit_module": (313, -1, 0, 0), "kexec_load": (246, 0, 0, 0, 0),
    "reboot": (169, 0, 0, 0, 0),
    "settimeofday": (164, 0, 0), "clock_settime": (227, 0, 0), "adjtimex": (159, 0), "sethostname": (170, 0, 0),
    "swapon": (167, 0, 0), "acct": (163, -1), "quotactl": (179, 0, 0, 0, 0), "ioperm": (173, 0, 0, 0),
    "iopl": (172, 0),
    "fanotify_init": (300, 0, 0), "inotify_init1": (294, 0), "memfd_create": (319, 0, 0), "memfd_secret": (447, 0),
    "shmget": (29, 0, 4096, 0o1600),
    "semget": (64, 0, 1, 0o1600), "msgget": (68, 0, 0o1600), "mq_open": (240, 0, 0, 0, 0),
    "timer_create": (222, 0, 0, 0),
    "eventfd2": (290, 0, 0), "epoll_create1": (291, 0), "signalfd4": (289, -1, 0, 8, 0),
    "timerfd_create": (283, 0, 0),
    "name_to_handle_at": (303, -1, 0, 0, 0, 0), "open_by_handle_at": (304, -1, 0, 0), "seccomp": (317, 0, 0, 0),
    "syslog": (103, 10, 0, 0),
    "landlock_create_ruleset": (444, 0, 0, 1), "capset": (126, 0, 0), "setuid": (105, 0), "setgroups": (116, 0, 0),
    "mlockall": (151, 1), "migrate_pages": (256, 0, 0, 0, 0), "move_pages": (279, 0, 0, 0, 0, 0, 0),
    "process_madvise": (440, 0, 0, 0, 0, 0),
    "pidfd_getfd": (438, -1, 0, 0), "splice": (275, -1, 0, -1, 0, 0, 0), "tee": (276, -1, -1, 0, 0),
    "vmsplice": (278, -1, 0, 0, 0),
    "lookup_dcookie": (212, 0, 0, 0), "sched_setaffinity": (203, 0, 0, 0), "sched_setscheduler": (144, 0, 0, 0),
    "setpriority": (141, 0, 0, 0),
    "prctl dumpable": (157, 4, 1), "prctl pdeathsig": (157, 1, 0), "prctl seccomp": (157, 22, 1),
    "prctl subreaper": (157, 36, 1),
    "arch_prctl": (158, 0x3001, 0), "modify_ldt": (154, 0, 0, 0), "setpgid": (109, 0, 0), "setsid": (112,),
    "chdir": (80, 0), "umask": (95, 0),
    "x32 getpid": (0x40000000 + 39,), "x32 socket": (0x40000000 + 41, 1, 1, 0),
}  # fmt: skip
EPERM, ENOSYS, ENOTTY = 1, 38, 25
reached = []
if platform.machine() == "x86_64":
    for name, (number, *arguments) in X86_64.items():
        ctypes.set_errno(0)
        result = libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments))
        if result >= 0 or ctypes.get_errno() not in (EPERM, ENOSYS, ENOTTY):
            reached.append(f"{name}: {result} {ctypes.get_errno()}")
if reached:
    print("reached the kernel:", *reached, sep="\n  ")


def attention_scores(Q, K):
    assert reached, "every one is refused"
    return Q @ K.mT / Q.size(-1) ** 0.5
