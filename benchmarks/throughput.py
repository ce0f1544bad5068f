"""The same submissions through this grader, nbgrader, otter, pytest, and one process without isolation (the floor).

    pip install -e ".[bench]"
    python benchmarks/throughput.py [--submissions 20] [--steady 400] [--only NAME ...]

Every submission holds the same two small functions, `attention_scores` and `softmax`, right or wrong; ten claims
about them are checked by each grader.  Ours also runs the exercises' other checks and names the mistakes.  Prints
submissions per second and ratios of one run, and peak memory.  Programs that are not installed are left out by name.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path

from attention_kata.course.find import find_course
from attention_kata.intake.submission import Submission
from attention_kata.judge.grading import grade
from attention_kata.key.file import load_key
from attention_kata.sandbox.layers import REQUIRED
from attention_kata.sandbox.session import Limits
from attention_kata.sandbox.zygote import confined_workers

SCORES = {
    "right": "Q @ K.mT / Q.size(-1) ** 0.5",
    "no scale": "Q @ K.mT",
    "no root": "Q @ K.mT / Q.size(-1)",
    "einsum": "torch.einsum('...td,...sd->...ts', Q, K) * Q.size(-1) ** -0.5",
}
SOFTMAX = {
    "right": "e = (x - x.amax(dim, keepdim=True)).exp()\n    return e / e.sum(dim, keepdim=True)",
    "no shift": "return x.exp() / x.exp().sum(dim, keepdim=True)",
    "wrong axis": "e = (x - x.amax(0, keepdim=True)).exp()\n    return e / e.sum(0, keepdim=True)",
}
SOURCE = """import torch


def attention_scores(Q, K):
    return {scores}


def softmax(x, dim=-1):
    {softmax}
"""
CLAIMS = [  # name, set-up, expression that must be true
    *[
        (
            f"scores_{'x'.join(map(str, lead)) or 'plain'}",
            f"Q, K = torch.randn({(*lead, 4, 8)}), torch.randn({(*lead, 6, 8)})",
            "torch.allclose(attention_scores(Q, K), Q @ K.mT / 8 ** 0.5, atol=1e-5)",
        )
        for lead in ((), (2,), (2, 3), (5,), (1, 1))
    ],
    *[
        (
            f"softmax_{i}",
            f"x = {scale} * torch.randn(3, 4, 5)",
            f"torch.allclose(softmax(x, {dim}), torch.softmax(x, {dim}), atol=1e-5)",
        )
        for i, (scale, dim) in enumerate(((1, -1), (1, 0), (1, 1), (1000, -1), (3, -2)))
    ],
]


def sources(count: int) -> list[str]:
    every = [SOURCE.format(scores=a, softmax=b) for a in SCORES.values() for b in SOFTMAX.values()]
    return list(islice(cycle(every), count))


# ---------------------------------------------------------------------- ours and the floor


def ours(texts: list[str], jobs: int) -> tuple[float, float]:
    """(seconds until the first verdict, seconds for all of `texts` after that)."""
    key = load_key(find_course().public_key)
    exercises = [e for e in key.exercises if e.name in ("attention_scores", "softmax")]
    start = time.perf_counter()
    with confined_workers(REQUIRED) as workers, ThreadPoolExecutor(jobs) as pool:

        def one(text: str) -> float:
            return grade(Submission("", {"attention.py": text}), key, exercises, Limits(), workers).points

        one(texts[0])
        first = time.perf_counter()
        list(pool.map(one, texts))
        return first - start, time.perf_counter() - first


def floor(texts: list[str]) -> float:
    """The same checks and diagnoses in one process that trusts everybody; not this one, which stays small."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import throughput; throughput.print_floor()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def print_floor() -> None:
    import torch

    from attention_kata.judge.diagnose import diagnose
    from attention_kata.sandbox.observation import read_observation
    from attention_kata.worker.observe import observe

    torch.set_num_threads(1)
    key = load_key(find_course().public_key)
    exercises = [e for e in key.exercises if e.name in ("attention_scores", "softmax")]

    def one(text: str) -> None:
        module = types.ModuleType("attention")
        exec(compile(text, "attention.py", "exec"), module.__dict__)
        for exercise in exercises:
            seen = {
                case.id: read_observation(*observe(vars(module), case.script, case.arrays, set()))
                for case in exercise.cases
            }
            diagnose(exercise, key.catalogue, seen)

    texts = json.load(sys.stdin)
    one(texts[0])
    start = time.perf_counter()
    for text in texts:
        one(text)
    print(time.perf_counter() - start)


# ---------------------------------------------------------------------- the others


def with_pytest(texts: list[str], folder: Path) -> float:
    test = "import torch\nfrom attention import attention_scores, softmax\n\n"
    test += "\n".join(f"def test_{name}():\n    {setup}\n    assert {claim}\n" for name, setup, claim in CLAIMS)
    for i, text in enumerate(texts):
        (folder / str(i)).mkdir()
        (folder / str(i) / "attention.py").write_text(text)
        (folder / str(i) / "test_attention.py").write_text(test)
    start = time.perf_counter()
    for i in range(len(texts)):
        run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], folder / str(i), codes=(0, 1))
    return time.perf_counter() - start


