"""Many submissions through one engine, hostile ones among them: memory, descriptors, verdicts, orphans.

    python benchmarks/soak.py [--submissions 10000]

Nine of ten are honest, right or wrong; every tenth segfaults, allocates without end, exits, forges replies or
floods its output.  Prints memory and open descriptors of the trusted side and the zygote as the run goes on, and at
the end how many verdicts differ from those of a single run of the same source.
"""

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from throughput import sources

from attention_kata.course.find import find_course
from attention_kata.intake.submission import Submission
from attention_kata.judge.grading import grade
from attention_kata.key.file import load_key
from attention_kata.sandbox.layers import REQUIRED
from attention_kata.sandbox.session import Limits
from attention_kata.sandbox.zygote import ZygoteClient

RIGHT = sources(1)[0]
HOSTILE = [
    RIGHT + "\nimport ctypes\nctypes.string_at(0)\n",
    RIGHT + "\nbytearray(1 << 40)\n",
    RIGHT + "\nimport os\nos._exit(0)\n",
    RIGHT
    + "\nimport os\nfor fd in range(3, 64):\n    try:\n        os.write(fd, b'O' + b'\\xff' * 64)\n"
    + "    except OSError:\n        pass\n",
    RIGHT + "\nprint('x' * 100 * 1024 * 1024)\n",
    RIGHT.replace("return Q", "import os\n    os.kill(os.getpid(), 9)\n    return Q"),
    RIGHT + "\nimport os\nwhile True:\n    os.fork()\n",
]


def memory_and_descriptors(pid: int) -> tuple[float, int]:
    """Resident MiB and open descriptors of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20), len(os.listdir(f"/proc/{pid}/fd"))


def forking(zygote: ZygoteClient) -> int:
    """The process that forks the workers: in a namespace of its own it is the only child of what was started."""
    if zygote.processes != "on":
        return zygote.pid
    (inner,) = Path(f"/proc/{zygote.pid}/task/{zygote.pid}/children").read_text().split()
    return int(inner)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=10_000)
    options = parser.parse_args()
    key = load_key(find_course().public_key)
    exercises = [e for e in key.exercises if e.name in ("attention_scores", "softmax")]
    honest, hostile = cycle(sources(12)), cycle(HOSTILE)
    texts = [next(hostile) if i % 10 == 9 else next(honest) for i in range(options.submissions)]
    zygote = ZygoteClient()
    workers = zygote.workers(REQUIRED)

    def points(text: str) -> tuple[float, tuple[str, ...]]:
        graded = grade(Submission("", {"attention.py": text}), key, exercises, Limits(seconds=5), workers)
        return graded.points, tuple(v.verdict for e in graded.exercises for v in e.verdicts)

    alone = {text: points(text) for text in dict.fromkeys(texts)}
    differing = 0
    print(f"{'submissions':>12}{'trusted MiB':>13}{'fds':>6}{'zygote MiB':>12}{'fds':>6}{'differing':>11}")
    step = max(1, options.submissions // 10)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = iter(texts)
        for done in range(step, options.submissions + 1, step):
            part = list(islice(waiting, step))
            differing += sum(alone[text] != found for text, found in zip(part, pool.map(points, part), strict=True))
            own, engine = memory_and_descriptors(os.getpid()), memory_and_descriptors(forking(zygote))
            print(f"{done:>12}{own[0]:>13.0f}{own[1]:>6}{engine[0]:>12.0f}{engine[1]:>6}{differing:>11}", flush=True)
    zygote.close()
    left = [p for p in Path("/proc").glob("[0-9]*/cmdline") if b"attention_kata.worker" in _read(p)]
    print(f"processes left behind: {len(left)}")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it ended meanwhile
        return b""


if __name__ == "__main__":
    main()
