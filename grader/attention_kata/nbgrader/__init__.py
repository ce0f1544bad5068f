"""For courses that live in nbgrader: source assignments, its gradebook, and plugins for its command line.

nbgrader itself is imported inside functions only: it comes with the extra `instructor`.  Imported by the command line.
"""

from __future__ import annotations

from importlib.util import find_spec

from ..errors import KataError


def need_nbgrader() -> None:
    """KataError, with what to type, where nbgrader is not installed."""
    if find_spec("nbgrader") is None:
        raise KataError('this needs nbgrader: pip install "attention-kata[instructor]"')
