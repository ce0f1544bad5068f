"""Right or wrong: what is found in a check, and that nothing right is held against anybody."""

from dataclasses import replace

import numpy as np
import pytest
from judged import as_expected, asking, drawn, exercise, failed, numbers, plus, refused, returned, seen

from attention_kata.judge.compare import Finding, FindingKind, compare, forbidden_name, near
from attention_kata.sandbox.observation import Observation, Outcome, Seen

X = numbers(2, 4)
PLAIN = drawn("plain", X)
META = drawn("meta", device="meta")


def found(asks, observation, case=PLAIN, expects="", others=(), **facts):
    """The finding in a check of one case, as (kind, name) or None, and all of it."""
    check = asking(asks, case.id, expects=expects)
    seen_by = as_expected(*others) | facts.pop("observed", {}) | {case.id: observation}
    return compare(check, exercise([case, *others], [check], **facts), seen_by)


# ---------------------------------------------------------------------- every check


@pytest.mark.parametrize("asks", ["shape", "values", "gradient", "raises", "purity", "half", "device", "forbidden"])
@pytest.mark.parametrize("outcome", [Outcome.TIMEOUT, Outcome.CRASHED])
def test_a_worker_that_was_lost_is_found_first(asks, outcome):
    assert found(asks, Observation(outcome)) == Finding(FindingKind(outcome), "plain")


@pytest.mark.parametrize("asks", ["shape", "values", "gradient", "purity", "half", "forbidden", "operations"])
@pytest.mark.parametrize("observation", [failed(), refused("missing"), failed(results=(X,))])
def test_what_did_not_run_is_found_whatever_is_asked(asks, observation):
    assert found(asks, observation) == Finding(FindingKind(observation.outcome), "plain")


@pytest.mark.parametrize("stage", ["backward", "second call"])
def test_results_that_came_before_an_error_are_judged(stage):
    observation = failed(stage=stage, results=(X,))
    for asks in ("shape", "values", "forbidden", "operations"):
        assert found(asks, observation) is None
    for asks in ("gradient", "purity"):
        assert found(asks, observation) == Finding(FindingKind.RAISED, "plain")
    assert found("values", failed(stage=stage, results=(X + 1,))).kind == "values"
    assert found("values", failed(stage=stage)) == Finding(FindingKind.RAISED, "plain")
    odd = Observation(Outcome.RAISED, (seen(X),), error=None)
    assert found("values", odd) == Finding(FindingKind.RAISED, "plain")


def test_the_first_case_that_is_wrong_is_found():
    cases = [drawn("a", X), drawn("b", X), drawn("c", X)]
    check = asking("values", "a", "b", "c")
    observations = as_expected(*cases) | {"b": returned(X + 1), "c": returned(X + 2)}
    assert compare(check, exercise(cases, [check]), observations).case == "b"
    assert compare(check, exercise(cases, [check]), as_expected(*cases)) is None
    with pytest.raises(LookupError):
        compare(check, exercise(cases, [check]), {"a": returned(X)})


# ---------------------------------------------------------------------- how many, of what type


def test_the_number_of_results_is_the_exercises():
    finding = found("shape", returned(X, numbers(3), Seen("NoneType")))
    assert (finding.kind, finding.case) == ("count", "plain")
    assert finding.facts == {"found": ["Tensor", "Tensor", "NoneType"], "shapes": [[2, 4], [3]], "expected": 1}
    assert found("values", returned()).facts == {"found": [], "shapes": [], "expected": 1}


def test_a_result_is_called_by_the_exercises_name_for_it():
    case = drawn("plain", X, X, X)
    observation = returned(X, X, X + 1)
    assert found("values", observation, case, returns=("output", "weights")).name == "result 2"
    assert found("values", returned(X, X + 1, X), case, returns=("output", "weights")).name == "weights"


@pytest.mark.parametrize(
    ("result", "kind", "facts"),
    [
        (Seen("list"), "type", {"found": "list"}),
        (seen(X, device="cuda"), "device", {"found": "cuda", "expected": "cpu"}),
        (seen(X, layout="sparse_coo"), "layout", {"found": "sparse_coo"}),
    ],
)
def test_what_cannot_be_compared_is_told_with_what_it_is(result, kind, facts):
    for asks in ("shape", "values", "gradient", "purity", "half"):
        finding = found(asks, returned(result))
        assert (finding.kind, finding.case, finding.name, finding.facts) == (kind, "plain", "result", facts)


