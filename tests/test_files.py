"""A file is complete or not there, and what is not a file is left what it is."""

import os
import re
import stat
import threading
from pathlib import Path

import pytest
from conftest import kata, make_course, write

import attention_kata
from attention_kata.files import write_whole


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the grades of one student."""
    folder = tmp_path_factory.mktemp("class")
    write(folder, {"class/ada/double.py": "def double(x):\n    return 2 * x\n"})
    course = make_course(folder / "tiny", {"double": "function"})
    options = ("--course", course, "--key", course / "public.key.safetensors")
    run = kata("grade", "class", *options, "--json", "plain.json", cwd=folder)
    assert run.returncode == 0, run.stderr
    return folder


def test_a_size_is_told_and_nothing_stays_beside_the_file(tmp_path):
    assert write_whole(tmp_path / "a", [b"one", b"two"]) == 6
    assert os.listdir(tmp_path) == ["a"]


def test_what_breaks_off_leaves_the_file_as_it_was(tmp_path):
    (tmp_path / "a").write_bytes(b"before")

    def pieces():
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "a", pieces())
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"before")]


def test_a_link_keeps_pointing_where_it_does(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "here").symlink_to("there/a")
    write_whole(tmp_path / "here", [b"x"])
    assert (tmp_path / "here").is_symlink()
    assert (tmp_path / "there/a").read_bytes() == b"x"


def test_what_a_killed_run_left_open_to_everybody_opens_nothing(tmp_path):
    left = tmp_path / "a.part"
    left.write_bytes(b"half")
    left.chmod(0o666)
    write_whole(tmp_path / "a", [b"secret"], 0o600)
    assert [(path.name, stat.S_IMODE(path.stat().st_mode)) for path in tmp_path.iterdir()] == [("a", 0o600)]


def test_no_other_module_replaces_files():
    package = Path(attention_kata.__file__).parent
    found = {path.name for path in package.rglob("*.py") if re.search(r"os\.(replace|rename)\(", path.read_text())}
    assert found == {"files.py"}


@pytest.mark.parametrize(
    "command",
    [
        ("export", "csv", "--out"),
        ("report", "--out"),
        ("grade", "class", "--course", "tiny", "--key", "tiny/public.key.safetensors", "--json"),
    ],
    ids=lambda command: command[0],
)
def test_a_pipe_gets_what_a_file_would_and_stays_a_pipe(folder, command, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    run = kata(*command, pipe, cwd=folder)
    assert run.returncode == 0, run.stderr
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    reader.join(60)
    assert b"ada" in got[0]


@pytest.mark.parametrize("command", [("export", "csv", "--out"), ("report", "--out")], ids=lambda command: command[0])
def test_a_folder_in_place_of_a_file_is_one_line(folder, command):
    run = kata(*command, "", cwd=folder)
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1, run.stderr
    assert ". cannot be written: it is a folder." in run.stderr
