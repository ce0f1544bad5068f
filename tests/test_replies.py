"""Whatever bytes a worker sends, only a verdict about that submission comes out."""

import copy
import json
import struct

import numpy as np
import pytest
from forge import (
    EXERCISES,
    KEY,
    NUMERIC,
    Forger,
    forgers,
    frame,
    judge,
    overhear,
    parts,
    payload,
    right_files,
    wrong_files,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention_kata.intake.submission import Submission
from attention_kata.messages.render import render
from attention_kata.messages.said import said
from attention_kata.sandbox.fresh import Workers
from attention_kata.sandbox.observation import (
    Malformed,
    Observation,
    Outcome,
    Raised,
    Seen,
    read_hello,
    read_module,
    read_observation,
)
from attention_kata.sandbox.reader import MAX_NAMES, MAX_REPLY, MAX_TEXT, parse
from attention_kata.sandbox.session import Limits, run_all

pytestmark = pytest.mark.filterwarnings("error")  # a warning of numpy's would end up on the learner's terminal

settings.register_profile(
    "replies",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
settings.load_profile("replies")

MASKS = [EXERCISES[name] for name in ("padding_mask", "combine_masks")]
NO_NUMBERS = struct.pack("<Q", 2) + b"{}"
BEGIN = frame(b"B", payload(b"{}", NO_NUMBERS))


@pytest.fixture(scope="module")
def real():
    """What a real worker says of right answers to every exercise."""
    return overhear(right_files(), KEY.exercises)


@pytest.fixture(scope="module")
def wrong():
    """The same of answers that give a wrong number everywhere."""
    return overhear(wrong_files(), KEY.exercises)


@pytest.fixture(scope="module")
def refused():
    """The same of files that lack what is asked for: one class without its layers, others not there."""
    layers = "        self.wq = nn.Linear(embedding_dim, 3)\n        self.other = nn.Linear(1, 1)\n"
    files = {
        "self_attention.py": "from torch import nn\nclass SelfAttention(nn.Module):\n"
        f"    def __init__(self, embedding_dim):\n        super().__init__()\n{layers}",
        "masks.py": "padding_mask = 1\ncombine_masks = lambda x: x\n",
    }
    return overhear(files, [EXERCISES[n] for n in ("SelfAttention", "padding_mask", "combine_masks", "causal_mask")])


class Frames(list):
    """Frames that are not spelled out where an example is shown."""

    def __repr__(self):
        return f"{len(self)} frames"


@pytest.fixture(scope="module")
def masks():
    """Frames of wrong answers to two small exercises: to be mutated where one reply loses many cases."""
    return Frames(overhear(wrong_files(), MASKS)[1])


def run_forged(exercises, *speeches, limits=Limits(), **options):  # noqa: B008  frozen
    """The run of a submission whose workers say `speeches`; later ones greet and begin, then end."""
    hello = frame(b"H", payload(json.dumps({"isolation": {"files": "on"}}).encode(), NO_NUMBERS)) + BEGIN
    submission = Submission("forged", dict.fromkeys(KEY.files, ""))
    return run_all(submission, exercises, limits, forgers(*speeches, then=hello, **options))


def verdicts_of(run, exercises):
    """A verdict on every case, none of any other, and the verdicts on every check that follow from them."""
    due = {(e.name, c.id) for e in exercises for c in e.cases}
    lost = {file for file, report in run.modules.items() if report.failed}
    assert run.observations.keys() <= due
    if not run.fault:
        run_of = {e.name: [c for c in e.cases if e.file not in lost] for e in exercises}
        for name, cases in run_of.items():  # once a draw is lost, those after it are not run
            ends = (Outcome.TIMEOUT, Outcome.CRASHED)
            seen = [run.observations.get((name, c.id)) for c in cases]
            first = next((i for i, s in enumerate(seen) if s and s.outcome in ends and cases[i].is_drawn), len(seen))
            assert [cases[i].id for i, s in enumerate(seen) if s is None and (i < first or not cases[i].is_drawn)] == []
    assert {seen.outcome for seen in run.observations.values()} <= set(Outcome)
    return [
        verdict
        for e in exercises
        for verdict in judge(
            e,
            {c: seen for (n, c), seen in run.observations.items() if n == e.name},
            run.modules.get(e.file),
            run.output,
        )
    ]


def numbers_passed(verdicts):
    return [v.check.id for v in verdicts if v.verdict == "passed" and v.check.asks in NUMERIC]


def one_of_each(frames):
    """Those that differ in what their JSON holds."""
    metas = [json.loads(parts(text)[0]) for _, text in frames]
    forms = [(kind, *meta, *meta.get("refused", ())) for (kind, _), meta in zip(frames, metas, strict=True)]
    return list(dict(zip(forms, frames, strict=True)).values())


def case_of(frame):
    """(exercise, case id) of an observation's frame."""
    name, id = json.loads(parts(frame[1])[0])["key"].split("/", 1)
    return EXERCISES[name], id


def observed(real, exercise):
    return {case: seen for (name, case), seen in real[0].observations.items() if name == exercise.name}


# ---------------------------------------------------------------------- what is not forged


def test_right_answers_told_by_a_peer_get_full_marks(real):
    exercises = [EXERCISES[name] for name in ("attention", "padding_mask")]
    frames_of_two = overhear(right_files(), exercises)[1]
    run = run_forged(exercises, b"".join(frame(*f) for f in frames_of_two))
    assert {v.verdict for v in verdicts_of(run, exercises)} == {"passed"}


def test_wrong_answers_pass_no_check_of_numbers(wrong):
    assert numbers_passed(verdicts_of(wrong[0], KEY.exercises)) == []


# ---------------------------------------------------------------------- frames


@given(st.binary(max_size=400), st.integers(-70, 300))
@settings(max_examples=60)
def test_random_bytes_lose_the_case_that_was_due(data, code):
    assert numbers_passed(verdicts_of(run_forged(MASKS, data, code=code), MASKS)) == []


@given(st.binary(max_size=400))
@settings(max_examples=60)
def test_random_bytes_after_the_greeting_lose_the_file_that_was_due(masks, data):
    run = run_forged(MASKS, frame(*masks[0]) + data)
    assert (numbers_passed(verdicts_of(run, MASKS)), run.fault) == ([], "")


edits = st.lists(
    st.tuples(st.sampled_from(["flip", "cut", "insert", "repeat", "end"]), st.floats(0, 1), st.binary(max_size=12)),
    min_size=1,
    max_size=6,
)


def edited(data, edits):
    """Bytes after these edits, each at its share of the length."""
    for kind, share, extra in edits:
        at = int(share * len(data))
        if kind == "flip" and at < len(data):
            data = data[:at] + bytes([data[at] ^ (extra[0] if extra else 1)]) + data[at + 1 :]
        elif kind == "cut":
            data = data[:at] + data[at + len(extra) :]
        elif kind == "insert":
            data = data[:at] + extra + data[at:]
        elif kind == "repeat":
            data = data[:at] + data[max(0, at - 40) :]
        elif kind == "end":
            data = data[:at]
    return data


@given(edits)
@settings(max_examples=100)
def test_mutated_frames_never_give_points_for_numbers(masks, edits):
    data = edited(b"".join(frame(*f) for f in masks), edits)
    assert numbers_passed(verdicts_of(run_forged(MASKS, data), MASKS)) == []


@given(st.data())
@settings(max_examples=100)
def test_frames_out_of_turn_never_give_points_for_numbers(masks, data):
    """Any frames in any order, as often as they like, under any kind: HELLO again, DONE too early, our own kinds."""
    kinds = st.one_of(st.none(), st.sampled_from([b"H", b"M", b"O", b"D", b"J", b"C", b"\0", b"\xff"]))
    chosen = data.draw(st.lists(st.tuples(st.sampled_from(masks), kinds), max_size=25))
    words = b"".join(frame(kind or own, text) for (own, text), kind in chosen)
    assert numbers_passed(verdicts_of(run_forged(MASKS, frame(*masks[0]) + words), MASKS)) == []


def test_a_second_greeting_loses_the_case_that_was_due(masks):
    words = b"".join(frame(*f) for f in (masks[0], masks[1], masks[2], masks[0]))
    run = run_forged(MASKS[:1], words)
    causes = [render(run.observations["padding_mask", case.id].cause) for case in MASKS[0].cases]
    assert causes[:2] == ["", "its reply was not understood: a frame of kind b'H' out of turn"]


def test_a_second_greeting_changes_nothing_of_what_is_in_force(masks):
    boast = frame(b"H", payload(b'{"isolation": {"files": "on", "everything": "on"}}', NO_NUMBERS))
    run = run_forged(MASKS[:1], frame(*masks[0]) + boast)
    assert "everything" not in run.isolation


def test_a_greeting_without_a_required_layer_ends_the_run(masks):
    boast = {"isolation": {"files": "off: because", "FILES": "on", "files ": "on"}}
    hello = frame(b"H", payload(json.dumps(boast).encode(), NO_NUMBERS))
    workers = Workers(lambda: Forger(hello), lambda: Forger(hello), ("files",))
    run = run_all(Submission("forged", {"masks.py": ""}), MASKS, Limits(), workers)
    assert (run.fault, run.modules, run.observations) == ("not confined: files (because)", {}, {})


def test_workers_that_never_greet_are_our_fault():
    run = run_forged(MASKS, b"", b"", b"")
    assert (run.fault, run.observations) == ("no worker could be started: it ended with exit code 0", {})


@pytest.mark.parametrize("code", [0, 95, 96, 97, -9, -11])
def test_a_worker_that_ends_before_the_submission_has_begun_is_our_fault_whatever_its_code(masks, code):
    hello = frame(*masks[0])
    run = run_forged(MASKS, hello, hello, code=code)
    end = f"it ended with exit code {code}" if code >= 0 else f"it was ended by signal {-code}"
    assert (run.fault, run.observations) == (f"no worker could be started: {end}", {})


@pytest.mark.parametrize("code", [0, 95, 96, 97])
def test_an_exit_code_once_the_submission_has_begun_is_its_own(masks, code):
    run = run_forged(MASKS, frame(*masks[0]) + BEGIN, code=code)
    cause = render(run.modules["masks.py"].lost.cause)
    assert (run.fault, cause) == ("", "exited early, by os._exit or something similar")


def test_a_worker_begins_once(masks):
    run = run_forged(MASKS, frame(*masks[0]) + BEGIN + BEGIN)
    cause = render(run.modules["masks.py"].lost.cause)
    assert cause == "its reply was not understood: a frame of kind b'B' out of turn"


def test_a_frame_that_says_it_is_too_large_is_not_waited_for(masks):
    head = b"O" + (MAX_REPLY + 1).to_bytes(4, "little")
    words = b"".join(frame(*f) for f in masks[:2]) + head
    run = run_forged(MASKS[:1], words, limits=Limits(0.02, 0.01), stays=True)
    assert "too large" in render(run.observations["padding_mask", MASKS[0].cases[0].id].cause)


def test_a_frame_that_never_ends_costs_its_time(masks):
    head = b"O" + MAX_REPLY.to_bytes(4, "little") + bytes(1000)
    words = b"".join(frame(*f) for f in masks[:2]) + head
    run = run_forged(MASKS[:1], words, limits=Limits(0.02, 0.01), stays=True)
    assert run.observations["padding_mask", MASKS[0].cases[0].id].outcome is Outcome.TIMEOUT


def test_a_worker_that_says_nothing_costs_its_time(masks):
    run = run_forged(MASKS[:1], frame(*masks[0]) + BEGIN, limits=Limits(0.02, 0.01), stays=True)
    assert run.modules["masks.py"].lost.outcome is Outcome.TIMEOUT


def test_what_is_printed_is_cut_and_harmless(masks):
    run = run_forged(MASKS[:1], b"".join(frame(*f) for f in masks), printed=b"\x1b[2J\xff\xfe\r\n\xc2\x9b" * 400)
    assert verdicts_of(run, MASKS[:1]) != []


def test_results_that_are_large_together_are_not_all_kept(monkeypatch, masks):
    monkeypatch.setattr("attention_kata.sandbox.session.MAX_KEPT", 1000)
    run = run_forged(MASKS[:1], b"".join(frame(*f) for f in masks))
    causes = [render(seen.cause) for seen in run.observations.values()]
    assert "its reply was not understood: all its results together are too large" in causes


# ---------------------------------------------------------------------- JSON

ODD = [
    "null", "true", "false", "0", "-1", "1", "9007199254740993", "1e999", "-1e999", "NaN", "Infinity", "-Infinity",
    "1.5", "9" * 4000, "9" * 5000, "0." + "3" * 400, '""', '"x"', '"\\ud800"', '"\\udcff\\u0000"', '"\\u001b[2J"',
    '"\\u202e"', '"\\n"', json.dumps("x" * 5000), json.dumps("\n" * 300), "[]", "{}", "[[]]", '[{"a": 1}]', '{"": {}}',
    '["wq.weight", 3]', "[1, 2, 3]", "[-1]", "[1e30]", "[18446744073709551616]",
    '["a"]', "[null]", '{"kind": "layers"}',
    '{"type": "Tensor"}', '[{"type": "Tensor"}]', '[{"type": "\\ud800"}]',
    '{"stage": "call", "type": "", "message": ""}',
    '{"stage": "second call", "type": "Not started", "message": "\\u0007"}', '"Tensor"', '"float64"', '"meta"',
    '"returned"', '"raised"', '"refused"', '"timeout"', '"crashed"', '"passed"', "[" * 400 + "]" * 400,
    "[" * 900 + "]" * 900, "[" * 5000, "[" * 100000, '{"a":' * 3000, "[1, 2", "undefined", '"unfinished', "0x10",
    "[" + "0," * 2000 + "0]", "{" + ",".join(f'"{i}": 0' for i in range(1200)) + "}",
]  # fmt: skip
NEST = [("[" * depth + "]" * depth) for depth in range(880, 1000)]


def places(value, path=()):
    """Every place in a JSON value."""
    yield path
    if isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*path, name))


