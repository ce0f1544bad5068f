"""`kata grade` of a class: nothing lost, nothing graded twice, whatever ends it."""

import base64
import json
import os
import random
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import FOLDER, environment, kata, make_course, write

from attention_kata.cli.progress import slowest, waiting
from attention_kata.gradebook.batch import Watch, grade_class
from attention_kata.gradebook.grades import Grades

DOUBLE = "def double(x):\n    return 2 * x\n"
WRONG = "def double(x):\n    return x\n"
SLOW = "import time\n\n\ndef double(x):\n    time.sleep(0.2)\n    return 2 * x\n"
ZYGOTE = "attention_kata.worker.namespace"
COLUMNS = "student, source, key, version, limits, points, max_points, fault, current"


@pytest.fixture
def course(tiny):
    return ("--course", tiny, "--key", tiny / "public.key.safetensors")


def rows(folder, columns=COLUMNS, db="grades.db"):
    with closing(sqlite3.connect(folder / db)) as database:
        return database.execute(f"SELECT {columns} FROM results ORDER BY student, id").fetchall()


def grade(*args, cwd, **env):
    return kata("grade", "class", "--exercise", "double", *args, cwd=cwd, **env)


def start(*args, cwd):
    """`kata grade` in the background."""
    command = [sys.executable, "-m", "attention_kata", "grade", "class", "--exercise", "double", *map(str, args)]
    return subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
        start_new_session=True,
    )  # fmt: skip


def wait_for(done, seconds=60):
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.02)


def graded(folder):
    def count():
        try:
            return len(rows(folder))
        except sqlite3.Error:
            return 0

    return count


# ---------------------------------------------------------------------- again


def test_what_is_graded_is_not_graded_again(course, tmp_path):
    write(tmp_path, {"class/ada/double.py": DOUBLE, "class/emmy/double.py": WRONG})
    first = grade(*course, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    before = rows(tmp_path, "*")
    second = grade(*course, cwd=tmp_path)
    assert (second.returncode, rows(tmp_path, "*")) == (0, before)
    assert "2 were graded before and have not changed." in second.stdout
    assert first.stdout.splitlines()[:4] == second.stdout.splitlines()[:4]


def test_who_comes_later_or_hands_in_again_is_graded_and_nobody_else(course, tmp_path):
    write(tmp_path, {"class/ada/double.py": DOUBLE, "class/emmy/double.py": WRONG})
    grade(*course, cwd=tmp_path)
    before = rows(tmp_path, "id, graded_at")
    write(tmp_path, {"class/kurt/double.py": DOUBLE, "class/emmy/double.py": DOUBLE})
    grade(*course, cwd=tmp_path)
    assert rows(tmp_path, "id, graded_at")[0] == before[0]
    assert rows(tmp_path, "student, points, current") == [
        ("ada", 1.0, 1), ("emmy", 0.0, 0), ("emmy", 1.0, 1), ("kurt", 1.0, 1),
    ]  # fmt: skip


def test_other_limits_and_another_isolation_are_another_result(course, tmp_path):
    write(tmp_path, {"class/ada/double.py": DOUBLE})
    for args in ((), ("--seconds", "9"), ("--isolation", "process"), ("--isolation", "process")):
        assert grade(*course, *args, cwd=tmp_path).returncode == 0
    limits = [json.loads(limits) for (limits,) in rows(tmp_path, "limits")]
    assert limits == [
        {"isolation": "full", "seconds": 5.0}, {"isolation": "full", "seconds": 9.0},
        {"isolation": "process", "seconds": 5.0},
    ]  # fmt: skip


def test_the_result_that_counts_is_not_one_of_less_isolation_than_asked_for(course, tmp_path):
    write(tmp_path, {"class/ada/double.py": DOUBLE})
    for isolation in ("full", "process", "full", "process"):
        assert grade(*course, "--isolation", isolation, cwd=tmp_path).returncode == 0
        counts = [json.loads(limits)["isolation"] for limits, current in rows(tmp_path, "limits, current") if current]
        assert counts == [isolation]
    assert len(rows(tmp_path)) == 2


@pytest.mark.parametrize("mode", ["full", "process"])
def test_every_result_says_which_isolation_was_in_force(course, tmp_path, mode):
    write(tmp_path, {"class/ada/double.py": DOUBLE, "class/emmy/double.py": "syntax error"})
    run = grade(*course, "--isolation", mode, "--json", "out.json", cwd=tmp_path)
    submissions = json.loads((tmp_path / "out.json").read_text())["submissions"]
    assert [s["isolation"]["mode"] for s in submissions] == [mode, mode]
    assert all(s["isolation"]["files"].startswith("on" if mode == "full" else "off") for s in submissions)
    assert f"Isolation: {mode}, " in run.stdout


def test_a_database_holds_one_assignment(course, tiny, tmp_path):
    write(tmp_path, {"class/ada/double.py": DOUBLE})
    grade(*course, cwd=tmp_path)
    other = kata("grade", "class", "--exercise", "twice", *course, cwd=tmp_path)
    assert other.returncode == 2
    assert "holds the grades of double: use another --db for other exercises." in other.stderr
    assert kata("grade", "class", "--exercise", "twice", *course, "--db", "b.db", cwd=tmp_path).returncode == 0


def test_a_secret_key_is_kept_so_that_the_same_command_goes_on(tiny, tmp_path):
    write(tmp_path, {"class/ada/double.py": DOUBLE})
    grade("--course", tiny, cwd=tmp_path)
    write(tmp_path, {"class/emmy/double.py": DOUBLE})
    grade("--course", tiny, cwd=tmp_path)
    assert len(rows(tmp_path)) == 2
    assert len({key for (key,) in rows(tmp_path, "key")}) == 1


def notebook(cells):
    made = [
        {"cell_type": kind, "metadata": {}, "source": text} | ({"outputs": []} if kind == "code" else {})
        for kind, text in cells
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made})


