"""What the draws of every exercise's domain, and the corners of it, add to a right answer to the whole course.

    python benchmarks/fresh_draws.py [--rounds 30]

The same submission with and without them, in turn, by confined workers.  Prints medians in milliseconds, and the
ratio of each pair: median, and the middle half.
"""

import argparse
import statistics
from dataclasses import replace

from full_course import ANSWERS, milliseconds, topic_files

from attention_kata.course.find import find_course
from attention_kata.intake.submission import Submission
from attention_kata.judge.grading import grade
from attention_kata.key.file import load_key
from attention_kata.key.model import Asks, Exercise
from attention_kata.sandbox.layers import REQUIRED
from attention_kata.sandbox.session import Limits
from attention_kata.sandbox.zygote import confined_workers


def without_draws(exercise: Exercise) -> Exercise:
    """For right answers only: the table of mistakes still has all cases."""
    return replace(
        exercise,
        cases=tuple(case for case in exercise.cases if not case.is_drawn),
        checks=tuple(check for check in exercise.checks if check.asks is not Asks.ANY),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    submission = Submission("", topic_files(ANSWERS))
    key = load_key(find_course().public_key)
    fewer = replace(key, exercises=tuple(map(without_draws, key.exercises)))

    with confined_workers(REQUIRED) as workers:

        def seconds(with_key) -> float:
            def run() -> None:
                result = grade(submission, with_key, with_key.exercises, Limits(), workers)
                if any(verdict.verdict != "passed" for each in result.exercises for verdict in each.verdicts):
                    raise SystemExit("the answer is not right")

            return milliseconds(run)

        for _ in range(3):
            seconds(key), seconds(fewer)
        pairs = [(seconds(key), seconds(fewer)) for _ in range(rounds)]
    low, middle, high = statistics.quantiles([more / less for more, less in pairs], n=4)
    cases = [sum(len(e.cases) for e in each.exercises) for each in (key, fewer)]
    print(f"{len(key.exercises)} exercises, {cases[0]} cases, {cases[1]} of them not drawn; {rounds} rounds")
    print(f"with draws {statistics.median(m for m, _ in pairs):.0f} ms, "
          f"without {statistics.median(w for _, w in pairs):.0f} ms")  # fmt: skip
    print(f"ratio {middle:.2f} ({low:.2f} to {high:.2f})")


if __name__ == "__main__":
    main()
