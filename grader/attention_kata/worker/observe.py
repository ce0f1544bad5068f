"""Carrying out one script against a namespace and observing what happens."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import cache, partial
from types import FunctionType, MethodType
from typing import Any

import numpy as np
import torch
from torch import nn

from .load import describe
from .record import Recorder

MAX_NUMBERS = 1 << 16  # of one tensor sent back
MAX_AXES = 16
MAX_RESULTS = 8


class Refused(Exception):
    """The submission does not have what the script needs.  `facts` say what was found and expected."""

    def __init__(self, kind: str, **facts: Any):
        super().__init__(kind)
        self.kind, self.facts = kind, facts


def build_module(make: partial[Any], weights: Mapping[str, np.ndarray], dtype: torch.dtype, device: str) -> nn.Module:
    """The module that `make` gives, with `weights` loaded, in `dtype` on `device`, in eval mode."""
    module = make()
    if not isinstance(module, nn.Module):
        raise Refused("not-a-module", found=type(module).__name__[:80])
    load_weights(module.state_dict(keep_vars=True), weights)
    return place(module, dtype, device)


Builder = Callable[[partial[Any], Mapping[str, np.ndarray], torch.dtype, str], nn.Module]


def observe(
    namespace: Mapping[str, Any],
    script: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    files: set[str],
    builder: Builder = build_module,
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Run `script` (see attention_kata.key.script) -> (JSON report, arrays: results and gradients as float64)."""
    run = Run(namespace, script, arrays, builder)
    run.carry_out(files)
    return run.report, run.sent


