"""What IPython understands and Python does not: magics, shell commands, help."""

from __future__ import annotations

import re

RUN_HERE = {
    "kata",
    "time",
    "capture",
    "prun",
    "python",
    "python3",
}  # cell magics whose body defines things in the notebook
WRITING = {"writefile", "file"}
QUOTES = ("'''", '"""', "'", '"')
OPENERS = re.compile(r"\'{3}|\"{3}|[\"'#(\[{)\]}]")
CLOSERS = {quote: re.compile(r"\\.|" + quote, re.DOTALL) for quote in QUOTES}
NOT_PYTHON = re.compile(  # of a line without the white space around it
    r"""  [%!?]                                # %magic, !command, ?help
        | [\w.,\s*()\[\]]+(?<![=<>!])=\s*[%!]  # files = !ls
        | [\w.*]+\?{1,2}(?:\s*\#.*)?$          # help?
    """,
    re.VERBOSE,
)


def cell_magic(source: str) -> tuple[str, str, str]:
    """(name, arguments, body) of a cell that begins with %%name; name is "" for any other.

    The body keeps its line numbers: what is above it is blank.
    """
    lines = source.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    found = re.match(r"%%(\w+)[ \t]*(.*)", lines[first])
    if not found:
        return "", "", source
    return found[1], found[2].strip(), "\n" * (first + 1) + "\n".join(lines[first + 1 :])


def without_magics(source: str) -> str:
    """`source` with `pass` in the place of every line that is not Python; as many lines as before.

    Only where a statement begins: a line inside of a text or of brackets may well start with %.
    """
    lines = []
    depth, quote, goes_on = 0, "", False
    for line in source.split("\n"):
        if not (depth or quote or goes_on) and NOT_PYTHON.match(line.strip()):
            lines.append(line[: len(line) - len(line.lstrip())] + "pass")
            continue
        depth, quote = _after(line, depth, quote)
        goes_on = line.endswith("\\")
        lines.append(line)
    return "\n".join(lines)


def _after(line: str, depth: int, quote: str) -> tuple[int, str]:
    """Open brackets, and the quote of an open text, after a line."""
    position = 0
    while found := (CLOSERS[quote] if quote else OPENERS).search(line, position):
        position, token = found.end(), found[0]
        if token.startswith("\\"):
            continue
        if quote:
            quote = ""
        elif token == "#":
            break
        elif token in QUOTES:
            quote = token
        else:
            depth = depth + 1 if token in "([{" else max(0, depth - 1)
    return depth, quote