# ---------------------------------------------------------------------- shapes and values


@pytest.mark.parametrize("shape", [(4, 2), (1, 2, 4), (2, 4, 1), (8,), (1, 4), ()])
def test_nothing_is_broadcast(shape):
    wrong = np.resize(X, shape)
    for asks in ("shape", "values", "gradient", "purity", "half", "forbidden"):
        finding = found(asks, returned(wrong))
        assert (finding.kind, finding.name, finding.facts) == ("shape", "result", {"found": shape})
        assert finding.found is wrong
        assert finding.expected is X


def test_the_dtype_is_part_of_the_values_and_not_of_the_shape():
    narrow = seen(X, dtype="float32")
    assert found("shape", returned(narrow)) is None
    finding = found("values", returned(narrow))
    assert (finding.kind, finding.name) == ("dtype", "result")
    assert finding.facts == {"found": "float32", "expected": "float64"}
    assert finding.found is X
    assert finding.expected is X
    unsent = found("values", returned(seen(None, "float64", shape=(2, 4))))
    assert (unsent.kind, unsent.found) == ("dtype", None)


def test_masks_are_bool_and_compared_exactly():
    mask = X > 0
    case = drawn("plain", mask)
    assert case.dtypes == ("bool",)
    assert found("values", returned(mask), case) is None
    finding = found("values", returned(~mask), case)
    assert (finding.kind, finding.case, finding.name) == ("values", "plain", "result")
    assert (finding.found == ~mask).all()
    assert finding.expected is mask
    assert found("values", returned(mask.astype(np.int64)), case).facts == {"found": "int64", "expected": "bool"}
    odd = replace(case, dtypes=("float64",))  # a mask is a mask whatever the key says of its dtype
    assert found("values", returned(mask), odd) is None


@pytest.mark.parametrize("mask_result", ["mask", "squeeze"])
def test_a_mask_of_zeros_and_ones_is_a_mask_where_the_exercise_says_so(mask_result):
    mask = (X > 0)[None]
    case = drawn("plain", mask)
    for form in (mask, mask.astype(np.int64), mask.astype(float)):
        assert found("values", returned(form), case, mask_result=mask_result) is None
    other = found("values", returned(mask[0]), case, mask_result=mask_result)
    assert (other.kind if other else None) == ("shape" if mask_result == "mask" else None)
    additive = np.where(mask, 0.0, -1e9)
    assert found("values", returned(additive), case, mask_result=mask_result).kind in ("dtype", "shape")


def test_numbers_are_near_within_the_tolerance_and_no_further():
    case = replace(drawn("plain", np.array([1.0, 0.0, -2.0])), tolerance=0.25)
    right = np.array([1.5, 0.25, -2.75])
    assert near(right, case.results[0], case).all()
    assert near(2 * case.results[0] - right, case.results[0], case).all()
    assert not near(plus(right, 1e-9, 1e-9, -1e-9), case.results[0], case).any()
    narrow = replace(drawn("plain", np.array([1.0, 0.0]), dtype="float32"), tolerance=0.625)
    assert near(np.array([1.75, 0.125]), narrow.results[0], narrow).all()
    assert not near(np.array([1.75, 0.125]) + 1e-9, narrow.results[0], narrow).any()


def test_numbers_that_are_not_finite_are_right_only_where_they_are_expected():
    expected = np.array([1.0, np.inf, -np.inf, np.nan])
    case = drawn("plain", expected)
    assert found("values", returned(np.array([np.nan, np.inf, -np.inf, 0.0])), case).kind == "non-finite"
    finding = found("values", returned(np.array([1.0, np.inf, np.inf, 0.0])), case)
    assert (finding.kind, finding.name, finding.facts) == ("values", "result", {"free": None})
    steep = drawn("plain", np.array([1.0, -np.inf]))
    assert found("values", returned(steep.results[0]), steep) is None
    infinite = found("values", returned(np.array([np.inf, -np.inf])), steep)
    assert (infinite.kind, infinite.case, infinite.name) == ("non-finite", "plain", "result")
    assert infinite.found[0] == np.inf
    assert infinite.expected is steep.results[0]