def test_an_error_in_a_notebook_is_said_to_be_in_its_cell(course, tmp_path):
    cells = [("markdown", "# Ada"), ("code", "import torch"), ("code", "\ndef double(x):\n    return x.nope\n")]
    write(tmp_path, {"class/ada.ipynb": notebook(cells)})
    grade(*course, "--json", "out.json", cwd=tmp_path)
    check = json.loads((tmp_path / "out.json").read_text())["submissions"][0]["exercises"][0]["checks"][0]
    assert check["message"].startswith("AttributeError in cell 3, line 3: ")
    assert (check["learner_cell"], check["learner_line"]) == (3, 3)
    told = kata("export", "classroom", "--student", "ada", "--out", "-", cwd=tmp_path).stdout
    assert [test["line_no"] for test in json.loads(base64.b64decode(told))["tests"]] == [0]


def test_what_is_said_of_a_notebook_points_to_a_cell(course, tmp_path):
    cells = [("markdown", "# Ada"), ("code", "import torch"), ("code", "# twice x\n\ndef double(x):\n    return x\n")]
    write(tmp_path, {"class/ada.ipynb": notebook(cells)})
    again = ("regrade", "--seconds", "9", "--commit")  # from what the database holds
    for args in (("grade", "class", "--exercise", "double", *course), again):
        run = kata(*args, cwd=tmp_path)
        assert run.returncode == 0, run.stderr
        assert kata("report", "--out", "report.html", cwd=tmp_path).returncode == 0
        assert "cell 3, line 3" in (tmp_path / "report.html").read_text()
    assert len(rows(tmp_path)) == 2


# ---------------------------------------------------------------------- stopped


def test_killed_again_and_again_it_ends_with_the_same_grades(course, tmp_path):
    """The program is killed each time; before that, every second time, the process that forks its workers."""
    texts = (DOUBLE, WRONG, SLOW, "raise SystemExit", "def double(x):\n    return x.nope")
    write(tmp_path, {f"class/s{i:02}/double.py": f"{texts[i % 5]}\n# {i}\n" for i in range(40)})
    undisturbed = grade(*course, "--db", "calm.db", cwd=tmp_path)
    assert undisturbed.returncode == 0, undisturbed.stderr
    chance = random.Random(3)
    count = graded(tmp_path)
    for round in range(4):
        process = start(*course, cwd=tmp_path)
        wait_for_more(count, process)
        time.sleep(chance.uniform(0, 0.2))
        if round % 2:
            (victim,) = zygotes(process.pid)
            os.kill(victim, signal.SIGKILL)
            wait_for(lambda: [pid for pid in zygotes(process.pid) if pid != victim])  # noqa: B023
            wait_for_more(count, process)
        process.kill()
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
    assert 4 <= count() < 40
    assert grade(*course, cwd=tmp_path).returncode == 0
    assert rows(tmp_path) == rows(tmp_path, db="calm.db")


