"""Where a course is, and its solutions where there are any."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
import traceback
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from ..errors import KataError

if TYPE_CHECKING:
    from ..authoring import Solution
    from ..key.model import Mistake

PACKAGE = Path(__file__).resolve().parents[1]
PUBLIC_KEY = "public.key.safetensors"
PUBLIC_SEED = 1706_03762  # the paper's number on arXiv


@dataclass(frozen=True)
class Course:
    """A course on disk: stubs in `exercises`, and for authors and instructors solutions beside it."""

    exercises: Path
    solutions_path: Path | None
    public_key: Path

    @cached_property
    def _facts(self) -> Mapping[str, object]:
        if self.solutions_path is None:
            raise KataError("this needs the course's solutions: run it in a checkout, or name one with --course DIR")
        path = self.solutions_path / "course.toml"
        try:
            return tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise KataError(f"{path} cannot be read: {error}") from None

    def __reduce__(self) -> tuple[type[Course], tuple[Path, Path | None, Path]]:
        return Course, (self.exercises, self.solutions_path, self.public_key)  # without the modules it has loaded

    def _fact(self, name: str) -> object:
        if name not in self._facts:
            raise KataError(f"{self.solutions_path}/course.toml has no line {name} = ...")
        return self._facts[name]

    @property
    def id(self) -> str:
        return str(self._fact("id"))

    @property
    def title(self) -> str:
        return str(self._fact("title"))

    @property
    def version(self) -> str:
        return str(self._fact("version"))

    @cached_property
    def modules(self) -> Mapping[str, ModuleType]:
        """The solution modules by topic, in course order.  Imports torch."""
        topics = self._fact("topics")
        if not isinstance(topics, list):
            raise KataError(f"{self.solutions_path}/course.toml: topics is not a list")
        return {str(topic): self._import(str(topic)) for topic in topics}

    @property
    def solutions(self) -> Iterator[tuple[str, Solution]]:
        """(topic, solution) of every exercise in course order."""
        for topic, module in self.modules.items():
            if not hasattr(module, "EXERCISES"):
                raise KataError(f"{module.__file__} has no line EXERCISES = (...)")
            for solution in module.EXERCISES:
                yield topic, solution

    @cached_property
    def catalogue(self) -> Mapping[str, Mistake]:
        return {mistake.id: mistake for mistake in self._import("catalogue").CATALOGUE}

    def _import(self, topic: str) -> ModuleType:
        """Load a solution module under a name of its own, so that two courses do not meet."""
        assert self.solutions_path is not None
        path = self.solutions_path / f"{topic}.py"
        name = f"_kata_solutions_{zlib.crc32(str(self.solutions_path).encode()):08x}_{topic}"
        if name in sys.modules:
            return sys.modules[name]
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None or not path.is_file():
            raise KataError(f"{path} is missing: course.toml names this topic")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException as error:
            del sys.modules[name]
            if isinstance(error, Exception):
                raise KataError(f"{path}{_line(error, spec.origin)}: {type(error).__name__}: {error}") from None
            raise
        return module


def _line(error: Exception, file: str | None) -> str:
    """Where in a solution module an error at its import came from: ", line 3", or "" when it does not say."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f", line {lines[-1]}" if lines else ""


def find_course(directory: Path | None = None) -> Course:
    """The course in `directory`, else that of the checkout we run from, else the one in the package.

    An editable install copies packaged stubs, where they go stale: a checkout comes first.
    """
    if directory is not None:
        if not (directory / "exercises").is_dir():
            raise KataError(f"{directory} has no folder exercises/: --course takes the folder that holds one")
        return _course_at(directory, directory / PUBLIC_KEY)
    checkout = PACKAGE.parent.parent
    if (checkout / "exercises").is_dir() and (checkout / "pyproject.toml").is_file():
        return _course_at(checkout, PACKAGE / PUBLIC_KEY)
    if not (PACKAGE / "exercises").is_dir():
        raise KataError("the installed package has no exercises: reinstall attention-kata")
    return Course(PACKAGE / "exercises", None, PACKAGE / PUBLIC_KEY)


def _course_at(directory: Path, public_key: Path) -> Course:
    solutions = directory / "solutions"
    return Course(directory / "exercises", solutions if (solutions / "course.toml").is_file() else None, public_key)
