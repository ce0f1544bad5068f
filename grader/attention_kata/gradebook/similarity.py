"""Which submissions of a class are more alike than the class is anyhow.  A reason to look, and never a proof.

What stands in the stub is taken away, and so are comments, texts, layout and the names that a student chose.  What
is left is cut into runs of tokens; some of them, chosen by their hashes, are the text's prints (winnowing:
Schleimer, Wilkerson and Aiken, 2003: whatever two texts share in `RUN + WINDOW - 1` tokens shares a print).  Prints
that many have are what the exercise asks for, and count for nothing.
"""

from __future__ import annotations

import builtins
import hashlib
import keyword
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..key.model import Array
from .grades import Grades
from .records import Result

RUN = 10  # tokens that a print is made of
WINDOW = 4  # of so many neighbouring runs one is kept
MAX_TOKENS = 50_000  # of one submission
MIN_PRINTS = 8  # that two texts must share to be named at all
MIN_TOKENS = 120  # of a text, for it to mean something that others have the very same
MAX_PAIRS = 200
LEVEL = 0.99  # of all pairs of the class are less alike than those that are named
ALWAYS = 5  # pairs are let through by LEVEL, however small the class is
MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, so that every bit of a token reaches the upper half of the hash
POWERS = np.array([pow(0x100000001B3, i, 1 << 64) for i in range(RUN)], dtype=np.uint64)
TOKEN = re.compile(
    r"""(?P<skip>\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)|\#[^\n]*)"""
    r"""|(?P<text>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)"""
    r"""|(?P<own>(?<!\.)\b[^\W\d]\w*)|(?P<other>[^\W\d]\w*|\d[\w.]*|[^\w\s])""",
    re.DOTALL,
)
PYTHON = frozenset(keyword.kwlist) | frozenset(dir(builtins))
Token = tuple[str, int]  # what it says, in which line


@dataclass(frozen=True)
class Stubs:
    """What everybody was given: its lines, and the names it defines and imports, which are nobody's own choice."""

    lines: Set[tuple[str, ...]]  # as tokens
    names: Set[str]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Stubs:
        lines = [line for text in texts for _, line in _lines(text)]
        code = "\n".join(" ".join(said for _, said in line) for line in lines)
        names = re.findall(r"\b(?:def|class|import|as) (\w+)", code)
        return cls({tuple(said for _, said in line) for line in lines}, PYTHON | {"self", *names})


@dataclass(frozen=True)
class Pair:
    """Two texts that are alike: who handed them in, and how much of the shorter one's own prints both have."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    alike: float
    shared: int


@dataclass(frozen=True)
class Likeness:
    """`same` are groups whose texts are the same but for layout, comments and names; `level` is the class's own."""

    students: int
    texts: int
    same: tuple[tuple[str, ...], ...]
    pairs: tuple[Pair, ...]
    level: float


def compare_class(grades: Grades, stubs: Stubs, least: float) -> Likeness:
    """Compare everybody's last submission with everybody else's; pairs from `least` (0 to 1) on."""
    known: dict[str, bytes] = {}  # source -> text, so that the same files are read once
    who: dict[bytes, list[str]] = defaultdict(list)
    prints: dict[bytes, Array] = {}
    lengths: dict[bytes, int] = {}
    for result in grades.results():
        text = known.get(result.identity.source)
        if text is None:
            read = tokens(_files(grades, result), stubs)
            text = known[result.identity.source] = hashlib.sha256(
                "\0".join(t for t, _ in read).encode("utf-8", "surrogatepass")
            ).digest()
            lengths[text] = len(read)
            prints.setdefault(text, np.unique(winnow(read)[0]).astype(np.uint32))
        who[text].append(result.student)
    texts = list(who)
    pairs, level = _pairs([prints[text] for text in texts], least)
    same = tuple(tuple(students) for text, students in who.items() if len(students) > 1 and lengths[text] >= MIN_TOKENS)
    named = tuple(Pair(tuple(who[texts[a]]), tuple(who[texts[b]]), alike, shared) for a, b, alike, shared in pairs)
    return Likeness(sum(map(len, who.values())), len(texts), same, named, level)


def _files(grades: Grades, result: Result) -> Mapping[str, str]:
    return grades.submission(result.identity.source, result.student).files


