"""Which mistakes explain what was seen: the surest true explanation, and none where several would do."""

import numpy as np
import pytest
from judged import as_expected, catalogue, drawn, exercise, failed, mechanism, numbers, refused, returned, seen

from attention_kata.judge.recognise import Confidence, Explanation, Recogniser
from attention_kata.key.model import CLEARED_BY_ALL, CLEARED_BY_NUMBERS, NOT_CLEARED
from attention_kata.sandbox.observation import Observation, Outcome

X = numbers(3, 4)
CASES = [drawn("a", X), drawn("b", X + 5), drawn("narrow", X, dtype="float32")]
KNOWN = catalogue("one", "two", "three", "changes", "twin", "again", twin=("again", "twin"), again=("twin",))


def on(a, b=None, narrow=None):
    """Observations of the two cases with numbers, and of the one in float32."""
    observations = as_expected(*CASES)
    for id, result in (("a", a), ("b", b), ("narrow", narrow)):
        if result is not None:
            observations[id] = result if isinstance(result, Observation) else returned(result)
    return observations


NARROW = returned(seen(X + 9, "float32"))
TABLE = {
    ("one",): on(2 * X, 2 * X + 5),
    ("two",): on(-X, -X + 5),
    ("three",): on(X, X + 6),
    ("changes",): on(returned(X, changed=("Q",))),
    ("one", "two"): on(-2 * X, -2 * X + 5),
}


def recogniser(observations, table=TABLE, cases=CASES, **facts):
    return Recogniser(exercise(cases, mistakes=table, **facts), KNOWN, observations)


def everywhere(observations, table=TABLE, **facts):
    return recogniser(observations, table, **facts).everywhere()


# ---------------------------------------------------------------------- the whole exercise


@pytest.mark.parametrize(
    ("observations", "ids", "confidence", "row"),
    [
        (on(2 * X, 2 * X + 5), ("one",), Confidence.EXACT, 1),
        (on(-X, -X + 5), ("two",), Confidence.EXACT, 2),
        (on(X, X + 6), ("three",), Confidence.EXACT, 3),
        (on(returned(X, changed=("Q",))), ("changes",), Confidence.LIKELY, 4),
        (on(-2 * X, -2 * X + 5), ("one", "two"), Confidence.EXACT, 5),
    ],
)
def test_a_mistake_is_recognised_by_what_it_gives(observations, ids, confidence, row):
    assert everywhere(observations) == Explanation(ids, confidence, row)


@pytest.mark.parametrize(
    "observations",
    [
        {},
        as_expected(*CASES),
        on(3 * X, 3 * X + 5),
        on(2 * X, -X + 5),
        on(2 * X),
        on(failed("TypeError")),
        on(returned(2 * X, changed=("Q",)), 2 * X + 5),
        {case.id: Observation(Outcome.TIMEOUT) for case in CASES},
    ],
)
def test_what_no_mistake_gives_in_all_cases_is_not_explained(observations):
    assert everywhere(observations) is None


def test_what_was_not_observed_speaks_for_no_mistake_and_against_none():
    for lost in (Observation(Outcome.TIMEOUT), Observation(Outcome.CRASHED), None):
        observations = on(2 * X, 2 * X + 5) | {"b": lost}
        observations = {id: o for id, o in observations.items() if o is not None}
        assert everywhere(observations) == Explanation(("one",), Confidence.EXACT, 1)


def test_numbers_are_those_of_a_mistake_within_the_tolerance():
    off = 2 * X
    assert everywhere(on(off + 1e-7, off + 5)) == Explanation(("one",), Confidence.EXACT, 1)
    assert everywhere(on(off + 1e-3, off + 5)) is None


def test_half_precision_may_have_another_cause():
    odd = on(2 * X, 2 * X + 5, failed("OverflowError"))
    assert everywhere(odd) == Explanation(("one",), Confidence.EXACT, 1)
    only = on(X, X + 5, NARROW)
    assert everywhere(only) is None


