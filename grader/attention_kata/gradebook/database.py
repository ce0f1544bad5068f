"""One SQLite file that one program writes at a time and any number read.

Everything is committed at once, so that a `kill -9` loses at most what is in flight.  The threads of a program share
a connection, and with it a transaction: each call therefore waits until no other thread is inside one.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout

from ..errors import KataError
from .records import now


class BadGrades(KataError):
    """A database that cannot be used now, in one line that says what to do."""


class Database:
    """An open file with the tables of a subclass.  BadGrades, in one line, for what keeps it from being used."""

    schema: int  # the number of the tables' version
    tables: str  # statements that make them
    mark: str  # the name of one that no other program's file has

    def __init__(self, path: Path, create: bool = False):
        self.path = path
        self._lock = threading.RLock()
        if not path.absolute().parent.is_dir():
            raise BadGrades(f"{path.parent} is not a folder: create it first, or use --db elsewhere")
        with self._clear():
            if not create and not path.exists():
                raise BadGrades(f"{path} does not exist: `kata grade PATH` creates it, or name another with --db")
            if not create and not path.stat().st_size:
                raise BadGrades(f"{path} is empty: `kata grade PATH` fills it, or name another with --db")
            if path.exists() and path.stat().st_size and not _is_sqlite(path):
                raise BadGrades(f"{path} is not a database: name another file with --db")
            self._db = sqlite3.connect(path, timeout=10.0, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def _prepare(self) -> None:
        """Make the tables of an empty database; leave one of somebody else as it is."""
        if not self._db.execute("SELECT 1 FROM sqlite_master").fetchone():
            with self.transaction():
                if not self._db.execute("SELECT 1 FROM sqlite_master").fetchone():  # by another program meanwhile
                    for statement in filter(str.strip, self.tables.split(";")):
                        self._db.execute(statement)
                    self._db.execute(f"PRAGMA user_version = {self.schema}")
        found = self._db.execute("PRAGMA user_version").fetchone()[0]
        ours = self._db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (self.mark,)).fetchone()
        if found != self.schema or not ours:
            raise BadGrades(f"{self.path} is not a grade database of this version: name another with --db")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Only one program grades into a database; the system frees it whatever ends the program."""
        lock = FileLock(f"{self.path}.lock", timeout=0)
        holder = Path(f"{self.path}.holder")
        try:
            lock.acquire()
        except Timeout:
            raise BadGrades(f"{self.path} is in use by {_holder(holder)}: wait for it, or stop it") from None
        except OSError as error:
            raise BadGrades(f"{self.path}.lock cannot be written: {error.strerror}. Use --db elsewhere") from None
        try:
            with self._clear():
                holder.write_text(f"process {os.getpid()} on {socket.gethostname()} since {now():%Y-%m-%d %H:%M} UTC")
            yield
        finally:
            holder.unlink(missing_ok=True)
            lock.release()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing, and no other thread meanwhile; within another transaction a part of that one."""
        with self._lock, self._clear():
            if self._db.in_transaction:  # of this thread: it holds the lock
                yield
                return
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _clear(self) -> Iterator[None]:
        """What SQLite and the system report, in one line that says what to do; nothing that was committed is lost."""
        try:
            yield
        except sqlite3.Error as error:
            raise BadGrades(f"{self.path}: {_advice(str(error))}") from None
        except OSError as error:
            raise BadGrades(f"{self.path} cannot be used: {error.strerror}. Use --db elsewhere") from None

    def _rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """One at a time; whoever reads them slowly keeps nobody waiting."""
        with self._clear():
            with self._lock:
                cursor = self._db.execute(query, values)
            try:
                while (row := self._next(cursor)) is not None:
                    yield row
            finally:
                with suppress(sqlite3.ProgrammingError):  # the database is closed: a reader of our output went away
                    cursor.close()

    def _next(self, cursor: sqlite3.Cursor) -> tuple[Any, ...] | None:
        with self._lock:
            row: tuple[Any, ...] | None = cursor.fetchone()
            return row

    def _row(self, query: str, *values: object) -> tuple[Any, ...] | None:
        return next(self._rows(query, *values), None)

    def _write(self, query: str, *values: object) -> None:
        with self._lock, self._clear():
            self._db.execute(query, values)


def _is_sqlite(path: Path) -> bool:
    """SQLite itself takes a file of a few bytes for an empty one, and overwrites it."""
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _advice(error: str) -> str:
    if "full" in error or "I/O" in error:
        return f"{error}. Make room, then run the same command again: what was graded is kept"
    if "locked" in error:
        return "another program is writing to it. Wait for it, then run the same command again"
    if "readonly" in error or "unable to open" in error:
        return f"{error}. Check its permissions, or use --db elsewhere"
    return f"{error.rstrip('.')}. Use --db with another file"


def _holder(file: Path) -> str:
    try:
        return file.read_text()[:200] or "another program"
    except (OSError, UnicodeDecodeError):
        return "another program"