def replaced(value, path, text):
    """The JSON text of `value` with `text` at `path`."""
    if not path:
        return text.encode()
    value = copy.deepcopy(value)
    inside = value
    for name in path[:-1]:
        inside = inside[name]
    inside[path[-1]] = "\1here\1"
    return json.dumps(value).encode().replace(json.dumps("\1here\1").encode(), text.encode())


def read(kind, text, numbers):
    """What the parsers make of a reply: only Malformed may leave them."""
    try:
        meta, arrays = parse(payload(text, numbers))
        readers = {b"H": read_hello, b"M": read_module, b"O": lambda meta: read_observation(meta, arrays)}
        return readers[kind](meta)
    except Malformed:
        return None


def judged_with(real, of, seen):
    """The verdicts when the case that a frame is about was observed like this."""
    exercise, case = case_of(of)
    return judge(exercise, observed(real, exercise) | {case: seen})


def test_any_odd_value_in_any_field_gives_a_verdict_or_malformed(wrong, refused):
    tried = 0
    for kind, text in one_of_each(wrong[1] + refused[1]):
        json_text, numbers = parts(text)
        meta = json.loads(json_text)
        for path in places(meta):
            for odd in ODD:
                found = read(kind, replaced(meta, path, odd), numbers)
                tried += 1
                if kind == b"O" and found is not None and tried % 9 == 0:
                    assert numbers_passed(judged_with(wrong, (kind, text), found)) == []
    assert tried > 3000


