"""A right answer to the whole core course, every check: a confined worker against one process without isolation.

    python benchmarks/full_course.py [ANSWERS] [--rounds 30]

ANSWERS is a folder of topic files.  The two take turns, so that a machine that slows down
slows both.  Prints medians in milliseconds, and the ratio of each pair: median, and the middle half.
"""

import argparse
import statistics
import subprocess
import sys
import time
import types
from collections.abc import Callable, Mapping
from pathlib import Path

from attention_kata.course.find import find_course
from attention_kata.intake.submission import Submission
from attention_kata.judge.grading import grade
from attention_kata.key.file import load_key
from attention_kata.sandbox.layers import REQUIRED
from attention_kata.sandbox.session import Limits
from attention_kata.sandbox.zygote import confined_workers

ANSWERS = Path(__file__).parents[1] / "tests" / "answers" / "right" / "articles"


def topic_files(answers: Path) -> dict[str, str]:
    wanted = {exercise.file for exercise in load_key(find_course().public_key).exercises}
    return {name: (answers / name).read_text() for name in wanted}


def milliseconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return 1000 * (time.perf_counter() - start)


def floor(files: Mapping[str, str]) -> None:
    """Import, run, compare and explain in this process, once for each line that comes; says how long it took."""
    import torch

    from attention_kata.judge.diagnose import diagnose
    from attention_kata.sandbox.observation import read_observation
    from attention_kata.worker.observe import observe, start_meta_device

    torch.set_num_threads(1)
    start_meta_device()
    key = load_key(find_course().public_key)

    def one() -> None:
        modules = {}
        for name in files:
            modules[name] = sys.modules[name.removesuffix(".py")] = types.ModuleType(name.removesuffix(".py"))
        for name, text in files.items():
            exec(compile(text, name, "exec"), modules[name].__dict__)
        for exercise in key.exercises:
            seen = {
                case.id: read_observation(*observe(vars(modules[exercise.file]), case.script, case.arrays, set()))
                for case in exercise.cases
            }
            if any(verdict.verdict != "passed" for verdict in diagnose(exercise, key.catalogue, seen)):
                raise SystemExit(f"{exercise.name} is not right")

    for _ in sys.stdin:
        print(milliseconds(one), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("answers", nargs="?", type=Path, default=ANSWERS)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--floor", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    files = topic_files(options.answers)
    if options.floor:
        floor(files)
        return
    key = load_key(find_course().public_key)
    submission = Submission("", files)
    other = [sys.executable, __file__, str(options.answers), "--floor"]
    with (
        confined_workers(REQUIRED) as workers,
        subprocess.Popen(other, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None

        def without() -> float:
            process.stdin.write("\n")
            process.stdin.flush()
            return float(process.stdout.readline())

        def confined() -> None:
            result = grade(submission, key, key.exercises, Limits(), workers)
            if result.points != result.max_points:
                raise SystemExit(f"{result.points} of {result.max_points} points")

        for _ in range(3):
            confined(), without()
        pairs = [(milliseconds(confined), without()) for _ in range(options.rounds)]
        process.stdin.close()
    ratios = [ours / theirs for ours, theirs in pairs]
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(f"{len(key.exercises)} exercises, {sum(len(e.cases) for e in key.exercises)} cases, {options.rounds} rounds")
    print(f"confined worker {statistics.median(o for o, _ in pairs):.0f} ms, "
          f"one process {statistics.median(t for _, t in pairs):.0f} ms")  # fmt: skip
    print(f"ratio {middle:.2f} ({low:.2f} to {high:.2f})")


if __name__ == "__main__":
    main()
