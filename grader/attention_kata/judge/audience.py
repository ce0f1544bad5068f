"""What a student may be told of a check.

The answer key is secret, and a student's code sees its inputs.  So a text that a student's code can write into
(the text of an exception, the name of a class), or that holds numbers of the key, is never passed on as it is:
a message gets through when it is one of ours, word by word, and is said in general terms otherwise.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .words import WHEN

MAX_LINE = 10_000
VERDICTS = {
    "passed": "passed",
    "failed": "not yet",
    "error": "stopped with an error",
    "timeout": "did not finish",
    "crashed": "ended Python",
    "skipped": "not checked",
    "ungradable": "could not be graded",
}
IN_GENERAL = {
    "failed": "The result is not the expected one.",
    "error": "Your code stopped with an error.",
    "timeout": "It did not finish in the time it has.",
    "crashed": "Python itself ended while this ran.",
    "skipped": "Something before this has to work first.",
    "ungradable": "This check could not be run; that is not your fault.",
}
ERROR = re.compile(
    r"(?P<type>\w+|An exception without a name)"
    r"(?: in (?P<file>[^\n]+?), line (?P<line>\d+))?"
    rf"(?P<when>{'|'.join(map(re.escape, WHEN.values()))})?(?P<text>:[^\0]*)?"
)
SHOULD_RAISE = re.compile(r"(It should raise \w+ here\.) ([^\0]*)")
NAME = r"[\w .']{1,80}"  # what the key calls a result, a gradient or an axis
DTYPE = r"(?:bfloat16|float(?:16|32|64)|int(?:8|16|32|64)|uint8|bool|complex(?:64|128))"
KINDS = {"None", "a numpy array", "a tensor", "a tuple", "a list", "a dict", "an int", "a float", "a bool", "a str"}
ERRORS = {name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, Exception)}


def _kind(text: str) -> str:
    """The kind of a result; a class of the student's own goes unnamed."""
    return text if text in KINDS else "something else"


AS_IT_IS = (
    r"Not started yet: the body of \w+ is still the stub's\.",
    r"It returns None(?: as " + NAME + r")?\.",
    r"The numbers are right, but " + NAME + r" are in each other's place\.",
    r"The numbers are right, but in reverse order along " + NAME + r"\.",
    r"The numbers are right and in the right order; only the shape differs\.",
    r"This is the right result (?:averaged|summed) over " + NAME + r"\.",
    r"True and False are exchanged everywhere\.",
    NAME + r" has the right shape, but other numbers than expected\.",
    NAME + r" holds numbers that are not finite\.",
    r"(?:The numbers are right, but )?" + NAME + rf" has dtype {DTYPE} where {DTYPE} was expected\.",
    NAME + r": a (?:sparse(?:_(?:coo|cs[rc]|bs[rc]))?|mkldnn|jagged) tensor was returned, a dense one was expected\.",
    r"No gradient reaches " + NAME + r"\.",
    r"It should raise \w+ here and did not\.",
    r"A second call with the same inputs gives another result\.",
    r"A second module with the same weights gives another result\.",
    r"A tensor is made on the CPU even when the inputs are somewhere else; on a GPU this would fail\.",
    r"It calls [\w.]{1,80}, the very thing this exercise is about\.",
    r"\w+ calls torch's [\w.]{1,80}: that is the part to write by hand, so nothing is counted here\.",
    r"There is no (?:function|class) named \w+ in \w+\.py\.",
    r"\w+\.py (?:is empty|is not a regular file|is larger than \d+ MB|is not UTF-8 text: line \d+)\.",
    r"\w+\.py (?:holds a NUL byte on line \d+|is a link that leads out of the folder)\.",
    r"\w+\.py is a folder; a file was expected\.",
    r"This check could not be run; that is not your fault\.",
)
IN_OTHER_WORDS: Sequence[tuple[str, Callable[[re.Match[str]], str]]] = (
    (r"Every number is \S+ times what it should be\.", lambda m: "Every number is off by the same factor."),
    (r"Every number is off by the same \S+\.", lambda m: "Every number is off by the same amount."),
    (r"\d+ positions that should be (True|False) are (True|False); (.{1,60})",
     lambda m: f"Some positions that should be {m[1]} are {m[2]}; none is {m[1]} that should not be."),
    (rf"The shape of ({NAME}) is not the expected one(.*)", lambda m: _shape(m[1], m[2])),
    (r"It should return \d+ results? \(([\w ,]{1,80})\); it returned [^\0]*",
     lambda m: f"It should return {m[1]}; it returned another number of results."),
    (rf"It returns ([^;]+?)( as {NAME})?; a torch tensor was expected\.",
     lambda m: f"It returns {_kind(m[1])}{m[2] or ''}; a torch tensor was expected."),
    (rf"({NAME}): a tensor on the device [^\0]*", lambda m: f"{m[1]}: it is on another device than the inputs."),
    (r"The number of operations grows with the input: [^\0]*",
     lambda m: "The number of operations grows with the input. There is a loop over samples or heads."),
    (r"It changes [^\0]*, which belongs to the caller\.",
     lambda m: "It changes an input, which belongs to the caller."),
    (r"It did not finish: [^\0]*", lambda m: IN_GENERAL["timeout"]),
    (r"Python itself ended: [^\0]*", lambda m: IN_GENERAL["crashed"]),
    (r"Importing (\w+\.py) did not finish: [^\0]*", lambda m: f"Importing {m[1]} did not finish."),
    (r"Python itself ended while (\w+\.py) was imported: [^\0]*",
     lambda m: f"Python itself ended while {m[1]} was imported."),
    (r"The exercise calls it with (\d{1,2}) arguments?; found [^\0]*",
     lambda m: f"The exercise calls it with {m[1]} argument{'' if m[1] == '1' else 's'}; your def line takes others."),
    (r"(\w+) is [^;]+; a (function|class) was expected\.", lambda m: f"{m[1]} is not a {m[2]}."),
    (r"\w+(?:\(\.\.\.\) gave [^\0]*| is no nn\.Module\.)", lambda m: "It is no nn.Module."),
    (r"(?:These parameters are missing: |[\w.]+ has shape \()[^\0]*",
     lambda m: "Its layers are not those that the exercise names, or not of those sizes."),
    (r"(\w+\.py) (?:is missing from|cannot be read:) [^\0]*",
     lambda m: f"{m[1]} was not handed in, or cannot be read."),
    (r"(\w+) calls torch's ([\w.]{1,80}) in [^\0]*",
     lambda m: f"{m[1]} calls torch's {m[2]}: that is the part to write by hand, so nothing is counted here."),
    (r"Not written yet: [^\0]*", lambda m: "Not written yet."),
    (r"The program was asked to exit[^\0]*", lambda m: "The program was asked to exit."),
    (r"Not checked: [^\0]*", lambda m: "Not checked: something in your code hides which functions are called."),
)  # fmt: skip
OURS = re.compile("|".join(AS_IT_IS))
REWORDED = tuple((re.compile(pattern), reword) for pattern, reword in IN_OTHER_WORDS)