@pytest.mark.parametrize("field", ["outcome", "operations", "repeats", "seconds", "results"])
def test_nesting_that_can_just_be_parsed_is_malformed(wrong, field):
    kind, text = next(f for f in wrong[1] if f[0] == b"O")
    meta = json.loads(parts(text)[0])
    assert [read(kind, replaced({**meta, field: 0}, (field,), nest), parts(text)[1]) for nest in NEST].count(
        None
    ) == len(NEST)


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.text("\ud800\udfff\x1b", max_size=4),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=10), inner, max_size=5),
    max_leaves=12,
)


@given(st.data())
@settings(max_examples=120)
def test_arbitrary_json_in_several_fields_gives_a_verdict_or_malformed(wrong, data):
    kind, text = data.draw(st.sampled_from(one_of_each(wrong[1])))
    json_text, numbers = parts(text)
    meta = json.loads(json_text)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(places(meta))))
        meta = json.loads(replaced(meta, path, json.dumps(data.draw(anything))))
    found = read(kind, json.dumps(meta).encode(), numbers)
    if kind == b"O" and found is not None:
        assert numbers_passed(judged_with(wrong, (kind, text), found)) == []


@given(anything)
@settings(max_examples=150)
def test_arbitrary_json_as_a_whole_is_read_or_malformed(value):
    for kind in (b"H", b"M", b"O"):
        read(kind, json.dumps(value).encode(), NO_NUMBERS)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32-be", "utf-8-sig", "utf-7", "latin-1"])
