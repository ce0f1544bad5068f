"""From whatever one student handed in to a Submission: which file, notebook or archive answers which topic.

For each topic file, in this order: the file of that name, the one nearest the top; a `%%writefile` cell of that
name; another Python file, then a notebook, that defines an exercise of the topic.  So one file or notebook with
everything in it answers every topic, and its text stands under each topic's name.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from ..messages.said import Said, said
from ..text import plain
from .archives.archive import SUFFIXES, open_archive
from .archives.bounds import NESTED
from .notebooks.cells import NotebookSource, cells_source, notebook_source
from .notebooks.imports import without_own_imports
from .notebooks.parse import MAX_NOTEBOOK, Cell
from .submission import MAX_BYTES, MAX_FILES, CellMap, Problem, Submission, bounded, read_submission, source_text
from .tree import Collection, Piece, Tree, Unreadable, walk

MAX_ARCHIVE = 32 << 20  # bytes of an archive that a student handed in
MAX_ARCHIVES = 5
MAX_NOTEBOOKS = 10
MAX_SEARCHED = 50  # other files that are searched for exercises
MAX_READ = 128 << 20  # bytes read for one submission, all in all
MAX_NOTES = 20
OTHER_ARCHIVES = (".rar", ".7z", ".zipx", ".gz", ".bz2", ".xz", ".zst")


def read_answers(tree: Tree, topics: tuple[str, ...], exercises: Mapping[str, str], name: str) -> Submission:
    """Read what is in `tree`, and in the archives in it; `exercises` has the topic file of each exercise."""
    reading = _Reading(tree=tree, topics=topics, exercises=exercises)
    reading.look()
    return reading.submission(name)


def read_cells(cells: Sequence[Cell], shown: str, topics: tuple[str, ...], exercises: Mapping[str, str]) -> Submission:
    """Read a notebook that is open, and in no file, as `read_answers` reads one; it is called `shown`."""
    nowhere = Collection("")
    files = {shown: Piece(nowhere, shown, shown)}
    reading = _Reading(tree=nowhere, topics=topics, exercises=exercises, files=files, open_cells={shown: cells})
    return reading.submission("")


def unreadable(name: str, topics: tuple[str, ...], problem: Said) -> Submission:
    """A submission of which nothing can be read, for one reason."""
    problems = dict.fromkeys(topics, Problem(said("not-read", inner=problem), said("hint-again")))
    return Submission(name, {}, problems=problems)


@dataclass(kw_only=True)
class _Reading:
    tree: Tree
    topics: tuple[str, ...]
    exercises: Mapping[str, str]
    files: dict[str, Piece] = field(default_factory=dict)  # everything there is, what is in archives too
    pieces: dict[str, Piece] = field(default_factory=dict)  # what the submission is put together from
    notes: list[Said] = field(default_factory=list)
    problems: dict[str, Problem] = field(default_factory=dict)  # of topics and of exercises
    notebooks: dict[str, CellMap] = field(default_factory=dict)  # by topic
    open_cells: Mapping[str, Sequence[Cell]] = field(default_factory=dict)  # of notebooks that are in no file
    left: int = MAX_READ

    def submission(self, name: str) -> Submission:
        """What answers the topics, of the files that there are."""
        self.answer()
        read = read_submission(Collection(plain(name), self.pieces), self.topics, name)
        notebooks = {topic: source for topic, source in self.notebooks.items() if topic in read.files}
        return replace(
            read,
            problems={**read.problems, **self.problems},
            missing=read.missing - self.problems.keys(),
            notes=bounded(self.notes, MAX_NOTES),
            notebooks=notebooks,
        )

    # ------------------------------------------------------------------ what there is

    def look(self) -> None:
        """Find all files, in archives too."""
        for path in walk(self.tree):
            shown = self.tree.shown(path)
            self.files[path] = Piece(self.tree, path, plain(shown) if isinstance(shown, str) else shown)
        archives = [path for path in self.files if path.lower().endswith((*SUFFIXES, *OTHER_ARCHIVES))]
        for path in archives[:MAX_ARCHIVES]:
            self._open(path)
        for path in archives[MAX_ARCHIVES:]:
            self.notes.append(said("archives-left-out", shown=plain(path), limit=MAX_ARCHIVES))

    def _open(self, path: str) -> None:
        try:
            data = self._read(self.files[path], MAX_ARCHIVE)
            if len(data) > MAX_ARCHIVE:
                raise Unreadable(said("too-large", limit=MAX_ARCHIVE >> 20))
            archive = open_archive(io.BytesIO(data), path, NESTED)
        except Unreadable as reason:
            self.notes.append(said("archive-left-out", shown=plain(path), inner=reason.wrong))
            return
        self.notes += archive.notes
        for inner in walk(archive):
            name, holder = plain(inner), plain(path)
            if inner.lower().endswith(SUFFIXES):
                self.notes.append(said("member-left-out", shown=name, holder=holder, inner=said("member-archive")))
            else:
                self.files[f"{path}/{inner}"] = Piece(archive, inner, said("member-of", name=name, holder=holder))

    def _read(self, piece: Piece, most: int) -> bytes:
        if self.left <= 0:
            raise Unreadable(said("submission-too-large", limit=MAX_READ >> 20))
        data = piece.tree.read(piece.path, most) if piece.data is None else piece.data
        self.left -= len(data)
        return data

    # ------------------------------------------------------------------ what answers the topics

    def answer(self) -> None:
        """Give each topic its file, then add the other files that they may import."""
        places = {topic: path for topic in self.topics if (path := self._nearest(topic)) is not None}
        for topic, path in places.items():
            self.pieces[topic] = self.files.get(path) or Piece(self.tree, path, path)
        missing = [topic for topic in self.topics if topic not in places]
        used = self._search(missing) if missing else set()
        self._others([path.rpartition("/")[0] for path in places.values()], set(places.values()) | used)

    def _nearest(self, topic: str) -> str | None:
        """The file of that name nearest the top; what is at the top is taken whatever it is."""
        if self.tree.exists(topic):
            return topic
        found = sorted((path for path in self.files if _base(path) == topic), key=_depth)
        if len(found) > 1:
            chosen, *others = (self.files[path].shown for path in found[:4])
            self.notes.append(
                said("one-of-several", file=topic, number=len(found), chosen=chosen, others=tuple(others))
            )
        return found[0] if found else None

    def _search(self, missing: list[str]) -> set[str]:
        """Look for the exercises of topics that have no file -> files that are all there is, and used up."""
        loose = [path for path in self.files if path.lower().endswith(".py") and _base(path) not in self.topics]
        loose = sorted(loose, key=_depth)[:MAX_SEARCHED]
        texts = {path: self._text(path) for path in loose}
        sources, unread = self._sources()
        for topic in missing:
            for source in sources.values():
                if topic in source.written:
                    data = source.written[topic].encode("utf-8", "replace")
                    self.pieces[topic] = Piece(self.tree, topic, topic, data)
        wanted = [topic for topic in missing if topic not in self.pieces]
        served = {topic: path for topic in wanted if (path := self._defining(topic, texts, sources)) is not None}
        if len(missing) == len(self.topics):
            # One file for all: what it lacks is then a missing function and not a missing file.
            all_there_is = [*loose, *sources, *unread]
            first = [*served.values(), *(all_there_is if len(all_there_is) == 1 else [])][:1]
            served = {topic: served.get(topic, path) for path in first for topic in wanted}
        for path in dict.fromkeys(served.values()):
            topics = [topic for topic, place in served.items() if place == path]
            if path in unread:
                error = unread[path]
                self.notes.remove(_left_out(path, error))  # the problem says it
                self.problems |= {
                    topic: Problem(said("file-refused", shown=plain(path), file=topic, inner=error.wrong), error.hint)
                    for topic in topics
                }
            else:
                self._serve(path, topics, sources.get(path))
        return set(served.values()) if len(loose) == 1 else set()

    def _text(self, path: str) -> str:
        try:
            return self._read(self.files[path], MAX_BYTES).decode("utf-8", "replace")
        except Unreadable:
            return ""

    def _sources(self) -> tuple[dict[str, NotebookSource], dict[str, Unreadable]]:
        """Notebooks as text, and those that cannot be read."""
        sources: dict[str, NotebookSource] = {}
        unread: dict[str, Unreadable] = {}
        notebooks = sorted((path for path in self.files if path.lower().endswith(".ipynb")), key=_depth)
        for path in notebooks[:MAX_NOTEBOOKS]:
            try:
                source = sources[path] = self._source(path)
                self.notes += [said("in-notebook", shown=plain(path), inner=note) for note in source.notes]
            except Unreadable as error:
                unread[path] = error
                self.notes.append(_left_out(path, error))
        return sources, unread

    def _source(self, path: str) -> NotebookSource:
        if path in self.open_cells:
            return cells_source(self.open_cells[path], self.exercises)
        return notebook_source(self._read(self.files[path], MAX_NOTEBOOK), self.exercises)

    def _defining(self, topic: str, texts: Mapping[str, str], sources: Mapping[str, NotebookSource]) -> str | None:
        """The file, else the notebook, that defines an exercise of the topic."""
        names = [name for name, file in self.exercises.items() if file == topic]
        for path, text in texts.items():
            if any(_defines(text, name) for name in names):
                return path
        for path, source in sources.items():
            if any(name in source.problems or _defines(source.text, name) for name in names):
                return path
        return None

    def _serve(self, path: str, topics: list[str], source: NotebookSource | None) -> None:
        """Put the text of one file under the name of each topic that it answers."""
        whole = self.files[path]
        if source is None:
            try:
                data = self._read(whole, MAX_BYTES)
            except Unreadable:  # said by whoever reads it
                self.pieces |= dict.fromkeys(topics, whole)
                return
        else:
            self.notebooks |= dict.fromkeys(topics, source.cells)
            self.problems |= {name: problem for name, problem in source.problems.items() if name in self.exercises}
            data = (source.text or "pass\n").encode("utf-8", "replace")
        modules = [topic.removesuffix(".py") for topic in topics]
        with suppress(UnicodeDecodeError):  # said by whoever reads it
            data = without_own_imports(source_text(data), modules).encode("utf-8")
        self.pieces |= dict.fromkeys(topics, replace(whole, data=data))

    def _others(self, folders: list[str], used: set[str]) -> None:
        """Everything else that may be imported: under its own name, and seen from the folder of a topic file."""
        python = [path for path in self.files if path.endswith(".py") and path.isprintable()]
        for path in [path for path in python if path not in used or "/" in path][:MAX_FILES]:
            if self.files[path].tree is self.tree:  # the name of an archive is none of a package
                self.pieces.setdefault(path, self.files[path])
            for folder in dict.fromkeys(folders):
                if folder and path.startswith(f"{folder}/"):
                    self.pieces.setdefault(path[len(folder) + 1 :], self.files[path])


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _depth(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _defines(text: str, name: str) -> bool:
    return bool(re.search(rf"^(?:(?:async +)?(?:def|class)[ \t]+{name}\b|{name}[ \t]*=)", text, re.MULTILINE))


def _left_out(path: str, error: Unreadable) -> Said:
    return said("left-out", shown=plain(path), inner=error.wrong)