def may_tell(check: Mapping[str, Any], files: Sequence[str]) -> str:
    """The message of a check of the evidence, as its student may read it.

    `files` are those of the course: only they are named, as the place of an error.
    """
    message = str(check["message"])
    if check["mistakes"]:
        return message  # the catalogue's words
    general = IN_GENERAL.get(check["verdict"], IN_GENERAL["failed"])
    if check["verdict"] != "failed" and (found := ERROR.fullmatch(message)):
        return _error(found, files)  # before our own sentences, which a type and a text can be made to form
    return _reword(message, files) or general


def line_to_tell(check: Mapping[str, Any]) -> int | None:
    line = check["learner_line"]
    return line if isinstance(line, int) and 0 < line < MAX_LINE else None


def _reword(message: str, files: Sequence[str]) -> str:
    if found := SHOULD_RAISE.fullmatch(message):
        error = ERROR.fullmatch(found[2])
        return f"{found[1]} {_error(error, files) if error else IN_GENERAL['error']}"
    if OURS.fullmatch(message):
        return message
    for pattern, reword in REWORDED:
        if found := pattern.fullmatch(message):
            return reword(found)
    if found := ERROR.fullmatch(message):
        return _error(found, files)
    return ""


def _error(found: re.Match[str], files: Sequence[str]) -> str:
    """Type and place of an exception, never its text."""
    what = found["type"] if found["type"] in ERRORS else "An exception"
    where = f" in {found['file']}, line {found['line']}" if found["file"] in files else ""
    return f"{what}{where}{found['when'] or ''}."


def _shape(what: str, more: str) -> str:
    """Without sizes, which are the key's: the axes by their names."""
    swapped = re.search(r": (\w+) and (\w+) are swapped\.$", more)
    if swapped:
        return f"The shape of {what} is not the expected one: {swapped[1]} and {swapped[2]} are swapped."
    if re.fullmatch(r": the axis \w+ is missing\.|: only axes of size 1 differ\.", more):
        return f"The shape of {what} is not the expected one{more}"
    return f"The shape of {what} is not the expected one."