def wait_for_more(count, process):
    before = count()
    wait_for(lambda: count() > before or process.poll() is not None)


def test_after_a_kill_any_command_puts_all_of_it_into_one_file(course, tmp_path):
    write(tmp_path, {f"class/s{i:02}/double.py": f"{SLOW}\n# {i}\n" for i in range(10)})
    process = start(*course, cwd=tmp_path)
    wait_for(lambda: graded(tmp_path)() > 2)
    process.kill()
    process.communicate(timeout=60)
    assert (tmp_path / "grades.db-wal").exists()
    assert kata("export", "csv", "--out", "grades.csv", cwd=tmp_path).returncode == 0
    assert not (tmp_path / "grades.db-wal").exists()
    (tmp_path / "moved").mkdir()
    (tmp_path / "grades.db").rename(tmp_path / "moved" / "grades.db")
    kept = [line for line in (tmp_path / "grades.csv").read_text().splitlines() if ",graded," in line]
    assert len(rows(tmp_path / "moved")) == len(kept) > 2


def zygotes(parent):
    """Processes that the program has started to fork its workers; each ends with all that is below it."""
    children = [pid for tasks in Path(f"/proc/{parent}/task").glob("*/children") for pid in tasks.read_text().split()]
    return [int(pid) for pid in children if ZYGOTE in said_of(pid, "cmdline").split("\0")]


def has_ended(pid):
    return said_of(pid, "stat").rpartition(")")[2].split()[:1] in ([], ["Z"])


def said_of(pid, what):
    try:
        return Path(f"/proc/{pid}/{what}").read_text()
    except OSError:  # it is no more
        return ""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_it_says_how_to_go_on_and_keeps_what_is_graded(course, tmp_path, number, code):
    write(tmp_path, {f"class/s{i:02}/double.py": f"{SLOW}\n# {i}\n" for i in range(14)})
    process = start(*course, cwd=tmp_path)
    wait_for(lambda: graded(tmp_path)() > 2)
    forking = zygotes(process.pid)
    assert forking
    process.send_signal(number)
    _, error = process.communicate(timeout=30)
    assert process.returncode == code
    kept = len(rows(tmp_path))
    assert 2 < kept < 14
    found = re.search(
        r"(\d+) of 14 submissions are graded and kept in grades.db; run the same command again to continue", error
    )
    assert found, error
    assert int(found[1]) == kept
    wait_for(lambda: all(map(has_ended, forking)))
    assert grade(*course, cwd=tmp_path).returncode == 0
    assert len(rows(tmp_path)) == 14


def test_two_at_once_on_one_database(course, tmp_path):
    write(tmp_path, {f"class/s{i:02}/double.py": f"{SLOW}\n# {i}\n" for i in range(10)})
    first = start(*course, cwd=tmp_path)
    wait_for(lambda: graded(tmp_path)() > 0)
    first.send_signal(signal.SIGSTOP)  # in the middle of it, however long the second takes
    try:
        second = grade(*course, cwd=tmp_path)
    finally:
        first.send_signal(signal.SIGCONT)
    assert second.returncode == 2
    assert re.fullmatch(rf"kata: grades\.db is in use by process {first.pid} on .* since .* UTC: .*\n", second.stderr)
    first.communicate(timeout=60)
    assert first.returncode == 0
    assert len(rows(tmp_path)) == 10


def test_without_a_terminal_progress_is_plain_lines(course, tmp_path):
    write(tmp_path, {f"class/s{i:02}/double.py": f"{SLOW}\n# {i}\n" for i in range(6)})
    run = grade(*course, cwd=tmp_path)
    assert run.stderr == ""  # nothing to say about a few seconds
    assert "\x1b" not in run.stdout
    assert "Slowest" not in run.stdout


