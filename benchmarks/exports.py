"""How long each export of a class takes, and all of them together.

    python benchmarks/exports.py [STUDENTS]

The class is the one of the tests: the example submissions, graded, under many names (300 by default).
"""

import csv
import io
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from classes import make_class  # noqa: E402  it lives beside the tests

from attention_kata.export import FORMATS  # noqa: E402
from attention_kata.export.request import Request  # noqa: E402

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 300


def table(path: Path, rows: list[list[str]]) -> Path:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    path.write_text(out.getvalue())
    return path


def requests(folder: Path, db: Path) -> dict[str, Request]:
    canvas = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Kata (1)"], ["Points Possible", *[""] * 5]]
    canvas += [["x", "", f"s{i:05}", "", "A", ""] for i in range(COUNT)]
    moodle = [["Identifier", "Full name", "ID number", "Grade", "Maximum grade", "Last modified (grade)"]]
    moodle += [[f"Participant {i}", "x", f"s{i:05}", "", "100.00", "-"] for i in range(COUNT)]
    made = {
        name: Request(db=db, say=lambda text: None) for name in ("csv", "checks", "json", "moodle-gradebook", "junit")
    }
    made["canvas"] = Request(db=db, into=table(folder / "canvas.csv", canvas), column="Kata", say=lambda text: None)
    made["moodle"] = Request(db=db, into=table(folder / "moodle.csv", moodle), say=lambda text: None)
    for name in ("gradescope", "classroom"):
        made[name] = Request(db=db, student=f"s{COUNT // 2:05}")
    made["gradescope-autograder"] = Request(db=db, package="attention-kata", say=lambda text: None)
    return made


def since(start: tuple[float, float]) -> str:
    return f"{time.perf_counter() - start[0]:>9.2f}{time.process_time() - start[1]:>9.2f}"


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_class(folder / "grades.db", COUNT).close()
        everything = time.perf_counter(), time.process_time()
        print(f"{COUNT} students{'':>12}{'seconds':>9}{'CPU secs':>9}{'kB':>9}")
        for name, request in requests(folder, folder / "grades.db").items():
            start = time.perf_counter(), time.process_time()
            size = sum(map(len, FORMATS[name].produce(request)))
            print(f"{name:24}{since(start)}{size / 1000:>9.0f}")
        print(f"{'all':24}{since(everything)}")


if __name__ == "__main__":
    main()
