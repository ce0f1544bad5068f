"""Reading what a worker sends: whole frames, bounded text, and why it ended."""

import os
import signal
import socket
import time
from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch

from attention_kata.messages.said import said
from attention_kata.sandbox.observation import Lost, Malformed, Outcome, read_observation
from attention_kata.sandbox.reader import End, Reader, cause_of, parse
from attention_kata.sandbox.workers import MEMORY_LIMIT_MB, MEMORY_MB, Memory
from attention_kata.worker.frames import OBSERVATION, pack
from attention_kata.worker.observe import observe

pytestmark = pytest.mark.skipif(os.name != "posix", reason="output is a pipe where there are descriptors")
HEAD = 5


@dataclass
class Ends:
    """A worker's connection and output, and the other ends of both."""

    connection: socket.socket
    theirs: socket.socket
    output: int
    write: int
    memory: Memory

    def says(self, data):
        self.theirs.sendall(data)

    def prints(self, data):
        os.write(self.write, data)


@pytest.fixture
def worker():
    ends = Ends(*socket.socketpair(), *os.pipe(), Memory())
    yield ends
    for each in (ends.connection, ends.theirs):
        each.close()
    os.close(ends.output)
    if ends.write >= 0:
        os.close(ends.write)


@pytest.fixture
def printed():
    return bytearray()


@pytest.fixture
def reader(worker, printed):
    return Reader(worker, printed)


def soon():
    return time.monotonic() + 20


def late():
    return time.monotonic() + 0.01


def frame(kind, payload):
    return kind + len(payload).to_bytes(4, "little") + payload


# ---------------------------------------------------------------------- frames


def test_frames_come_one_by_one_whatever_pieces_they_arrive_in(worker, reader):
    worker.says(frame(b"O", b"one") + frame(b"M", b""))
    assert reader.frame(soon()) == (b"O", b"one")
    assert reader.frame(soon()) == (b"M", b"")
    with pytest.raises(TimeoutError):
        reader.frame(late())


def test_a_frame_in_pieces_is_waited_for(worker, reader):
    whole = frame(b"O", bytes(300))
    for piece in (whole[:1], whole[1:4], whole[4:5], whole[5:200]):
        worker.says(piece)
        with pytest.raises(TimeoutError):
            reader.frame(late())
    worker.says(whole[200:] + b"X")
    assert reader.frame(soon()) == (b"O", bytes(300))
    assert bytes(reader.buffer) == b"X"


def test_a_frame_that_has_come_is_given_after_its_time(worker, reader):
    worker.says(frame(b"O", b"one") + frame(b"O", b"two"))
    assert reader.frame(soon()) == (b"O", b"one")
    assert reader.frame(time.monotonic() - 1) == (b"O", b"two")
    worker.says(frame(b"O", b"three"))
    with pytest.raises(TimeoutError):
        reader.frame(time.monotonic() - 1)


def test_the_end_of_the_connection_is_the_end(worker, reader):
    worker.says(frame(b"O", b"one") + b"O")
    worker.theirs.close()
    assert reader.frame(soon()) == (b"O", b"one")
    with pytest.raises(EOFError):
        reader.frame(soon())


def test_a_reply_of_up_to_8_megabytes_is_read(worker, reader):
    reader.buffer += b"O" + ((8 << 20) + 1).to_bytes(4, "little")
    with pytest.raises(Malformed) as caught:
        reader.frame(soon())
    assert str(caught.value) == "a reply that is too large"
    reader.buffer[:] = frame(b"O", bytes(8 << 20)) + b"X"
    kind, payload = reader.frame(soon())
    assert (kind, len(payload), bytes(reader.buffer)) == (b"O", 8 << 20, b"X")


# ---------------------------------------------------------------------- what is printed


def test_what_is_printed_is_kept_while_frames_are_waited_for(worker, reader, printed):
    worker.prints(b"hello\n")
    with pytest.raises(TimeoutError):
        reader.frame(late())
    assert printed == b"hello\n"
    worker.prints(b"again\n")
    worker.says(frame(b"O", b"one"))
    assert reader.frame(soon()) == (b"O", b"one")
    reader.drain()
    assert printed == b"hello\nagain\n"


