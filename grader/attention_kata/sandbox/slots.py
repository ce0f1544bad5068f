"""Numbers for the children of a zygote.  As root each stands for a user id, which no two batches may share."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from contextlib import suppress

from .workers import EngineError

SLOTS = 64  # children of a zygote at a time
RANGES = 80  # of user ids, all below that of nobody
NAME = "\0attention-kata-uids-{}"


class Slots:
    """Those given, or as root a range that is this program's own until it is closed or ends, however that comes.

    Only one process can bind a socket to the name that stands for a range, in one namespace of networks: as far as
    that, and the ids, are a machine's.
    """

    def __init__(self, numbers: Sequence[int] | None = None) -> None:
        self._claim: socket.socket | None = None
        self._why_none = "all user ids for submissions are in use by other programs"
        if numbers is None:
            numbers = range(SLOTS) if os.geteuid() != 0 else self._claimed()
        self.free = list(numbers)
        if self.free:
            self._why_none = f"{len(self.free)} workers are running, and there can be no more"

    def _claimed(self) -> Sequence[int]:
        for number in range(RANGES):
            self._claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            with suppress(OSError):
                self._claim.bind(NAME.format(number))
                return range(number * SLOTS, (number + 1) * SLOTS)
            self._claim.close()
        return ()

    def take(self) -> int:
        """One that is free.  EngineError when there is none."""
        if not self.free:
            raise EngineError(self._why_none)
        return self.free.pop()

    def close(self) -> None:
        if self._claim is not None:
            self._claim.close()