@pytest.mark.parametrize("happened", [refused("missing"), failed("TypeError")])
def test_errors_and_refusals_explain_as_numbers_do(happened):
    table = {("one",): on(happened, happened), ("two",): on(failed("KeyError"), happened)}
    found = everywhere(on(happened, happened), table)
    assert (found.ids, found.row) == (("one",), 1)


def test_what_happened_and_no_mistake_does_is_not_taken_for_any():
    inputs = "QKVWXYZ"  # more kinds than there are small numbers that could stand for none
    table = {(f"changes {name}",): on(returned(X, changed=(name,))) for name in inputs}
    assert everywhere(on(returned(X, changed=("K",))), table).ids == ("changes K",)
    assert everywhere(on(returned(X, changed=("other",))), table) is None


def test_fewer_mistakes_explain_better():
    table = {("one", "two"): on(3 * X), ("three",): on(3 * X)}
    assert everywhere(on(3 * X), table) == Explanation(("three",), Confidence.EXACT, 2)


def test_of_those_the_one_that_holds_in_most_cases_explains_better():
    table = {("one",): on(3 * X, X + 5, failed("KeyError")), ("two",): on(3 * X, X + 5, NARROW)}
    observed = on(3 * X, X + 5, NARROW)
    assert recogniser(observed, table).in_cases(["a"]) == Explanation(("two",), Confidence.EXACT, 2)


def test_a_case_that_was_not_drawn_fits_whatever_was_seen():
    table = {("one", "two"): on(3 * X) | {"b": None}}
    assert everywhere(on(3 * X, 7 * X), table) == Explanation(("one", "two"), Confidence.EXACT, 1)
    table |= {("one", "three"): on(3 * X, 7 * X)}
    assert everywhere(on(3 * X, 7 * X), table) == Explanation(("one",), Confidence.LIKELY, 1)


# ---------------------------------------------------------------------- several that fit


def test_two_mistakes_that_are_near_each_other_are_both_told():
    table = {("one",): on(2 * X), ("two",): on(2 * X + 1e-11), ("three",): on(5 * X)}
    assert everywhere(on(2 * X), table) == Explanation(("one", "two"), Confidence.EITHER, 1)
    assert everywhere(on(2 * X + 1e-11), table) == Explanation(("two", "one"), Confidence.EITHER, 2)


def test_the_nearest_is_told_alone_where_the_others_are_a_hundred_times_farther():
    for times, confidence in ((99, Confidence.EITHER), (101, Confidence.EXACT)):
        near = 2e-8
        table = {("one",): on(2 * X), ("two",): on(2 * X + near * (times + 1))}
        assert everywhere(on(2 * X + near), table).confidence is confidence


def test_mistakes_of_which_every_number_is_the_same_are_both_told():
    table = {("one",): on(2 * X), ("two",): on(2 * X)}
    assert everywhere(on(2 * X), table) == Explanation(("one", "two"), Confidence.EITHER, 1)
    for gap, confidence in ((5e-11, Confidence.EITHER), (1e-8, Confidence.EXACT)):
        table = {("one",): on(2 * X), ("two",): on(2 * X + gap)}
        assert everywhere(on(2 * X), table).confidence is confidence


def test_twins_are_one_explanation():
    same = {("twin",): on(2 * X), ("again",): on(2 * X)}
    assert everywhere(on(2 * X), same) == Explanation(("twin",), Confidence.EXACT, 1)
    declared = {("two",): on(2 * X), ("one",): on(2 * X)}
    assert everywhere(on(2 * X), declared, twins=(("one", "two"),)) == Explanation(("two",), Confidence.EXACT, 1)
    assert everywhere(on(2 * X), declared, twins=(("one", "three"),)).confidence is Confidence.EITHER
    groups = (("one", "again"), ("two", "three"))
    assert everywhere(on(2 * X), declared, twins=groups).confidence is Confidence.EITHER
    unknown = {("nameless",): on(2 * X), ("one",): on(2 * X)}
    assert everywhere(on(2 * X), unknown).confidence is Confidence.EITHER


