"""Traces: what of an observation is kept, when two are the same, and that keys drawn long ago still fit."""

import zlib
from dataclasses import replace

import numpy as np
import pytest
from judged import as_expected, drawn, failed, numbers, refused, returned, seen

from attention_kata.course.find import find_course
from attention_kata.judge.trace import (
    MAX_KNOWN,
    MAX_NUMBERS,
    Trace,
    close,
    distance,
    distinct,
    equal,
    normal_form,
    project,
    trace,
)
from attention_kata.key.file import load_key
from attention_kata.sandbox.observation import Observation, Outcome, Seen

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")  # numpy's: on the learner's terminal

X = numbers(2, 4)
PLAIN = drawn("plain", X)
NOTHING = [0.0] * 4


def kind_of(observation, case=PLAIN, mask_result=""):
    return trace(observation, case, mask_result).kind


def print_of(observation, case=PLAIN):
    return trace(observation, case).numbers


# ---------------------------------------------------------------------- what is kept of results


@pytest.mark.parametrize(
    ("results", "kind"),
    [
        ((X,), "float64[2, 4]"),
        ((seen(X, "float32"), X > 0), "float32[2, 4]; bool[2, 4]"),
        ((), ""),
        ((Seen("list"), X), "list; float64[2, 4]"),
        ((seen(None, "complex64", shape=(3,)), seen(X, layout="sparse_coo")), "complex64[3]; float64[2, 4]sparse_coo"),
        (
            (np.array([[np.nan, 1.0], [np.inf, -np.inf]]),),
            f"float64[2, 2] not finite {zlib.crc32(bytes([1, 0, 2, 3])):08x}",
        ),
        ((np.array(1.5),), "float64[]"),
    ],
)
def test_the_kind_says_types_dtypes_and_shapes(results, kind):
    assert kind_of(returned(*results), drawn("plain")) == kind


def test_where_any_number_will_do_it_is_not_kept():
    free = np.array([True, False, False])
    case = replace(drawn("plain", numbers(3)), free=(free,))
    one, other = (print_of(returned(np.array([first, 2.0, 3.0])), case) for first in (5.0, np.nan))
    assert one.tolist() == other.tolist() == project(np.array([0.0, 2.0, 3.0])).tolist()
    assert (
        kind_of(returned(np.array([np.nan, 2.0, 3.0])), case)
        == f"float64[3] not finite {zlib.crc32(bytes([1, 0, 0])):08x}"
    )
    two = print_of(returned(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])), case)
    assert two.tolist() == project(np.array([0.0, 2, 3, 4, 5, 6])).tolist()


def test_gradients_are_kept_in_the_order_of_their_names():
    gradients = {"V": seen(numbers(2)), "K": None, "Q": seen(numbers(3) + 1)}
    observation = returned(X, gradients=gradients)
    assert kind_of(observation) == "float64[2, 4]; K: no gradient; Q: float64[3]; V: float64[2]"
    expected = project(np.concatenate([X.ravel(), numbers(3) + 1, numbers(2)]))
    assert print_of(observation).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("facts", "more"),
    [
        ({}, ""),
        ({"changed": ("Q", "K")}, "; changed Q,K"),
        ({"repeats": False}, "; differs when called again"),
        ({"instances": False}, "; differs when called again"),
        ({"changed": ("Q",), "repeats": False, "instances": False}, "; changed Q; differs when called again"),
    ],
)
def test_the_kind_says_what_changed(facts, more):
    assert kind_of(returned(X, **facts)) == f"float64[2, 4]{more}"


def test_only_what_is_fingerprinted_has_a_print():
    assert print_of(returned(X)).tolist() == project(X.ravel()).tolist() != NOTHING
    assert print_of(returned(X), drawn("half", X, dtype="float32")).tolist() == NOTHING
    assert print_of(returned()).tolist() == NOTHING
    assert print_of(returned(Seen("list"))).tolist() == NOTHING


def test_on_meta_only_the_place_is_kept():
    meta = drawn("meta", device="meta")
    there, here = (Seen("Tensor", "float64", (2,), device, "strided") for device in ("meta", "cpu"))
    assert trace(returned(there, Seen("list")), meta).kind == "returned"
    assert trace(returned(there, here), meta).kind == "returned elsewhere"
    assert trace(returned(there), meta).numbers.tolist() == NOTHING


# ---------------------------------------------------------------------- what is kept of errors


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (failed("ValueError", "bad"), "raised call ValueError: bad"),
        (failed("RuntimeError", "bad", stage="backward"), "raised backward RuntimeError: bad"),
        (failed("AssertionError", "own words"), "raised call AssertionError: "),
        (failed("TypeError", "<f at 0x7f00ab12> and 0xfe"), "raised call TypeError: <f at 0x> and 0x"),
        (
            failed("RuntimeError", "The size of tensor a (6) must match the size of tensor b (4) at dimension 1"),
            "raised call RuntimeError: The size of 4 6 at dimension 1",
        ),
        (
            failed("RuntimeError", "The size of tensor a (4) must match the size of tensor b (6) at dimension 1"),
            "raised call RuntimeError: The size of 4 6 at dimension 1",
        ),
    ],
)
def test_of_an_error_its_type_and_words_are_kept(error, kind):
    assert kind_of(error) == kind
    assert print_of(error).tolist() == NOTHING


