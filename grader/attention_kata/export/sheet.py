"""A platform's own CSV with some cells changed: every other byte stays as it was."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ..tables import BOM
from .request import BadExport

MAX_BYTES = 64 << 20
DELIMITERS = (",", ";", "\t")


@dataclass
class Sheet:
    """`rows` are cells as they are written, quotes and all; `ends` the line ends."""

    name: str
    rows: list[list[str]]
    ends: list[str]
    delimiter: str
    bom: bool

    def value(self, row: int, column: int | None) -> str:
        """What a cell says; "" where the row is too short, or no column is meant."""
        cells = self.rows[row]
        return _value(cells[column]) if column is not None and column < len(cells) else ""

    def values(self, row: int) -> list[str]:
        return [_value(cell) for cell in self.rows[row]]

    def set(self, row: int, column: int, text: str) -> None:
        """Write a cell, in quotes where it had some or needs them."""
        cells = self.rows[row]
        cells += [""] * (column + 1 - len(cells))
        quoted = cells[column].startswith('"') or any(c in text for c in (self.delimiter, '"', "\n", "\r"))
        cells[column] = '"' + text.replace('"', '""') + '"' if quoted else text

    def data(self) -> bytes:
        text = "".join(self.delimiter.join(row) + end for row, end in zip(self.rows, self.ends, strict=True))
        return (BOM if self.bom else b"") + text.encode()


def read_sheet(path: Path | None) -> Sheet:
    """Read a CSV with commas, semicolons or tabs; BadExport when it is none."""
    if path is None:
        raise BadExport("this format fills in a file of the platform's own: name it with --into FILE")
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BadExport(f"{path} is larger than {MAX_BYTES >> 20} MiB: this is not a list of students")
        data = path.read_bytes()
    except OSError as error:
        raise BadExport(f"{path} cannot be read: {error.strerror}. Name the platform's own file with --into") from None
    try:
        text = data.removeprefix(BOM).decode()
    except UnicodeDecodeError:
        raise BadExport(f"{path} is not UTF-8 text: export it again as CSV, and do not save it in between") from None
    delimiter = _delimiter(text)
    rows, ends = _split(text, delimiter)
    if len(rows) < 2:
        raise BadExport(f"{path} holds no row below its header: export it again with the students in it")
    return Sheet(str(path), rows, ends, delimiter, data.startswith(BOM))


def _delimiter(text: str) -> str:
    """The one that the header has most of, outside quotes."""
    header = re.split(r"[\r\n]", re.sub(r'"(?:[^"]++|"")*+"', "", text), maxsplit=1)[0]
    return max(DELIMITERS, key=header.count)


def _split(text: str, delimiter: str) -> tuple[list[list[str]], list[str]]:
    other = f"[^{delimiter}\r\n]*"
    cell = re.compile(rf'("(?:[^"]++|"")*+"{other}|{other})({delimiter}|\r\n|\n|\r|\Z)')
    rows: list[list[str]] = []
    ends: list[str] = []
    row: list[str] = []
    for found in cell.finditer(text):
        if found.start() == len(text) and not row:  # after the last line end
            break
        row.append(found[1])
        if found[2] != delimiter:
            rows.append(row)
            ends.append(found[2])
            row = []
            if not found[2]:
                break
    return rows, ends


def _value(cell: str) -> str:
    if not cell.startswith('"') or len(cell) < 2:
        return cell
    inner, _, rest = cell[1:].replace('""', "\0").partition('"')
    return inner.replace("\0", '"') + rest