def test_of_several_pairs_what_they_have_in_common_is_likely():
    table = {("one", "two"): on(2 * X), ("three", "one"): on(2 * X)}
    assert everywhere(on(2 * X), table) == Explanation(("one",), Confidence.LIKELY, 1)
    table |= {("two", "three"): on(2 * X)}
    assert everywhere(on(2 * X), table) is None


# ---------------------------------------------------------------------- some cases alone


def test_some_cases_alone_may_be_explained():
    its = recogniser(on(2 * X, -X + 5))
    assert its.in_cases(["a"]) == Explanation(("one",), Confidence.EXACT, 1)
    assert its.in_cases(["b"]) == Explanation(("two",), Confidence.EXACT, 2)
    assert its.in_cases(["a", "b"]) is None
    assert its.in_cases(["narrow"]) is None
    assert recogniser({}).in_cases(["a"]) is None


@pytest.mark.parametrize(("bits", "sure"), [(3, False), (15, False), (16, True), (0, True)])
def test_a_mask_of_few_positions_is_not_recognised_by_itself(bits, sure):
    mask = np.arange(bits) % 3 == 0
    cases = [drawn("small", mask) if bits else drawn("small", X), drawn("other", X)]
    wrong = returned(~mask) if bits else returned(-X)
    table = {("one",): as_expected(*cases) | {"small": wrong}}
    its = recogniser(as_expected(*cases) | {"small": wrong}, table, cases)
    found = Explanation(("one",), Confidence.EXACT if sure else Confidence.LIKELY, 1)
    assert its.in_cases(["small"]) == its.in_cases(["small", "other"]) == (found if sure else None)
    assert its.everywhere() == found


def test_small_masks_tell_together():
    mask = np.arange(9) % 3 == 0
    cases = [drawn("small", mask), drawn("other", mask)]
    table = {("one",): dict.fromkeys(("small", "other"), returned(~mask))}
    its = recogniser(table["one",], table, cases)
    assert its.in_cases(["small"]) is None
    assert its.in_cases(["small", "other"]) == Explanation(("one",), Confidence.EXACT, 1)


def test_a_case_without_results_is_not_too_small():
    cases = [drawn("split", raises="ValueError")]
    table = {("one",): {"split": returned(X)}}
    assert recogniser({"split": returned(X)}, table, cases).in_cases(["split"]) is not None


# ---------------------------------------------------------------------- what shows in part


PAIR = Explanation(("one", "three"), Confidence.EXACT, 3)
PARTS = {
    ("one",): on(2 * X, X + 5, failed("KeyError")),
    ("three",): on(X, X + 6),
    ("one", "three"): on(2 * X, X + 6, failed("KeyError")),
}


def test_of_two_mistakes_those_are_told_that_show_in_the_cases():
    its = recogniser(on(2 * X, X + 6, failed("KeyError")), PARTS)
    assert its.in_part(PAIR, ["a"]) == Explanation(("one",), Confidence.EXACT, 3)
    assert its.in_part(PAIR, ["b"]) == Explanation(("three",), Confidence.EXACT, 3)
    assert its.in_part(PAIR, ["a", "b"]) == PAIR


def test_an_explanation_of_the_whole_that_does_not_hold_in_part_is_none():
    its = recogniser(on(2 * X, X + 6), PARTS)
    assert its.in_part(PAIR, ["narrow"]) is None
    assert its.in_part(PAIR, ["a", "narrow"]) is None


def test_where_none_shows_by_itself_it_is_the_one_that_shows_most():
    both = {("one", "three"): on(2 * X, X + 6, NARROW)}
    for shows in (("one",), ("three",)):
        alone = {ids: on(2 * X, X + 6) if ids == shows else on(2 * X) for ids in (("one",), ("three",))}
        its = recogniser(on(2 * X, X + 6, NARROW), alone | both)
        assert its.in_part(PAIR, ["narrow"]) == Explanation(shows, Confidence.EXACT, 3)
    table = both
    its = recogniser(on(2 * X, X + 6, NARROW), table)
    alone = Explanation(("one", "three"), Confidence.LIKELY, 1)
    assert its.in_part(alone, ["narrow"]) == alone


# ---------------------------------------------------------------------- numbers that say little


