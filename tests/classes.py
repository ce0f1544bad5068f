"""A class in a database, as tests of reports and exports need it: the example class under many names."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from conftest import ROOT

from attention_kata.course.find import find_course
from attention_kata.gradebook.grades import Grades
from attention_kata.gradebook.records import Handed, Identity, Result, Student
from attention_kata.intake.packing import file_hash
from attention_kata.intake.submission import Submission, read_submission
from attention_kata.judge.grading import grade
from attention_kata.judge.score import Grade, evidence_of
from attention_kata.key.file import load_key
from attention_kata.sandbox.session import Limits
from attention_kata.sandbox.zygote import confined_workers

EXAMPLES = ("ada", "blaise", "emmy", "grace", "kurt")
DUE = datetime(2026, 12, 1, 23, 59, tzinfo=UTC)
ODD_NAMES = (
    "=HYPERLINK(0)", "Love, Lace", 'Quo"te', "two\nlines", "Zoë Ångström", "张伟", "<script>alert(1)</script>",
    "-1", "@home", "O'Neil", "a\x1b[31mred", "\u202eright", "tab\there",
)  # fmt: skip


@cache
def examples() -> dict[str, tuple[Submission, Grade]]:
    """The example class, graded with the public key."""
    key = load_key(find_course().public_key)
    with confined_workers() as workers:
        found = {}
        for name in EXAMPLES:
            submission = read_submission(ROOT / "examples" / "class" / name, key.files)
            found[name] = submission, grade(submission, key, key.exercises, Limits(), workers, name)
        return found


def make_class(path: Path, count: int = 12, *, roster: bool = True, missing: int = 1, names=ODD_NAMES) -> Grades:
    """`count` students who handed in, with the examples' grades in turn, and `missing` who did not."""
    key = load_key(find_course().public_key)
    grades = Grades(path, create=True)
    with grades.transaction():
        id = grades.use_key(key)
        grades.set("course", {"id": key.course, "version": key.version})
        grades.set("max_points", 100.0)
        grades.set("roster", roster)
        for i in range(count + missing):
            name = names[i] if i < len(names) else f"Student {i}"
            student = f"s{i:05}"
            own = {"student_id": student, "name": name, "email": f"{student}@example.org", "lms_user_id": str(9000 + i)}
            grades.enrol(Student(id=student, name=name, email=own["email"], roster=own if roster else None))
            if i >= count:
                continue
            submission, graded = examples()[EXAMPLES[i % len(EXAMPLES)]]
            handed_in = DUE + timedelta(hours=i - 6)
            grades.hand_in(student, [Handed("1", f"{student}/1", handed_in)])
            evidence = evidence_of(replace(graded, student=student))
            identity = Identity(file_hash(submission), id, key.version, '{"isolation": "full", "seconds": 5.0}')
            result = Result(
                student=student,
                identity=identity,
                handed_in=handed_in,
                graded_at=DUE,
                seconds=0.1,
                torch=key.torch,
                grader="0",
                points=graded.points,
                max_points=graded.max_points,
                fault="",
                evidence=evidence,
            )
            grades.add(result, submission)
    return grades