def test_where_any_number_will_do_it_must_still_be_finite():
    free = np.array([True, False, False])
    case = replace(drawn("plain", numbers(3)), free=(free,))
    assert found("values", returned(case.results[0] + [5, 0, 0]), case) is None
    assert found("values", returned(case.results[0] + [np.nan, 0, 0]), case).kind == "non-finite"
    finding = found("values", returned(case.results[0] + [5, 0, 1]), case)
    assert (finding.kind, finding.case, finding.name) == ("values", "plain", "result")
    assert finding.facts["free"] is free
    assert finding.expected is case.results[0]
    assert finding.found[2] == case.results[0][2] + 1


def test_each_result_has_its_own_dtype_and_its_own_free_numbers():
    case = replace(drawn("plain", X, X), dtypes=("float64", "float32"), free=(X > 0,))
    names = ("output", "weights")
    right = (seen(X + (X > 0)), seen(X, "float32"))
    assert found("values", returned(*right), case, returns=names) is None
    assert found("values", returned(right[0], seen(X)), case, returns=names).name == "weights"
    wrong = returned(right[0], seen(X + (X > 0), "float32"))
    assert found("values", wrong, case, returns=names).name == "weights"  # nothing of it is free


# ---------------------------------------------------------------------- gradients


GRADIENT = drawn("plain", X, gradients={"Q": numbers(3), "K": None, "V": numbers(2)})


def graded(**gradients):
    own = {"Q": seen(numbers(3)), "K": None, "V": seen(numbers(2))} | gradients
    return returned(X, gradients=own)


def test_gradients_are_compared_by_name_where_one_is_expected():
    assert found("gradient", graded(), GRADIENT) is None
    assert found("gradient", graded(K=seen(numbers(5)), other=seen(numbers(1))), GRADIENT) is None
    assert found("gradient", graded(Q=seen(numbers(3), "float32")), GRADIENT) is None
    finding = found("gradient", graded(V=seen(numbers(2) + 1)), GRADIENT)
    assert (finding.kind, finding.case, finding.name, finding.of_gradient) == ("values", "plain", "V", True)
    assert found("gradient", graded(V=seen(np.array([np.nan, 1.0]))), GRADIENT).kind == "non-finite"


@pytest.mark.parametrize("gradient", [None, seen(None, "float64", shape=(3,)), seen(numbers(4)), seen(numbers(1, 3))])
def test_a_gradient_that_is_missing_or_of_another_shape_is_none(gradient):
    assert found("gradient", graded(Q=gradient), GRADIENT) == Finding(FindingKind.NO_GRADIENT, "plain", "Q")


def test_no_gradients_at_all_are_missed_by_the_first_that_is_expected():
    assert found("gradient", returned(X), GRADIENT) == Finding(FindingKind.NO_GRADIENT, "plain", "Q")


def test_a_complex_result_has_no_gradient_to_compare():
    finding = found("gradient", returned(seen(X, "complex64")), GRADIENT)
    assert (finding.kind, finding.case, finding.name) == ("dtype", "plain", "result")
    assert finding.facts == {"found": "complex64", "expected": "float64"}


# ---------------------------------------------------------------------- errors that are asked for

SPLIT = drawn("split", raises="ValueError")


def test_the_error_that_is_asked_for_or_a_kind_of_it_passes():
    for error in (failed(), failed("OwnError", bases=("OwnError", "ValueError", "Exception"))):
        assert found("raises", error, SPLIT, "ValueError", [PLAIN]) is None


def test_another_error_or_none_does_not():
    facts = {"expected": "ValueError"}
    other = found("raises", failed("TypeError"), SPLIT, "ValueError", [PLAIN])
    assert other == Finding(FindingKind.RAISED, "split", facts=facts)
    none = found("raises", returned(X), SPLIT, "ValueError", [PLAIN])
    assert none == Finding(FindingKind.NOT_RAISED, "split", facts=facts)
    gone = found("raises", refused("missing"), SPLIT, "ValueError", [PLAIN])
    assert gone == Finding(FindingKind.REFUSED, "split", facts=facts)


@pytest.mark.parametrize(("asks", "case"), [("raises", SPLIT), ("device", META)])
def test_what_always_fails_does_not_fail_on_purpose(asks, case):
    right = failed() if asks == "raises" else returned()
    facts = {"returns": ()} if asks == "device" else {}
    others = [PLAIN, drawn("other", X)]
    broken = {"plain": failed(), "other": failed()}
    assert found(asks, right, case, "ValueError", others, **facts) is None
    finding = found(asks, right, case, "ValueError", others, observed=broken, **facts)
    assert finding == Finding(FindingKind.RAISED, "plain")
    once = {"plain": failed(), "other": returned(X + 1)}
    assert found(asks, right, case, "ValueError", others, observed=once, **facts) is None