def test_json_in_another_encoding_is_read_or_malformed(encoding):
    read(b"O", '{"outcome": "returned", "results": [{"type": "é"}]}'.encode(encoding), NO_NUMBERS)


def test_a_raised_observation_without_its_error_is_malformed():
    with pytest.raises(Malformed):
        read_observation({"outcome": "raised"}, {})


def test_an_error_of_a_class_without_a_name_is_told():
    error = Raised("call", "", "")
    exercise = MASKS[0]
    seen = {case.id: Observation(Outcome.RAISED, error=error) for case in exercise.cases}
    assert "An exception without a name" in {render(v.message) for v in judge(exercise, seen)}


def test_an_error_in_a_file_that_was_not_handed_in_is_not_believed(masks):
    meta = {"key": f"padding_mask/{MASKS[0].cases[0].id}", "outcome": "raised"}
    meta["error"] = {"stage": "call", "type": "ValueError", "message": "", "file": "/etc/passwd", "line": 1}
    words = b"".join(frame(*f) for f in masks[:2]) + frame(b"O", payload(json.dumps(meta).encode(), NO_NUMBERS))
    run = run_forged(MASKS[:1], words)
    assert "not handed in" in render(run.observations["padding_mask", MASKS[0].cases[0].id].cause)


def test_a_description_that_is_too_large_is_not_parsed():
    with pytest.raises(Malformed, match="description is too large"):
        parse(payload(b"[" + b"[]," * (MAX_TEXT // 3) + b"[]]", NO_NUMBERS))


def test_numbers_with_too_many_names_are_not_parsed():
    header = json.dumps({str(i): {"dtype": "BOOL", "shape": [0], "data_offsets": [0, 0]} for i in range(2000)}).encode()
    assert len(header) > MAX_NAMES
    with pytest.raises(Malformed, match="description is too large"):
        parse(payload(b"{}", struct.pack("<Q", len(header)) + header))


# ---------------------------------------------------------------------- safetensors

DTYPES = [
    "F64", "I64", "BOOL", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2", "F4", "F6_E2M3", "U8", "I8", "I16", "U64", "C64",
    "", "f64", "O", "F128",
]  # fmt: skip
sizes = st.one_of(
    st.integers(0, 12),
    st.integers(-3, -1),
    st.sampled_from([1 << 31, 1 << 32, 1 << 53, (1 << 63) - 1, 1 << 63, 1 << 64]),
)
entries = st.fixed_dictionaries(
    {},
    optional={
        "dtype": st.sampled_from(DTYPES) | anything,
        "shape": st.lists(sizes, max_size=18) | anything,
        "data_offsets": st.lists(sizes | st.integers(0, 4000), min_size=2, max_size=2) | anything,
    },
)


def with_header(numbers, change):
    """Bytes of safetensors with `change` made to the header."""
    (length,) = struct.unpack_from("<Q", numbers)
    header = json.loads(numbers[8 : 8 + length])
    text = json.dumps(change(header)).encode()
    return struct.pack("<Q", len(text)) + text + numbers[8 + length :]


@given(st.data())
@settings(max_examples=150)
def test_forged_headers_of_numbers_give_a_verdict_or_malformed(wrong, data):
    of = data.draw(st.sampled_from([f for f in one_of_each(wrong[1]) if f[0] == b"O"]))
    text, numbers = parts(of[1])

    def change(header):
        names = st.sampled_from([*header, "result/0", "gradient/Q", "__metadata__", ""])
        for name in data.draw(st.lists(names, max_size=3, unique=True)):
            forged = {**header.get(name, {}), **data.draw(entries)}
            header[name] = forged if data.draw(st.booleans()) else data.draw(anything)
        return header

    found = read(b"O", text, with_header(numbers, change))
    if found is not None:
        assert numbers_passed(judged_with(wrong, of, found)) == []


@given(st.data())
@settings(max_examples=150)
def test_mutated_numbers_give_a_verdict_or_malformed(wrong, data):
    of = data.draw(st.sampled_from([f for f in one_of_each(wrong[1]) if f[0] == b"O"]))
    text, numbers = parts(of[1])
    found = read(b"O", text, edited(numbers, data.draw(edits)))
    if found is not None:
        judged_with(wrong, of, found)  # a mutation may hit the right number of a mask: `judge` compares again


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_of_another_dtype_than_announced_are_malformed(dtype):
    size = {"F64": 8, "I64": 8, "C64": 8, "U64": 8, "F32": 4, "F16": 2, "BF16": 2, "I16": 2}.get(dtype, 1)
    header = json.dumps({"result/0": {"dtype": dtype, "shape": [3], "data_offsets": [0, 3 * size]}}).encode()
    numbers = struct.pack("<Q", len(header)) + header + bytes(3 * size)
    announced = {"type": "Tensor", "dtype": "bool", "shape": [3], "device": "cpu", "layout": "strided"}
    meta = json.dumps({"outcome": "returned", "results": [announced]}).encode()
    assert (read(b"O", meta, numbers) is not None) == (dtype == "BOOL")


@pytest.mark.parametrize(
    "offsets", [[[0, 8], [0, 8]], [[0, 8], [4, 12]], [[0, 8], [12, 20]], [[8, 0], [0, 8]], [[0, 8], [8, 1 << 40]]]
)
def test_numbers_that_overlap_or_leave_gaps_are_malformed(offsets):
    header = {f"result/{i}": {"dtype": "F64", "shape": [1], "data_offsets": o} for i, o in enumerate(offsets)}
    text = json.dumps(header).encode()
    with pytest.raises(Malformed):
        parse(payload(b"{}", struct.pack("<Q", len(text)) + text + bytes(20)))


# ---------------------------------------------------------------------- observations

numbers = st.floats(width=64) | st.sampled_from([0.0, 1.0, np.inf, -np.inf, np.nan, 1e308, -1e308, 5e-324, 1e-300])
DTYPE_OF = {"float64": np.float64, "float32": np.float64, "float16": np.float64, "bfloat16": np.float64,
            "int64": np.int64, "uint8": np.int64, "bool": np.bool_}  # fmt: skip


@st.composite
def tensors(draw, case, i):
    """A result as it might be seen, more or less like the one expected of a case."""
    expected = case.results[i] if i < len(case.results) else np.zeros((2, 3))
    due = "bool" if expected.dtype == bool else case.dtypes[i] if i < len(case.dtypes) else "float64"
    dtype = draw(st.just(due) | st.sampled_from([*DTYPE_OF, "complex64", "float8_e4m3fn", ""]))
    shapes = [
        expected.shape,
        expected.shape[::-1],
        expected.shape[1:],
        (*expected.shape, 1),
        (*expected.shape[:-1], 0),
    ]
    shape = draw(st.sampled_from([s for s in shapes if np.prod(s) < 1000]) | hnp.array_shapes(min_dims=0, max_side=4))
    value = None
    if dtype in DTYPE_OF and draw(st.integers(0, 9)):
        elements = numbers if DTYPE_OF[dtype] is np.float64 else None
        value = draw(hnp.arrays(DTYPE_OF[dtype], shape, elements=elements))
        if shape == expected.shape and draw(st.booleans()):  # right but for a few
            changed = draw(hnp.arrays(np.bool_, shape))
            with np.errstate(all="ignore"):
                value = np.where(changed, value, expected).astype(DTYPE_OF[dtype])
    return Seen(
        draw(st.sampled_from(["Tensor"] * 8 + ["NoneType", "ndarray", ""])),
        dtype,
        shape,
        draw(st.sampled_from([case.script["device"]] * 6 + ["meta", "cuda", ""])),
        draw(st.sampled_from(["strided"] * 6 + ["sparse_coo", ""])),
        value,
    )


words_ = st.text(max_size=20) | st.sampled_from(["", "\n", "\x1b[1m", "ValueError", "softmax", "\ud800", "wq.weight"])
errors = st.builds(
    Raised,
    st.sampled_from(["call", "build", "backward", "second call", "import", ""]),
    st.sampled_from(["ValueError", "NotImplementedError", "SystemExit", "", "Not started", "SyntaxError"]) | words_,
    words_ | st.just("The size of tensor a (4) must match the size of tensor b (6)"),
    st.none() | st.just("masks.py") | words_,
    st.none() | st.integers(0, 1 << 53),
    st.lists(words_, max_size=3).map(tuple),
)
refusals = st.one_of(
    st.fixed_dictionaries(
        {"kind": st.sampled_from(["missing", "not-callable", "signature", "not-a-module", "", "\x07"]),
         "found": words_, "expected": words_, "message": words_}
    ),
    st.fixed_dictionaries(
        {"kind": st.just("layers"), "missing": st.lists(words_, max_size=3), "found": st.lists(words_, max_size=3),
         "shapes": st.lists(st.fixed_dictionaries({"name": words_, "found": st.lists(st.integers(0, 9), max_size=3),
                                                   "expected": st.lists(st.integers(0, 9), max_size=3)}), max_size=2)}
    ),
)  # fmt: skip


causes = st.builds(lambda text: said("reply-not-understood", text=text), words_)


@st.composite
def observations(draw, case):
    outcome = draw(st.sampled_from([Outcome.RETURNED] * 5 + [*Outcome][1:]))
    count = draw(st.just(len(case.results)) | st.integers(0, 4))
    gradients = None
    if draw(st.booleans()):
        names = draw(st.lists(st.sampled_from([*case.gradients, "x", "\n"]), unique=True))
        gradients = {name: draw(st.none() | tensors(case, 0)) for name in names}
    return Observation(
        outcome,
        tuple(draw(tensors(case, i)) for i in range(count)),
        gradients,
        draw(errors) if outcome is Outcome.RAISED else None,
        draw(refusals) if outcome is Outcome.REFUSED else None,
        draw(st.lists(words_, max_size=2).map(tuple)),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(
            st.lists(st.sampled_from(["softmax", "add", "\x1b", "_scaled_dot_product_attention"]), max_size=2).map(
                tuple
            )
        ),
        draw(st.integers(0, 1 << 53)),
        draw(st.integers(0, 1 << 53)),
        draw(causes) if outcome in (Outcome.TIMEOUT, Outcome.CRASHED) else None,
        draw(st.floats(0, 1e9)),
    )


@pytest.mark.parametrize("name", EXERCISES)
def test_whatever_is_observed_gets_a_verdict_and_wrong_numbers_no_points(real, name):
    exercise = EXERCISES[name]

    @given(st.data())
    @settings(max_examples=30)
    def judged(data):
        seen = observed(real, exercise)
        for case in data.draw(st.lists(st.sampled_from(exercise.cases), min_size=1, max_size=4, unique_by=id)):
            if data.draw(st.integers(0, 12)):
                seen[case.id] = data.draw(observations(case))
            else:
                del seen[case.id]
        judge(exercise, seen)  # compares the numbers of every check that passed once more

    judged()


@pytest.mark.parametrize("name", EXERCISES)
def test_one_wrong_number_anywhere_is_not_passed(real, name):
    """In every case, every result: one element off, the others as expected."""
    exercise = EXERCISES[name]
    for case in exercise.cases:
        seen = observed(real, exercise)
        asking = [c.id for c in exercise.checks if case.id in c.cases and c.asks in ("values", "half")]
        for i, result in enumerate(seen[case.id].results if asking else ()):
            free = case.free[i] if case.free and case.free[i] is not None else np.zeros(result.shape, bool)
            for odd in (np.nan, np.inf, 1e300) if result.value.dtype != bool else (None,):
                value = result.value.copy()
                place = tuple(np.argwhere(~free)[-1])
                value[place] = not value[place] if odd is None else odd
                changed = Seen(result.type, result.dtype, result.shape, result.device, result.layout, value)
                results = (*seen[case.id].results[:i], changed, *seen[case.id].results[i + 1 :])
                verdicts = judge(exercise, {**seen, case.id: Observation(Outcome.RETURNED, results)})
                assert [v.check.id for v in verdicts if v.check.id in asking and v.verdict == "passed"] == []


def test_a_gradient_that_is_not_reported_is_not_passed(real):
    exercise = EXERCISES["attention"]
    seen = observed(real, exercise)
    silent = Observation(Outcome.RETURNED, seen["gradient"].results)
    verdicts = judge(exercise, seen | {"gradient": silent})
    assert next(v for v in verdicts if v.check.id == "gradient").message == said("no-gradient", result="Q")


def test_right_numbers_of_an_empty_shape_are_not_passed(real):
    for exercise in KEY.exercises:
        seen = observed(real, exercise)
        empty = tuple(Seen("Tensor", "float64", (0, 6), "cpu", "strided", np.zeros((0, 6))) for _ in exercise.returns)
        numbers = numbers_passed(judge(exercise, {case: Observation(Outcome.RETURNED, empty) for case in seen}))
        assert numbers == [], exercise.name
