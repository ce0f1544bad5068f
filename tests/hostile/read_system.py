# attempts: reading the system: accounts, keys, /proc, /sys, devices, mounts, kernel messages
# expect: attention_scores = error
# expect: points = 0
import os

PATHS = """
/etc/passwd /etc/shadow /etc/hostname /etc/hosts /etc/resolv.conf /etc/machine-id /proc/self/environ /proc/self/maps
/proc/self/mem /proc/self/status /proc/self/mountinfo /proc/self/cmdline /proc/1/environ /proc/1/cmdline /proc/1/maps
/proc/meminfo /proc/cpuinfo /proc/version /proc/kallsyms /proc/kcore /proc/sysrq-trigger /proc/sys/kernel/pid_max
/proc/thread-self/stat /dev/mem /dev/kmsg /dev/tty /dev/ptmx /dev/fd/3 /dev/shm /sys/kernel /sys/class /sys/fs/cgroup
/run /var/log /boot /tmp /home /root /mnt /opt /srv . / ~/.ssh/id_rsa ~/.bash_history ~/.netrc ~/.aws/credentials
""".split()
found = []
for path in PATHS:
    path = os.path.expanduser(path)
    try:
        found += [path] if os.path.isdir(path) and os.listdir(path) is not None else [open(path, "rb").read(1) and path]
    except OSError:
        pass
for flags in (os.O_RDWR, os.O_WRONLY, os.O_RDONLY | os.O_DIRECTORY, os.O_TMPFILE | os.O_RDWR):
    for path in ("/tmp", "/etc/passwd", "/proc/self/oom_score_adj"):
        try:
            found.append(os.open(path, flags))
        except OSError:
            pass


def attention_scores(Q, K):
    assert any(found), "nothing can be read"
    return Q @ K.mT / Q.size(-1) ** 0.5
