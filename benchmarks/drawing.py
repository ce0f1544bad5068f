"""Drawing an answer key: the CPU time with trials, and with each case carried out and reported as by a worker.

    python benchmarks/drawing.py [EXERCISE ...]

The two take turns, exercise by exercise, in one process.  Prints the seconds of each, their ratio, and whether the
keys are the same to the byte; exit code 1 where they are not.  Without names, it also runs `kata grade examples/class`
into a new database, and prints how long its first result takes from a cold start.
"""

import argparse
import sqlite3
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import closing, suppress
from pathlib import Path

import torch

from attention_kata.course.draw import draw_exercise
from attention_kata.course.find import PUBLIC_SEED, find_course
from attention_kata.course.trials import Trials
from attention_kata.key.file import key_bytes
from attention_kata.key.model import AnswerKey, Exercise
from attention_kata.sandbox.observation import read_observation
from attention_kata.worker.observe import observe, start_meta_device

CLASS = Path(__file__).parents[1] / "examples" / "class"


class Worker(Trials):
    """Each case as a worker carries it out, with a module of its own, and its report read."""

    def run(self, name, target, script, arrays):  # type: ignore[no-untyped-def]
        return read_observation(*observe({name: target}, script, arrays, set()))


def data(exercise: Exercise) -> bytes:
    return key_bytes(AnswerKey("", "", "", "", None, (exercise,), {}))


def first_result() -> float:
    """Seconds until `kata grade` has kept its first result."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder, "grades.db")
        start = time.monotonic()
        program = subprocess.Popen(
            [sys.executable, "-m", "attention_kata", "grade", str(CLASS), "--db", str(db)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        found = None
        while found is None and program.poll() is None:
            time.sleep(0.02)
            if db.exists():
                with suppress(sqlite3.Error), closing(sqlite3.connect(db)) as grades:
                    if grades.execute("SELECT 1 FROM results").fetchone():
                        found = time.monotonic() - start
        if program.wait() or found is None:
            sys.exit("kata grade graded nothing: run `kata doctor`")
        return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("exercises", nargs="*")
    names = parser.parse_args().exercises
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    start_meta_device()
    total, same = [0.0, 0.0], True
    print(f"{'':24}    as a worker             trials")
    for topic, solution in find_course().solutions:
        if names and solution.name not in names:
            continue
        drawn = []
        for i, trials in enumerate((Worker(), Trials())):
            start = time.process_time()
            drawn.append(data(draw_exercise(solution, f"{topic}.py", PUBLIC_SEED, trials)))
            took = time.process_time() - start
            total[i] += took
            print(f"{solution.name:24}{took:15.2f} s" if not i else f"{took:17.2f} s", end="" if not i else "\n")
        same &= drawn[0] == drawn[1]
    print(f"{'together':24}{total[0]:15.2f} s{total[1]:17.2f} s   ratio {total[0] / total[1]:.2f}")
    print("the same key, to the byte" if same else "THE KEYS DIFFER")
    if not names:
        print(f"first result of kata grade examples/class: {first_result():.1f} s")
    sys.exit(not same)


if __name__ == "__main__":
    main()
