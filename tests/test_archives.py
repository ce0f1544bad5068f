"""What an archive would do to whoever unpacks it is refused by name, and the rest of the class is graded."""

import io
import lzma
import stat
import struct
import tarfile
import tracemalloc
import zipfile
import zlib

import pytest
from conftest import write
from intake_files import noted, raw_zip, tar_bytes, tar_info, zip_bytes, zip_info

from attention_kata.intake import IntakeError, find_submissions, tree
from attention_kata.intake.archives.archive import open_archive
from attention_kata.intake.archives.bounds import NESTED, Bounds
from attention_kata.intake.tree import Unreadable
from attention_kata.messages.render import render

TOPICS = ("attention.py",)
EXERCISES = {"softmax": "attention.py"}
SOFTMAX = b"def softmax(x):\n    return x\n"
GOOD = {"ada/attention.py": SOFTMAX, "bob/attention.py": SOFTMAX}


def found(tmp_path, data, name="class.zip"):
    (tmp_path / name).write_bytes(data)
    return find_submissions(tmp_path / name, TOPICS)


def graded(intake):
    """Students whose file could be read."""
    return [a.student for a in intake.attempts if a.read(TOPICS, EXERCISES).files == {"attention.py": SOFTMAX.decode()}]


def member(name, **lies):
    return {"name": name.encode() if isinstance(name, str) else name, "data": SOFTMAX, **lies}


ESCAPES = {
    "../evil.py": "a path that leads out of the archive",
    "eve/../../evil.py": "a path that leads out of the archive",
    "eve\\..\\..\\evil.py": "a path that leads out of the archive",
    "/etc/evil.py": "an absolute path",
    "\\\\host\\evil.py": "an absolute path",
    "C:/evil.py": "an absolute path",
    "c:evil.py": "an absolute path",
    "eve/" + "x" * 1000: "a name that is too long",
    "eve/" * 30 + "x.py": "a name that is too long",
}


@pytest.mark.parametrize(("name", "reason"), ESCAPES.items())
@pytest.mark.parametrize("way", ["zip", "tar"])
def test_a_member_that_leads_elsewhere_is_refused(tmp_path, name, reason, way):
    files = {**GOOD, name: b"evil"}
    intake = found(tmp_path, zip_bytes(files) if way == "zip" else tar_bytes(files))
    assert graded(intake) == ["ada", "bob"]
    [note] = noted(intake)
    assert note.endswith(f" in class.zip: {reason}; left out.")
    assert note.startswith(name[:50])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class.zip"]


@pytest.mark.parametrize(
    ("mode", "reason"),
    [(stat.S_IFLNK, "a link"), (stat.S_IFIFO, "a device or a pipe"), (stat.S_IFCHR, "a device or a pipe")],
)
def test_a_zip_member_that_is_no_file_is_refused(tmp_path, mode, reason):
    intake = found(tmp_path, zip_bytes([*GOOD.items(), (zip_info("eve/attention.py", mode | 0o777), b"/etc/passwd")]))
    assert graded(intake) == ["ada", "bob"]
    assert noted(intake) == (f"eve/attention.py in class.zip: {reason}; left out.",)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (tarfile.SYMTYPE, "a link"),
        (tarfile.LNKTYPE, "a link"),
        (tarfile.FIFOTYPE, "a device or a pipe"),
        (tarfile.CHRTYPE, "a device or a pipe"),
        (tarfile.BLKTYPE, "a device or a pipe"),
    ],
)
def test_a_tar_member_that_is_no_file_is_refused(tmp_path, kind, reason):
    data = tar_bytes([*GOOD.items(), (tar_info("eve/attention.py", kind, "../ada/attention.py"), b"")])
    intake = found(tmp_path, data)
    assert graded(intake) == ["ada", "bob"]
    assert noted(intake) == (f"eve/attention.py in class.zip: {reason}; left out.",)


def test_an_encrypted_member_is_refused(tmp_path):
    intake = found(tmp_path, raw_zip(*map(member, GOOD), member("eve/attention.py", flags=1)))
    assert graded(intake) == ["ada", "bob"]
    assert noted(intake) == ("eve/attention.py in class.zip: encrypted; left out.",)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, 99])
