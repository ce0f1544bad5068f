"""Exercises in a notebook: `%%kata softmax` on a cell, and the check cells of an nbgrader assignment.

Nothing is judged in the kernel.  What the notebook defines is handed, as text, to a process of its own
(judge.py), which runs it in a confined worker and sends back what was found.  Imported by IPython and by nbgrader's room.
"""

from .checks import CouldNotCheck, check, hidden
from .magics import register

__all__ = ["CouldNotCheck", "check", "hidden", "register"]
