"""`python tests/one_run.py SOURCE`: what comes of it in a confined worker, or in what stands in for one, as JSON."""

import json
import sys

from attention_kata.intake.submission import Submission
from attention_kata.messages.render import render
from attention_kata.sandbox.session import Limits, run_all
from attention_kata.sandbox.start import any_workers
from attention_kata.sandbox.workers import EngineError
from attention_kata.sandbox.zygote import ZygoteClient


def why(report):
    """Why a file could not be imported."""
    return report.error.message if report.error is not None else render(report.lost.cause)


def killed(zygote):
    """The exit code of a worker that is killed at once; why there is none."""
    try:
        worker = zygote.worker()
    except EngineError as error:
        return str(error)
    worker.kill()
    return worker.wait()


def main(source):
    zygote = ZygoteClient()
    with any_workers(zygote) as workers:
        run = run_all(Submission("s", {"a.py": source}), (), Limits(0.5), workers, ("a.py",))
        errors = {file: why(report) for file, report in run.modules.items() if report.failed}
        print(json.dumps({"fault": run.fault, "isolation": run.isolation, "errors": errors, "output": run.output,
                          "killed": killed(zygote)}))  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1])
