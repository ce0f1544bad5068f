"""A job object of Windows: the processes in it, and what they start, are ended together.

They also end when the handle is closed, as when its owner ends, however that comes.
"""

from __future__ import annotations

import ctypes
import subprocess
from ctypes import c_int64, c_size_t, c_uint32, c_uint64, c_void_p

EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
KILL_ON_CLOSE = 0x2000


class _Limits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("process_time", c_int64), ("job_time", c_int64), ("flags", c_uint32), ("least_pages", c_size_t),
        ("most_pages", c_size_t), ("processes", c_uint32), ("affinity", c_size_t), ("priority", c_uint32),
        ("scheduling", c_uint32), ("io", c_uint64 * 6), ("memory", c_size_t * 4),
    )  # fmt: skip


class JobObject:
    """The job of a process that has just been started.  OSError where it cannot be had."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._kernel = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined]
        self._kernel.CreateJobObjectW.restype = c_void_p
        self._handle = c_void_p(self._kernel.CreateJobObjectW(None, None))
        limits = _Limits(flags=KILL_ON_CLOSE)
        self._must(
            self._kernel.SetInformationJobObject(
                self._handle, EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
            )
        )
        self._must(self._kernel.AssignProcessToJobObject(self._handle, c_void_p(int(process._handle))))  # type: ignore[attr-defined]

    def end(self) -> None:
        if self._handle:
            self._kernel.TerminateJobObject(self._handle, 1)

    def close(self) -> None:
        """End what still runs, for good."""
        handle, self._handle = self._handle, c_void_p()
        if handle:
            self._kernel.CloseHandle(handle)

    @staticmethod
    def _must(done: int) -> None:
        if not done:
            raise ctypes.WinError(ctypes.get_last_error())  # type: ignore[attr-defined]
