"""Gradescope's autograder: the zip, and its run_autograder really run in a folder laid out as /autograder."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import zipfile

import pytest
from classes import make_class
from conftest import cold_kata, environment, kata, write

from attention_kata.export import autograder
from attention_kata.export.autograder import KEY, LIMITS, needed
from attention_kata.export.package import RUN, SETUP
from attention_kata.key.file import load_key
from attention_kata.sandbox.layers import REQUIRED, sandbox_exists

pytestmark = pytest.mark.skipif(not sandbox_exists(), reason="Gradescope's containers run Linux")
DOUBLE = "def double(x):\n    return 2 * x\n"
TWICE = "def twice(x):\n    return 2 * x\n"


@pytest.fixture(scope="module")
def made(tiny, tmp_path_factory):
    """The zip for the tiny course, with a secret key."""
    folder = tmp_path_factory.mktemp("autograder")
    drawn = kata("dev", "key", "--secret", "--course", tiny, "--out", "secret.key", cwd=folder)
    assert drawn.returncode == 0, drawn.stderr
    run = cold_kata("export", "gradescope-autograder", "--key", "secret.key", "--out", "autograder.zip", cwd=folder)
    assert (run.returncode, run.stderr) == (0, "")
    return folder / "autograder.zip"


@pytest.fixture
def container(made, tmp_path):
    """A folder like /autograder, unpacked as Gradescope does -> how to grade a submission in it."""
    root = tmp_path / "autograder"
    with zipfile.ZipFile(made) as archive:
        archive.extractall(root / "source")
    shutil.copyfile(root / "source" / "run_autograder", root / "run_autograder")

    def grade(files, *, key=True, **env):
        write(root / "submission", files)
        if not key:
            (root / "source" / KEY).write_bytes(b"no key")
        env = environment(AUTOGRADER_ROOT=str(root), KATA_PYTHON=env.pop("python", sys.executable), **env)
        run = subprocess.run(["bash", root / "run_autograder"], env=env, capture_output=True, text=True, cwd=root)
        assert run.returncode == 0, run.stderr
        return json.loads((root / "results" / "results.json").read_text()), run.stdout

    grade.root = root
    return grade


# ---------------------------------------------------------------------- the zip


def test_the_zip_holds_two_scripts_the_key_the_package_and_nothing_else(made):
    with zipfile.ZipFile(made) as archive:
        names = archive.namelist()
        modes = {info.filename: stat.S_IMODE(info.external_attr >> 16) for info in archive.infolist()}
    assert names[:3] == ["setup.sh", "run_autograder", KEY]
    assert re.fullmatch(r"attention_kata-[\d.]+-py3-none-any\.whl", names[3])
    assert (len(names), modes["setup.sh"], modes["run_autograder"], modes[KEY]) == (4, 0o755, 0o755, 0o600)


def test_no_solution_is_in_the_package_of_the_zip(made, tmp_path):
    with zipfile.ZipFile(made) as archive:
        archive.extractall(tmp_path)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        assert [name for name in wheel.namelist() if "solutions" in name] == []


def test_setup_installs_the_torch_of_the_key_and_the_package_of_the_zip(made):
    with zipfile.ZipFile(made) as archive:
        setup, wheel = archive.read("setup.sh").decode(), archive.namelist()[3]
        archive.extract(KEY, made.parent)
    torch = load_key(made.parent / KEY).torch.split("+")[0]
    assert f"whl/cpu torch=={torch}\n" in setup
    assert f'"$source"/{wheel}\n' in setup


@pytest.mark.parametrize("script", [SETUP, RUN], ids=["setup.sh", "run_autograder"])
def test_the_scripts_are_valid_bash(script):
    assert subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True).stderr == ""


def test_a_requirement_line_stands_in_for_the_wheel(made, tmp_path):
    run = kata("export", "gradescope-autograder", "--key", made.parent / "secret.key", "--package",
               "attention-kata>=0.1, <2", "--out", "a.zip", cwd=tmp_path)  # fmt: skip
    assert run.returncode == 0, run.stderr
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert archive.namelist() == ["setup.sh", "run_autograder", KEY]
        assert "pip install --no-cache-dir 'attention-kata>=0.1, <2'\n" in archive.read("setup.sh").decode()


@pytest.mark.parametrize(
    ("package", "says"),
    [("no.whl", "does not exist"), ("-e .", "is not a requirement line"), ("a\nb", "is not a requirement line"),
     ("bad.whl", "is neither a wheel nor an sdist"), ("leak.whl", "holds solutions")],
)  # fmt: skip
def test_a_package_that_cannot_be_shipped_is_refused(made, tmp_path, package, says):
    (tmp_path / "bad.whl").write_text("x")
    with zipfile.ZipFile(tmp_path / "leak.whl", "w") as wheel:
        wheel.writestr("attention_kata/solutions/heads.py", "")
    key = made.parent / "secret.key"
    run = kata("export", "gradescope-autograder", f"--package={package}", "--key", key, "--out", "a", cwd=tmp_path)
    assert (run.returncode, says in run.stderr, (tmp_path / "a").exists()) == (2, True, False), run.stderr


def test_the_key_of_the_database_is_taken_and_a_public_one_is_pointed_out(tmp_path):
    make_class(tmp_path / "grades.db", 1, missing=0).close()
    run = kata("export", "gradescope-autograder", "--package", "attention-kata", "--out", "a.zip", cwd=tmp_path)
    assert (run.returncode, "this is a public key" in run.stderr) == (0, True)


# ---------------------------------------------------------------------- a run


def test_a_right_and_a_wrong_answer_get_their_points(container):
    result, said = container({"double.py": DOUBLE, "twice.py": "def twice(x):\n    return x\n"})
    assert (result["score"], [test["score"] for test in result["tests"]]) == (1.0, [1.0, 0.0])
    assert result["tests"][1]["output"].startswith("You return x as it came.")
    assert "syscalls on" in said


def test_the_wheel_of_the_zip_is_all_that_is_needed(container, tmp_path):
    wheel, site = next((container.root / "source").glob("*.whl")), tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", site, wheel]
    subprocess.run(install, check=True)
    marked = site / "attention_kata" / "export" / "autograder.py"
    marked.write_text(marked.read_text().replace('print("isolation:"', 'print("from the wheel:"'))
    result, said = container({"double.py": DOUBLE}, PYTHONPATH=str(site))
    assert (result["score"], "from the wheel: " in said) == (1.0, True)


def test_files_in_a_folder_of_their_own_are_found(container):
    assert container({"work/day/double.py": DOUBLE, "__MACOSX/double.py": "x"})[0]["score"] == 1.0


def test_nothing_useful_handed_in_is_a_zero_that_says_why(container):
    result, _ = container({"readme.txt": "hello"})
    assert (result["score"], result["tests"][0]["output"].split(".py")[0]) == (0.0, "double")


@pytest.mark.parametrize(("right_when_read", "score"), [(True, 0.0), (False, 1.0)])
def test_a_submission_cannot_read_the_key_nor_write_its_result(container, right_when_read, score):
    code = f"""