def test_words_of_an_error_are_kept_up_to_a_length():
    kinds = [kind_of(failed(message="m" * length)) for length in (160, 161, 500)]
    assert kinds == [f"raised call ValueError: {'m' * min(length, 160)}" for length in (160, 161, 500)]


def test_of_an_error_that_is_asked_for_only_that_it_is_one_is_kept():
    case = drawn("split", raises="ValueError")
    assert kind_of(failed(message="own words"), case) == "raised ValueError"
    assert kind_of(failed("Own", bases=("Own", "ValueError")), case) == "raised ValueError"
    assert kind_of(failed("TypeError", "own words"), case) == "raised TypeError"


@pytest.mark.parametrize("message", ["it is not on the expected device meta", "found at least two devices, cpu, meta"])
def test_a_device_that_does_not_fit_is_kept_as_such_on_meta(message):
    assert kind_of(failed("RuntimeError", message), drawn("meta", device="meta")) == "raised for another device"
    assert kind_of(failed("RuntimeError", message)) == f"raised call RuntimeError: {message}"
    assert kind_of(failed("RuntimeError", "oh"), drawn("meta", device="meta")) == "raised call RuntimeError: oh"


LAYERS = drawn("plain", X, script={"steps": [{"call": "x"}, {"weights": ["wq.weight", "wq.bias"]}]})


@pytest.mark.parametrize(
    ("observation", "kind"),
    [
        (refused("missing", found="nothing"), "refused missing nothing"),
        (refused("signature"), "refused signature "),
        (Observation(Outcome.REFUSED), "refused  "),
        (Observation(Outcome.TIMEOUT), "timeout  "),
        (
            refused("layers", missing=["wq.weight", "wq.bias"], found=["own.weight"], shapes=[]),
            "refused layers without wq.weight,wq.bias with  and others",
        ),
        (refused("layers", missing=["wq.bias"], found=["wq.weight", "w"], shapes=[]),
         "refused layers without wq.bias with "),
        (refused("layers", missing=["wq.bias"], found=["own.bias"], shapes=[]),
         "refused layers without wq.bias with  and others"),
        (
            refused("layers", missing=[], found=["wq.weight", "wq.bias"],
                    shapes=[{"name": "wq.weight", "found": [2, 3], "expected": [3, 3]},
                            {"name": "wq.bias", "found": [2], "expected": [3]}]),
            "refused layers without  with wq.weight[2, 3],wq.bias[2]",
        ),
    ],
)  # fmt: skip
def test_of_a_refusal_what_is_missing_and_of_which_size_is_kept(observation, kind):
    assert kind_of(observation, LAYERS) == kind
    assert print_of(observation, LAYERS).tolist() == NOTHING


# ---------------------------------------------------------------------- masks


@pytest.mark.parametrize("dtype", ["bool", "int64", "float64"])
def test_a_mask_of_zeros_and_ones_is_bool(dtype):
    mask = (X > 0)[None]
    result = seen(mask.astype(dtype), dtype, "cuda", "odd")
    same = normal_form(result, "mask")
    assert (same.type, same.dtype, same.shape, same.device, same.layout) == ("Tensor", "bool", (1, 2, 4), "cuda", "odd")
    assert same.value.dtype == bool
    assert (same.value == mask).all()
    squeezed = normal_form(result, "squeeze")
    assert squeezed.shape == squeezed.value.shape == (2, 4)
    assert normal_form(result, "") is result


@pytest.mark.parametrize("values", [[0.0, 2.0], [0.0, 0.5], [0.0, -1.0], [0.0, np.nan]])
def test_other_numbers_stay_as_they_are(values):
    result = seen(np.array(values))
    assert normal_form(result, "mask") is result
    unsent = seen(None, "bool", shape=(2,))
    assert normal_form(unsent, "mask") is unsent


def test_the_form_of_a_mask_is_no_part_of_its_trace():
    mask = X > 0
    forms = (returned(mask), returned(mask.astype(float)), returned(mask[None].astype(np.int64)))
    assert [kind_of(form, mask_result="squeeze") for form in forms] == ["bool[2, 4]"] * 3
    assert kind_of(forms[2], mask_result="mask") == "bool[1, 2, 4]"
    assert trace(forms[1], PLAIN).kind == "float64[2, 4]"


# ---------------------------------------------------------------------- prints


