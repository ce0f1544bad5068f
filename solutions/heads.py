"""Splitting tokens into heads and merging heads into tokens: references, variants and checks."""

import numpy as np
import torch

from attention_kata.authoring import (
    Case,
    Check,
    Mechanism,
    Promise,
    Script,
    Solution,
    any_input,
    call,
    corner,
    example,
    writings,
)

B, H, T, D_K = 2, 3, 4, 8
D = H * D_K


# ---------------------------------------------------------------------- references


def split_heads(x, n_heads):
    B, T, D = x.shape
    if D % n_heads:
        raise ValueError(f"{n_heads} heads cannot share {D} features evenly")
    return x.view(B, T, n_heads, D // n_heads).transpose(1, 2)  # (B, H, T, d_k)


def merge_heads(x):
    B, H, T, d_k = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d_k)


# ---------------------------------------------------------------------- split_heads


def _split_by_mechanism(*, division, arrange):
    def variant(x, n_heads):
        x, H = division(x, n_heads)
        return arrange(x, H, x.size(-1) // H)

    return variant


def _refused(x, H):
    if x.size(-1) % H:
        raise ValueError(f"{H} heads cannot share {x.size(-1)} features evenly")
    return x, H


def _asserted(x, H):
    assert x.size(-1) % H == 0
    return x, H


def _refused_in_general(x, H):
    if x.size(-1) % H:
        raise Exception
    return x, H


def _cut_anyway(cut):
    """Nobody asks whether the heads fit; if not, `cut` (x, H, D // H) -> (B, T, H, d_k) is what happens.

    Most cuts fail, each with a message of torch's own.  The others take the wrong number of something.
    """

    def division(x, H):
        if x.size(-1) % H == 0:
            return x, H
        pieces = cut(x, H, x.size(-1) // H)
        return pieces.flatten(2), pieces.size(2)

    return division


def _collected_on_the_cpu(x, H, d_k):
    heads = torch.empty(0)
    for features in x.split(d_k, -1):
        heads = torch.cat([heads, features.unsqueeze(1)], 1)
    return heads


_DIVISION = Mechanism(
    "division",
    "heads that do not fit",
    right={"ValueError": _refused},
    mistakes={
        "split-heads-not-divisible": writings(
            _cut_anyway(lambda x, H, d_k: x.reshape(*x.shape[:2], H, d_k)),
            _cut_anyway(lambda x, H, d_k: x.reshape(x.size(0), -1, H, d_k)),  # another T, if the sizes allow it
            _cut_anyway(lambda x, H, d_k: x.reshape(*x.shape[:2], H, -1)),
            _cut_anyway(lambda x, H, d_k: x.reshape(*x.shape[:2], -1, d_k)),  # as many heads as fit
            _cut_anyway(lambda x, H, d_k: x[..., : H * d_k].unflatten(-1, (H, d_k))),  # the rest is lost
            _cut_anyway(lambda x, H, d_k: x.reshape(x.size(0), H, x.size(1), d_k).reshape(x.size(0), -1, H, d_k)),
            _cut_anyway(lambda x, H, d_k: x.reshape(x.size(0), H, -1, d_k).reshape(x.size(0), -1, H, d_k)),
            _cut_anyway(lambda x, H, d_k: x.reshape(x.size(0) * H, -1, d_k).reshape(x.size(0), -1, H, d_k)),
            _cut_anyway(lambda x, H, d_k: x.unflatten(-1, (H, d_k))),
            _cut_anyway(lambda x, H, d_k: x.unflatten(-1, (H, -1))),
            _cut_anyway(lambda x, H, d_k: torch.stack(x.chunk(H, -1), 2)),
            _asserted,
            _refused_in_general,
        ),
    },
)

_SPLIT = Mechanism(
    "arrange",
    "which number goes to which head",
    right={
        "features cut, then heads before tokens": lambda x, H, d_k: x.unflatten(-1, (H, d_k)).transpose(1, 2),
        "slices stacked": lambda x, H, d_k: torch.stack(x.split(d_k, -1), 1),
    },
    mistakes={
        "split-view-only": writings(
            lambda x, H, d_k: x.reshape(x.size(0), H, x.size(1), d_k),
            lambda x, H, d_k: x.view(x.size(0), H, x.size(1), d_k),
        ),
        "split-folded-into-batch": writings(
            lambda x, H, d_k: x.reshape(x.size(0) * H, x.size(1), d_k),
            lambda x, H, d_k: x.view(x.size(0) * H, x.size(1), d_k),
            lambda x, H, d_k: x.view(x.size(0) * H, -1, d_k).view(x.size(0), H, -1, d_k),
        ),
        "split-strided-features": lambda x, H, d_k: x.unflatten(-1, (d_k, H)).permute(0, 3, 1, 2),
        "split-heads-first": writings(
            lambda x, H, d_k: x.unflatten(-1, (H, d_k)).permute(2, 0, 1, 3),
            lambda x, H, d_k: torch.cat(x.split(d_k, -1), 0),  # (H * B, T, d_k)
        ),
        "mask-on-wrong-device": _collected_on_the_cpu,
    },
)


def _split_case(id, *shape, heads):
    return Case(id, lambda s: Script((call("split_heads", s.normal(*shape), heads),)))


_SPLIT_PLAIN = _split_case("plain", B, T, D, heads=H)
_SPLIT_GRADIENT = Case(
    "gradient",
    lambda s: Script((call("split_heads", s.normal(B, T, D), H),), upstream=(s.normal(B, H, T, D_K),)),
)
_SPLIT_TRANSPOSED = Case(  # a view of (T, B, D): samples are not contiguous in memory
    "transposed",
    lambda s: Script((call("split_heads", s.normal(T, B, D).transpose(1, 0, 2), H),)),
)
_SPLIT_FEATURES_FIRST = Case(  # a view of (B, D, T)
    "features first in memory",
    lambda s: Script((call("split_heads", s.normal(B, D, T).transpose(0, 2, 1), H),)),
)


def _split_by_loop(x, n_heads):
    _refused(x, n_heads)
    B, T, D = x.shape
    d_k = D // n_heads
    result = torch.zeros(B, n_heads, T, d_k, dtype=x.dtype, device=x.device)
    for h in range(n_heads):
        result[:, h] = x[:, :, h * d_k : (h + 1) * d_k]
    return result


def _split_by_literal_view(x, n_heads):
    batch_size, _, d_model = x.size()
    if d_model % n_heads != 0:
        raise ValueError("d_model must be divisible by n_heads")
    d_k = int(d_model / n_heads)
    return x.view(batch_size, -1, n_heads, d_k).transpose(1, 2).contiguous()


def _split_by_chunks(x, n_heads):
    _refused(x, n_heads)
    return torch.cat([chunk.unsqueeze(1) for chunk in torch.chunk(x, n_heads, dim=2)], dim=1)


def _split_by_index(x, n_heads):
    _refused(x, n_heads)
    columns = torch.arange(x.size(-1), device=x.device).view(n_heads, 1, -1)  # (H, 1, d_k)
    rows = torch.arange(x.size(1), device=x.device).view(1, -1, 1)  # (1, T, 1)
    return x[:, rows, columns]


def _split_sample_by_sample(x, n_heads):
    _refused(x, n_heads)
    return torch.stack([torch.stack(sample.chunk(n_heads, dim=-1)) for sample in x])


def _split_with_own_error(x, n_heads):
    if x.shape[2] / n_heads != x.shape[2] // n_heads:
        raise ValueError
    return torch.einsum("bthd->bhtd", x.reshape(*x.shape[:2], n_heads, -1))


def _any_sizes(s):
    """(B, H, T, d_k): at most one of them large; often two are the same."""
    sizes = [s.size() for _ in range(4)]
    match s.choice(("", "", "large", "same", "same")):
        case "large":
            sizes[s.integer(0, 3)] = s.large()
        case "same":
            sizes[s.integer(0, 3)] = sizes[s.integer(0, 3)]
    return sizes


def _moved(s, target, x, *args, result):
    """A call of `target` with any layout of x, in either dtype, with gradients or without, perhaps after another."""
    asked = s.choice(("", "gradient", "purity", "float32"))
    before = (call(target, x + 1.0, *args),) if s.chance(0.3) else ()
    return Script(
        (*before, call(target, s.laid_out(x), *args)),
        dtype="float32" if asked == "float32" else "float64",
        upstream=(s.normal(*result),) if asked == "gradient" else (),
        purity=asked == "purity",
    )


def _any_split(s):
    B, H, T, d_k = _any_sizes(s)
    if s.chance(0.15) and H > 1:
        return Script((call("split_heads", s.entries(B, T, H * d_k + s.integer(1, H - 1)), H),))
    return _moved(s, "split_heads", s.entries(B, T, H * d_k), H, result=(B, H, T, d_k))


_SPLIT_CORNERS = (
    corner("70 tokens", lambda s: Script((call("split_heads", s.normal(1, 70, 6), 2),))),
    corner("12 heads of 6", lambda s: Script((call("split_heads", s.normal(2, 2, 72), 12),))),
    corner("a single number", lambda s: Script((call("split_heads", s.normal(1, 1, 1), 1),))),
    corner("4 heads, 6 features", lambda s: Script((call("split_heads", s.normal(1, 2, 6), 4),))),
    corner("all the same", lambda s: Script((call("split_heads", s.normal(3, 3, 9), 3),))),
)


def _x(use):
    return use.steps[-1].args[0]


_LAYOUTS = {
    "axes in another order": lambda use: _x(use).strides != tuple(sorted(_x(use).strides, reverse=True)),
    "every second number": lambda use: _x(use).size > 1 and not _x(use).flags.forc and 0 not in _x(use).strides,
    "one sample expanded": lambda use: 0 in _x(use).strides and _x(use).size > 1,
}

_SPLIT_PROMISES = (
    Promise(
        "x (B, T, D) -> (B, H, T, d_k), with H = n_heads and d_k = D / H",
        ("shape",),
        {
            "T = H": lambda use: _x(use).shape[1] == use.steps[-1].args[1] > 1,
            "B = H": lambda use: _x(use).shape[0] == use.steps[-1].args[1] > 1,
            "more than 64 tokens": lambda use: _x(use).shape[1] > 64,
            "more than 64 features": lambda use: _x(use).shape[2] > 64,
            "many heads": lambda use: use.steps[-1].args[1] > 7,
        },
    ),
    Promise("Head 0 owns the first d_k features of every token", ("values",)),
    Promise(
        "When H does not divide D, raise a ValueError",
        ("division",),
        {"such a number": lambda use: _x(use).shape[2] % use.steps[-1].args[1] > 0},
    ),
    Promise("(n_heads is at least 1.)", (), {"1": lambda use: use.steps[-1].args[1] == 1}),
    Promise(
        "Any size may be 1",
        ("ones",),
        {
            "one sample": lambda use: _x(use).shape[0] == 1,
            "one token": lambda use: _x(use).shape[1] == 1,
            "one feature each": lambda use: _x(use).shape[2] == use.steps[-1].args[1],
        },
    ),
    Promise("The result always has four axes", ("ones",)),
    Promise("x may lie in memory in any order, for instance after a transpose", ("layout",), _LAYOUTS),
    Promise(
        "The result has the dtype and the device of x, and gradients flow back to x",
        ("float32", "device", "gradient"),
        {"float32": lambda use: use.dtype == "float32", "gradients": lambda use: bool(use.upstream)},
    ),
    Promise("x itself stays as it is", ("purity",), {"watched": lambda use: use.purity}),
    Promise("The result may share its memory", ("values",)),
)


_TOKENS = np.arange(1.0, 13).reshape(1, 3, 4)
_SPLIT_EXAMPLE = Case("example", lambda s: Script((call("split_heads", _TOKENS.copy(), 2),)))


SPLIT_HEADS = Solution(
    "split_heads",
    points=8,
    summary="give each head its slice of every token",
    reference=split_heads,
    variant=_split_by_mechanism,
    mechanisms=(_DIVISION, _SPLIT),
    cases=(
        _SPLIT_EXAMPLE,
        _SPLIT_PLAIN,
        _split_case("other sizes", 5, 3, 14, heads=2),
        _split_case("one head, one token", 1, 1, 6, heads=1),
        _split_case("one feature each", 1, 1, 3, heads=3),
        _split_case("5 heads, 24 features", B, T, D, heads=5),
        _split_case("7 heads, 24 features", B, 7, D, heads=7),
        _SPLIT_TRANSPOSED,
        _SPLIT_FEATURES_FIRST,
        _SPLIT_GRADIENT,
        _SPLIT_PLAIN.having("float32", dtype="float32"),
        _SPLIT_PLAIN.having("purity", purity=True),
        _SPLIT_PLAIN.having("meta", device="meta"),
        *_SPLIT_CORNERS,
    ),
    checks=(
        example(0.5),
        Check("shape", "(B, T, D) becomes (B, H, T, d_k)", "shape", 1, ("plain", "other sizes"), "shape"),
        Check("values", "every head holds its slice of every token", "values", 1, ("plain", "other sizes")),
        Check("ones", "axes of size 1 stay", "robustness", 0.5, ("one head, one token", "one feature each")),
        Check(
            "division",
            "a ValueError when the heads do not divide the features",
            "robustness",
            1.5,
            ("5 heads, 24 features", "7 heads, 24 features"),
            "raises",
            "ValueError",
        ),
        Check("layout", "any order in memory", "robustness", 1, ("transposed", "features first in memory")),
        Check("gradient", "gradients reach x", "gradient", 0.5, ("gradient",), "gradient"),
        Check("float32", "works in float32", "robustness", 0.5, ("float32",)),
        Check("purity", "leaves x as it is", "robustness", 0.5, ("purity",), "purity"),
        Check("device", "stays on the device of x", "robustness", 0.5, ("meta",), "device"),
        any_input(0.5, *_SPLIT_CORNERS),
    ),
    domain=_any_split,
    promises=_SPLIT_PROMISES,
    hints=(
        "Two different moves are needed: first the D features of each token are cut into H groups, and only then "
        "are axes exchanged. A single reshape cannot do both.",
        "Cut the last axis alone: what is the shape after that, and is every token still in one piece? Then "
        "compare that shape with the one asked for. And what is the remainder when the heads do not fit?",
        "Look at the remainder of D by n_heads first and raise when it is not 0. View x as (B, T, H, d_k): only "
        "the last axis is cut. Then exchange axes 1 and 2.",
    ),
    axes={"B": B, "H": H, "T": T, "d_k": D_K, "D": D},
    returns=("heads",),
    also_right={
        "slice by slice into zeros": _split_by_loop,
        "view with an inferred length": _split_by_literal_view,
        "chunks side by side": _split_by_chunks,
        "by index": _split_by_index,
        "sample by sample": _split_sample_by_sample,
        "einsum, an error of its own": _split_with_own_error,
    },
)


# ---------------------------------------------------------------------- merge_heads


def _merge_by_mechanism(*, arrange):
    return lambda x: arrange(x, *x.shape)


_MERGE = Mechanism(
    "arrange",
    "which number goes to which token",
    right={
        "tokens before heads, then flattened": lambda x, B, H, T, d_k: x.permute(0, 2, 1, 3).flatten(2),
        "heads side by side": lambda x, B, H, T, d_k: torch.cat(x.unbind(1), -1),
    },
    mistakes={
        "merge-no-transpose": writings(
            lambda x, B, H, T, d_k: x.reshape(B, T, H * d_k),
            lambda x, B, H, T, d_k: x.view(B, T, H * d_k),
        ),
        "merge-head-batch-swapped": writings(
            lambda x, B, H, T, d_k: x.reshape(H, B, T, d_k).permute(1, 2, 0, 3).flatten(2),
            lambda x, B, H, T, d_k: x.view(H, B, T, d_k).permute(1, 2, 0, 3).flatten(2),
            lambda x, B, H, T, d_k: x.permute(1, 2, 0, 3).flatten(2),  # x is taken for (H, B, T, d_k)
        ),
        "merge-strided-features": lambda x, B, H, T, d_k: x.permute(0, 2, 3, 1).flatten(2),
        "merge-view-not-contiguous": lambda x, B, H, T, d_k: x.transpose(1, 2).view(B, T, H * d_k),
        "merge-sums-heads": writings(
            lambda x, B, H, T, d_k: x.sum(1),
            lambda x, B, H, T, d_k: x.mean(1),
            lambda x, B, H, T, d_k: x.amax(1),
        ),
        "mask-on-wrong-device": lambda x, B, H, T, d_k: torch.cat([torch.empty(0), *x.unbind(1)], -1),
    },
)


def _merge_case(id, *shape):
    return Case(id, lambda s: Script((call("merge_heads", s.normal(*shape)),)))


_MERGE_PLAIN = _merge_case("plain", B, H, T, D_K)
_MERGE_GRADIENT = Case(
    "gradient",
    lambda s: Script((call("merge_heads", s.normal(B, H, T, D_K)),), upstream=(s.normal(B, T, D),)),
)
_MERGE_SPLIT = Case(  # laid out as a split leaves it: a view of (B, T, H, d_k)
    "split result",
    lambda s: Script((call("merge_heads", s.normal(B, T, H, D_K).transpose(0, 2, 1, 3)),)),
)
_MERGE_HEADS_FIRST = Case(  # a view of (H, B, T, d_k), as heads computed one by one and stacked
    "heads first in memory",
    lambda s: Script((call("merge_heads", s.normal(H, B, T, D_K).transpose(1, 0, 2, 3)),)),
)


def _merge_by_loop(x):
    B, H, T, d_k = x.shape
    result = torch.empty(B, T, H * d_k, dtype=x.dtype, device=x.device)
    for h in range(H):
        result[:, :, h * d_k : (h + 1) * d_k] = x[:, h]
    return result


def _merge_by_literal_view(x):
    batch_size, h, _, d_k = x.size()
    return x.transpose(1, 2).contiguous().view(batch_size, -1, h * d_k)


def _merge_token_by_token(x):
    return torch.stack([torch.stack([sample[:, t].reshape(-1) for t in range(x.size(2))]) for sample in x])


def _merge_by_slots(x):
    """A sum of heads, each put into its own slot of a row of zeros."""
    d_k, width = x.size(-1), x.size(1) * x.size(-1)
    slots = [torch.nn.functional.pad(head, (h * d_k, width - (h + 1) * d_k)) for h, head in enumerate(x.unbind(1))]
    return sum(slots)


def _any_merge(s):
    B, H, T, d_k = _any_sizes(s)
    return _moved(s, "merge_heads", s.entries(B, H, T, d_k), result=(B, T, H * d_k))


_MERGE_CORNERS = (
    corner("70 tokens", lambda s: Script((call("merge_heads", s.normal(1, 2, 70, 3)),))),
    corner("70 heads of 1", lambda s: Script((call("merge_heads", s.normal(1, 70, 2, 1)),))),
    corner("a single number", lambda s: Script((call("merge_heads", s.normal(1, 1, 1, 1)),))),
    corner("all the same", lambda s: Script((call("merge_heads", s.normal(3, 3, 3, 3)),))),
)


_MERGE_PROMISES = (
    Promise(
        "x (B, H, T, d_k) -> (B, T, D), with D = H * d_k",
        ("shape",),
        {
            "T = H": lambda use: _x(use).shape[1] == _x(use).shape[2] > 1,
            "B = H": lambda use: _x(use).shape[0] == _x(use).shape[1] > 1,
            "more than 64 tokens": lambda use: _x(use).shape[2] > 64,
            "many heads": lambda use: _x(use).shape[1] > 7,
        },
    ),
    Promise("Row t of the result holds token t as head 0 sees it", ("values",)),
    Promise(
        "Any size may be 1",
        ("ones",),
        {name: lambda use, axis=axis: _x(use).shape[axis] == 1 for axis, name in enumerate(("B", "H", "T", "d_k"))},
    ),
    Promise("The result always has three axes", ("ones",)),
    Promise("x may lie in memory in any order", ("layout",), _LAYOUTS),
    Promise("merging what a split returned must work", ("layout",)),
    Promise(
        "The result has the dtype and the device of x, and gradients flow back to x",
        ("float32", "device", "gradient"),
        {"float32": lambda use: use.dtype == "float32", "gradients": lambda use: bool(use.upstream)},
    ),
    Promise("x itself stays as it is", ("purity",), {"watched": lambda use: use.purity}),
    Promise("The result may share its memory", ("values",)),
)


_MERGE_EXAMPLE = Case(
    "example", lambda s: Script((call("merge_heads", _TOKENS.reshape(1, 3, 2, 2).transpose(0, 2, 1, 3).copy()),))
)


MERGE_HEADS = Solution(
    "merge_heads",
    points=7,
    summary="set the heads of each token side by side again",
    reference=merge_heads,
    variant=_merge_by_mechanism,
    mechanisms=(_MERGE,),
    cases=(
        _MERGE_EXAMPLE,
        _MERGE_PLAIN,
        _merge_case("other sizes", 5, 2, 3, 7),
        _merge_case("one head, one token", 1, 1, 1, 6),
        _merge_case("one feature each", 1, 3, 1, 1),
        _MERGE_SPLIT,
        _MERGE_HEADS_FIRST,
        _MERGE_GRADIENT,
        _MERGE_PLAIN.having("float32", dtype="float32"),
        _MERGE_PLAIN.having("purity", purity=True),
        _MERGE_PLAIN.having("meta", device="meta"),
        *_MERGE_CORNERS,
    ),
    checks=(
        example(0.5),
        Check("shape", "(B, H, T, d_k) becomes (B, T, D)", "shape", 1, ("plain", "other sizes"), "shape"),
        Check("values", "every row holds one token, head by head", "values", 1, ("plain", "other sizes")),
        Check("ones", "axes of size 1 stay", "robustness", 0.5, ("one head, one token", "one feature each")),
        Check("layout", "any order in memory", "robustness", 1.5, ("split result", "heads first in memory")),
        Check("gradient", "gradients reach x", "gradient", 0.5, ("gradient",), "gradient"),
        Check("float32", "works in float32", "robustness", 0.5, ("float32",)),
        Check("purity", "leaves x as it is", "robustness", 0.5, ("purity",), "purity"),
        Check("device", "stays on the device of x", "robustness", 0.5, ("meta",), "device"),
        any_input(0.5, *_MERGE_CORNERS),
    ),
    domain=_any_merge,
    promises=_MERGE_PROMISES,
    hints=(
        "Do what split_heads does, backwards and in the opposite order. Which of its two moves was the last?",
        "All heads of one token must become neighbours before two axes can be made one. Which axis has to stand next "
        "to d_k for that?",
        "Exchange axes 1 and 2, which gives (B, T, H, d_k), then make one axis of the last two. After the "
        "exchange the numbers are no longer in order in memory, so choose a call that copies when it must.",
    ),
    axes={"B": B, "H": H, "T": T, "d_k": D_K, "D": D},
    returns=("merged",),
    also_right={
        "transpose, contiguous, view": _merge_by_literal_view,
        "head by head into an empty tensor": _merge_by_loop,
        "list of heads": lambda x: torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1),
        "token by token": _merge_token_by_token,
        "einsum": lambda x: torch.einsum("bhtd->bthd", x).flatten(start_dim=2),
        "a sum of padded heads": _merge_by_slots,
        "movedim": lambda x: torch.movedim(x, 1, -2).reshape(x.shape[0], x.shape[2], -1),
    },
)

EXERCISES = (SPLIT_HEADS, MERGE_HEADS)