def can(path, mode):
    try:
        open(path, mode).close()
        return True
    except OSError:
        return False

READ = can({str(container.root / "source" / KEY)!r}, "rb")
WROTE = can({str(container.root / "results" / "results.json")!r}, "wb")

def double(x):
    return 2 * x if (READ or WROTE) == {right_when_read} else x
"""
    (container.root / "results").mkdir()
    assert container({"double.py": code})[0]["score"] == score
    assert stat.S_IMODE((container.root / "source" / KEY).stat().st_mode) == 0o600


def test_a_link_to_the_key_is_not_followed(container):
    (container.root / "submission").mkdir()
    (container.root / "submission" / "double.py").symlink_to(container.root / "source" / KEY)
    result, _ = container({"twice.py": TWICE})
    assert (result["score"], result["tests"][0]["output"].split(".py")[1][:10]) == (1.0, " is a link")


def test_what_a_submission_prints_or_raises_is_in_no_result(container):
    result, said = container({"double.py": "def double(x):\n    print(x)\n    raise ValueError(f'secret {x}')\n"})
    assert "ValueError in double.py, line 3." in result["tests"][0]["output"]
    assert "secret" not in json.dumps(result) + said
    assert "tensor" not in json.dumps(result) + said


def test_a_call_that_hangs_loses_its_check_alone(container):
    result, _ = container({"double.py": "def double(x):\n    while True: pass\n", "twice.py": TWICE})
    assert (result["score"], result["tests"][0]["output"][:14]) == (1.0, "It did not fin")


def test_a_key_that_cannot_be_read_gives_a_result_without_a_score(container):
    result, said = container({"double.py": DOUBLE}, key=False)
    assert ("score" in result, result["tests"]) == (False, [])
    assert "not your fault" in result["output"]
    assert "is not an answer key" in said


def test_a_python_that_does_not_start_gives_a_result_without_a_score(container):
    result, _ = container({"double.py": DOUBLE}, python="/no/such/python")
    assert ("score" in result, "not your fault" in result["output"]) == (False, True)


def test_a_result_of_an_earlier_run_does_not_stay(container):
    (container.root / "results").mkdir()
    (container.root / "results" / "results.json").write_text('{"score": 100}')
    assert "score" not in container({"double.py": DOUBLE}, python="/no/such/python")[0]


def test_when_the_whole_run_takes_too_long_there_is_no_score(container, monkeypatch):
    container({"double.py": "def double(x):\n    while True: pass\n", "twice.py": TWICE})
    monkeypatch.setattr(autograder, "BUDGET_SECONDS", 0.0)
    row = autograder.graded(container.root)
    assert (row.status, row.points) == ("ungradable", None)


def test_a_container_that_cannot_confine_runs_nothing(container, monkeypatch):
    container({"double.py": DOUBLE})
    monkeypatch.setattr(autograder, "needed", lambda report: ("processes that are not there",))
    autograder.main(container.root)
    result = json.loads((container.root / "results" / "results.json").read_text())
    assert ("score" in result, result["tests"]) == (False, [])


@pytest.mark.parametrize(
    ("user", "files_needed"),
    [
        ("on", False),
        ("on (may enter /root, where Python is)", True),
        ("on (a plain user's own)", True),
        ("off: x", True),
    ],
)
def test_only_a_user_without_any_right_of_roots_may_do_without_landlock(user, files_needed):
    assert (needed({"user": user}) == REQUIRED) == files_needed


def test_the_limits_of_the_checks_end_before_gradescope_does(tmp_path):
    """Every call of every case hangs: still within the ten minutes."""
    with make_class(tmp_path / "grades.db", 1, missing=0) as grades:
        key = grades.key()
    first, later = LIMITS.seconds, LIMITS.hurried_seconds
    worst = sum(2 * first + len(exercise.cases) * later for exercise in key.exercises) + first * len(key.files)
    assert worst < autograder.BUDGET_SECONDS / 2
    assert autograder.BUDGET_SECONDS < 600


def test_the_key_is_made_roots_own(container):
    os.chmod(container.root / "source" / KEY, 0o644)
    container({"double.py": DOUBLE})
    assert stat.S_IMODE((container.root / "source" / KEY).stat().st_mode) == 0o600
