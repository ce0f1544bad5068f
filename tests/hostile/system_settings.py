# attempts: changing what others would inherit: niceness, umask, folder, locale, time zone, host name, affinity
# expect: attention_scores = error
# expect: points = 0
import locale
import os
import resource
import socket
import time

changed = []
for name, change in {
    "nice": lambda: os.nice(5), "umask": lambda: os.umask(0), "folder": lambda: os.chdir("/usr/lib"),
    "priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, 10), "host": lambda: socket.sethostname("kata-hostile"),
    "affinity": lambda: os.sched_setaffinity(0, {0}),
    "parent's affinity": lambda: os.sched_setaffinity(os.getppid(), {0}),
    "scheduler": lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)),
    "clock": lambda: time.clock_settime(0, 0),
    "group": lambda: os.setpgid(0, 0), "session": os.setsid, "root": lambda: os.chroot("/usr/lib"),
    "user": lambda: os.setuid(os.getuid()), "groups": lambda: os.setgroups([]),
    "descriptors": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8)),
    "sysctl": lambda: open("/proc/sys/kernel/hostname", "w").write("kata-hostile"),
    "oom": lambda: open("/proc/self/oom_score_adj", "w").write("-1000"),
}.items():  # fmt: skip
    try:
        change()
        changed.append(name)
    except (OSError, ValueError):
        pass
os.environ["TZ"] = "Pacific/Kiritimati"
time.tzset()
os.environ["PATH"] = os.environ["PYTHONPATH"] = "/tmp/kata-hostile"
os.environ.clear()
for name in ("tr_TR.UTF-8", "de_DE.UTF-8", "C"):
    try:
        locale.setlocale(locale.LC_ALL, name)
    except locale.Error:
        pass


def attention_scores(Q, K):
    assert changed, "nothing can be changed"
    return Q @ K.mT / Q.size(-1) ** 0.5
