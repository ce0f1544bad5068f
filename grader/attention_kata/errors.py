"""The base of every error that is told in one line, with what to do about it."""

from __future__ import annotations


class KataError(Exception):
    """What was asked for cannot be done; the message is one line that says why, and what to do."""