def test_who_took_long_is_named(course, tmp_path):
    sleeper = "import time\n\ntime.sleep(3.2)\n\n" + DOUBLE
    write(tmp_path, {"class/ada/double.py": DOUBLE, "class/zeno\x1b[2J/double.py": sleeper})
    run = grade(*course, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert re.search(r"^Slowest: zeno\S* \([3-9] s\)\.$", run.stdout, re.MULTILINE), run.stdout
    assert "\x1b" not in run.stdout


def test_all_who_are_stuck_are_counted_and_the_longest_named():
    watch, present = Watch(), time.monotonic()
    watch.running = {"ada": present - 1, "bob": present - 20, "eve": present - 40, "kurt": present - 30}
    assert waiting(watch) == "waiting for eve (40 s), kurt (30 s) and 1 more"
    watch.end("kurt")
    assert waiting(watch) == "waiting for eve (40 s), bob (20 s)"
    assert slowest(watch) == "Slowest: kurt (30 s)."


# ---------------------------------------------------------------------- who


def test_the_roster_says_who_is_missing_and_who_is_unknown(course, tmp_path):
    write(
        tmp_path,
        {
            "class/ada/double.py": DOUBLE,
            "class/eve/double.py": DOUBLE,
            "roster.csv": "student_id,first_name,last_name,email\nada,Ada,Lovelace,ada@example.org\nkurt,Kurt,Gödel,\n",
        },
    )
    run = grade(*course, "--roster", "roster.csv", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    lines = {line.split()[0]: line for line in run.stdout.splitlines()[2:5]}
    assert lines["kurt"].rstrip().split(maxsplit=2) == ["kurt", "–/1", "nothing handed in"]
    assert lines["ada"].split() == ["ada", "1/1"]
    assert "not on the roster" in lines["eve"]
    assert "2 graded, 1 missing." in run.stdout


def test_nobody_of_a_mixed_class_is_lost(course, tmp_path):
    write(tmp_path, {f"class/s{i}/double.py": DOUBLE for i in range(5)})
    write(tmp_path, {"class/zed.py": DOUBLE, "class/wendy.rar": b"Rar!", "class/xena.docx": b"PK"})
    write(tmp_path, {"roster.csv": f"{ROSTER}zed,,,\nwendy,,,\nxena,,,\n"})
    run = grade(*course, "--roster", "roster.csv", cwd=tmp_path, COLUMNS="60")
    assert run.returncode == 1, run.stderr
    lines = {line.split()[0]: line for line in run.stdout.splitlines()[2:10]}
    assert lines["zed"].split()[1:] == ["1/1"]
    said = "wendy.rar is of a kind that is not read here: a .zip was expected."
    assert said in lines["wendy"]  # in full, since nobody reads it in a narrow terminal
    assert "nothing handed in" in lines["xena"]
    assert "xena.docx is not a Python file, notebook or archive: left out." in run.stderr


@pytest.mark.parametrize("args", [("export", "csv", "--out", "x"), ("report", "--out", "x"), ("adjust", "ada")])
def test_an_empty_file_is_no_class_without_students(course, tmp_path, args):
    write(tmp_path, {"zero.db": b""})
    run = kata(*args, "--db", "zero.db", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "kata: zero.db is empty: `kata grade PATH` fills it, or name another with --db\n"
    assert (tmp_path / "zero.db").read_bytes() == b""


def test_what_was_never_decided_cannot_be_taken_back(course, tmp_path):
    write(tmp_path, {"class/ada/double.py": WRONG})
    grade(*course, cwd=tmp_path)
    none = kata("adjust", "ada", "--clear", cwd=tmp_path)
    assert (none.returncode, "nothing was decided by hand for 'ada'." in none.stderr) == (2, True)
    unknown = kata("adjust", "ada", "--check", "double/nosuch", "--points", "1", cwd=tmp_path)
    (check,) = re.findall(r"The checks are: double/(\w+)", unknown.stderr)
    kata("adjust", "ada", "--check", f"double/{check}", "--points", "1", cwd=tmp_path)
    other = kata("adjust", "ada", "--clear", cwd=tmp_path)
    assert (other.returncode, f"use --clear with --check double/{check}." in other.stderr) == (2, True)
    assert kata("adjust", "ada", "--check", f"double/{check}", "--clear", cwd=tmp_path).returncode == 0


def students(folder):
    """Who is in the database: id, and whether on the roster."""
    with closing(sqlite3.connect(folder / "grades.db")) as database:
        return database.execute("SELECT id, roster IS NOT NULL FROM students ORDER BY id").fetchall()


ROSTER = "student_id,first_name,last_name,email\n"


def test_a_roster_that_comes_later_names_those_who_are_there(course, tmp_path):
    write(tmp_path, {"class/Ada Lovelace/double.py": DOUBLE, "class/eve/double.py": DOUBLE})
    write(tmp_path, {"roster.csv": f"{ROSTER}m1,Ada,Lovelace,\n"})
    grade(*course, cwd=tmp_path)
    kata("adjust", "Ada Lovelace", "--points", "0.5", cwd=tmp_path)
    named = grade(*course, "--roster", "roster.csv", "--json", "out.json", cwd=tmp_path)
    assert named.returncode == 0, named.stderr
    assert students(tmp_path) == [("eve", 0), ("m1", 1)]
    assert "2 were graded before" in named.stdout
    assert [each["student"] for each in json.loads((tmp_path / "out.json").read_text())["submissions"]] == ["eve", "m1"]
    assert kata("adjust", "m1", cwd=tmp_path).stdout.startswith("Ada Lovelace: 0.5 of 1 points")


def test_a_folder_without_any_exercise_is_unreadable_and_no_zero(course, tmp_path):
    write(tmp_path, {"class/ada/double.py": DOUBLE, "class/emmy/essay.txt": "x", "class/kurt": FOLDER})
    run = grade(*course, cwd=tmp_path)
    assert run.returncode == 1
    assert [row[0] for row in rows(tmp_path)] == ["ada"]
    for student in ("emmy", "kurt"):
        (line,) = (line for line in run.stdout.splitlines() if line.startswith(student))
        assert "–/1" in line
        assert "holds none of double.py" in line


def test_an_earlier_grade_does_not_stand_in_for_a_folder_without_any_exercise(course, tmp_path):
    write(tmp_path, {"class/ada/double.py": DOUBLE, "class/emmy/double.py": DOUBLE})
    grade(*course, cwd=tmp_path)
    (tmp_path / "class/ada/double.py").rename(tmp_path / "class/ada/essay.txt")
    run = grade(*course, "--json", "out.json", cwd=tmp_path)
    assert run.returncode == 1
    assert [each["student"] for each in json.loads((tmp_path / "out.json").read_text())["submissions"]] == ["emmy"]
    assert kata("adjust", "ada", cwd=tmp_path).stdout.startswith("ada: no grade of 1 points (unreadable)")


def test_who_could_not_be_graded_in_an_earlier_run_still_counts_for_the_exit_code(course, tmp_path):
    write(tmp_path, {"class/ada/double.py": DOUBLE, "late/emmy/double.py": DOUBLE})
    grade(*course, cwd=tmp_path)
    with Grades(tmp_path / "grades.db") as grades:
        first = next(grades.results("ada"))
        grades.add(replace(first, fault="no worker"), grades.submission(first.identity.source, "ada"))
    assert kata("grade", "late", "--exercise", "double", *course, cwd=tmp_path).returncode == 1


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"ada/double.py": DOUBLE + "#" * 1_000_000, "ada/helper.py": "x = 1"}, "double.py is larger than 1 MB."),
        ({"ada/double.py": DOUBLE.encode("utf-16")}, "double.py holds a NUL byte on line 1."),
        ({"ada/double.py": b"# caf\xe9\n" + DOUBLE.encode()}, "double.py is not UTF-8 text: see line 1."),
        ({"ada/double.py": FOLDER, "ada/a.py": "x = 1", "ada/b.py": "y = 1"}, "double.py is a folder"),
        ({"ada/double.ipynb": "{"}, "double.ipynb is not a notebook: "),
        ({"ada/work.zip": b"PK"}, "work.zip is neither a zip nor a tar"),
        ({"ada/a.py": "x = 1", "ada/b.py": "y = 1"}, "ada holds none of double.py"),
    ],
    ids=("large", "utf-16", "latin-1", "folder", "notebook", "archive", "others"),
)
def test_what_cannot_be_read_is_no_zero_and_says_why(course, tmp_path, files, why):
    write(tmp_path, {f"class/{name}": content for name, content in files.items()})
    run = grade(*course, cwd=tmp_path)
    assert run.returncode == 1
    (line,) = (line for line in run.stdout.splitlines() if line.startswith("ada"))
    assert "–/1" in line
    assert why in line