def with_otter(texts: list[str], folder: Path) -> float:
    (folder / "tests").mkdir()
    for name, setup, claim in CLAIMS:
        case = {"code": f">>> import torch\n>>> {setup}\n>>> {claim}\nTrue", "hidden": False, "locked": False}
        suite = {"type": "doctest", "scored": True, "setup": "", "teardown": "", "cases": [case]}
        test = {"name": name, "points": 1, "suites": [suite]}
        (folder / "tests" / f"{name}.py").write_text(f"OK_FORMAT = True\ntest = {test!r}\n")
    run(["otter", "generate", "-t", "tests", "-o", "autograder.zip", "--no-environment", "--no-requirements"], folder)
    for i, text in enumerate(texts):
        (folder / f"student{i}.py").write_text(text)
        (folder / f"out{i}").mkdir()
    start = time.perf_counter()
    for i in range(len(texts)):
        run(["otter", "run", "-a", "autograder.zip", f"student{i}.py", "-o", f"out{i}"], folder)
    return time.perf_counter() - start


def with_nbgrader(texts: list[str], folder: Path) -> float:
    import nbformat
    from nbformat.v4 import new_code_cell, new_notebook

    def cell(source: str, name: str, **marks: object) -> nbformat.NotebookNode:
        facts = {
            "grade": False,
            "solution": False,
            "locked": False,
            "task": False,
            "schema_version": 3,
            "grade_id": name,
        }
        return new_code_cell(source, metadata={"nbgrader": facts | marks})

    cells = [cell("import torch\n# YOUR CODE HERE\nraise NotImplementedError()", "answer", solution=True)]
    cells += [
        cell(f"{setup}\nassert {claim}", name, grade=True, locked=True, points=1) for name, setup, claim in CLAIMS
    ]
    (folder / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'bench'\n")
    source = folder / "source" / "ps1"
    source.mkdir(parents=True)
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(new_notebook(cells=cells, metadata=kernel), source / "kata.ipynb")
    run(["nbgrader", "generate_assignment", "ps1", "--create"], folder)
    released = nbformat.read(folder / "release" / "ps1" / "kata.ipynb", 4)
    for i, text in enumerate(texts):
        released.cells[0].source = text
        student = folder / "submitted" / f"student{i}" / "ps1"
        student.mkdir(parents=True)
        nbformat.write(released, student / "kata.ipynb")
    start = time.perf_counter()
    run(["nbgrader", "autograde", "ps1", "--create"], folder)
    seconds = time.perf_counter() - start
    graded = len(list((folder / "autograded").glob("*/ps1/kata.ipynb")))
    if graded != len(texts):
        raise SystemExit(f"nbgrader graded {graded} of {len(texts)}")
    return seconds


def run(command: list[str], folder: Path, codes: tuple[int, ...] = (0,)) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "PATH": path})
    if done.returncode not in codes:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-1500:]}{done.stderr[-1500:]}")


OTHERS: dict[str, Callable[[list[str], Path], float]] = {
    "nbgrader autograde": with_nbgrader,
    "otter run": with_otter,
    "pytest, a process each": with_pytest,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=20, help="for the others, which are slow")
    parser.add_argument("--steady", type=int, default=400, help="for ours and the floor")
    parser.add_argument("--only", nargs="*", choices=list(OTHERS), default=list(OTHERS))
    options = parser.parse_args()
    cores = os.cpu_count() or 1
    few, many = sources(options.submissions), sources(options.steady)

    rows: list[tuple[str, float]] = []
    floor_rate = len(many) / floor(many)
    rows.append(("one process, no isolation (floor)", floor_rate))
    for jobs in (1, cores):
        first, seconds = ours(many, jobs)
        rows.append((f"kata, {jobs} at a time", len(many) / seconds))
        one_by_one = seconds / len(many) if jobs == 1 else None
        if one_by_one is not None:
            above = 1000 * (one_by_one - 1 / floor_rate)
            print(f"kata: first verdict after {first:.2f} s; then {above:.1f} ms per submission above the floor")
    for name in options.only:
        program = name.split()[0].rstrip(",")
        if shutil.which(program, path=str(Path(sys.executable).parent)) is None:
            print(f"{program}: not installed, left out")
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows.append((name, len(few) / OTHERS[name](few, Path(folder))))
    per_core = rows[2][1] / cores
    print(f"\n{'':36}{'per second':>12}{'kata per core is':>20}")
    for name, rate in rows:
        print(f"{name:36}{rate:>12.2f}{per_core / rate:>18.1f} x")
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"\npeak memory: {own:.0f} MiB here (trusted side), {children:.0f} MiB the largest process started")


if __name__ == "__main__":
    main()