def test_output_that_is_closed_is_no_longer_listened_to(worker, reader, printed):
    os.close(worker.write)
    worker.write = -1
    with pytest.raises(TimeoutError):
        reader.frame(late())
    assert not reader.printing
    assert worker.output not in reader.selector.get_map()
    reader.drain()
    worker.says(frame(b"O", b"one"))
    assert reader.frame(soon()) == (b"O", b"one")
    assert printed == b""


def test_no_more_than_64_kilobytes_of_it_are_kept(worker, reader, printed):
    for _ in range(3):
        worker.prints(bytes(30_000))
        reader.drain()
    assert len(printed) == 64 << 10
    worker.prints(b"more")
    reader.drain()
    assert len(printed) == 64 << 10
    assert reader.printing


def test_draining_takes_what_is_there_and_waits_for_nothing(worker, reader, printed):
    reader.drain()
    assert (printed, reader.printing) == (b"", True)
    worker.prints(b"x" * 60_000)
    reader.drain()
    assert printed == b"x" * 60_000


def test_a_process_that_keeps_printing_is_not_waited_for(worker, printed, tmp_path):
    """64 pieces of 64 kilobytes are taken, whatever comes after them; a file tells how far it was read."""
    with (tmp_path / "endless").open("wb+") as file:
        file.truncate(10 << 20)
        reader = Reader(replace(worker, output=file.fileno()), printed)
        reader.drain()
        assert os.lseek(file.fileno(), 0, os.SEEK_CUR) == 64 * (64 << 10)
        assert len(printed) == 64 << 10


# ---------------------------------------------------------------------- payloads


def payload(text, numbers=b"\x02\0\0\0\0\0\0\0{}"):
    return len(text).to_bytes(4, "little") + text + numbers


def test_a_payload_is_json_and_numbers():
    numbers = {"result/0": np.arange(6.0).reshape(2, 3), "mask": np.array([True, False])}
    meta, arrays = parse(pack(OBSERVATION, {"key": "a/b", "n": [1, None]}, numbers)[HEAD:])
    assert meta == {"key": "a/b", "n": [1, None]}
    assert arrays.keys() == numbers.keys()
    for name in numbers:
        assert arrays[name].dtype == numbers[name].dtype
        assert (arrays[name] == numbers[name]).all()


@pytest.mark.parametrize(
    ("bytes", "name"),
    [(b"", "JSONDecodeError"), (payload(b"{"), "JSONDecodeError"), (payload(b"{}", b"{}"), "SafetensorError")],
)
def test_what_is_not_a_payload_is_malformed(bytes, name):
    with pytest.raises(Malformed) as caught:
        parse(bytes)
    assert str(caught.value) == f"a reply that cannot be read ({name})"


def test_descriptions_are_bounded():
    """Text up to a megabyte and names of numbers up to 64 kilobytes are parsed; what is beyond is not looked at."""
    text = b" " * ((1 << 20) - 2) + b"{}"
    assert parse(payload(text))[0] == {}
    most = (1 << 16).to_bytes(8, "little") + b"{}" + b" " * ((1 << 16) - 2)
    assert parse(payload(b"{}", most))[1] == {}
    more = ((1 << 16) + 1).to_bytes(8, "little") + b"{}" + b" " * ((1 << 16) - 1)
    for large in (payload(b" " + text), payload(b"{}", more)):
        with pytest.raises(Malformed) as caught:
            parse(large)
        assert str(caught.value) == "a reply whose description is too large"
    wide = (1 << 56).to_bytes(8, "little") + b"{}"  # the last of the eight bytes counts
    with pytest.raises(Malformed, match="too large"):
        parse(payload(b"{}", wide))


# ---------------------------------------------------------------------- why it ended


def lost(code, most=None, none_left=False, words=b"", place="thing", problem=None):
    end = End(code, Memory(most, none_left), words, place)
    return cause_of(problem or EOFError(), end, 5.0)


def crashed(template, **slots):
    return Lost(Outcome.CRASHED, said(template, **slots))