def test_python_source_is_read_in_the_encoding_that_it_declares(course, tmp_path):
    lines = ("# -*- coding: latin-1 -*-", "é = 1 if len('é') == 1 else 0", "def double(x):", "    return (1 + é) * x")
    write(tmp_path, {f"class/{name}.py": "\n".join(lines).encode("latin-1") for name in ("ada", "eve/double")})
    run = grade(*course, "--layout", "folders", cwd=tmp_path)
    assert run.returncode == 0, run.stdout
    assert "1/1" in run.stdout


def test_somebody_who_is_unreadable_and_hands_in_again_is_graded(course, tmp_path):
    write(tmp_path, {"class/ada/essay.txt": "x"})
    assert grade(*course, cwd=tmp_path).returncode == 1
    write(tmp_path, {"class/ada/double.py": DOUBLE})
    assert grade(*course, cwd=tmp_path).returncode == 0


class Broken:
    student, handed_in, origin = "ada", None, "ada"

    def read(self, topics, exercises):
        raise RuntimeError("no parser thought of that")


def test_what_cannot_even_be_read_is_a_fault_and_stops_nobody(tmp_path):
    watch = Watch()
    with Grades(tmp_path / "grades.db", create=True) as grades:
        work = SimpleNamespace(topics=(), homes={}, workers=SimpleNamespace(stop=list))
        grade_class(grades, [Broken()], work, 1, watch, lambda: None)
        assert list(grades.results()) == []
    assert watch.faults == {"ada": "RuntimeError: no parser thought of that"}


