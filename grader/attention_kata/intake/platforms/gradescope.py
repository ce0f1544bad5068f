"""Gradescope's export: `submission_metadata.yml` beside one folder `submission_123` for each submission.

The metadata is read as texts only (a sid such as 0012 stays what it is, nothing is built from tags).  A group's
submission is an attempt of each of its submitters.  Earlier submissions (`:history:`) are attempts where their
folder is there, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import yaml

from ...messages.said import said
from ...text import plain
from ..attempt import Delivery, Found, IntakeError, subtree
from ..tree import Unreadable

METADATA = "submission_metadata.yml"
MAX_METADATA = 64 << 20  # bytes: it holds the results of every test, too
LOADER: type[Any] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def fits(delivery: Delivery) -> bool:
    return METADATA in delivery.files


def attempts(delivery: Delivery, assignment: str | None) -> Iterator[Found]:
    metadata = _metadata(delivery)
    listed: set[str] = set()
    for folder, facts in metadata.items():
        if not isinstance(facts, dict):
            yield said("gradescope-undescribed", shown=plain(folder), file=METADATA)
            continue
        for label, when in [*_history(facts, delivery, metadata), (folder, _time(facts.get(":created_at")))]:
            listed.add(label)
            yield from _attempts(delivery, label, when, _submitters(facts))
    for folder in delivery.folders:
        if folder not in listed:
            yield said("gradescope-unlisted", shown=plain(folder), file=METADATA)


def _attempts(
    delivery: Delivery, folder: str, when: datetime | None, submitters: list[Mapping[str, str]]
) -> Iterator[Found]:
    there = folder in delivery.folders
    problem = None if there else said("folder-not-exported", shown=plain(folder))
    tree = subtree(delivery.tree, folder) if there else None
    if not submitters:
        yield said("gradescope-nobody", shown=plain(folder), file=METADATA)
    for submitter in submitters:
        student = submitter["sid"] or submitter["email"] or submitter["name"] or folder
        yield delivery.attempt(
            student,
            tree,
            folder,
            name=submitter["name"],
            email=submitter["email"],
            label=folder,
            handed_in=when,
            problem=problem,
        )


def _history(facts: Mapping[str, Any], delivery: Delivery, metadata: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """(folder, time) of earlier submissions that were exported as well."""
    history = facts.get(":history")
    for earlier in history if isinstance(history, list) else ():
        if isinstance(earlier, dict):
            folder = f"submission_{earlier.get(':id')}"
            if folder in delivery.folders and folder not in metadata:
                yield folder, _time(earlier.get(":created_at"))


def _submitters(facts: Mapping[str, Any]) -> list[Mapping[str, str]]:
    submitters = facts.get(":submitters")
    return [
        {name: _text(each.get(f":{name}")) for name in ("sid", "email", "name")}
        for each in (submitters if isinstance(submitters, list) else ())
        if isinstance(each, dict)
    ]


def _text(value: object) -> str:
    text = value.strip() if isinstance(value, str) else ""
    return "" if text in ("null", "~", "nil") else text


def _time(value: object) -> datetime | None:
    """Ruby writes `2026-10-01 14:22:32.365935000 Z`; a time without a zone is in UTC, as in YAML."""
    found = re.fullmatch(
        r"(\d{4}-\d\d-\d\d)[T ]+(\d\d:\d\d:\d\d)(?:\.(\d{1,6})\d*)?\s*(Z|UTC|[+-]\d\d:?\d\d)?", _text(value)
    )
    if found is None:
        return None
    day, time, fraction, zone = found.groups()
    zone = "+00:00" if zone in (None, "Z", "UTC") else zone
    try:
        return datetime.fromisoformat(f"{day}T{time}.{(fraction or '0').ljust(6, '0')}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _metadata(delivery: Delivery) -> dict[str, Any]:
    try:
        data = delivery.tree.read(METADATA, MAX_METADATA)
    except Unreadable as error:
        raise IntakeError(f"{METADATA} {error}: export it again, or use --layout folders.") from None
    if len(data) > MAX_METADATA:
        raise IntakeError(f"{METADATA} is larger than {MAX_METADATA >> 20} MB: use --layout folders.")
    try:
        metadata = yaml.load(data, Loader=LOADER)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        where = getattr(error, "problem_mark", None)
        line = f", line {where.line + 1}" if where else ""
        raise IntakeError(f"{METADATA}{line} is not YAML: export it again, or use --layout folders.") from None
    if not isinstance(metadata, dict):
        raise IntakeError(f"{METADATA} does not list submissions: export it again, or use --layout folders.")
    return {str(folder): facts for folder, facts in metadata.items()}
