"""Processes of our own that share out drawing and proving; none is left when their parent ends, however it ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait

import torch

# Forked, they have torch and the solutions at once, where importing them takes seconds.  Elsewhere forking is unsafe.
START = "fork" if sys.platform == "linux" else "spawn"


@contextmanager
def processes(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of `jobs` processes; an exception, Ctrl-C too, ends them in the middle of what they do."""
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context(START), initializer=_begin)
    try:
        yield pool
    except BaseException as error:
        try:
            if isinstance(error, BrokenProcessPool):
                time.sleep(0.5)  # the signal that has ended them may have been for all of us, and reach this one now
        finally:
            for process in multiprocessing.active_children():
                process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """One thread computes, as in workers: results must not depend on their number.  Mistakes may warn as they like.

    Ctrl-C is for the parent, which ends its processes; what the parent does at SIGTERM is not for them.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")


def _end_with_parent() -> None:
    """A pool does not notice that its parent was killed: its processes would wait for work for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