# ---------------------------------------------------------------------- what does not fit


@pytest.mark.parametrize("wrong", [("--exercise", "nope"), ("--roster", "roster.csv")], ids=lambda wrong: wrong[0])
def test_what_is_wrong_is_said_before_a_key_is_drawn(tiny, tmp_path, wrong):
    write(tmp_path, {"class/ada/double.py": DOUBLE, "roster.csv": "name\nAda\n"})
    run = kata("grade", "class", "--course", tiny, *wrong, cwd=tmp_path)
    assert run.returncode == 2
    assert "drawing" not in run.stderr
    assert not (tmp_path / "grades.db").exists()


def test_a_key_of_another_version_of_the_course_is_refused_and_nothing_is_lost(course, tmp_path):
    write(tmp_path, {"class/ada/double.py": DOUBLE})
    other = make_course(tmp_path / "other", {"double": "function", "twice": "function"})
    facts = other / "solutions" / "course.toml"
    facts.write_text(facts.read_text().replace('version = "1"', 'version = "2"'))
    assert kata("dev", "key", "--course", other, cwd=other).returncode == 0
    assert grade(*course, cwd=tmp_path).returncode == 0
    before = rows(tmp_path, "*")
    for args in (("--key", other / "public.key.safetensors"), ()):
        run = grade("--course", other, *args, cwd=tmp_path)
        assert run.returncode == 2
        assert len(run.stderr.splitlines()) == 1
        assert "version" in run.stderr
        assert "kata regrade" in run.stderr
    assert rows(tmp_path, "*") == before


def test_a_key_drawn_with_another_torch_is_refused(tiny, tmp_path):
    write(tmp_path, {"class/ada/double.py": DOUBLE})
    data = (tiny / "public.key.safetensors").read_bytes()
    (tmp_path / "old.key").write_bytes(re.sub(rb'(\\"torch\\": \\")\d', rb"\g<1>1", data))
    run = grade("--course", tiny, "--key", "old.key", cwd=tmp_path)
    assert run.returncode == 2
    assert re.fullmatch(
        r"kata: old\.key was drawn with torch 1\.\S+, but torch here is 2\.\S+: draw a new one .*\n", run.stderr
    )


