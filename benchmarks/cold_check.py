"""How long `kata check` of one exercise takes from a cold start, against importing torch alone.

    python benchmarks/cold_check.py [RUNS]

Prints medians and ratios of runs taken in turn, so that a machine whose speed drifts favours nobody.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 10
ANSWER = "def attention_scores(Q, K):\n    return Q @ K.mT / Q.size(-1) ** 0.5\n"


def seconds(*arguments: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "attention.py").write_text(ANSWER)
        commands = {
            "import torch": ("-c", "import torch"),
            "kata check attention_scores": ("-m", "attention_kata", "check", "attention_scores", "--dir", folder),
            "kata --help": ("-m", "attention_kata", "--help"),
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for run in range(RUNS + 1):
            for name, arguments in commands.items():
                taken = seconds(*arguments)
                if run:  # the first round warms the page cache
                    times[name].append(taken)
    base = times["import torch"]
    print(f"{'':32}{'median':>9}{'min':>9}{'max':>9}{'ratio':>8}   ({RUNS} runs)")
    for name, taken in times.items():
        ratio = statistics.median(t / b for t, b in zip(taken, base, strict=True))
        row = (statistics.median(taken), min(taken), max(taken))
        print(f"{name:32}" + "".join(f"{1000 * t:>6.0f} ms" for t in row) + f"{ratio:>8.2f}")


if __name__ == "__main__":
    main()
