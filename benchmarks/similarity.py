"""How long comparing a class takes, and how much memory: 300 and 2,000 students, a few of whom copied.

    python benchmarks/similarity.py [STUDENTS]...

The submissions are right answers of several styles, mixed and reworded.  Each size runs in a process of its own.
"""

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from invented import invented, reworded  # noqa: E402  it lives beside the tests

from attention_kata.course.find import find_course  # noqa: E402
from attention_kata.gradebook.grades import Grades  # noqa: E402
from attention_kata.gradebook.records import Identity, Result, Student, now  # noqa: E402
from attention_kata.gradebook.similarity import Stubs, compare_class  # noqa: E402
from attention_kata.intake.packing import file_hash  # noqa: E402
from attention_kata.intake.submission import Submission  # noqa: E402
from attention_kata.judge.evidence import CourseVersion, Evidence  # noqa: E402

COPIES = 5
NOTHING = Evidence(
    schema=2, course=CourseVersion("", ""), student=None, points=0, max_points=0, exercises=(), output="", isolation={}
)


def fill(grades: Grades, count: int) -> None:
    with grades.transaction():
        for i in range(count):
            student = f"s{i:05}"
            files = invented(i)
            if i < COPIES:  # has the answers of the one after the copies, in other words
                files = {name: reworded(text, random.Random(i)) for name, text in invented(COPIES + i).items()}
            submission = Submission(student, files)
            identity = Identity(file_hash(submission), "", "", "")
            grades.enrol(Student(id=student))
            grades.add(
                Result(
                    student=student,
                    identity=identity,
                    handed_in=None,
                    graded_at=now(),
                    seconds=0,
                    torch="",
                    grader="",
                    points=0,
                    max_points=0,
                    fault="",
                    evidence=NOTHING,
                ),
                submission,
            )


def measure(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder, Grades(Path(folder) / "grades.db", create=True) as grades:
        fill(grades, count)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start, cpu = time.perf_counter(), time.process_time()
        stubs = Stubs.of(path.read_text("utf-8") for path in find_course().exercises.glob("*.py"))
        found = compare_class(grades, stubs, 0.6)
        taken, used = time.perf_counter() - start, time.process_time() - cpu
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    planted = {(f"s{i:05}", f"s{i + COPIES:05}") for i in range(COPIES)}
    named = {(pair.first[0], pair.second[0]) for pair in found.pairs} | set(found.same)
    times = f"{count:>8}{taken:>10.1f}{used:>10.1f}{grown:>10.0f}"
    print(f"{times}{len(planted & named):>8} of {COPIES}{len(named - planted):>8}")


def main() -> None:
    if "--one" in sys.argv:
        measure(int(sys.argv[2]))
        return
    print("students   seconds  CPU secs        MB   copies named  others")
    for count in map(int, sys.argv[1:] or ("300", "2000")):
        subprocess.run([sys.executable, __file__, "--one", str(count)], check=True, env=os.environ)


if __name__ == "__main__":
    main()
