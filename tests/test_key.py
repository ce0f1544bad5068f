"""The answer key: what is committed is what the solutions draw; a file that is not a key gives one clear line."""

import json
import struct

import numpy as np
import pytest
from judged import drawn, exercise, mechanism, returned
from safetensors.numpy import save

from attention_kata.course.draw import draw_cases
from attention_kata.course.find import PUBLIC_SEED, find_course
from attention_kata.key.file import BadKey, key_bytes, load_key, parse_key, save_key
from attention_kata.key.model import AnswerKey

COURSE = find_course()
KEY = load_key(COURSE.public_key)
SOLUTIONS = {solution.name: solution for _, solution in COURSE.solutions}
REDRAW = "the committed key is not what the solutions draw: run `kata dev key`"


@pytest.mark.parametrize("exercise", KEY.exercises, ids=lambda e: e.name)
def test_the_committed_key_is_what_the_solutions_draw(exercise):
    """Inputs to the bit; results to 1e-9, since processors differ in the last bits (1e-3 in half precision)."""
    drawn = draw_cases(SOLUTIONS[exercise.name], PUBLIC_SEED)
    assert [case.id for case in drawn] == [case.id for case in exercise.cases], REDRAW
    for stored, fresh in zip(exercise.cases, drawn, strict=True):
        assert stored.script == json.loads(json.dumps(fresh.script)), REDRAW
        assert stored.arrays.keys() == fresh.arrays.keys(), REDRAW
        for name, array in fresh.arrays.items():
            assert array.tobytes() == stored.arrays[name].tobytes(), f"{REDRAW} ({stored.id}: {name})"
        tolerance = {"float64": 1e-9, "float32": 1e-5}.get(fresh.script["dtype"], 1e-2)
        pairs = list(zip(fresh.results, stored.results, strict=True))
        pairs += [(g, stored.gradients[n]) for n, g in fresh.gradients.items() if g is not None]
        for new, old in pairs:
            np.testing.assert_allclose(new, old, rtol=tolerance, atol=tolerance, err_msg=f"{REDRAW} ({stored.id})")


@pytest.mark.parametrize("exercise", KEY.exercises, ids=lambda e: e.name)
def test_the_committed_key_has_the_checks_hints_and_mistakes_of_the_solutions(exercise):
    solution = SOLUTIONS[exercise.name]
    ids = {id for mechanism in solution.mechanisms for id in mechanism.mistakes}
    assert (exercise.checks, exercise.hints, exercise.summary) == (solution.checks, solution.hints, solution.summary), (
        REDRAW
    )
    assert {id for row in exercise.mistakes.ids for id in row} == ids, REDRAW


def test_the_committed_key_has_the_words_of_the_catalogue():
    assert KEY.catalogue.items() <= COURSE.catalogue.items(), REDRAW


def test_the_public_key_says_its_seed_and_is_under_8_mb():
    assert (KEY.seed, COURSE.public_key.stat().st_size < 8_000_000) == (PUBLIC_SEED, True)


def test_a_key_read_back_gives_the_same_bytes():
    assert key_bytes(parse_key(key_bytes(KEY))) == key_bytes(KEY)


def test_a_single_number_is_kept_as_one():
    case = drawn("single", np.array(2.0), arrays={"0/x": np.array(3.0)}, gradients={"x": np.array(4.0)})
    key = AnswerKey("course", "A course", "1", "2", None, (exercise([case]),), {})
    [kept] = parse_key(key_bytes(key)).exercises[0].cases
    arrays = [*kept.results, *kept.arrays.values(), *kept.gradients.values()]
    assert [(array.shape, float(array)) for array in arrays] == [((), 2.0), ((), 3.0), ((), 4.0)]


def test_what_clears_a_mechanism_is_kept():
    table = {("one",): {"plain": returned(np.zeros(3))}}
    cleared = np.array([[0], [2]], dtype=np.uint8)
    key = AnswerKey(
        "course", "A course", "1", "2", None,
        (exercise([drawn("plain", np.ones(3))], (), table, (mechanism("scale", "two"),), clears=cleared),), {},
    )  # fmt: skip
    [kept] = parse_key(key_bytes(key)).exercises
    assert kept.mistakes.clears.tolist() == cleared.tolist()


def test_a_key_that_was_drawn_before_clears_nothing():
    key = AnswerKey("course", "A course", "1", "2", None, (exercise([drawn("plain", np.ones(3))]),), {})
    assert parse_key(key_bytes(key)).exercises[0].mistakes.clears is None


def test_a_key_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "key"
    save_key(KEY, path)
    assert [p.name for p in tmp_path.iterdir()] == ["key"]


def test_the_key_holds_no_source_code():
    data = key_bytes(KEY)
    assert [word for word in (b"def ", b"lambda", b"import torch") if word in data] == []


DAMAGED = {
    "empty": b"",
    "short": b"\x00" * 7,
    "header longer than the file": struct.pack("<Q", 1 << 40) + b"{}",
    "not JSON": struct.pack("<Q", 4) + b"nope",
    "no metadata": save({"x": np.zeros(2)}),
    "other metadata": save({"x": np.zeros(2)}, {"attention-kata": "[]"}),
    "cut": key_bytes(KEY)[:-100],
    "a pickle": b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.",
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_key_is_one_clear_line(data):
    with pytest.raises(BadKey, match=r"not an answer key .*kata dev key"):
        parse_key(data)


def test_a_key_of_another_schema_says_so():
    header = json.dumps({"schema": 99})
    with pytest.raises(BadKey, match="schema 99, but this program reads 2"):
        parse_key(save({"x": np.zeros(1)}, {"attention-kata": header}))


def test_a_missing_key_says_how_to_draw_one(tmp_path):
    with pytest.raises(BadKey, match="kata dev key"):
        load_key(tmp_path / "none")
