"""Trials: what a worker would see of trusted code, seen here, in a fraction of the time.

The steps are the worker's own.  Left out is what only the trust boundary needs: the JSON and its checks, modules built
and inputs made from scratch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from ..key.model import Array
from ..sandbox.observation import Observation, Outcome, Seen, read_raised, read_refusal
from ..worker.observe import Run
from .reuse import Modules

# How a dtype travels; of others, and of what is no plain tensor on the CPU, the worker's own code finds out.
SENT_AS = {
    torch.bool: ("bool", torch.bool),
    torch.int64: ("int64", torch.int64),
    torch.float64: ("float64", torch.float64),
    torch.float32: ("float32", torch.float64),
}
MAX_NUMBERS = 1 << 12  # of a result that is read here


class Trials:
    """Runs scripts on trusted targets, those of one target after the other."""

    def __init__(self) -> None:
        self._modules = Modules()
        self._inputs: dict[tuple[int, tuple[int, ...], torch.dtype], tuple[Array, torch.Tensor, bool]] = {}

    def run(self, name: str, target: Any, script: Mapping[str, Any], arrays: Mapping[str, Array]) -> Observation:
        run = _Trial({name: target}, script, arrays, self._modules.build)
        run.made = self._inputs
        run.carry_out(set())
        report = run.report
        return Observation(
            Outcome(report["outcome"]),
            tuple(report.get("results", ())),
            report.get("gradients"),
            read_raised(report["error"]) if "error" in report else None,
            read_refusal(report["refused"]) if "refused" in report else None,
            tuple(report.get("changed", ())),
            report.get("repeats", True),
            report.get("instances", True),
            tuple(report.get("functions", ())),
            report.get("operations", 0),
            report.get("largest", 0),
            seconds=report["seconds"],
        )


class _Trial(Run):
    made: dict[tuple[int, tuple[int, ...], torch.dtype], tuple[Array, torch.Tensor, bool]]

    def tensor(self, name: str) -> torch.Tensor:
        """A copy of what was made of the array before; like the worker's, a view of it unless its dtype is another."""
        if self.script["device"] != "cpu" or len(self.layouts[name]) > 2:  # neither expanded nor spaced
            return super().tensor(name)
        array, layout = self.arrays[name], self.layouts[name]
        of = (id(array), tuple(layout["axes"]), self.dtype)
        if of not in self.made:
            tensor = super().tensor(name).detach()
            same = array.dtype.name == str(tensor.dtype).removeprefix("torch.")
            self.made[of] = (array, torch.from_numpy(array.copy()) if same else tensor, same)
        _, made, same = self.made[of]
        tensor = made.clone().permute(layout["axes"]) if same else made.clone()
        return tensor.requires_grad_() if self.script["upstream"] and tensor.is_floating_point() else tensor

    def seen(self, name: str, value: Any) -> Seen:
        if type(value) is torch.Tensor and value.layout is torch.strided and value.device.type == "cpu":
            dtype, wire = SENT_AS.get(value.dtype, ("", None))
            if wire and value.numel() <= MAX_NUMBERS:
                numbers = value.detach().to(wire).contiguous().numpy()
                return Seen("Tensor", dtype, numbers.shape, "cpu", "strided", numbers)
        facts = super().seen(name, value)
        if facts["type"] != "Tensor":
            return Seen(facts["type"])
        shape, sent = tuple(facts["shape"]), self.sent.get(name)
        return Seen("Tensor", facts["dtype"], shape, facts["device"], facts["layout"], sent)