class Run:
    def __init__(
        self,
        namespace: Mapping[str, Any],
        script: Mapping[str, Any],
        arrays: Mapping[str, np.ndarray],
        builder: Builder,
    ):
        self.namespace, self.script, self.arrays, self.builder = namespace, script, arrays, builder
        self.dtype = getattr(torch, script["dtype"])
        self.stage = "call"
        self.report: dict[str, Any] = {}
        self.sent: dict[str, np.ndarray] = {}
        self.inputs: dict[str, torch.Tensor] = {}
        self.layouts: dict[str, Mapping[str, Any]] = {}
        self.module: nn.Module | None = None
        self.loaded: list[str] = []  # names of its parameters whose weights were given
        self.results: list[Any] = []

    def carry_out(self, files: set[str]) -> None:
        start = time.perf_counter()
        try:
            self.steps()
            self.report["outcome"] = "returned"
            if self.script["upstream"]:
                self.stage = "backward"
                self.gradients()
            if self.script["purity"]:
                self.stage = "second call"
                self.purity()
        except Refused as refusal:
            self.report |= {"outcome": "refused", "refused": {"kind": refusal.kind, **refusal.facts}}
        except BaseException as error:  # the learner's SystemExit and KeyboardInterrupt are observations too
            self.report |= {"outcome": "raised", "error": describe(error, files, self.stage)}
        self.report["seconds"] = time.perf_counter() - start

    # ------------------------------------------------------------------ steps

    def steps(self) -> None:
        recorder = Recorder() if self.script["operations"] else None
        value: Any = None
        for step in self.script["steps"]:
            if step["op"] == "build":
                self.stage = "build"
                self.module = self.build(step)
                continue
            args, kwargs = self.arguments(step)
            function = self.function(step)
            _check_signature(step["target"], function, args, kwargs)
            self.stage = "call"
            with recorder or nullcontext():
                value = function(*args, **kwargs)
        self.results = _flatten(value)
        if recorder:
            self.report["functions"] = sorted(recorder.names)
            self.report["operations"] = recorder.operations
            self.report["largest"] = recorder.largest
        self.report["results"] = [self.seen(f"result/{i}", r) for i, r in enumerate(self.results)]

    def function(self, step: Mapping[str, Any]) -> Any:
        if step["op"] == "module":
            return self.module
        return _find(self.namespace, step["target"], "function")

    def arguments(self, step: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        args = [self.argument(a) for a in step["args"]]
        return args, {name: self.argument(a) for name, a in step["kwargs"].items()}

    def argument(self, argument: Mapping[str, Any]) -> Any:
        if "tensor" not in argument:
            return argument["value"]
        name = argument["tensor"]
        if name not in self.inputs:
            self.layouts[name] = argument
            self.inputs[name] = self.tensor(name)
        return self.inputs[name]

    def tensor(self, name: str) -> torch.Tensor:
        """A fresh input, with the memory layout it was drawn with."""
        tensor = torch.from_numpy(self.arrays[name].copy())
        if tensor.is_floating_point():
            tensor = tensor.to(self.dtype)
        tensor = lay_out(tensor.to(self.script["device"]), self.layouts[name])
        return tensor.requires_grad_(tensor.is_floating_point() and bool(self.script["upstream"]))

    def build(self, step: Mapping[str, Any]) -> nn.Module:
        cls = _find(self.namespace, step["target"], "class")
        args, kwargs = self.arguments(step)
        if inspect.isclass(cls):
            _check_signature(step["target"], cls, args, kwargs)
        self.loaded = list(step["weights"])
        weights = {name: self.arrays[key] for name, key in step["weights"].items()}
        return self.builder(partial(cls, *args, **kwargs), weights, self.dtype, self.script["device"])

    # ------------------------------------------------------------------ observations

    def seen(self, name: str, value: Any) -> Any:
        """Describe a result, in JSON; its numbers go to `sent` as float64, int64 or bool."""
        if not isinstance(value, torch.Tensor):
            name = type(value).__name__[:80]
            return {"type": name if name != "Tensor" else "Tensor of another library"}
        with torch._C.DisableTorchFunctionSubclass():
            plain = value.detach()
            if type(plain) is not torch.Tensor:  # a sparse tensor could not be turned into what it is
                plain = plain.as_subclass(torch.Tensor)
        facts = {
            "type": "Tensor",
            "dtype": str(plain.dtype).removeprefix("torch."),
            "shape": list(plain.shape)[:MAX_AXES],
            "device": plain.device.type,
            "layout": str(plain.layout).removeprefix("torch."),
        }
        dense = plain.layout is torch.strided and plain.device.type == "cpu" and not plain.is_quantized
        if dense and not plain.is_complex() and plain.numel() <= MAX_NUMBERS and plain.dim() <= MAX_AXES:
            wire = (
                torch.bool if plain.dtype == torch.bool else torch.float64 if plain.is_floating_point() else torch.int64
            )
            self.sent[name] = plain.to(wire).contiguous().numpy()
        return facts

    def gradients(self) -> None:
        """Gradients of sum(result * upstream) with respect to each floating input and loaded parameter."""
        loss = None
        for result, key in zip(self.results, self.script["upstream"], strict=False):
            if key is None or not isinstance(result, torch.Tensor) or not result.requires_grad:
                continue
            upstream = torch.from_numpy(self.arrays[key].copy()).to(result.dtype)
            if upstream.shape == result.shape:
                term = (result * upstream).sum()
                loss = term if loss is None else loss + term
        leaves = {name.split("/", 1)[1]: t for name, t in self.inputs.items() if t.requires_grad}
        if self.module is not None:  # a layer may have a second name, and come first under that one
            named = dict(self.module.named_parameters(remove_duplicate=False))
            leaves |= {name: named[name] for name in self.loaded if name in named and named[name].requires_grad}
        found: Any = [None] * len(leaves)
        if loss is not None and leaves:
            found = _gradients(loss, list(leaves.values()))
        self.report["gradients"] = {
            name: None if gradient is None else self.seen(f"gradient/{name}", gradient)
            for name, gradient in zip(leaves, found, strict=True)
        }

    def purity(self) -> None:
        """Which inputs changed; whether a second call, and a second instance, give the same again."""
        fresh = {name: self.tensor(name) for name in self.inputs}
        self.report["changed"] = [
            name.split("/", 1)[1] for name, t in self.inputs.items() if not _same(t, fresh[name]) or t._version > 0
        ]
        first = [r.detach().clone() if isinstance(r, torch.Tensor) else r for r in self.results]
        *before, last = self.script["steps"]
        args, kwargs = self.arguments(last)
        again = _flatten(self.function(last)(*args, **kwargs))
        self.report["repeats"] = _all_same(first, again)
        if before and before[-1]["op"] == "build":
            self.inputs, self.builder = fresh, build_module  # a module of its own, whoever built the first
            self.module = self.build(before[-1])
            args, kwargs = self.arguments(last)
            self.report["instances"] = _all_same(first, _flatten(self.function(last)(*args, **kwargs)))


@cache
def start_meta_device() -> None:
    """What torch imports when the meta device is first used, a second's work: not on the submission's clock."""
    x = torch.ones(2, 2, device="meta")
    torch.where(x > 0, x, 0.0).softmax(-1)


# ---------------------------------------------------------------------- helpers


def _gradients(loss: torch.Tensor, leaves: list[torch.Tensor]) -> list[torch.Tensor | None]:
    try:
        return list(torch.autograd.grad(loss, leaves, allow_unused=True, retain_graph=True))
    except RuntimeError as error:
        if "use_reentrant" not in str(error):
            raise
    for leaf in leaves:  # torch.utils.checkpoint can do it this way only
        leaf.grad = None
    loss.backward()  # type: ignore[no-untyped-call]
    return [leaf.grad for leaf in leaves]


def _find(namespace: Mapping[str, Any], target: str, kind: str) -> Any:
    if target not in namespace:
        raise Refused("missing", expected=kind)
    found = namespace[target]
    if not callable(found):
        raise Refused("not-callable", expected=kind, found=type(found).__name__[:80])
    return found


def _check_signature(target: str | None, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """A call that cannot fit is told apart from a TypeError inside the learner's code."""
    called = function.forward if isinstance(function, nn.Module) else function
    if _takes(called, args, kwargs):
        return
    try:
        signature = inspect.signature(called)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        if _outermost_takes(called, args, kwargs):
            return
        name = target or "forward"
        given = len(args) + len(kwargs)
        raise Refused(
            "signature", found=f"{name}{signature}"[:200], expected=str(given), message=str(error)[:200]
        ) from None


def _outermost_takes(function: Any, args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Whether what wraps a function takes other arguments than that says, and these."""
    own = inspect.signature(function, follow_wrapped=False)
    anything = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    if any(parameter.kind in anything for parameter in own.parameters.values()):
        return False  # it hands on whatever it is given
    try:
        own.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def lay_out(tensor: torch.Tensor, layout: Mapping[str, Any]) -> torch.Tensor:
    """The same numbers, in memory as attention_kata.key.script has written it down."""
    if layout.get("spaced"):
        spaced = tensor.new_zeros(*tensor.shape[:-1], 2 * tensor.shape[-1])[..., 1::2]
        tensor = spaced.copy_(tensor).data  # as an input that nobody has written to yet
    tensor = tensor.permute(layout["axes"])
    return tensor.expand(layout["expanded"]) if "expanded" in layout else tensor


def _takes(function: Any, args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Whether a function that is a plain one can be called so, for sure: what inspect finds out takes far longer."""
    given, kind = len(args), type(function)
    if kind is type and function.__new__ is object.__new__:
        function, given = function.__init__, given + 1
    elif kind is MethodType:
        function, given = function.__func__, given + 1
    if kwargs or type(function) is not FunctionType or vars(function):  # decorated, perhaps
        return False
    code, optional = function.__code__, len(function.__defaults__ or ())
    return not code.co_kwonlyargcount and code.co_argcount - optional <= given <= code.co_argcount


def place(module: nn.Module, dtype: torch.dtype, device: str) -> nn.Module:
    if type(module).to is nn.Module.to:
        return module.to(device, dtype).eval()
    return module.to(dtype).to(device).eval()  # the learner's may take one at a time


def load_weights(own: Mapping[str, torch.Tensor], weights: Mapping[str, np.ndarray]) -> None:
    """Load by name.  Extra parameters and buffers are the learner's business; missing ones are not."""
    missing = [name for name in weights if name not in own]
    shapes = [
        {"name": name, "found": list(own[name].shape)[:8], "expected": list(weights[name].shape)}
        for name in weights
        if name in own and tuple(own[name].shape) != weights[name].shape
    ]
    if missing or shapes:
        raise Refused("layers", missing=missing[:20], shapes=shapes[:20], found=sorted(own)[:20])
    with torch.no_grad():
        for name, array in weights.items():
            own[name].copy_(torch.from_numpy(array.copy()))


def _flatten(value: Any) -> list[Any]:
    """Results as a list; tuples, named tuples and lists of tensors count as several results."""
    if isinstance(value, tuple) or (isinstance(value, list) and any(isinstance(v, torch.Tensor) for v in value)):
        return list(value)[:MAX_RESULTS]
    return [value]


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.device.type == "meta" or a.shape != b.shape or a.dtype != b.dtype:
        return a.shape == b.shape and a.dtype == b.dtype
    return np.allclose(_numbers(a), _numbers(b), rtol=1e-6, atol=1e-9, equal_nan=True)


def _numbers(t: torch.Tensor) -> np.ndarray:
    t = t.detach().to_dense() if t.layout is not torch.strided else t.detach()
    return t.to(torch.complex128 if t.is_complex() else torch.float64).resolve_conj().numpy()


def _all_same(first: list[Any], again: list[Any]) -> bool:
    return len(first) == len(again) and all(
        _same(a, b) if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) else type(a) is type(b)
        for a, b in zip(first, again, strict=True)
    )