def test_prints_are_those_of_keys_that_were_drawn_long_ago():
    """Of 1 to 3 numbers: literally; of all sizes: as in the public key, whose table begins with the right results."""
    assert project(np.zeros(0)).tolist() == NOTHING
    assert project(np.array([1.0])) == pytest.approx(
        [0.023643249400513433, 0.9009273926518706, -0.7116807745607325, 0.8972988942744877], abs=1e-12
    )
    assert project(np.array([1.0, -2.0, 3.0])) == pytest.approx(
        [2.0317030991412315, 1.3865711445859816, 2.7266098461886408, -0.2371276264116593], abs=1e-12
    )
    key = load_key(find_course().public_key)
    for exercise in key.exercises:
        observations = as_expected(*exercise.cases)
        for column, case in enumerate(exercise.cases):
            if case.fingerprinted and not case.raises:
                print = trace(observations[case.id], case, exercise.mask_result)
                assert exercise.mistakes.kind_names[exercise.mistakes.kinds[0, column]] == print.kind
                assert distance(print.numbers, exercise.mistakes.prints[0, column]) < 1e-9


def test_large_arrays_are_projected_like_small_ones_up_to_a_size():
    for size in (MAX_KNOWN, MAX_KNOWN + 1):
        values = numbers(size)
        assert project(values) == pytest.approx(project(values.copy()), abs=0)
        assert np.abs(project(values)).max() > 1
    assert (MAX_KNOWN, MAX_NUMBERS) == (4096, 65536)
    case = drawn("plain", X)
    large, larger = numbers(MAX_NUMBERS), numbers(MAX_NUMBERS + 1)
    assert trace(returned(large), case).numbers.tolist() != NOTHING
    assert trace(returned(larger), case).numbers.tolist() == NOTHING
    assert trace(returned(X, larger), case).numbers.tolist() == project(X.ravel()).tolist()


def test_numbers_that_a_sum_could_overflow_in_are_cut():
    huge = np.array([1e308, -1e308, 3e99])
    print = print_of(returned(huge))
    assert np.isfinite(print).all()
    assert print.tolist() == project(np.array([1e100, -1e100, 3e99])).tolist()
    assert print_of(returned(huge[:2])).tolist() == project(np.array([1e100, -1e100])).tolist()
    odd = np.array([np.nan, np.inf, 2.0])
    assert print_of(returned(odd)).tolist() == project(np.array([0.0, 0.0, 2.0])).tolist()


# ---------------------------------------------------------------------- near and far


@pytest.mark.parametrize(
    ("found", "expected", "near"),
    [
        (1.5, 1.0, True),
        (0.5, 1.0, True),
        (1.5000001, 1.0, False),
        (-1.0, -1.5, True),
        (0.25, 0.0, True),
        (0.2500001, 0.0, False),
        (np.inf, np.inf, True),
        (np.inf, -np.inf, False),
        (1.0, np.inf, False),
        (np.inf, 1.0, False),
        (np.nan, np.nan, False),
        (np.nan, 1.0, False),
    ],
)
def test_close_is_what_numpy_calls_close(found, expected, near):
    found, expected = np.array([found]), np.array([expected])
    assert close(found, expected, 0.25, 0.25).tolist() == [near]
    assert np.isclose(found, expected, 0.25, 0.25).tolist() == [near]


def test_close_does_not_warn_of_infinities(recwarn):
    close(np.array([np.inf]), np.array([np.inf]), 1e-5, 1e-5)
    assert not recwarn.list


def test_whole_numbers_are_compared_as_numbers():
    assert close(np.array([0, 2**62]), np.array([-(2**62), 2**62]), 0.0, 0.0).tolist() == [False, True]
    assert close(np.array([3]), np.array([2], dtype=np.uint8), 0.0, 0.5).tolist() == [False]


def test_distance_is_relative_to_the_larger_print():
    a, b = np.array([3.0, 0.0, 0.0, 0.0]), np.array([0.0, -1.0, 0.0, 0.0])
    assert distance(a, b) == 3 / 4
    assert distance(b, a) == 3 / 4
    assert distance(a, a) == 0
    assert distance(np.stack([a, b]), b).tolist() == [3 / 4, 0]
    assert distance(a, np.full(4, np.nan)) == 0


def test_traces_are_equal_when_kinds_are_and_prints_are_near():
    a, near, far = (Trace("k", np.array([x, 0, 0, 0])) for x in (1.0, 2.0, 4.0))
    assert distance(a.numbers, near.numbers) == 1 / 3
    assert equal(a, near, 1 / 3)
    assert not equal(a, near, 0.33)
    assert not equal(a, far, 1 / 3)
    assert not equal(a, Trace("other", a.numbers), 1.0)
    assert equal(None, a, 0.0)
    assert equal(a, None, 0.0)
    assert type(equal(a, near, 1.0)) is bool


def test_rows_that_say_nothing_new_are_left_out():
    a, b, c = (Trace("k", np.array([x, 0, 0, 0])) for x in (1.0, 50.0, 1000.0))
    known = [(a, a)]
    found = [(a, a), (a, b), (a, b), (None, a), (b, c), (c, None)]
    assert [id(row) for row in distinct(known, found, (0.1, 0.1))] == [id(found[i]) for i in (1, 4, 5)]
    assert distinct([], found[:1], (0.1, 0.1)) == found[:1]
    assert known == [(a, a)]
