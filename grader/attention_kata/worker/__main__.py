"""The worker's process: `python -m attention_kata.worker FD` answers one job on descriptor FD and ends.

The first thing sent is HELLO, before any byte of the submission has run.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import torch

from . import frames
from .limits import limit_cpu_of_check, limit_process
from .load import SubmissionFinder, import_file
from .observe import observe


def main(fd: int) -> None:
    torch.set_num_threads(1)
    kind, payload = frames.receive(fd)
    if kind != frames.JOB:
        raise SystemExit(f"expected a job, got a frame of kind {kind!r}")
    job, arrays = frames.unpack(payload)
    limits = job["limits"]
    isolation = limit_process(limits["memory_mb"], limits["total_seconds"])
    frames.send(fd, frames.pack(frames.HELLO, {"isolation": isolation, "torch": torch.__version__}))

    files = {name: source.encode("utf-8") for name, source in job["files"].items()}
    sys.meta_path.insert(0, SubmissionFinder(files))
    modules = {}
    for file in job["topics"]:
        limit_cpu_of_check(limits["seconds"], limits["total_seconds"])
        modules[file], report = import_file(file, set(files))
        frames.send(fd, frames.pack(frames.MODULE, report))
    for case in job["cases"]:
        module = modules.get(case["file"])
        if module is None:
            continue  # the report on its module says why; the trusted side does not wait for it
        limit_cpu_of_check(limits["seconds"], limits["total_seconds"])
        own = {name: arrays[f"{case['key']}/{name}"] for name in case["arrays"]}
        facts, sent = observe(vars(module), case["script"], own, set(files))
        frames.send(fd, frames.pack(frames.OBSERVATION, {"key": case["key"], **facts}, sent))
    frames.send(fd, frames.pack(frames.DONE, {}))
    with suppress(Exception):  # the submission may have closed or replaced it
        sys.stdout.flush()
    os._exit(0)  # threads and exit handlers of the submission are not waited for


if __name__ == "__main__":
    main(int(sys.argv[1]))