def test_only_ordinary_cases_show_that_something_works():
    others = [drawn("again", raises="ValueError"), drawn("half", X, dtype="float16")]
    works = {"half": returned(seen(X, "float16")), "again": failed()}
    assert found("raises", failed(), SPLIT, "ValueError", others, observed=works) is None  # nothing ordinary was run
    broken = works | {"plain": failed()}
    assert found("raises", failed(), SPLIT, "ValueError", [*others, PLAIN], observed=broken).case == "plain"


def test_values_are_not_asked_of_other_cases():
    assert found("values", returned(X), others=[drawn("other", X)], observed={"other": failed()}) is None


# ---------------------------------------------------------------------- purity


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({"changed": ("Q",), "repeats": False, "instances": False}, FindingKind.CHANGED),
        ({"repeats": False, "instances": False}, FindingKind.REPEATS),
        ({"instances": False}, FindingKind.INSTANCES),
    ],
)
def test_purity_is_that_nothing_changes_and_calls_repeat(facts, kind):
    assert found("purity", returned(X, **facts)) == Finding(kind, "plain")
    assert found("purity", returned(X)) is None
    assert found("purity", returned(X.T, **facts)).kind == "shape"


# ---------------------------------------------------------------------- half precision


@pytest.mark.parametrize(("dtype", "least"), [("float16", 0.375 + 2.0**-8), ("bfloat16", 0.375 + 2.0**-5)])
def test_half_precision_may_be_three_times_as_far_off_as_a_plain_answer(dtype, least):
    exact, plain = np.array([[1.0, 4.0]]), np.array([[1.0, 4.125]])
    case = replace(drawn("plain", plain, dtype=dtype), exact=(exact,))
    assert case.dtypes == (dtype,)
    for sign in (1, -1):
        edge = plus(exact, 0, sign * least)
        assert found("half", returned(seen(edge, dtype)), case) is None
        finding = found("half", returned(seen(plus(edge, 0, sign * 1e-6), dtype)), case)
        assert (finding.kind, finding.case, finding.name) == ("values", "plain", "result")
        assert finding.expected is exact
        assert finding.found[0, 1] == edge[0, 1] + sign * 1e-6


def test_half_precision_is_of_its_dtype_finite_and_free_where_it_is_free():
    x = numbers(2)
    case = replace(drawn("plain", x, dtype="float16"), exact=(x,))
    assert found("half", returned(seen(x, "float16")), case) is None
    finding = found("half", returned(seen(x)), case)
    assert (finding.kind, finding.case, finding.name) == ("dtype", "plain", "result")
    assert finding.facts == {"found": "float64", "expected": "float16"}
    assert found("half", returned(seen(None, "float16", shape=(2,))), case).kind == "dtype"
    infinite = found("half", returned(seen(np.array([1.0, np.inf]), "float16")), case)
    assert (infinite.kind, infinite.case, infinite.name) == ("non-finite", "plain", "result")
    assert infinite.found[1] == np.inf
    assert infinite.expected is x
    free = replace(case, free=(np.array([True, False]),))
    assert found("half", returned(seen(plus(x, 9, 0), "float16")), free) is None
    assert found("half", returned(seen(plus(x, 0, 9), "float16")), free).kind == "values"
    assert found("half", returned(seen(plus(x, 9, 0), "float16")), case).kind == "values"
    assert found("half", failed(), case).kind == "raised"


def test_each_half_precise_result_has_its_own_truth():
    x = numbers(2)
    case = replace(drawn("plain", x, x + 1, dtype="float16"), exact=(x, x + 1), free=(np.array([True, True]),) * 0)
    results = (seen(x, "float16"), seen(x + 1, "float16"))
    assert found("half", returned(*results), case, returns=("a", "b")) is None
    case = replace(case, free=(np.array([False, True]),))
    results = (seen(plus(x, 0, 9), "float16"), seen(x + 1, "float16"))
    assert found("half", returned(*results), case, returns=("a", "b")) is None
    results = (seen(x, "float16"), seen(plus(x, 1, 9), "float16"))
    assert found("half", returned(*results), case, returns=("a", "b")).name == "b"


