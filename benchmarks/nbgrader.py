"""The same 20 notebooks through `nbgrader autograde` and through `kata grade --gradebook`: time, and equal points.

    pip install -e ".[instructor]"
    python benchmarks/nbgrader.py [--submissions 20] [--rounds 3] [--steady 400] [--exercise heads]

Every notebook answers all exercises of the course, rightly or wrongly, in the words of tests/answers.  Both write the
same gradebook; every cell's points are compared.  Two rates are printed for ours: of the whole command, in which
importing torch and nbgrader takes most of the time, and of a class of `--steady` students, without that start.
The last line is a bound: the same answers' checks, run on all cores with nothing around them.
"""

import argparse
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[0] = str(ROOT / "tests")  # and not this folder, where nbgrader would be this file

from notebooks import ASSIGNMENT, EXERCISES, PUBLIC_KEY, answered, answers_from, hand_in, new_classroom

from attention_kata.cli.options import choose
from attention_kata.key.file import load_key

TOPICS = list(dict.fromkeys(exercise.file for exercise in EXERCISES))


def folders() -> list[Path]:
    """Answers to all exercises by people who wrote no file of their own to import."""
    every = sorted((ROOT / "tests" / "answers").glob("*/*"))
    return [folder for folder in every if {path.name for path in folder.iterdir()} == set(TOPICS)]


def classroom(folder: Path, count: int, exercises: list[str]) -> Path:
    notebook = new_classroom(folder, *(word for name in exercises for word in ("--exercise", name)))
    there = {cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in notebook["cells"]}
    for number, given in enumerate(islice(cycle(map(answers_from, folders())), count)):
        own = {name: text for name, text in given.items() if name in there}
        hand_in(folder, f"student{number:04}", answered(notebook, own))
    return folder


def seconds_of(folder: Path, *command: str) -> float:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "PATH": path})
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
    return time.perf_counter() - start


def with_nbgrader(folder: Path) -> float:
    return seconds_of(folder, "nbgrader", "autograde", ASSIGNMENT, "--create")


def with_kata(folder: Path) -> float:
    command = (sys.executable, "-m", "attention_kata", "grade", "submitted", "--gradebook", "gradebook.db")
    return seconds_of(folder, *command)


def checks_alone(folders: list[Path], exercises: list[str]) -> float:
    """Seconds in which the checks of these answers run: nothing is confined, sent, compared, explained or written."""
    import torch

    from attention_kata.worker.answer import carry_out
    from attention_kata.worker.frames import HEAD, unpack
    from attention_kata.worker.light import keep_compiler_out
    from attention_kata.worker.observe import start_meta_device

    torch.set_num_threads(1)
    keep_compiler_out()
    start_meta_device()
    chosen = choose(load_key(PUBLIC_KEY), tuple(exercises))
    cases = [unpack(exercise.job[HEAD.size :]) for exercise in chosen]
    topics = list(dict.fromkeys(exercise.file for exercise in chosen))
    texts = [{name: (folder / name).read_text(encoding="utf-8") for name in topics} for folder in folders]

    def one(files: dict[str, str]) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        job = {"files": files, "topics": topics, "limits": {"seconds": 60}, "skip": []}
        for _ in carry_out(job, cases):
            pass
        os._exit(0)

    def on_one_core(mine: list[dict[str, str]]) -> None:
        for files in mine:  # each in a process of its own: some change settings of torch
            process = context.Process(target=one, args=(files,))
            process.start()
            process.join()
            assert process.exitcode == 0

    context = multiprocessing.get_context("fork")
    cores = os.cpu_count() or 1
    start = time.perf_counter()
    processes = [context.Process(target=on_one_core, args=(texts[core::cores],)) for core in range(cores)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    return time.perf_counter() - start


def cells(folder: Path) -> dict[tuple[str, str], float]:
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        return {
            (submission.student_id, grade.cell.name): grade.auto_score
            for submission in book.assignment_submissions(ASSIGNMENT)
            for notebook in submission.notebooks
            for grade in notebook.grades
        }


def fresh(source: Path, target: Path) -> Path:
    return Path(shutil.copytree(source, target))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steady", type=int, default=400, help="students of the class for the steady rate")
    parser.add_argument("--exercise", nargs="*", default=[], help="only these exercises or topics")
    options = parser.parse_args()
    count, steady = options.submissions, options.steady
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        few, many = (
            classroom(work / name, size, options.exercise) for name, size in (("few", count), ("many", steady))
        )
        theirs, ours, rates = [], [], []
        for number in range(options.rounds):
            one, two = fresh(few, work / f"nbgrader{number}"), fresh(few, work / f"kata{number}")
            theirs.append(with_nbgrader(one))
            ours.append(with_kata(two))
            rates.append((steady - count) / (with_kata(fresh(many, work / f"many{number}")) - ours[-1]))
            found, wanted = cells(two), cells(one)
            different = [cell for cell in wanted if wanted[cell] != found.get(cell)]
            if different or len(found) != len(wanted):
                raise SystemExit(f"{len(different)} of {len(wanted)} cells differ: {different[:5]}")
            print(
                f"round {number + 1}: nbgrader autograde {theirs[-1]:.1f} s, kata grade {ours[-1]:.1f} s for {count}; "
                f"{rates[-1]:.1f} per second in a class of {steady}; {len(wanted)} cells with equal points",
                flush=True,
            )
    slow, fast = statistics.median(theirs), statistics.median(ours)
    rate = statistics.median(rates)
    what = ", ".join(options.exercise) or f"all {len(EXERCISES)} exercises"
    print(f"\nmedians of {options.rounds}, {os.cpu_count()} cores, {what}")
    print(f"  nbgrader autograde     {count / slow:8.3f} per second")
    print(f"  kata grade --gradebook {count / fast:8.3f} per second, whole command: {slow / fast:.0f} times")
    print(f"  kata grade --gradebook {rate:8.3f} per second, once it runs:   {rate * slow / count:.0f} times")
    bare = len(folders()) / checks_alone(folders(), options.exercise)
    print(f"  the checks alone       {bare:8.3f} per second, a bound:        {bare * slow / count:.0f} times")


if __name__ == "__main__":
    main()
