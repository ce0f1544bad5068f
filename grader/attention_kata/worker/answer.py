"""Answering one job on a descriptor: HELLO, BEGIN before any byte of the submission runs, then what is observed."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import torch

from . import frames
from .limits import limit_cpu_of_check
from .load import SubmissionFinder, import_file
from .observe import observe, start_meta_device

Cases = tuple[Any, dict[str, np.ndarray]]  # scripts and inputs of one exercise


def answer(fd: frames.Channel, isolation: dict[str, str]) -> None:
    """Read a job, run it, report.  `isolation` says which layers are in force."""
    frames.send(fd, frames.pack(frames.HELLO, {"isolation": isolation, "torch": torch.__version__}))
    job, _ = _receive(fd, frames.JOB)
    exercises = [_receive(fd, frames.CASES) for _ in range(job["exercises"])]
    if any(case["script"]["device"] == "meta" for exercise, _ in exercises for case in exercise["cases"]):
        start_meta_device()  # done already, where the zygote was told
    for frame in carry_out(job, exercises):
        frames.send(fd, frame)
    with suppress(Exception):  # the submission may have closed or replaced it
        sys.stdout.flush()


def carry_out(job: Any, exercises: Sequence[Cases]) -> Iterator[bytes]:
    """The frames that tell what the submission does: a report on each file imported, an observation of each case."""
    warnings.filterwarnings("ignore", module=__package__)  # learners read what their own lines cause
    files = {name: source.encode("utf-8") for name, source in job["files"].items()}
    sys.meta_path.insert(0, SubmissionFinder(files))
    modules = {}
    yield frames.pack(frames.BEGIN, {})
    for file in job["topics"]:
        limit_cpu_of_check(job["limits"]["seconds"])
        modules[file], report = import_file(file, set(files))
        yield frames.pack(frames.MODULE, report)
    for exercise, arrays in exercises:
        module = modules.get(exercise["file"])
        for case in exercise["cases"]:
            key = f"{exercise['exercise']}/{case['id']}"
            if module is None or key in job["skip"]:
                continue  # a failed import was reported; the trusted side does not wait for these
            limit_cpu_of_check(job["limits"]["seconds"])
            own = {name: arrays[f"{case['id']}/{name}"] for name in case["arrays"]}
            facts, sent = observe(vars(module), case["script"], own, set(files))
            yield frames.pack(frames.OBSERVATION, {"key": key, **facts}, sent)


def _receive(fd: frames.Channel, kind: bytes) -> Cases:
    found, payload = frames.receive(fd)
    if found != kind:
        raise SystemExit(f"expected a frame of kind {kind!r}, got {found!r}")
    return frames.unpack(payload)