# ---------------------------------------------------------------------- devices


def on(device):
    return Seen("Tensor", "float64", (2, 4), device, "strided")


@pytest.mark.parametrize(
    "message",
    [
        "Tensor on device cpu is not on the expected device meta!",
        "Expected all tensors to be on the same device, but found at least two devices, cpu and meta!",
    ],
)
def test_a_tensor_made_on_the_cpu_is_a_finding(message):
    assert found("device", failed("RuntimeError", message), META) == Finding(FindingKind.DEVICE, "meta")


@pytest.mark.parametrize(
    "message", ["Cannot copy out of meta tensor; no data!", "expected self and mask to be on same device"]
)
def test_what_only_meta_cannot_do_is_none(message):
    assert found("device", failed("RuntimeError", message), META) is None


def test_what_does_not_run_is_no_merit_on_a_device_either():
    assert found("device", failed(message="oh"), META) == Finding(FindingKind.RAISED, "meta")
    assert found("device", refused("missing"), META) == Finding(FindingKind.REFUSED, "meta")


def test_results_are_where_the_inputs_are():
    names = ("output", "weights")
    assert found("device", returned(on("meta"), on("meta")), META, returns=names) is None
    cpu = found("device", returned(on("meta"), on("cpu")), META, returns=names)
    assert cpu == Finding(FindingKind.DEVICE, "meta", "weights")
    unnamed = found("device", returned(on("meta"), on("meta"), on("cpu")), META, returns=names)
    assert unnamed == Finding(FindingKind.DEVICE, "meta", "")
    none = found("device", returned(Seen("NoneType"), on("meta")), META, returns=names)
    assert none == Finding(FindingKind.TYPE, "meta", "output", facts={"found": "NoneType"})
    few = found("device", returned(on("meta")), META, returns=names)
    assert few == Finding(FindingKind.COUNT, "meta", facts={"found": [], "shapes": [], "expected": 2})
    early = failed("RuntimeError", "meta", stage="backward")
    assert found("device", early, META, returns=names) is None


# ---------------------------------------------------------------------- operations and forbidden functions


def test_operations_are_the_same_for_all_sizes():
    cases = [drawn("small", X), drawn("large", X), drawn("third", X)]
    check = asking("operations", *(case.id for case in cases))
    its = exercise(cases, [check])

    def counted(*counts):
        return {case.id: returned(X, operations=n) for case, n in zip(cases, counts, strict=True)}

    assert compare(check, its, counted(7, 7, 7)) is None
    grown = compare(check, its, counted(7, 7, 9))
    assert grown == Finding(FindingKind.OPERATIONS, "third", facts={"counts": [7, 7, 9]})
    assert compare(check, its, counted(7, 7, 9) | {"large": failed()}).kind == "raised"


def test_operations_are_compared_only_where_they_are_asked_for():
    cases = [drawn("small", X), drawn("large", X)]
    check = asking("values", "small", "large")
    observations = {"small": returned(X, operations=1), "large": returned(X, operations=2)}
    assert compare(check, exercise(cases, [check]), observations) is None


def test_the_first_forbidden_function_that_was_called_is_found():
    called = ("matmul", "softmax", "log_softmax")
    its = exercise([PLAIN], forbidden=("log_softmax", "softmax"))
    assert forbidden_name(its, returned(X, functions=called)) == "softmax"
    assert forbidden_name(its, returned(X, functions=called[:1])) == ""
    assert forbidden_name(its, returned(X)) == ""
    finding = found("forbidden", returned(X, functions=called), forbidden=("softmax",))
    assert finding == Finding(FindingKind.FORBIDDEN, "plain", "softmax")
    assert found("forbidden", returned(X.T, functions=called[:1]), forbidden=("softmax",)).kind == "shape"


def test_findings_are_named_as_the_database_and_the_json_name_them():
    assert " ".join(FindingKind) == (
        "raised refused timeout crashed count type layout shape dtype non-finite values no-gradient not-raised "
        "changed repeats instances device operations forbidden"
    )
    empty = Finding(FindingKind.COUNT, "case")
    assert (empty.name, empty.found, empty.expected, empty.facts, empty.of_gradient) == ("", None, None, {}, False)
