"""Late policies: what they cost, how they are written, what cannot be read."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_kata.gradebook.late import BadPolicy, LatePolicy, read_policy, read_span, read_time, seconds_late

HOUR, DAY = 3600.0, 86400.0
DUE = datetime(2026, 12, 1, 23, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds", "fraction"),
    [
        ("none", 9 * DAY, 0.0),
        ("per-day 10%", 0, 0.0),
        ("per-day 10%", 1, 0.1),
        ("per-day 10%", DAY, 0.1),
        ("per-day 10%", DAY + 1, 0.2),
        ("per-day 10%", 30 * DAY, 1.0),
        ("per-day 10% cap 50%", 30 * DAY, 0.5),
        ("steps 1h 5%, 1d 20%", HOUR, 0.0),
        ("steps 1h 5%, 1d 20%", HOUR + 1, 0.05),
        ("steps 1h 5%, 1d 20%", 40 * DAY, 0.2),
        ("steps 0m 5%, 1d 20% cap 10%", 2 * DAY, 0.1),
        ("  Per-Day 2.5 %  CAP 30% ", 3 * DAY, 0.075),
    ],
)
def test_what_lateness_costs(text, seconds, fraction):
    assert read_policy(text).penalty(seconds) == pytest.approx(fraction)


@pytest.mark.parametrize(
    "text",
    ["", "nothing", "none cap 5%", "per-day", "per-day 101%", "per-day -1%", "per-day 10", "steps", "steps 1h",
     "steps 1d 5%, 1h 9%", "steps 1h 9%, 1d 5%", "steps 1h 5%, 1h 6%", "steps 1y 5%", "per-day 10% cap", "per-day ١٠%"],
)  # fmt: skip
def test_what_is_no_policy_is_said_to_be_none(text):
    with pytest.raises(BadPolicy):
        read_policy(text)


FRACTIONS = st.integers(1, 100).map(lambda percent: percent / 100)


@st.composite
def steps(draw):
    """Steps as they can be written: whole minutes and percentages that rise."""
    minutes = sorted(draw(st.sets(st.integers(0, 1000), min_size=1, max_size=5)))
    losses = sorted(draw(st.lists(FRACTIONS, min_size=len(minutes), max_size=len(minutes))))
    return tuple(zip((60.0 * m for m in minutes), losses, strict=True))


@given(st.builds(LatePolicy, per_day=FRACTIONS, cap=FRACTIONS) | st.builds(LatePolicy, steps=steps(), cap=FRACTIONS))
def test_a_policy_is_read_as_it_is_written(policy):
    assert read_policy(str(policy)) == policy


@given(st.floats(0, 1e8), st.floats(0, 1e8))
def test_later_never_costs_less_and_never_more_than_everything(a, b):
    for policy in (LatePolicy(per_day=0.07, cap=0.9), LatePolicy(steps=((0.0, 0.1), (DAY, 0.5)))):
        few, many = sorted((a, b))
        assert 0 <= policy.penalty(few) <= policy.penalty(many) <= 1


def test_an_extension_moves_the_due_date():
    handed_in = DUE + timedelta(hours=30)
    assert seconds_late(handed_in, DUE, 0) == 30 * HOUR
    assert seconds_late(handed_in, DUE, DAY) == 6 * HOUR
    assert seconds_late(handed_in, DUE, 2 * DAY) == 0
    assert seconds_late(None, DUE, 0) == seconds_late(handed_in, None, 0) == 0


def test_dates_and_spans():
    assert read_time("2026-12-01 23:59Z") == DUE
    assert read_time("2026-12-02T00:59+01:00") == DUE
    day = read_time("2026-12-01").astimezone()
    assert (day.day, day.hour, day.minute, day.second) == (1, 23, 59, 59)
    assert [read_span(text) for text in ("90m", "12h", "2d", "1w", "1.5d")] == [
        5400, 12 * HOUR, 2 * DAY, 7 * DAY, 1.5 * DAY,
    ]  # fmt: skip
    for text in ("", "2", "d", "-1d", "2 days", "1e9d", "99999d", "٢d"):
        with pytest.raises(BadPolicy):
            read_span(text)
    for text in ("", "soon", "2026-13-01", "31.12.2026", "2026-12-01 25:00"):
        with pytest.raises(BadPolicy):
            read_time(text)


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (
            read_policy,
            "weekly 5%",
            "'weekly 5%' is not a late policy: write none, 'per-day 10% cap 50%' or 'steps 1h 5%, 1d 20%'",
        ),
        (
            read_policy,
            "weekly 1h 5%",
            "'weekly 1h 5%' is not a late policy: write none, 'per-day 10% cap 50%' or 'steps 1h 5%, 1d 20%'",
        ),
        (
            read_policy,
            "steps 1h 9%, 1d 5%",
            "the steps of 'steps 1h 9%, 1d 5%' are not in rising order: write the shortest delay and the smallest loss "
            "first",
        ),
        (read_policy, "per-day  ten ", "'ten' is not a percentage: write one between 0% and 100%"),
        (read_span, "2 days", "'2 days' is not a span of time: write 90m, 12h, 2d or 1w"),
        (read_time, "soon", "'soon' is not a date: write 2026-12-01 23:59, or 2026-12-01T23:59+01:00"),
        (read_time, "0001-01-01T00:00+14:00", "'0001-01-01T00:00+14:00' is out of range: write a year such as 2026"),
    ],
)
def test_what_cannot_be_read_is_told_with_what_can(read, text, message):
    with pytest.raises(BadPolicy) as caught:
        read(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        (LatePolicy(), "none"),
        (LatePolicy(cap=0.5), "none"),
        (LatePolicy(per_day=0.1), "per-day 10%"),
        (LatePolicy(per_day=1 / 3, cap=0.5), "per-day 33.3333% cap 50%"),
        (LatePolicy(per_day=0.12345678), "per-day 12.3457%"),
        (LatePolicy(steps=((0.0, 0.05), (90 * 60.0, 0.1), (2 * DAY, 0.2), (14 * DAY, 0.5))),
         "steps 0w 5%, 90m 10%, 2d 20%, 2w 50%"),
        (LatePolicy(steps=((90.0, 0.05),), cap=0.01), "steps 1.5m 5% cap 1%"),
    ],
)  # fmt: skip
def test_a_policy_is_written_in_the_largest_units_that_fit(policy, text):
    assert str(policy) == text


def test_the_largest_figures_that_are_read():
    assert read_span("10000w") == 70_000 * DAY
    assert read_policy("per-day 100%").penalty(1) == 1
    assert LatePolicy(per_day=0.5).penalty(9 * DAY) == 1
    assert read_policy("steps 1h 5%, 1d 5%,").steps == ((HOUR, 0.05), (DAY, 0.05))
    for text in ("10000.5m", "10001m"):
        with pytest.raises(BadPolicy):
            read_span(text)


def test_a_date_with_a_time_keeps_it():
    assert read_time("20261201T000000Z") == DUE.replace(hour=0, minute=0)
    day = read_time("20261201").astimezone()
    assert (day.day, day.hour, day.minute, day.second) == (1, 23, 59, 59)