def tokens(files: Mapping[str, str], stubs: Stubs) -> list[Token]:
    """The tokens that a student wrote; lines are counted on from file to file, in the order of their names."""
    found: list[Token] = []
    start = 1
    for _, text in sorted(files.items()):
        for number, line in _lines(text):
            if tuple(said for _, said in line) not in stubs.lines:
                found += [
                    (said if kind != "own" or said in stubs.names else "v", start + number) for kind, said in line
                ]
        start += len(text.splitlines())
    return found[:MAX_TOKENS]


def _lines(text: str) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """(number from 0, its (kind, token)s) of the lines that have any.

    A regular expression instead of Python's tokenizer, since what does not parse is compared too.
    """
    text = "\n".join(text.splitlines())
    number = at = 0
    line: list[tuple[str, str]] = []
    for match in TOKEN.finditer(text):
        new = text.count("\n", at, match.start())
        if new and line:
            yield number, line
            line = []
        number, at = number + new, match.start()
        kind = match.lastgroup or ""
        if kind == "text":
            line.append((kind, '""'))
        elif kind != "skip":
            line.append((kind, match[0]))
    if line:
        yield number, line


def winnow(read: Sequence[Token]) -> tuple[Array, Array]:
    """The runs that are kept, the smallest hash of each window and the last of equals -> hashes, where they begin."""
    if len(read) < RUN:
        return np.zeros(0, np.uint64), np.zeros(0, np.int64)
    known = {text: zlib.crc32(text.encode("utf-8", "surrogatepass")) for text in {text for text, _ in read}}
    said = np.array([known[text] for text, _ in read], dtype=np.uint64)
    hashes = (sliding_window_view(said, RUN) * POWERS).sum(axis=1, dtype=np.uint64) * MIX >> np.uint64(32)
    width = min(WINDOW, len(hashes))
    windows = sliding_window_view(hashes, width)[:, ::-1]
    kept = np.unique(np.arange(len(windows)) + width - 1 - windows.argmin(axis=1))
    return hashes[kept], kept


def _pairs(prints: Sequence[Array], least: float) -> tuple[list[tuple[int, int, float, int]], float]:
    """(text, text, how alike, shared prints) of the pairs to name, the most alike first; the class's own level.

    By way of the prints that few have: the pairs that share nothing are never looked at.
    """
    count = len(prints)
    if count < 2:
        return [], 0.0
    hashes = np.concatenate(prints)
    owners = np.repeat(np.arange(count), [len(each) for each in prints])
    order = np.argsort(hashes, kind="stable")
    hashes, owners = hashes[order], owners[order]
    starts = np.flatnonzero(np.r_[True, hashes[1:] != hashes[:-1]]) if len(hashes) else np.zeros(0, int)
    sizes = np.diff(np.r_[starts, len(hashes)])
    few = sizes <= max(3, min(10, count // 10))
    own = np.bincount(owners[np.repeat(few, sizes)], minlength=count)
    codes = [np.zeros(0, np.int64)]
    for size in np.unique(sizes[few & (sizes > 1)]):
        members = owners[starts[few & (sizes == size)][:, None] + np.arange(size)].astype(np.int64)
        codes += [members[:, a] * count + members[:, b] for a in range(size) for b in range(a + 1, size)]
    pairs, shared = np.unique(np.concatenate(codes), return_counts=True)
    alike = shared / np.maximum(1, np.minimum(own[pairs // count], own[pairs % count]))
    level = _level(alike, count * (count - 1) // 2)
    named = np.flatnonzero((shared >= MIN_PRINTS) & (alike >= max(least, level)))
    named = named[np.lexsort((pairs[named], -shared[named], -alike[named]))][:MAX_PAIRS]
    return [(int(pairs[i] // count), int(pairs[i] % count), float(alike[i]), int(shared[i])) for i in named], level


def _level(alike: Array, total: int) -> float:
    """How alike all but one in a hundred pairs of the class are at most; those that share nothing count as 0."""
    rank = min(int(LEVEL * total), total - ALWAYS) - (total - len(alike))
    return float(np.sort(alike)[rank]) if 0 <= rank < len(alike) else 0.0
