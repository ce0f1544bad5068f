"""What is shipped: the wheel holds package, stubs and public key; neither wheel nor sdist holds a solution."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "grader" / "attention_kata"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--outdir", out, ROOT], check=True, capture_output=True)
    return out


@pytest.fixture(scope="module")
def wheel(built):
    with zipfile.ZipFile(next(built.glob("*.whl"))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def sdist(built):
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        return {
            m.name.split("/", 1)[1]: archive.extractfile(m).read()  # type: ignore[union-attr]
            for m in archive.getmembers()
            if m.isfile()
        }


def test_the_wheel_holds_the_package_the_stubs_and_the_key_and_nothing_else(wheel):
    package = {
        p.relative_to(PACKAGE).as_posix() for p in PACKAGE.rglob("*") if p.is_file() and "__pycache__" not in p.parts
    }
    expected = {f"attention_kata/{name}" for name in package if not name.startswith("exercises/")}
    expected |= {f"attention_kata/exercises/{p.name}" for p in (ROOT / "exercises").glob("*.py")}
    assert {name for name in wheel if ".dist-info/" not in name} == expected


def test_the_stubs_in_the_wheel_are_those_of_the_checkout(wheel):
    stubs = {f"attention_kata/exercises/{p.name}": p.read_bytes() for p in (ROOT / "exercises").glob("*.py")}
    assert {name: wheel.get(name) for name in stubs} == stubs


def _solution_lines():
    """Lines that only the solutions have: what a reference or a variant says."""
    stubs = {line.strip() for p in (ROOT / "exercises").glob("*.py") for line in p.read_text("utf-8").splitlines()}
    package = {line.strip() for p in PACKAGE.rglob("*.py") for line in p.read_text("utf-8").splitlines()}
    lines = set()
    for path in (ROOT / "solutions").glob("*.py"):
        if path.name != "catalogue.py":  # its words are what the public key says to learners
            lines |= {
                line.strip() for line in path.read_text("utf-8").splitlines() if "torch." in line or "lambda" in line
            }
    return {line for line in lines if len(line) > 20} - stubs - package


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_not_a_line_of_the_solutions_is_shipped(kind, request):
    shipped = b"\n".join(request.getfixturevalue(kind).values())
    assert [line for line in _solution_lines() if line.encode() in shipped] == []


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_no_folder_of_solutions_is_shipped(kind, request):
    names = request.getfixturevalue(kind)
    assert [name for name in names if name.startswith("solutions/") or "/solutions/" in name] == []


def test_the_templates_of_reports_are_shipped(wheel):
    folder = PACKAGE / "report" / "templates"
    templates = {f"attention_kata/report/templates/{p.name}": p.read_bytes() for p in folder.iterdir()}
    assert len(templates) > 0
    assert {name: wheel.get(name) for name in templates} == templates


def test_an_installed_wheel_checks_a_learners_folder(built, tmp_path):
    """From the wheel alone: the stubs are handed out and an answer is graded, with no checkout in sight."""
    site = tmp_path / "site"
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        site,
        next(built.glob("*.whl")),
    ]
    subprocess.run(install, check=True)
    run = {
        "cwd": tmp_path,
        "env": {"PYTHONPATH": str(site), "PATH": "/usr/bin:/bin"},
        "capture_output": True,
        "text": True,
    }
    kata = [sys.executable, "-c", "import attention_kata, sys; assert 'site' in attention_kata.__file__; "
            "from attention_kata.cli import main; main()"]  # fmt: skip
    subprocess.run([*kata, "init", "work"], check=True, **run)
    answer = "\n\ndef attention_scores(Q, K):\n    return Q @ K.mT / Q.size(-1) ** 0.5\n"
    with (tmp_path / "work" / "attention.py").open("a") as file:
        file.write(answer)
    checked = subprocess.run([*kata, "check", "attention_scores", "--dir", "work"], **run)
    assert ("8 of 8 points" in checked.stdout, checked.returncode) == (True, 0), checked.stdout + checked.stderr