def test_a_member_packed_in_a_way_that_cannot_be_bounded_is_refused(tmp_path, method):
    intake = found(tmp_path, raw_zip(*map(member, GOOD), member("eve/attention.py", method=method)))
    assert graded(intake) == ["ada", "bob"]
    assert noted(intake)[0].startswith("eve/attention.py in class.zip: packed in a way that is not read here")


@pytest.mark.parametrize("way", ["zip", "tar"])
def test_of_members_of_one_name_the_last_counts_and_that_is_noted(tmp_path, way):
    members = [("ada/attention.py", b"x = 1\n"), *GOOD.items()]
    intake = found(tmp_path, raw_zip(*(member(n, data=d) for n, d in members)) if way == "zip" else tar_bytes(members))
    assert graded(intake) == ["ada", "bob"]
    assert noted(intake) == (
        "ada/attention.py in class.zip: an earlier member of the same name (the last one counts); left out.",
    )


def test_a_file_that_is_a_folder_too_is_refused(tmp_path):
    intake = found(tmp_path, tar_bytes([*GOOD.items(), ("eve", b""), ("eve/attention.py", SOFTMAX), ("ada", b"")]))
    assert graded(intake) == ["ada", "bob"]
    assert [note.split(":")[1] for note in noted(intake)] == [" a file and a folder of the same name; left out."] * 2


@pytest.mark.parametrize("flags", [0, 0x800])
def test_a_name_that_is_not_utf8_is_refused(tmp_path, flags):
    intake = found(tmp_path, raw_zip(*map(member, GOOD), member(b"ev\xe9/attention.py", flags=flags)))
    assert graded(intake) == ["ada", "bob"]
    assert noted(intake) == ("ev\\udce9/attention.py in class.zip: a name that is not UTF-8; left out.",)


def test_a_name_in_a_tar_that_is_not_utf8_is_refused(tmp_path):
    data = tar_bytes({**GOOD, "ev\udce9/attention.py": SOFTMAX})
    assert noted(found(tmp_path, data)) == ("ev\\udce9/attention.py in class.zip: a name that is not UTF-8; left out.",)


def test_a_name_in_utf8_that_does_not_say_so_is_read(tmp_path):
    intake = found(tmp_path, raw_zip(*map(member, GOOD), member("zoë/attention.py")))
    assert graded(intake) == ["ada", "bob", "zoë"]


def test_a_bomb_that_declares_its_size_is_refused(tmp_path):
    bomb = member("eve/attention.py", data=b"\0" * 50_000_000)
    intake = found(tmp_path, raw_zip(*map(member, GOOD), bomb))
    assert graded(intake) == ["ada", "bob"]
    assert noted(intake) == ("eve/attention.py in class.zip: unpacks to more than 200 times its size; left out.",)


@pytest.mark.parametrize("declared", [10, 900_000, 0])
def test_a_bomb_that_lies_about_its_size_is_read_no_further_than_it_says(tmp_path, declared):
    bomb = member("eve/attention.py", data=b"#" * 200_000_000, size=declared)
    intake = found(tmp_path, raw_zip(*map(member, GOOD), bomb))
    assert graded(intake) == ["ada", "bob"]
    eve = intake.attempts[-1]
    tracemalloc.start()
    problem = eve.read(TOPICS, EXERCISES).problems["attention.py"]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert render(problem.message) in (
        "attention.py is damaged: the archive does not hold what it declares.",
        "attention.py is empty.",
    )
    assert most < 10_000_000


def test_a_compressed_tar_that_unpacks_to_too_much_is_refused(tmp_path):
    write(tmp_path, {"class/eve/hw.tar.gz": tar_bytes({"x": b"\0" * (NESTED.unpacked + 1)}, ".gz")})
    [attempt] = find_submissions(tmp_path / "class", TOPICS).attempts
    note = "hw.tar.gz unpacks to more than 64 MB; left out. A zip of Python files was expected."
    assert noted(attempt.read(TOPICS, EXERCISES)) == (note,)


@pytest.mark.parametrize("way", [zip_bytes, tar_bytes])
def test_too_many_members_are_refused(way):
    with pytest.raises(Unreadable, match="holds more than 10 members"):
        open_archive(io.BytesIO(way({f"{i}.py": b"" for i in range(11)})), "x.zip", Bounds(10, 1000))


