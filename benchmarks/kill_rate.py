"""How many mistakes are caught and named, and how many right answers fail, over many seeds.

    python benchmarks/kill_rate.py [SEEDS]

Needs a checkout with its solutions.  Pairs are tried on the first seed.
"""

import os
import sys

from attention_kata.course.find import find_course
from attention_kata.course.proof import prove


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    course = find_course()
    names = [solution.name for _, solution in course.solutions]
    counts = prove(course, names, seeds, os.cpu_count() or 1, lambda task: None)
    right = sum(c.right for c in counts.values())
    tried, named, pairs = (sum(getattr(c, f) for c in counts.values()) for f in ("mistakes", "named", "pairs"))
    problems = [p for c in counts.values() for p in c.problems]
    survived = sum("passes every check" in p for p in problems)
    failed = sum("fails check" in p or "in float32" in p for p in problems)
    print(f"{seeds} seeds, {len(names)} exercises")
    print(f"mistakes caught   {tried - survived:>7} of {tried:<7} {(tried - survived) / tried:8.2%}")
    print(f"mistakes named    {named:>7} of {tried:<7} {named / tried:8.2%}")
    print(f"pairs tried       {pairs:>7}, of them neither caught nor named {sum(' + ' in p for p in problems)}")
    print(f"right answers     {right:>7}, failed wrongly {failed}")


if __name__ == "__main__":
    main()