def test_a_full_disk_is_one_clear_line_and_loses_nothing(course, tmp_path):
    """A file system of its own, so small that it fills up."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "none", small], capture_output=True)
    if mounted.returncode:
        assert not os.environ.get("CI"), mounted.stderr
        pytest.skip("this machine mounts no tmpfs")
    try:
        bulk = "".join(f"# {random.Random(i).getrandbits(256):x}\n" for i in range(300))
        write(tmp_path, {f"class/s{i:02}/double.py": f"{DOUBLE}\n# {i}\n{bulk}" for i in range(40)})
        run = grade(*course, "--db", small / "grades.db", cwd=tmp_path)
        assert run.returncode == 2
        assert re.search(r"full.*Make room, then run the same command again: what was graded is kept", run.stderr)
        assert "Traceback" not in run.stderr
        kept = len(rows(small))
        subprocess.run(["mount", "-o", "remount,size=20m", small], check=True)
        assert 0 < kept < 40
        assert grade(*course, "--db", small / "grades.db", cwd=tmp_path).returncode == 0
        assert len(rows(small)) == 40
    finally:
        subprocess.run(["umount", small], check=True)


# ---------------------------------------------------------------------- kata regrade


def test_regrade_shows_who_would_change_and_keeps_it_only_when_told(course, tiny, tmp_path):
    """The class was graded with a key in which `double` counted nothing right."""
    write(tmp_path, {"class/ada/double.py": DOUBLE, "class/emmy/double.py": WRONG})
    bad = make_course(tmp_path / "bad", {"double": "function", "twice": "function"})
    solution = bad / "solutions" / "double.py"
    solution.write_text(
        solution.read_text().replace("lambda x: 2 * x", "lambda x: 3 * x").replace('"two": 2', '"three": 3')
    )
    assert kata("dev", "key", "--course", bad, cwd=bad).returncode == 0
    assert grade("--course", bad, "--key", bad / "public.key.safetensors", cwd=tmp_path).returncode == 0
    assert rows(tmp_path, "student, points") == [("ada", 0.0), ("emmy", 0.0)]
    assert kata("adjust", "ada", "--points", "0.5", "--comment", "nearly", cwd=tmp_path).returncode == 0
    before = rows(tmp_path, "*")

    key = ("--key", tiny / "public.key.safetensors")
    shown = kata("regrade", *key, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines()[2].split(maxsplit=4) == ["ada", "0", "1", "+1", "double +1"]
    assert shown.stdout.splitlines()[-1] == "1 of 2 change. Nothing was kept: --commit keeps it."
    assert rows(tmp_path, "*") == before

    assert kata("regrade", *key, "--commit", cwd=tmp_path).returncode == 0
    assert rows(tmp_path, "student, points, current") == [
        ("ada", 0.0, 0), ("ada", 1.0, 1), ("emmy", 0.0, 0), ("emmy", 0.0, 1),
    ]  # fmt: skip
    standing = kata("adjust", "ada", cwd=tmp_path).stdout
    assert standing.startswith("ada: 0.5 of 1 points")
    assert "the automatic score is 1 now: look again" in standing
    again = grade("--course", tiny, cwd=tmp_path)
    assert (again.returncode, len(rows(tmp_path))) == (0, 4)
    assert "2 were graded before" in again.stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--student", "nobody"), "has no student 'nobody'"),
        (("--exercise", "duble"), "Did you mean double?"),
        (("--exercise", "twice"), "holds the grades of double: none of these was asked for"),
        (("--fresh-key", "--key", "x"), "not both"),
    ],
)
def test_regrade_says_what_is_wrong(course, tmp_path, args, said):
    write(tmp_path, {"class/ada/double.py": DOUBLE, "x": ""})
    grade(*course, cwd=tmp_path)
    run = kata("regrade", *args, cwd=tmp_path)
    assert run.returncode == 2
    assert said in run.stderr


def test_regrade_of_one_of_whom_nothing_could_be_read_says_so(course, tmp_path):
    write(tmp_path, {"class/ada/double.py": DOUBLE, "class/eve/double.py": ""})
    grade(*course, cwd=tmp_path)
    run = kata("regrade", "--student", "eve", cwd=tmp_path)
    assert run.stderr == "kata: 'eve' has no grade, so there is nothing to grade again.\n"
    assert run.stdout == "0 of 0 change.\n"


def test_regrade_of_a_database_in_which_nothing_was_graded(course, tmp_path):
    Grades(tmp_path / "grades.db", create=True).close()
    run = kata("regrade", *course, cwd=tmp_path)
    assert run.returncode == 2
    assert "holds no grades yet: run `kata grade PATH` first." in run.stderr


def test_a_database_that_holds_some_exercises_says_so_when_all_are_asked_for(tiny, course, tmp_path):
    twice = "def twice(x):\n    return 2 * x\n"
    write(tmp_path, {"class/ada/double.py": DOUBLE, "class/ada/twice.py": twice})
    grade(*course, cwd=tmp_path)
    run = kata("grade", "class", *course, cwd=tmp_path)
    assert "grades.db holds double, and only that is graded; another assignment needs another --db." in run.stderr


def test_what_is_graded_is_said_when_the_program_is_stopped_behind_it(course, tmp_path):
    write(tmp_path, {"class/ada/double.py": DOUBLE})
    (tmp_path / "struck.py").write_text(
        "import os, signal, sys\n"
        "from attention_kata import program\n"
        "from attention_kata.cli import screens\n"
        "screens.ClassTable.show = lambda self: os.kill(os.getpid(), signal.SIGTERM)\n"
        f"sys.argv = ['kata', 'grade', 'class', '--exercise', 'double', *{[str(each) for each in course]!r}]\n"
        "program.main()\n"
    )
    run = subprocess.run([sys.executable, "struck.py"], cwd=tmp_path, capture_output=True, text=True, env=environment())
    said = (
        "kata: stopped: 1 of 1 submissions are graded and kept in grades.db; run the same command again to continue.\n"
    )
    assert (run.returncode, run.stderr) == (143, said)


def test_without_a_sandbox_no_process_waits_that_nobody_needs(course, tmp_path):
    children = (  # of the program's own: other tests may run beside this one
        "import os, pathlib\n"
        "for thread in pathlib.Path('/proc', str(os.getppid()), 'task').glob('*/children'):\n"
        "    for pid in thread.read_text().split():\n"
        "        print(pathlib.Path('/proc', pid, 'cmdline').read_text().replace(chr(0), ' '))\n"
    )
    write(tmp_path, {"class/ada/double.py": children + DOUBLE})
    grade(*course, "--isolation", "process", "--json", "out.json", cwd=tmp_path)
    (result,) = json.loads((tmp_path / "out.json").read_text())["submissions"]
    assert ("attention_kata.worker" in result["output"], "worker.namespace" in result["output"]) == (True, False)


@pytest.mark.parametrize("redirection", ["| true", "> /dev/full", ">&-"])
def test_output_that_nobody_takes_is_no_verdict_on_anybody(course, tmp_path, redirection):
    write(tmp_path, {"class/ada/double.py": DOUBLE})
    words = shlex.join([sys.executable, "-m", "attention_kata", "grade", "class", "--exercise", "double",
                        *map(str, course)])  # fmt: skip
    command = f"set -o pipefail; {words} {redirection}"
    run = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, env=environment())
    said = {"> /dev/full": "kata: the output: No space left on device\n"}.get(redirection, "")
    assert (run.returncode, run.stderr) == ({"| true": 141, "> /dev/full": 2, ">&-": 0}[redirection], said)
    assert rows(tmp_path, "student, points") == [("ada", 1.0)]


def test_regrade_without_a_database(tmp_path):
    run = kata("regrade", cwd=tmp_path)
    assert (run.returncode, len(run.stderr.splitlines())) == (2, 1)
    assert "kata grade PATH" in run.stderr
    assert not list(Path(tmp_path).iterdir())