def short_of_memory(template, **slots):
    return crashed("no-memory", exercise="thing", inner=said(template, **slots, limit=MEMORY_LIMIT_MB))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (lambda: lost(-9, problem=TimeoutError()), Lost(Outcome.TIMEOUT, said("stopped", seconds=5.0))),
        (lambda: lost(0, problem=Malformed("odd")), crashed("reply-not-understood", text="odd")),
        (lambda: lost(-signal.SIGXCPU), Lost(Outcome.TIMEOUT, said("processor-time", seconds=5.0))),
        (lambda: lost(0), crashed("exited-early", exercise="thing")),
        (lambda: lost(3, place=""), crashed("exited-early")),
        (lambda: lost(0xBFFFFFFF), crashed("exited-early", exercise="thing")),
        (lambda: lost(0xC0000000), crashed("crashed-by", signal="0xc0000000", exercise="thing")),
        (lambda: lost(0xC0000005), crashed("crashed-by", signal="0xc0000005", exercise="thing")),
        (lambda: lost(-signal.SIGSEGV), crashed("crashed-by", signal="SIGSEGV", exercise="thing")),
        (lambda: lost(-1), crashed("crashed-by", signal="SIGHUP", exercise="thing")),
        (lambda: lost(-200), crashed("crashed-by", signal="signal 200", exercise="thing")),
        (lambda: lost(-signal.SIGKILL), crashed("killed", exercise="thing")),
        (lambda: lost(-signal.SIGKILL, most=MEMORY_MB), crashed("killed", exercise="thing")),
        (lambda: lost(-signal.SIGKILL, none_left=True), short_of_memory("system-had-none")),
        (lambda: lost(-signal.SIGSEGV, none_left=True), crashed("crashed-by", signal="SIGSEGV", exercise="thing")),
        (lambda: lost(-signal.SIGSEGV, most=0.9 * MEMORY_MB), short_of_memory("had-used", megabytes=0.9 * MEMORY_MB)),
        (lambda: lost(-signal.SIGSEGV, most=0.89 * MEMORY_MB),
         crashed("crashed-by", signal="SIGSEGV", exercise="thing")),
        (lambda: lost(3, most=MEMORY_MB), crashed("exited-early", exercise="thing")),
        (lambda: lost(-signal.SIGABRT), crashed("crashed-by", signal="SIGABRT", exercise="thing")),
        (lambda: lost(-signal.SIGABRT, words=b"what(): std::bad_alloc\n"), short_of_memory("allocation-failed")),
        (lambda: lost(-signal.SIGABRT, words=b"std::bad_alloc" + 986 * b"."), short_of_memory("allocation-failed")),
        (lambda: lost(-signal.SIGABRT, words=b"std::bad_alloc" + 987 * b"."),
         crashed("crashed-by", signal="SIGABRT", exercise="thing")),
        (lambda: lost(-signal.SIGABRT, most=MEMORY_MB), short_of_memory("had-used", megabytes=MEMORY_MB)),
        (lambda: lost(-signal.SIGSEGV, words=b"std::bad_alloc"),
         crashed("crashed-by", signal="SIGSEGV", exercise="thing")),
    ],
)  # fmt: skip
def test_why_a_worker_ended(found, expected):
    assert found() == expected


def test_the_place_of_an_end_may_not_be_known():
    assert End(0, Memory(), b"").place == ""


# ---------------------------------------------------------------------- single numbers

NUMBERS = ["float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"]


def over_the_wire(function, upstream=()):
    """What is read of `function(x)` for a single number x, packed and parsed as between a worker and its reader."""
    argument = {"tensor": "0/x", "axes": []}
    script = {
        "steps": [{"op": "call", "target": "f", "args": [argument], "kwargs": {}}],
        "dtype": "float64",
        "device": "cpu",
        "upstream": list(upstream),
        "purity": False,
        "operations": False,
    }
    arrays = {"0/x": np.array(3.0), "upstream/0": np.array(2.0)}
    frame = pack(OBSERVATION, *observe({"f": function}, script, arrays, set()))
    return read_observation(*parse(frame[HEAD:]))


@pytest.mark.parametrize("dtype", NUMBERS)
def test_a_single_number_arrives_as_one(dtype):
    [seen] = over_the_wire(lambda x: x.to(getattr(torch, dtype))).results
    assert (seen.dtype, seen.shape, seen.value.shape, float(seen.value)) == (
        dtype,
        (),
        (),
        1.0 if dtype == "bool" else 3,
    )


def test_a_single_number_that_cannot_be_sent_arrives_without_its_value():
    [seen] = over_the_wire(lambda x: x.to(torch.complex64)).results
    assert (seen.dtype, seen.shape, seen.value) == ("complex64", (), None)


def test_the_gradient_of_a_single_number_is_one():
    gradient = over_the_wire(lambda x: x * x, ["upstream/0"]).gradients["x"]
    assert (gradient.shape, gradient.value.shape, float(gradient.value)) == ((), (), 12.0)
