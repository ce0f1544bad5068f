"""A class of ten thousand through `kata grade`: throughput against a class of a hundred, memory, lost rows, kills.

    python benchmarks/whole_class.py [--students 10000] [--small 100] [--kills 20]

The submissions are the right and wrong answers that the tests know, broken files, and hostile ones; each gets a
comment of its own, so that no two are the same.  Prints submissions per second and per core, the peak memory of the
trusted side, how many have no row, and whether a run that is killed at random moments and started again ends with
the same exported grades, byte for byte, as one that is left alone.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from attention_kata.gradebook.grades import Grades
from attention_kata.gradebook.records import Status
from attention_kata.gradebook.standing import standings

ROOT = Path(__file__).parent.parent
BROKEN = {
    "syntax": "def attention_scores(Q, K):\n    return Q @ K.mT /\n",
    "import": "import tensorflow\n",
    "exit": "import sys\nsys.exit()\n",
    "name": "import torch\n\nattention_scores = softmax\n",
}
# none that ends by chance in one way or another
HOSTILE = ("signal_own_kill", "fool_exit_zero", "frames_made_up", "memory_bytes", "output_floods")


def kinds() -> list[dict[str, str]]:
    """The files of each kind of submission: two thirds right or wrong answers, the others broken or hostile."""
    answers = ROOT / "tests" / "answers"
    found = [
        {path.name: path.read_text() for path in sorted(folder.glob("*.py"))}
        for name in ("right", "wrong")
        for folder in sorted((answers / name).iterdir())
        if (folder / "attention.py").exists()
    ]
    right = found[0]
    found += [right | {"attention.py": text} for text in BROKEN.values()]
    found += [right | {"attention.py": (ROOT / "tests" / "hostile" / f"{name}.py").read_text()} for name in HOSTILE]
    return found


def make(folder: Path, count: int) -> Path:
    order = kinds()
    random.Random(0).shuffle(order)
    for number, files in enumerate(islice(cycle(order), count)):
        own = folder / f"student{number:05}"
        own.mkdir(parents=True)
        for name, text in files.items():
            (own / name).write_text(f"{text}\n# handed in by number {number}\n")
    return folder


def command(*args: object) -> list[str]:
    return [sys.executable, "-m", "attention_kata", *map(str, args)]


def run(folder: Path, db: Path, key: Path) -> tuple[float, float]:
    """(seconds, peak MiB of the trusted process) of grading `folder` into `db`."""
    start = time.perf_counter()
    process = subprocess.Popen(command("grade", folder, "--db", db, "--key", key), stdout=subprocess.DEVNULL)
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, _peak(process.pid))
        time.sleep(0.2)
    return time.perf_counter() - start, peak


def _peak(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        return 0.0


def export(db: Path) -> bytes:
    return subprocess.run(command("export", "checks", "--db", db, "--out", "-"), capture_output=True, check=True).stdout


def without_a_row(db: Path, count: int) -> int:
    with Grades(db) as grades:
        return count - sum(row.status is Status.GRADED for row in standings(grades))


def killed(folder: Path, db: Path, key: Path, kills: int, seconds: float) -> None:
    """Grade `folder`, killed `kills` times on the way: the program or one of its processes."""
    chance = random.Random(1)
    for _ in range(kills):
        process = subprocess.Popen(
            command("grade", folder, "--db", db, "--key", key), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(chance.uniform(0.3, 1.5 + 2 * seconds / kills))
        process.send_signal(signal.SIGKILL)
        process.wait()
    run(folder, db, key)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=10_000)
    parser.add_argument("--small", type=int, default=100)
    parser.add_argument("--kills", type=int, default=20)
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="kata-class-"))
    try:
        key = work / "key.safetensors"
        subprocess.run(command("dev", "key", "--secret", "--out", key), check=True, stdout=subprocess.DEVNULL)
        small = make(work / "small", options.small)
        start, _ = run(make(work / "one", 1), work / "one.db", key)  # what starting takes, and nothing else
        rates = []
        for number in range(3):
            seconds, _ = run(small, work / f"small{number}.db", key)
            rates.append(options.small / (seconds - start))
        undisturbed = export(work / "small0.db")
        killed(small, work / "killed.db", key, options.kills, seconds)
        same = export(work / "killed.db") == undisturbed
        print(f"killed {options.kills} times and started again: {'the same grades' if same else 'OTHER GRADES'}")
        seconds, peak = run(make(work / "large", options.students), work / "large.db", key)
        rate = options.students / (seconds - start)
        cores = os.cpu_count() or 1
        small_rate = sorted(rates)[1]
        print(f"{options.small} submissions: {small_rate:.1f} per second, {small_rate / cores:.1f} per core")
        print(f"{options.students} submissions: {rate:.1f} per second, {rate / cores:.1f} per core")
        print(f"ratio {rate / small_rate:.2f}; peak memory of the trusted side {peak:.0f} MiB")
        print(f"submissions without a grade: {without_a_row(work / 'large.db', options.students)}")
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