def test_a_directory_that_is_too_long_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(Unreadable, match="holds more than 10 members"):
        open_archive(io.BytesIO(raw_zip(*[member("x")] * 11)), "x.zip", Bounds(10, 1000))


def test_a_tar_whose_members_lead_back_is_refused():
    info = tarfile.TarInfo("x").tobuf()
    header = bytearray(info)
    header[124:136] = b"\xff" * 10 + struct.pack(">h", -512)
    header[148:156] = b" " * 8
    header[148:156] = f"{sum(header):06o}\0 ".encode()
    with pytest.raises(Unreadable, match="is damaged"):
        open_archive(io.BytesIO(bytes(header) * 4), "x.tar", NESTED)


@pytest.mark.parametrize("cut", [10, 60, 200, -30, -5])
@pytest.mark.parametrize("packing", [None, "", ".gz", ".xz"])
def test_an_archive_that_was_cut_off_is_refused_or_read_in_part(tmp_path, cut, packing):
    data = zip_bytes(GOOD) if packing is None else tar_bytes(GOOD, packing)
    try:
        intake = found(tmp_path, data[:cut])
    except IntakeError:
        return
    assert set(graded(intake)) <= {"ada", "bob"}


def test_every_damaged_byte_is_survived(tmp_path):
    whole = zip_bytes(GOOD)
    for place in range(len(whole)):
        data = bytearray(whole)
        data[place] ^= 0xFF
        try:
            archive = open_archive(io.BytesIO(data), "x.zip", NESTED)
        except Unreadable:
            continue
        for name in tree.walk(archive):
            try:
                assert zlib.crc32(archive.read(name, 1000)) == zlib.crc32(SOFTMAX)
            except tree.Unreadable:
                continue


def test_an_xz_that_asks_for_too_much_memory_is_refused():
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}]
    data = lzma.compress(tar_bytes(GOOD), filters=filters)
    with pytest.raises(Unreadable, match="is damaged"):
        open_archive(io.BytesIO(data), "x.tar.xz", NESTED)


def test_a_folder_that_may_not_be_read_is_a_problem(tmp_path, monkeypatch):
    (tmp_path / "class" / "ad\na").mkdir(parents=True)

    def denied(path, **_):
        raise PermissionError(13, "Permission denied")

    [attempt] = find_submissions(tmp_path / "class", TOPICS).attempts
    problem = attempt.read(TOPICS, EXERCISES).problems["attention.py"]
    assert render(problem.message) == "attention.py is missing from ad\\na."
    monkeypatch.setattr(tree.Path, "exists", denied)
    problem = attempt.read(TOPICS, EXERCISES).problems["attention.py"]
    assert render(problem.message) == "attention.py cannot be read: Permission denied."


# ---------------------------------------------------------------------- a large class


def test_a_class_of_ten_thousand_is_listed_without_being_read(tmp_path, monkeypatch):
    for i in range(10_000):
        folder = tmp_path / f"student{i}"
        folder.mkdir()
    (tmp_path / "student7" / "attention.py").write_bytes(SOFTMAX)
    listed = []
    scandir = tree.os.scandir
    monkeypatch.setattr(tree.os, "scandir", lambda path: listed.append(path) or scandir(path))
    monkeypatch.setattr(tree.Folder, "read", lambda *args: pytest.fail("a file was read"))
    tracemalloc.start()
    intake = find_submissions(tmp_path, TOPICS)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [a.student for a in intake.attempts] == [f"student{i}" for i in range(10_000)]
    assert len(listed) < 200  # the class's folder, and a few to recognise the layout
    assert kept < 10_000 * 1_500


def test_a_zipped_class_keeps_where_its_bytes_are_and_not_the_bytes(tmp_path):
    files = {f"student{i}/attention.py": b"#" + bytes(100_000) for i in range(300)}
    (tmp_path / "class.zip").write_bytes(zip_bytes(files, zipfile.ZIP_STORED))
    del files
    tracemalloc.start()
    intake = find_submissions(tmp_path / "class.zip", TOPICS)
    kept, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(intake.attempts) == 300
    assert kept < 3_000_000
    assert most < 6_000_000