EVERYWHERE = {
    "NaN": np.full(X.shape, np.nan),
    "0": 0 * X,
    "one number": 0 * X + 0.25,
    "rows alike": np.repeat(X[:1], len(X), 0),
    "columns alike": np.repeat(X[:, :1], X.shape[1], 1),
}


@pytest.mark.parametrize("name", EVERYWHERE)
def test_what_many_an_answer_comes_to_is_never_certain(name):
    table = {("one",): on(EVERYWHERE[name], EVERYWHERE[name])}
    its = recogniser(on(EVERYWHERE[name], EVERYWHERE[name]), table)
    assert its.everywhere() == Explanation(("one",), Confidence.LIKELY, 1)
    assert its.in_cases(["a"]) is None


def test_several_mistakes_that_come_to_nothing_are_not_told_apart():
    table = {("one",): on(EVERYWHERE["NaN"]), ("two",): on(EVERYWHERE["NaN"])}
    assert everywhere(on(EVERYWHERE["NaN"]), table) is None


def test_where_a_result_is_nan_may_tell():
    big = numbers(4, 8)
    somewhere = np.where(np.arange(32).reshape(4, 8) % 5 == 2, np.nan, big)
    table = {("one",): {"a": returned(somewhere)}}
    its = recogniser({"a": returned(somewhere)}, table, [drawn("a", big)])
    assert its.everywhere() == Explanation(("one",), Confidence.EXACT, 1)


def test_an_error_has_no_numbers():
    table = {("one",): on(failed(), failed(), failed())}
    its = recogniser(on(failed(), failed(), failed()), table)
    assert its.everywhere() == its.in_cases(["a"]) == Explanation(("one",), Confidence.ERROR, 1)
    some = {("one",): on(failed(), 2 * X)}
    assert everywhere(on(failed(), 2 * X), some) == Explanation(("one",), Confidence.EXACT, 1)


def test_what_would_show_in_a_case_that_is_right_is_not_likely():
    table = {("one",): on(failed(), 2 * X)}
    assert recogniser(on(failed(), 3 * X), table).in_cases(["a"]) == Explanation(("one",), Confidence.ERROR, 1)
    assert recogniser(on(failed()), table).in_cases(["a"]) is None


# ---------------------------------------------------------------------- what is right already


MECHANISMS = (mechanism("scale", "one", "two"), mechanism("axis", "three"), mechanism("free"))
CLEARS = np.zeros((6, 3), dtype=np.uint8)
CLEARS[3] = [CLEARED_BY_NUMBERS, NOT_CLEARED, NOT_CLEARED]
CLEARS[1] = [NOT_CLEARED, CLEARED_BY_ALL, NOT_CLEARED]


def besides(observations, clears=CLEARS):
    its = recogniser(observations, mechanisms=MECHANISMS, clears=clears)
    return its.right_besides(its.everywhere())


def test_what_is_right_besides_stands_in_the_key():
    assert besides(on(X, X + 6)) == ("the scale",)
    assert besides(on(2 * X, 2 * X + 5)) == ("the axis",)
    assert besides(on(-X, -X + 5)) == ()
    assert besides(on(X, X + 6), clears=None) == ()


def test_nothing_is_right_for_sure_where_a_case_was_not_run():
    lost = Observation(Outcome.TIMEOUT)
    assert besides(on(X, X + 6) | {"a": lost}) == ()
    assert besides(on(X, X + 6) | {"narrow": lost}) == ("the scale",)
    assert besides(on(2 * X, 2 * X + 5) | {"narrow": lost}) == ()


def test_nothing_is_right_for_sure_where_another_case_is_not_explained():
    assert besides(on(X, X + 6, failed("OverflowError"))) == ()


def test_nothing_is_right_beside_what_is_only_likely():
    its = recogniser(on(returned(X, changed=("Q",))), mechanisms=MECHANISMS, clears=CLEARS + CLEARED_BY_NUMBERS)
    assert its.right_besides(its.everywhere()) == ()


def test_how_sure_a_message_is_has_the_names_that_the_json_has():
    assert [*Confidence] == ["exact", "error", "likely", "either", "relation", "numbers", ""]
