"""Words for a reader: a message in one language, with what that audience may see of it."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from gettext import NullTranslations, translation
from pathlib import Path

from .said import Place, Said, Slot, said
from .templates import KIND_OF, TEMPLATES, Audience, Kind

LOCALES = Path(__file__).parent / "locale"
SOURCE = "en"  # the language that the templates are written in
PARTS = re.compile(r"\[([^\]]*)\]")
FIELD = re.compile(r"\{(\w+)\}")
ERRORS = {
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
}
TYPES = {"NoneType": "type-none", "ndarray": "type-array", "Tensor": "type-tensor"}
PUBLIC_TYPES = {*TYPES, "tuple", "list", "dict", "int", "float", "bool", "str"}
DTYPES = "bfloat16 float16 float32 float64 int8 int16 int32 int64 uint8 bool complex64 complex128"
LAYOUTS = "strided sparse sparse_coo sparse_csr sparse_csc sparse_bsr sparse_bsc mkldnn jagged"
TORCH = {*DTYPES.split(), *LAYOUTS.split()}
MAX_LINE = 10_000  # a number that a submission chose tells nothing beyond
JOINED_BY_AND = ("results", "axes", "keys")
JOINED_BY = {"parts": "; ", "reasons": " "}  # others by commas


@dataclass(frozen=True)
class Voice:
    """Who is spoken to, and in which language.  `files` are those of the course: only they may be named in public."""

    audience: Audience = Audience.LEARNER
    language: str = SOURCE
    files: frozenset[str] = frozenset()
    catalogues: Path = LOCALES


LEARNER, INSTRUCTOR = Voice(), Voice(Audience.INSTRUCTOR)


class _Hidden(Exception):
    """A slot that this reader may not see, or that is empty."""


def render(message: Said | None, voice: Voice = LEARNER) -> str:
    """The message in words; "" where there is none, or nothing of it may be said to this reader."""
    if message is None or message.template not in TEMPLATES:
        return ""  # of a later release
    try:
        return _filled(_text(message, voice), message.slots, voice)
    except _Hidden:
        return ""


def _text(message: Said, voice: Voice) -> str:
    """The template's text for this audience, translated."""
    template = TEMPLATES[message.template]
    if voice.audience is Audience.PUBLIC and template.public is not None:
        context, one, many = f"{message.template}:public", template.public, template.public_plural
    elif voice.audience is Audience.INSTRUCTOR and template.instructor is not None:
        context, one, many = f"{message.template}:instructor", template.instructor, ""
    else:
        context, one, many = message.template, template.text, template.plural
    if not one:
        raise _Hidden
    spoken = translations(voice.language, voice.catalogues)
    count = message.slots.get("count")
    if many and isinstance(count, int):
        return spoken.npgettext(context, one, many, count)
    return spoken.pgettext(context, one)


@cache
def translations(language: str, folder: Path) -> NullTranslations:
    """The catalogue of a language; the templates' own texts where there is none."""
    return translation("kata", folder, [language], fallback=True)


def _filled(text: str, slots: Mapping[str, Slot], voice: Voice) -> str:
    def fill(part: str) -> str:
        return FIELD.sub(lambda field: _field(field[1], slots, voice), part)

    def optional(part: re.Match[str]) -> str:
        try:
            return fill(part[1])
        except _Hidden:
            return ""

    # Texts of slots are put in last and never looked through, whatever brackets or braces they hold.
    pieces, end = [], 0
    for part in PARTS.finditer(text):
        pieces += [fill(text[end : part.start()]), optional(part)]
        end = part.end()
    return "".join([*pieces, fill(text[end:])])


def _field(field: str, slots: Mapping[str, Slot], voice: Voice) -> str:
    name = field[0].lower() + field[1:]
    shown = _shown(name, slots.get(name), voice)
    return shown[:1].upper() + shown[1:] if name != field else shown


def _shown(name: str, slot: Slot, voice: Voice) -> str:
    """What this reader may see of a slot.  Raises _Hidden."""
    kind, public = KIND_OF[name], voice.audience is Audience.PUBLIC
    if slot is None or slot == "" or (public and kind in (Kind.SECRET, Kind.TEXT)):
        raise _Hidden
    match slot:
        case Said():
            inner = render(slot, voice)
            if not inner:
                raise _Hidden
            return inner
        case Place():
            return _place(slot, voice)
        case tuple():
            return _joined(name, [_shown(name, each, voice) for each in slot], voice)
        case str():
            return SPELLED.get(kind, _as_it_is)(slot, voice)
    return f"{slot:g}" if isinstance(slot, float) else str(slot)


def _as_it_is(text: str, voice: Voice) -> str:
    return text


def _error(name: str, voice: Voice) -> str:
    if voice.audience is Audience.PUBLIC and name not in ERRORS:
        return render(said("an-exception"), voice)
    return name if name.isidentifier() else render(said("unnamed-exception"), voice)


def _type(name: str, voice: Voice) -> str:
    if voice.audience is Audience.PUBLIC and name not in PUBLIC_TYPES:
        return render(said("another-type"), voice)
    if name in TYPES:
        return render(said(TYPES[name]), voice)
    article = "an-type" if name[:1].lower() in tuple("aeiou") else "a-type"
    return render(said(article, type_name=name), voice)


def _torch(name: str, voice: Voice) -> str:
    if voice.audience is Audience.PUBLIC and name not in TORCH:
        raise _Hidden
    return name


SPELLED: Mapping[Kind, Callable[[str, Voice], str]] = {Kind.ERROR: _error, Kind.TYPE: _type, Kind.TORCH: _torch}


def _place(place: Place, voice: Voice) -> str:
    public = voice.audience is Audience.PUBLIC
    if public and place.file not in voice.files and place.cell is None:
        raise _Hidden
    line = public_line(place.line) if public else place.line
    if place.cell is not None:
        return render(said("line-of-cell", count=place.cell, line=line), voice)
    return render(said("line-of-file", file=place.file, line=line), voice)


def public_line(line: int | None) -> int | None:
    """A line where it can be one: a submission can name any number as the place of its error."""
    return line if line is not None and 0 < line < MAX_LINE else None


def _joined(name: str, shown: list[str], voice: Voice) -> str:
    if not shown:
        return render(said("nothing"), voice)
    if name == "mistakes":
        return _chained("and-also", shown, voice)
    if name in JOINED_BY:
        return JOINED_BY[name].join(shown)
    if name in JOINED_BY_AND and len(shown) > 1:
        return render(said("and", first=", ".join(shown[:-1]), second=shown[-1]), voice)
    return ", ".join(shown)


def _chained(template: str, shown: list[str], voice: Voice) -> str:
    whole = shown[0]
    for each in shown[1:]:
        whole = render(said(template, first=whole, second=each), voice)
    return whole


def texts() -> Iterator[tuple[str, str, str]]:
    """(context, text, plural or "") of everything that there is to translate."""
    for id, template in TEMPLATES.items():
        yield id, template.text, template.plural
        if template.public:
            yield f"{id}:public", template.public, template.public_plural
        if template.instructor:
            yield f"{id}:instructor", template.instructor, ""
