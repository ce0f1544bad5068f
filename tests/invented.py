"""Submissions that nobody wrote: right answers of several styles, mixed and reworded, as in a large class."""

import random
import re
from functools import cache

from conftest import ROOT

STYLES = ("articles", "careful", "einsum", "llama_like", "typed", "settings", "own_names", "numpy_habits")
OWN = r"\b(scores|weights|output|hidden|rows|cols|keep|head|out|k_T|d_k|dk|x_max|exps|total)\b"
WORDS = ("a", "b", "first", "second", "part", "step", "value_", "temp", "res", "y", "z", "mid", "acc", "now", "old")


@cache
def pieces():
    """File -> the top-level statements that each style has there."""
    found = {}
    for style in STYLES:
        for path in (ROOT / "tests" / "answers" / "right" / style).glob("*.py"):
            found.setdefault(path.name, []).append(re.split(r"\n(?=def |class |@)", path.read_text("utf-8")))
    return found


def invented(seed):
    """The files of a student: the same seed gives the same ones."""
    chance = random.Random(seed)
    return {name: _file(name, styles, chance) for name, styles in pieces().items()}


def _file(name, styles, chance):
    parts = list(chance.choice(styles))
    for _ in range(chance.randrange(2, 6)):
        parts.append(_helper(chance))
    return reworded("\n\n".join(parts), chance)


def _helper(chance):
    lines = [f"def {chance.choice(WORDS)}_{chance.randrange(99)}(x):"]
    for _ in range(chance.randrange(3, 12)):
        a, b = chance.choice(WORDS), chance.choice(WORDS)
        call = chance.choice(("exp", "sum", "mean", "tril", "flip", "roll", "cumsum", "abs", "clamp", "sqrt"))
        lines.append(
            chance.choice((
                f"    {a} = torch.{call}({b}) {chance.choice('+-*/@')} {chance.randrange(9)}",
                f"    {a} = {b}.{call}({chance.randrange(4)}).{chance.choice(('view', 'mT', 'reshape'))}",
                f"    if {a} > {chance.randrange(99)}: {b} = [{call} for {call} in {a}]",
                f"    assert {a}.shape[{chance.randrange(4)}] == {b}, '{call}'",
                f"    for {a} in range({b}, {chance.randrange(9)}): {b} {chance.choice('+-*')}= {a}",
            ))
        )  # fmt: skip
    return "\n".join(lines)


def reworded(text, chance):
    """The same program with other names, comments and layout."""
    names = {}
    text = re.sub(OWN, lambda found: names.setdefault(found[0], f"{chance.choice(WORDS)}{chance.randrange(99)}"), text)
    lines = [line + chance.choice(("", "", "  # as in the paper", "\n")) for line in text.splitlines()]
    return "\n".join(lines) + "\n"
