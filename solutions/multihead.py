"""Multi-head attention, once in loops and once without: references, variants and checks.

Both exercises share most of their mechanisms.  The variant of the loop version differs from that of the
other in having no mask and in taking the softmax of one (T, S) matrix at a time.
"""

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from attention_kata.authoring import (
    MOST,
    Build,
    Call,
    Case,
    Check,
    Mechanism,
    Promise,
    Script,
    Solution,
    any_input,
    build,
    corner,
    example,
    steepness,
    writings,
)

B, H, T, S, D_K = 2, 3, 5, 7, 8
D = H * D_K
_AXES = {"B": B, "H": H, "T": T, "S": S, "D": D, "d_k": D_K}
_LOOP_LAYERS = ("wq", "wk", "wv", "wz")
_FULL_LAYERS = ("W_q", "W_k", "W_v", "W_o")
_FINISHED = ("scaled_dot_product_attention", "multi_head_attention_forward", "native_multi_head_attention")


# ---------------------------------------------------------------------- references


class LoopMultiHeadAttention(nn.Module):
    def __init__(self, embedding_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.d_k = embedding_dim // num_heads
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, q, k, v):
        Q, K, V = self.wq(q), self.wk(k), self.wv(v)  # (B, T, D), (B, S, D), (B, S, D)
        contexts = [self._attend(*sequence) for sequence in zip(Q, K, V, strict=True)]
        return self.wz(torch.stack(contexts))  # (B, T, D)

    def _attend(self, Q, K, V):
        """One sequence, head by head: (T, D), (S, D), (S, D) -> (T, D)."""
        heads = []
        for h in range(self.num_heads):
            own = slice(h * self.d_k, (h + 1) * self.d_k)
            scores = Q[:, own] @ K[:, own].T / sqrt(self.d_k)  # (T, S)
            heads.append(scores.softmax(-1) @ V[:, own])  # (T, d_k)
        return torch.cat(heads, dim=-1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        Q = self._split(self.W_q(query))  # (B, H, T, d_k)
        K = self._split(self.W_k(key))  # (B, H, S, d_k)
        V = self._split(self.W_v(value))  # (B, H, S, d_k)
        scores = Q @ K.mT / sqrt(self.d_k)  # (B, H, T, S)
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)  # (B, H, T, S)
        return self.W_o(self._merge(weights @ V)), weights

    def _split(self, x):
        return x.unflatten(-1, (self.n_heads, self.d_k)).transpose(1, 2)  # (B, T, D) -> (B, H, T, d_k)

    def _merge(self, x):
        return x.transpose(1, 2).flatten(-2)  # (B, H, T, d_k) -> (B, T, D)


# ---------------------------------------------------------------------- variants


def _loop_variant(
    *, layers, sources, samples, split, merge, product, divisor, scaling, axis, form, graph, weigh, kept,
    output,
):  # fmt: skip
    class Variant(nn.Module):
        def __init__(self, embedding_dim, num_heads):
            super().__init__()
            self.num_heads, self.d_k = num_heads, embedding_dim // num_heads
            self.width = embedding_dim
            layers.make(self, _LOOP_LAYERS, embedding_dim, num_heads, self.width)

        def forward(self, q, k, v):
            if scaling is _query_in_place:
                q /= sqrt(self.d_k)
            inputs = {"q": samples.before(q), "k": samples.before(k), "v": samples.before(v)}
            B, T, _ = inputs["q"].shape
            made = _project(self, _LOOP_LAYERS, layers, sources, inputs)
            Q, K, V = (split.apart(x, self.num_heads, self.d_k, T) for x in made)  # (B, H, T, d_k)
            turns = [(b, h) for b in range(len(Q)) for h in range(self.num_heads)]
            heads = [self.attend(Q[b, h], K[b, h], V[b, h], turn) for turn, (b, h) in enumerate(turns, 1)]
            context = kept(heads).view(len(Q), self.num_heads, *heads[0].shape)  # (B, H, T, d_k)
            merged = (split.together or merge)(context, B, self.width)
            return samples.after(output(lambda x: layers.use_last(self.wz, x), merged, self.num_heads))

        def attend(self, q, k, v, turn):
            """One head of one sequence: (T, d_k), (S, d_k), (S, d_k) -> (T, d_k)."""
            sizes = _Sizes(self.d_k, self.width, self.num_heads, k.size(-2))
            scores = scaling(product(q, k), divisor(sizes), turn)  # (T, S)
            weights = graph(scores, lambda s: axis(s, form), None)
            if scaling is _after_softmax:
                weights = weights / divisor(sizes)
            return weigh(weights, v)

    return Variant


def _variant(
    *, layers, sources, samples, split, merge, product, divisor, scaling, reading, hidden, fill, dead, axis,
    form, graph, weigh, output, returned,
):  # fmt: skip
    class Variant(nn.Module):
        def __init__(self, d_model, n_heads):
            super().__init__()
            self.n_heads, self.d_k = n_heads, d_model // n_heads
            self.width = d_model
            layers.make(self, _FULL_LAYERS, d_model, n_heads, self.width)

        def forward(self, query, key, value, mask=None):
            if scaling is _query_in_place:
                query /= sqrt(self.d_k)
            inputs = {"q": samples.before(query), "k": samples.before(key), "v": samples.before(value)}
            B, T, _ = inputs["q"].shape
            made = _project(self, _FULL_LAYERS, layers, sources, inputs)
            Q, K, V = (split.apart(x, self.n_heads, self.d_k, T) for x in made)  # (B, H, T, d_k)
            sizes = _Sizes(self.d_k, self.width, self.n_heads, K.size(-2))

            raw = product(Q, K)  # (B, H, T, S)
            scores = scaling(raw, divisor(sizes), 1)
            mask = None if mask is None else reading(mask, self.n_heads)
            closed = None if mask is None else hidden(mask)
            if mask is not None:
                scores = dead(fill(scores, closed, raw), closed)
            weights = graph(scores, lambda s: axis(s, form), closed)
            if mask is not None and fill in (_weights_multiplied, _weights_shared_out):
                weights = weights * ~closed
            if mask is not None and fill is _weights_shared_out:
                weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-12)
            if scaling is _after_softmax:
                weights = weights / divisor(sizes)

            context = weigh(weights, V)
            if scaling is _after_weighing:
                context = context / divisor(sizes)
            merged = (split.together or merge.context)(context, B, self.width)
            result = samples.after(output(lambda x: layers.use_last(self.W_o, x), merged, self.n_heads))
            return returned(result, split.weights(merge.weights(weights)), scores)

    return Variant


class _Sizes(NamedTuple):
    d_k: int
    d_model: int
    n_heads: int
    n_keys: int


def _project(module, names, layers, sources, inputs):
    """Queries, keys and values, each (B, length, D)."""
    by_letter = dict(zip("qkv", names, strict=False))
    return [
        layers.use(getattr(module, by_letter[layer]), inputs[source]) if layer in by_letter else inputs[source]
        for layer, source in zip(sources.layers, sources.inputs, strict=True)
    ]


def _same(x):
    return x


# --- the layers


def _call(layer, x):
    return layer(x)


def _make(bias=True, last_bias=True):
    def make(module, names, d_model, n_heads, width):
        *front, last = names
        for name in front:
            setattr(module, name, nn.Linear(d_model, width, bias))
        setattr(module, last, nn.Linear(width, d_model, last_bias))

    return make


def _make_one_small(module, names, d_model, n_heads, width):
    """Each of the front layers is as narrow as one head, for all heads to share."""
    _make_all(module, names, d_model, n_heads, width)
    for name in names[:-1]:
        setattr(module, name, nn.Linear(d_model // n_heads, d_model // n_heads))


def _make_lists(module, names, d_model, n_heads, width):
    """Each of the front layers is a Python list with one narrow layer per head."""
    _make_all(module, names, d_model, n_heads, width)
    for name in names[:-1]:
        delattr(module, name)
        setattr(module, name, [nn.Linear(d_model, d_model // n_heads) for _ in range(n_heads)])


_make_all = _make()


@dataclass(frozen=True)
class _Layers:
    make: Callable[..., None] = _make_all
    use: Callable[..., Any] = _call  # of the three layers in front
    use_last: Callable[..., Any] = _call


def _without_bias(layer, x):
    return F.linear(x, layer.weight)


def _untransposed(layer, x):
    return x @ layer.weight + layer.bias


def _untransposed_without_bias(layer, x):
    return x @ layer.weight


_LINEAR = Mechanism(
    "layers",
    "the linear layers",
    right={"called": _Layers()},
    mistakes={
        "relu-after-projection": _Layers(use=lambda layer, x: layer(x).relu()),
        "weight-not-transposed": writings(
            _Layers(use=_untransposed, use_last=_untransposed),
            _Layers(use=_untransposed_without_bias, use_last=_untransposed_without_bias),
            _Layers(use=_untransposed),
        ),
        "projection-bias-forgotten": writings(
            _Layers(use=_without_bias, use_last=_without_bias),
            _Layers(use=_without_bias),
            _Layers(use_last=_without_bias),
            _Layers(_make(bias=False, last_bias=False)),
            _Layers(_make(bias=False)),
            _Layers(_make(last_bias=False)),
        ),
        "one-projection-shared-by-heads": _Layers(_make_one_small),
        "heads-in-python-list": _Layers(_make_lists),
    },
)


class _Sources(NamedTuple):
    """For queries, keys and values: the letter of the layer and of the input that they come from."""

    layers: str = "qkv"
    inputs: str = "qkv"


_SOURCES = Mechanism(
    "sources",
    "which layer sees which input",
    right={"each its own": _Sources()},
    mistakes={
        "value-uses-key-projection": _Sources(layers="qkk"),
        "qk-projections-swapped": writings(_Sources(layers="kqv"), _Sources(inputs="kqv")),
        "one-projection-for-qkv": writings(
            _Sources(layers="qqq"), alone=(_Sources(layers="kkk"), _Sources(layers="vvv"))
        ),
        "value-ignored": writings(_Sources(inputs="qkk"), _Sources(layers="qkk", inputs="qkk")),
        "key-and-value-taken-from-query": _Sources(inputs="qqq"),
        "query-from-memory": _Sources(inputs="kqq"),
        "value-projection-unused": _Sources(layers="qk-"),
    },
)


class _Samples(NamedTuple):
    before: Callable[..., Any] = _same
    after: Callable[..., Any] = _same


def _first_axes_swapped(x):
    return x.transpose(0, 1)


_SAMPLES = Mechanism(
    "samples",
    "which axis is the batch",
    right={"the first": _Samples()},
    mistakes={"attends-over-batch": _Samples(_first_axes_swapped, _first_axes_swapped)},
)

_LOOP_SAMPLES = replace(
    _SAMPLES,
    mistakes={
        "attends-over-batch": writings(
            _Samples(_first_axes_swapped, _first_axes_swapped),
            _Samples(_first_axes_swapped),
        ),
    },
)


# --- split and merge


def _split(x, H, d_k, T):
    return x.view(x.size(0), x.size(1), H, d_k).transpose(1, 2)


def _split_slices(x, H, d_k, T):
    return torch.stack([x[..., h * d_k : (h + 1) * d_k] for h in range(H)], dim=1)


def _split_view_only(x, H, d_k, T):
    return x.view(x.size(0), H, -1, d_k)


def _split_strided(x, H, d_k, T):
    return x.view(x.size(0), x.size(1), d_k, H).permute(0, 3, 1, 2)


def _split_heads_first(x, H, d_k, T):
    return x.view(x.size(0), x.size(1), H, d_k).permute(2, 0, 1, 3)


def _split_by_query_length(x, H, d_k, T):
    return x.view(x.size(0), T, H, d_k).transpose(1, 2)


def _split_by_query_length_and_rest(x, H, d_k, T):
    return x.view(x.size(0), T, H, -1).transpose(1, 2)


def _split_as_many_as_queries(x, H, d_k, T):
    return _split(x[:, :T].contiguous(), H, d_k, T)


def _merge(x, B, D):
    return x.transpose(1, 2).reshape(B, -1, D)


def _merge_untransposed(x, B, D):
    return x.reshape(B, -1, D)


def _merge_heads_first(x, B, D):
    return x.permute(1, 2, 0, 3).reshape(B, -1, D)


def _merge_strided(x, B, D):
    return x.permute(0, 2, 3, 1).reshape(B, -1, D)


def _folded(x):
    return x.flatten(0, 1)  # (B * H, ...)


def _sample_major_as_head_major(x):
    """(B, H, ...): folded to (B * H, ...), read back as (H, B, ...)."""
    return x.flatten(0, 1).unflatten(0, (x.size(1), x.size(0))).transpose(0, 1)


def _head_major_as_sample_major(x):
    """(B, H, ...): folded to (H * B, ...), read back as (B, H, ...)."""
    return x.transpose(0, 1).flatten(0, 1).unflatten(0, (x.size(0), x.size(1)))


@dataclass(frozen=True)
class _Split:
    apart: Callable[..., Any]  # (B, length, D) -> (B, H, length, d_k)
    together: Callable[..., Any] | None = None  # instead of the way of mechanism `merge`
    weights: Callable[..., Any] = _same  # what becomes of the weights (B, H, T, S) that are returned


@dataclass(frozen=True)
class _Merge:
    context: Callable[..., Any] = _merge  # (B, H, T, d_k) -> (B, T, D)
    weights: Callable[..., Any] = _same


_SPLIT = Mechanism(
    "split",
    "the way into heads",
    right={"features cut, then heads before tokens": _Split(_split)},
    mistakes={
        "split-view-only": _Split(_split_view_only),
        "split-folded-into-batch": writings(_Split(_split_view_only), _Split(_split_view_only, weights=_folded)),
        "split-strided-features": _Split(_split_strided),
        "split-heads-first": writings(_Split(_split_heads_first), _Split(_split_heads_first, _merge_heads_first)),
        "split-and-merge-both-wrong": writings(
            _Split(_split_view_only, _merge_untransposed),
            _Split(_split_view_only, _merge_untransposed, _folded),
        ),
        "kv-shaped-by-query-length": writings(_Split(_split_by_query_length), _Split(_split_by_query_length_and_rest)),
    },
)

_LOOP_SPLIT = Mechanism(
    _SPLIT.name,
    _SPLIT.title,
    right={"slices": _Split(_split_slices), **_SPLIT.right},
    mistakes={
        "split-view-only": _Split(_split_view_only),
        "split-folded-into-batch": _Split(_split_view_only),
        "split-strided-features": _Split(_split_strided),
        "split-and-merge-both-wrong": _Split(_split_view_only, _merge_untransposed),
        "kv-shaped-by-query-length": writings(
            _Split(_split_by_query_length),
            _Split(_split_by_query_length_and_rest),
            _Split(_split_as_many_as_queries),
        ),
    },
)

_MERGE = Mechanism(
    "merge",
    "the way back from heads",
    right={"heads beside each other": _Merge()},
    mistakes={
        "merge-no-transpose": _Merge(_merge_untransposed),
        "merge-head-batch-swapped": writings(
            _Merge(lambda x, B, D: _merge(_sample_major_as_head_major(x), B, D)),
            _Merge(lambda x, B, D: _merge(_head_major_as_sample_major(x), B, D)),
            _Merge(lambda x, B, D: _merge(_head_major_as_sample_major(x), B, D), _head_major_as_sample_major),
            _Merge(weights=_head_major_as_sample_major),
        ),
        "merge-strided-features": _Merge(_merge_strided),
        "merge-view-not-contiguous": _Merge(lambda x, B, D: x.transpose(1, 2).view(B, -1, D)),
        "merge-sums-heads": _Merge(lambda x, B, D: x.sum(1)),
    },
)

_LOOP_MERGE = Mechanism(
    _MERGE.name,
    _MERGE.title,
    right={"heads beside each other": _merge},
    mistakes={
        "merge-no-transpose": _merge_untransposed,
        "merge-head-batch-swapped": writings(
            lambda x, B, D: _merge(_sample_major_as_head_major(x), B, D),
            lambda x, B, D: _merge(_head_major_as_sample_major(x), B, D),
        ),
        "merge-strided-features": _merge_strided,
        "merge-view-not-contiguous": writings(
            lambda x, B, D: x.transpose(1, 2).view(B, -1, D),
            lambda x, B, D: torch.stack([heads.transpose(0, 1).view(-1, D) for heads in x]),
        ),
        "merge-sums-heads": writings(
            lambda x, B, D: x.sum(1),
            lambda x, B, D: x.transpose(1, 2).unbind(0)[0].sum(1),  # as a layer inside the loop meets it first
        ),
    },
)


# --- scores


def _product(Q, K):
    return Q @ K.mT


def _keys_reshaped(Q, K):
    return Q @ K.reshape(*K.shape[:-2], K.size(-1), K.size(-2))


_LOOP_PRODUCT = Mechanism(
    "product",
    "the product of queries and keys",
    right={"transposed keys": _product},
    mistakes={
        "key-reshaped-not-transposed": _keys_reshaped,
        "query-key-swapped": lambda Q, K: K @ Q.mT,
    },
)

_PRODUCT = replace(
    _LOOP_PRODUCT,
    mistakes={
        "key-reversed-all-axes": lambda Q, K: Q @ K.permute(3, 2, 1, 0),
        "key-reshaped-not-transposed": writings(
            _keys_reshaped,
            lambda Q, K: _keys_reshaped(Q, K.transpose(1, 2).contiguous().view(K.shape)),  # straight from (B, S, D)
        ),
        "query-key-swapped": _LOOP_PRODUCT.mistakes["query-key-swapped"],
    },
)

_DIVISOR = Mechanism(
    "divisor",
    "the number that the scores are divided by",
    right={"sqrt(d_k)": lambda sizes: sqrt(sizes.d_k)},
    mistakes={
        "scale-missing": lambda sizes: 1.0,
        "scale-by-d-model": lambda sizes: sqrt(sizes.d_model),
        "scale-no-sqrt": lambda sizes: sizes.d_k,
        "scale-inverted": lambda sizes: 1 / sqrt(sizes.d_k),
        "scale-by-key-count": lambda sizes: sqrt(sizes.n_keys),
        "scale-d-k-over-heads": writings(
            lambda sizes: sqrt(sizes.d_k // sizes.n_heads),
            lambda sizes: sqrt(sizes.d_k / sizes.n_heads),
        ),
    },
)


def _divided(scores, divisor, turn):
    return scores / divisor


def _after_softmax(scores, divisor, turn):
    """The variant divides the weights instead."""
    return scores


def _after_weighing(scores, divisor, turn):
    """The variant divides the weighted values instead."""
    return scores


def _query_in_place(scores, divisor, turn):
    """The variant divides the caller's query instead."""
    return scores


_SCALING = Mechanism(
    "scaling",
    "the way the scores are scaled",
    right={"scores divided": _divided},
    mistakes={
        "scale-applied-twice": lambda scores, divisor, turn: scores / divisor / divisor,
        "scale-fourth-root-once": lambda scores, divisor, turn: scores / sqrt(divisor),
        "scale-floor-division": writings(
            lambda scores, divisor, turn: scores // divisor,
            alone=(lambda scores, divisor, turn: torch.floor(scores / divisor),),  # has a gradient: 0
        ),
        "scale-after-softmax": writings(_after_softmax, alone=(_after_weighing,)),
        "query-scaled-in-place": _query_in_place,
        "sqrt-of-python-int": lambda scores, divisor, turn: scores / torch.sqrt(round(divisor**2)),
    },
)

_LOOP_SCALING = replace(
    _SCALING,
    mistakes={
        **_SCALING.mistakes,
        "scale-after-softmax": _after_softmax,
        "scale-applied-twice": writings(
            lambda scores, divisor, turn: scores / divisor / divisor,
            lambda scores, divisor, turn: scores / divisor**turn,  # a scale that compounds in the loop
        ),
    },
)


# --- masks


def _asked_whether_true(mask, n_heads):
    return mask if mask else None


def _one_minus(mask, n_heads):
    return 1 - mask


_READING = Mechanism(
    "reading",
    "the way the mask is read",
    right={"as it is": lambda mask, n_heads: mask},
    mistakes={
        "mask-missing-head-axis": lambda mask, n_heads: mask.squeeze(1),
        "mask-tiled-over-heads": lambda mask, n_heads: mask.repeat(n_heads, 1, 1, 1).view(-1, n_heads, *mask.shape[2:]),
        "mask-truthiness": _asked_whether_true,
        "one-minus-bool": _one_minus,
        "mask-edited-not-scores": lambda mask, n_heads: mask.masked_fill_(~mask, -1e9),  # True, in a bool mask
        "int-mask-to-masked-fill": writings(
            lambda mask, n_heads: mask.int(),
            alone=(lambda mask, n_heads: mask.long(),),
        ),
    },
)


_HIDDEN = Mechanism(
    "hidden",
    "which positions the mask hides",
    right={"where False": lambda mask: ~mask},
    mistakes={
        "mask-inverted": lambda mask: mask.clone(),
        "mask-fill-discarded": lambda mask: torch.zeros_like(mask),
        "invert-int-mask": lambda mask: (~mask.int()).bool(),
    },
)


def _dead_rows_apart(scores, closed, raw):
    """-inf, and a row with nothing left is made harmless."""
    scores = scores.masked_fill(closed, -inf)
    return scores.masked_fill((scores == -inf).all(-1, keepdim=True), 0.0)


def _weights_multiplied(scores, closed, raw):
    """The variant multiplies the weights instead."""
    return scores


def _weights_shared_out(scores, closed, raw):
    """The variant multiplies the weights, and shares out again what is left."""
    return scores


def _added(number):
    return lambda scores, closed, raw: scores + closed.to(scores.dtype) * number


def _zero_is_closed(fill):
    def sentinel(scores, closed, raw):
        scores = scores * ~closed
        return scores.masked_fill(scores == 0, fill)

    return sentinel


def _filled(number):
    return lambda scores, closed, raw: scores.masked_fill(closed, number)


_FILL = Mechanism(
    "fill",
    "what hidden scores are replaced with",
    right={
        "-1e9": _filled(-1e9),
        "lowest number": lambda scores, closed, raw: scores.masked_fill(closed, torch.finfo(scores.dtype).min),
        "-inf, dead rows apart": _dead_rows_apart,
    },
    mistakes={
        "mask-after-softmax": _weights_multiplied,
        "mask-multiplies-scores": lambda scores, closed, raw: scores * ~closed,
        "fill-tiny-number": _filled(-1e-9),
        "fill-not-low-enough": writings(
            _filled(-1e4), _filled(-10.0), alone=(_added(-1e4), _added(-100.0), _added(-25.0))
        ),
        "bool-mask-added": lambda scores, closed, raw: scores + ~closed,
        "zero-times-inf": lambda scores, closed, raw: scores + closed.to(scores.dtype) * -inf,
        "tanh-after-fill": lambda scores, closed, raw: scores.masked_fill(closed, -1e9).tanh(),
        "hidden-in-softmax": _weights_shared_out,
        "mask-zero-sentinel": writings(_zero_is_closed(-inf), _zero_is_closed(-1e9)),
        "int-mask-to-masked-fill": writings(
            alone=(
                lambda scores, closed, raw: scores.masked_fill(closed.float(), -1e9),
                lambda scores, closed, raw: torch.where((~closed).int(), scores, -1e9),
            )
        ),
        "scale-lost-in-mask-branch": lambda scores, closed, raw: raw.masked_fill(closed, -1e9),
        "mask-on-wrong-device": lambda scores, closed, raw: torch.where(
            closed, torch.full(scores.shape, -1e9, dtype=scores.dtype), scores
        ),
    },
)

_DEAD = Mechanism(
    "dead",
    "rows with nothing to attend to",
    right={"finite": lambda scores, closed: scores},
    mistakes={"fully-masked-nan": lambda scores, closed: scores.masked_fill(closed, -inf)},
)


# --- softmax


def _over_folded_batch(scores, form):
    return form(scores.flatten(0, 1), 0).view(scores.shape)


def _over_heads_and_keys(scores, form):
    B, H, T, S = scores.shape
    weights = form(scores.transpose(1, 2).reshape(B, T, H * S), -1)
    return weights.view(B, T, H, S).transpose(1, 2)


_LOOP_AXIS = Mechanism(
    "axis",
    "the softmax axis",
    right={"keys": lambda scores, form: form(scores, -1)},
    mistakes={"softmax-over-queries": lambda scores, form: form(scores, -2)},
)

_AXIS = replace(
    _LOOP_AXIS,
    mistakes={
        **_LOOP_AXIS.mistakes,
        "softmax-over-batch": writings(lambda scores, form: form(scores, 0), _over_folded_batch),
        "softmax-over-heads": lambda scores, form: form(scores, 1),
        "softmax-over-heads-and-keys": _over_heads_and_keys,
    },
)


def _exp_over_sum(x, dim):
    return x.exp() / x.exp().sum(dim, keepdim=True)


def _plus_one(x, dim):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / (1 + e.sum(dim, keepdim=True))


_FORM = Mechanism(
    "form",
    "the softmax itself",
    right={"softmax": lambda x, dim: x.softmax(dim)},
    mistakes={
        "softmax-over-everything": lambda x, dim: x.flatten().softmax(0).view_as(x),
        "softmax-twice": lambda x, dim: x.softmax(dim).softmax(dim),
        "softmax-denominator-plus-one": _plus_one,
        "softmax-over-size-one": writings(alone=(lambda x, dim: x.unsqueeze(-1).softmax(-1).squeeze(-1),)),
        "softmax-missing": lambda x, dim: x,
        "softmax-log": lambda x, dim: x.log_softmax(dim),
        "softmax-no-max-subtraction": _exp_over_sum,
        "softmax-global-max": lambda x, dim: _exp_over_sum(x - x.max(), dim),
        "softmax-max-without-keepdim": lambda x, dim: _exp_over_sum(x - x.amax(dim), dim),
    },
)


def _divided_in_place(scores, softmax, closed):
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    weights /= weights.sum(-1, keepdim=True)
    return weights


def _hidden_again_in_place(scores, softmax, closed):
    weights = softmax(scores)
    return weights if closed is None else weights.masked_fill_(closed, 0.0)


_LOOP_GRAPH = Mechanism(
    "graph",
    "the way back for gradients",
    right={"kept": lambda scores, softmax, closed: softmax(scores)},
    mistakes={
        "weights-detached": lambda scores, softmax, closed: softmax(scores).detach(),
        "scores-recreated": writings(
            lambda scores, softmax, closed: softmax(torch.tensor(scores.tolist())),
            lambda scores, softmax, closed: softmax(torch.tensor(scores.tolist(), dtype=scores.dtype)),
            lambda scores, softmax, closed: softmax(torch.from_numpy(scores.detach().numpy())),
        ),
        "weights-edited-in-place": writings(
            _divided_in_place, alone=(lambda scores, softmax, closed: softmax(scores).mul_(1.0),)
        ),
    },
)

_GRAPH = replace(
    _LOOP_GRAPH,
    mistakes={
        **_LOOP_GRAPH.mistakes,
        "weights-edited-in-place": writings(
            _divided_in_place,
            _hidden_again_in_place,
            alone=(lambda scores, softmax, closed: softmax(scores).mul_(1.0),),
        ),
    },
)


# --- what becomes of the weights


_WEIGH = Mechanism(
    "weigh",
    "the weighted mean of the values",
    right={"weights @ V": lambda weights, V: weights @ V},
    mistakes={
        "weights-transposed-before-v": writings(
            lambda weights, V: weights.mT @ V,
            alone=(lambda weights, V: torch.einsum("...st,...sd->...td", weights, V),),
        ),
        "einsum-index-not-shared": lambda weights, V: torch.einsum("...ts,...ud->...td", weights, V),
    },
)


def _in_the_default_dtype(heads):
    buffer = torch.zeros(len(heads), *heads[0].shape, device=heads[0].device)
    buffer[:] = torch.stack(heads)
    return buffer


def _onto_cpu(heads):
    buffer = torch.zeros(len(heads), *heads[0].shape, dtype=heads[0].dtype)
    return buffer + torch.stack(heads)


_KEPT = Mechanism(
    "kept",
    "where the heads are collected",
    right={"in a list": torch.stack},
    mistakes={"mask-on-wrong-device": _onto_cpu, "buffer-of-default-dtype": _in_the_default_dtype},
)


def _projected_mean(project, x, H):
    """The same mean of all heads, once for every head."""
    heads = x.unflatten(-1, (H, -1))
    return project(heads.mean(-2, keepdim=True).expand_as(heads).flatten(-2))


_OUTPUT = Mechanism(
    "output",
    "the output layer",
    right={"projected": lambda project, x, H: project(x)},
    mistakes={
        "missing-output-projection": lambda project, x, H: x,
        "output-projected-then-dropped": lambda project, x, H: (project(x), x)[1],
        "output-projection-per-head-mean": writings(_projected_mean, lambda project, x, H: project(x / H)),
    },
)

_RETURNED = Mechanism(
    "returned",
    "what is returned",
    right={"output and weights": lambda output, weights, scores: (output, weights)},
    mistakes={
        "weights-averaged-over-heads": lambda output, weights, scores: (output, weights.mean(1)),
        "returns-scores-as-weights": lambda output, weights, scores: (output, scores),
        "return-order-swapped": lambda output, weights, scores: (weights, output),
        "weights-detached": lambda output, weights, scores: (output.detach(), weights.detach()),  # as under no_grad
    },
)


# ---------------------------------------------------------------------- cases


def _weights(s, names, D):
    """Of a size that gives scores between 2 and 10, with biases that count."""
    weights = {}
    for name in names:
        weights[f"{name}.weight"] = s.normal(D, D, scale=1.75 / sqrt(D))
        weights[f"{name}.bias"] = s.normal(D, scale=0.5)
    return weights


def _inputs(s, B, T, S, D):
    return s.normal(B, T, D), s.normal(B, S, D), s.normal(B, S, D)


def _mask(s, B=B, T=T, S=S):
    mask = s.mask(B, 1, T, S)
    mask[:, :, 0] |= ~mask.any(-2)  # no key is closed to all queries
    return mask


def _loop(s, B=B, H=H, T=T, S=S, D=D, **how):
    weights = _weights(s, _LOOP_LAYERS, D)
    return Script((build("LoopMultiHeadAttention", D, H, weights=weights), Call(None, _inputs(s, B, T, S, D))), **how)


def _full(s, B=B, H=H, T=T, S=S, D=D, mask=None, **how):
    weights = _weights(s, _FULL_LAYERS, D)
    masks = () if mask is None else (mask,)
    args = _inputs(s, B, T, S, D) + masks
    return Script((build("MultiHeadAttention", D, H, weights=weights), Call(None, args)), **how)


def _steep(script):
    """The first query of each sample gets scores of some thousands, and the others keep theirs."""
    script.steps[-1].args[0][:, 0] *= 1000.0
    return replace(script, tolerance=1e-3)


def _dead_rows(s):
    """Query 2 of sample 1 may attend to nothing; what comes out of it is free as long as it is finite."""
    mask = _mask(s)
    mask[1, 0, 2] = False
    dead = ~mask.any(-1)  # (B, 1, T)
    free = np.repeat(dead[:, 0, :, None], D, -1), np.broadcast_to(dead[..., None], (B, H, T, S)).copy()
    return _full(s, mask=mask, free=free)


def _low_scores(s):
    """In head 0 every score is exactly 0; in the others all are near -50,000, below many a "minus infinity"."""
    script = _full(s, mask=_mask(s), tolerance=1e-2)  # a softmax in float32 is that far off here
    weights, (_, key, _, _) = script.steps[0].weights, script.steps[1].args
    weights["W_q.weight"][:D_K] = 0.0
    weights["W_q.bias"][:D_K] = 0.0
    weights["W_q.bias"][D_K:] += 133.0
    weights["W_k.bias"][D_K:] -= 133.0
    key /= 64.0
    return script


def _gradient(s):
    """The weights may be returned detached: nobody asks them for gradients."""
    return replace(_full(s, mask=_mask(s)), upstream=(s.normal(B, T, D), None))


def _any_sizes(s, most_loops=None):
    """(B, H, T, S, d_k): at most one of them large, or T and S both; often some are the same."""
    B, H, T, S, d_k = (s.size() for _ in range(5))
    match s.choice(("", "", "T", "S", "T = S", "both", "d_k", "H", "B", "same")):
        case "T":
            T = s.large()
        case "S":
            S = s.large()
        case "T = S":
            S = T
        case "both":
            T = S = s.large(70)
        case "d_k":
            d_k = s.choice((8, 16, 33, 64, 66))
        case "H":
            H = s.choice((8, 12, 16))
        case "B":
            B = s.choice((8, 9, 17, 33))
        case "same":
            B = H = T = s.choice((2, 3, 4))
            S = s.choice((T, S))
    d_k = min(d_k, max(1, 66 // H))
    for less in ({"B": 1}, {"H": 2}, {"d_k": 1}, {"H": 1}):
        if B * H * T * S * d_k > MOST:
            B, H, d_k = less.get("B", B), less.get("H", H), less.get("d_k", d_k)
    if most_loops is not None and most_loops < B * H:
        B, H = (min(B, most_loops), 1) if B > H else (1, min(H, most_loops))
    return B, H, T, S, d_k


def _any_use(s, target, names, asked, B, H, T, S, d_k, masked):
    """(steps but for the last call, its inputs and mask, the largest score): any use of a module of several heads.

    The first feature of each head makes the level of the scores: one for keys that are open, one for those hidden.
    """
    D = H * d_k
    weights = _weights(s, names, D)
    inputs = list(_inputs(s, B, T, S, D))
    which = s.integer(0, 2)
    inputs[which] = s.entries(*inputs[which].shape)
    if s.chance(0.2):  # all keys alike: a plain mean of the values
        weights[f"{names[1]}.weight"][...] = 0.0
    mask, level = None, s.choice((0.0, 0.0, 1.0)) * s.level(5e3) if asked != "gradient" else 0.0
    if masked and s.chance(0.75):
        mask = s.pattern(B, 1, T, S)
        if s.chance(0.5):  # padding: the same keys are hidden from every query
            mask[...] = mask[:, :, :1]
        level = s.choice((0.0, 1.0, 1.0)) * s.level(5e4) if asked != "gradient" else 0.0
        level = level if level < 1e4 else -level  # scores are thousands at most, but as low as -50,000
    if level:
        first = np.arange(H) * d_k
        weights[f"{names[0]}.weight"][first] = 0.0
        weights[f"{names[0]}.bias"][first] = sqrt(d_k)
        weights[f"{names[1]}.weight"][:, 0] = 0.0
        weights[f"{names[1]}.weight"][first] = np.eye(D)[0]
        weights[f"{names[1]}.bias"][first] = 0.0
        open = np.ones((B, S), dtype=bool) if mask is None else mask[:, 0, 0]
        other = s.choice((level, -level, s.level(abs(level))))
        inputs[1][..., 0] = np.round(np.where(open, level, other if other < 1e4 else 5e3))
    Q, K = (
        np.abs(x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]).reshape(*x.shape[:2], H, d_k)
        for x, name in zip(inputs[:2], names[:2], strict=True)
    )
    largest = np.einsum("bthd,bshd->bhts", Q, K).max() / sqrt(d_k)
    made = build(target, D, H, weights=weights)
    before = s.choice(("nothing", "nothing", "another module", "other numbers", "another length"))
    if before == "another module":
        steps = (build(target, D, H, weights=_weights(s, names, D)), Call(None, tuple(inputs)), made)
    elif before == "nothing":
        steps = (made,)
    else:
        longer = before == "another length"
        steps = (made, Call(None, _inputs(s, 1 if longer else B, T + longer, S + longer, D)))
    masks = s.choice(((), (None,))) if mask is None else (s.laid_out(mask),)
    masks = masks if masked else ()
    return steps, (*map(s.laid_out, inputs), *masks), mask, largest


def _any_loop(s):
    B, H, T, S, d_k = _any_sizes(s, most_loops=8)
    asked = s.choice(("", "", "gradient", "purity", "float32"))
    steps, inputs, _, largest = _any_use(
        s, "LoopMultiHeadAttention", _LOOP_LAYERS, asked, B, H, T, S, d_k, masked=False
    )
    return Script(
        (*steps, Call(None, inputs)),
        dtype="float32" if asked == "float32" else "float64",
        upstream=(s.normal(B, T, H * d_k),) if asked == "gradient" else (),
        purity=asked == "purity",
        tolerance=steepness(largest, asked),
    )


def _any_full(s):
    B, H, T, S, d_k = _any_sizes(s)
    asked = s.choice(("", "", "gradient", "purity", "float32"))
    steps, inputs, mask, largest = _any_use(s, "MultiHeadAttention", _FULL_LAYERS, asked, B, H, T, S, d_k, masked=True)
    free = ()
    if mask is not None and not mask.any(-1).all():
        dead = ~mask.any(-1)  # (B, 1, T)
        free = np.repeat(dead[:, 0, :, None], H * d_k, -1), np.broadcast_to(dead[..., None], (B, H, T, S)).copy()
        asked = "" if asked == "gradient" else asked  # nothing is promised about those of such a query
    return Script(
        (*steps, Call(None, inputs)),
        dtype="float32" if asked == "float32" else "float64",
        upstream=(s.normal(B, T, H * d_k), None) if asked == "gradient" else (),
        purity=asked == "purity",
        tolerance=steepness(largest, asked),
        free=free,
    )


_LOOP_PLAIN = Case("T < S", _loop)
_PLAIN = Case("T < S", _full)
_MASKED = Case("masked", lambda s: _full(s, mask=_mask(s)))


# ---------------------------------------------------------------------- right answers in other styles


def _module(forward, names, linear=nn.Linear, order=(0, 1, 2, 3)):
    """A class with the layers `names`, made in `order`, and the given forward."""

    class Module(nn.Module):
        def __init__(self, d_model, n_heads):
            super().__init__()
            self.d_model, self.n_heads, self.head_width = d_model, n_heads, d_model // n_heads
            self.dropout = nn.Dropout(0.0)
            self.register_buffer("scale", torch.sqrt(torch.tensor(self.head_width, dtype=torch.float32)))
            for i in order:
                setattr(self, names[i], linear(d_model, d_model))

    Module.forward = forward
    return Module


class _OwnLinear(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs).uniform_(-0.1, 0.1))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return torch.einsum("...i,oi->...o", x, self.weight) + self.bias


# --- in loops


def _loop_literally(self, q, k, v):
    q, k, v = self.wq(q), self.wk(k), self.wv(v)
    outputs = []
    for i in range(q.shape[0]):
        heads = []
        for h in range(self.n_heads):
            start, end = h * self.head_width, (h + 1) * self.head_width
            scores = torch.matmul(q[i, :, start:end], torch.transpose(k[i, :, start:end], 0, 1))
            scores = scores / torch.sqrt(torch.tensor(self.head_width))
            heads.append(torch.matmul(torch.softmax(scores, dim=-1), v[i, :, start:end]))
        outputs.append(torch.cat(heads, dim=1))
    return self.wz(torch.stack(outputs, dim=0))


def _loop_into_a_buffer(self, q, k, v):
    z = torch.zeros(q.size(0), q.size(1), self.d_model, dtype=q.dtype, device=q.device)
    for b in range(q.size(0)):
        Q, K, V = self.wq(q[b]), self.wk(k[b]), self.wv(v[b])
        for h in range(self.n_heads):
            own = slice(h * self.head_width, (h + 1) * self.head_width)
            z[b, :, own] = F.softmax(Q[:, own] @ K[:, own].t() / self.scale, dim=1) @ V[:, own]
    return self.wz(z)


def _loop_growing(self, q, k, v):
    batch = None
    for Q, K, V in zip(self.wq(q), self.wk(k), self.wv(v), strict=True):
        rows = [x.view(len(x), self.n_heads, -1).transpose(0, 1) for x in (Q, K, V)]
        z = None
        for query, key, value in zip(*rows, strict=True):
            scores = query @ key.T
            scores /= self.head_width**0.5
            head = scores.softmax(-1) @ value
            z = head if z is None else torch.cat([z, head], -1)
        z = self.wz(z).unsqueeze(0)
        batch = z if batch is None else torch.cat([batch, z], 0)
    return batch


def _loop_over_layers_too(self, q, k, v):
    """Each head has its rows of the weights, and its columns of the last one; the products are summed."""
    outputs = []
    for b in range(len(q)):
        total = self.wz.bias
        for h in range(self.n_heads):
            own = slice(h * self.head_width, (h + 1) * self.head_width)
            Q = F.linear(q[b], self.wq.weight[own], self.wq.bias[own])
            K = F.linear(k[b], self.wk.weight[own], self.wk.bias[own])
            V = F.linear(v[b], self.wv.weight[own], self.wv.bias[own])
            weights = ((Q * self.head_width**-0.25) @ (K * self.head_width**-0.25).T).softmax(-1)
            total = total + weights @ V @ self.wz.weight[:, own].T
        outputs.append(total)
    return torch.stack(outputs)


def _loop_query_by_query(self, q, k, v):
    Q, K, V = (
        x.reshape(x.size(0), x.size(1), self.n_heads, self.head_width) for x in (self.wq(q), self.wk(k), self.wv(v))
    )
    samples = []
    for b in range(Q.size(0)):
        tokens = []
        for t in range(Q.size(1)):
            heads = []
            for h in range(self.n_heads):
                scores = (K[b, :, h] * Q[b, t, h]).sum(-1) / sqrt(self.head_width)  # (S,)
                e = (scores - scores.max()).exp()
                heads.append((e / e.sum()) @ V[b, :, h])
            tokens.append(torch.cat(heads))
        samples.append(torch.stack(tokens))
    return self.wz(torch.stack(samples))


def _loop_online(self, q, k, v):
    """Key by key, with a running maximum."""
    Q, K, V = self.wq(q), self.wk(k), self.wv(v)
    samples = []
    for b in range(len(Q)):
        heads = []
        for Qh, Kh, Vh in zip(*(x[b].chunk(self.n_heads, -1) for x in (Q, K, V)), strict=True):
            highest = torch.full_like(Qh[:, :1], -inf)  # (T, 1)
            total, z = torch.zeros_like(highest), torch.zeros_like(Qh)
            for key, value in zip(Kh, Vh, strict=True):
                score = (Qh @ key / sqrt(self.head_width)).unsqueeze(-1)
                new = torch.maximum(highest, score)
                old, now = (highest - new).exp(), (score - new).exp()
                total, z, highest = total * old + now, z * old + now * value, new
            heads.append(z / total)
        samples.append(torch.cat(heads, -1))
    return self.wz(torch.stack(samples))


def _no_loop(self, q, k, v):
    Q, K, V = (x.unflatten(-1, (self.n_heads, -1)) for x in (self.wq(q), self.wk(k), self.wv(v)))
    weights = (torch.einsum("bthd,bshd->bhts", Q, K) / self.scale).softmax(-1)
    return self.wz(torch.einsum("bhts,bshd->bthd", weights, V).flatten(2))


def _folded_lists(self, q, k, v):
    """All heads of all samples in one list, and back."""
    made = (self.wq(q), self.wk(k), self.wv(v))
    Q, K, V = ([head for x in layer for head in x.split(self.head_width, -1)] for layer in made)
    heads = [(a @ b.T * self.head_width**-0.5).softmax(-1) @ c for a, b, c in zip(Q, K, V, strict=True)]
    folded = torch.stack(heads).view(len(q), self.n_heads, -1, self.head_width)
    return self.wz(folded.permute(0, 2, 1, 3).contiguous().view(len(q), -1, self.d_model))


# --- without loops


def _heads_of(self, x):
    return x.view(x.size(0), -1, self.n_heads, self.head_width).transpose(1, 2)


def _qkv(self, query, key, value):
    return _heads_of(self, self.W_q(query)), _heads_of(self, self.W_k(key)), _heads_of(self, self.W_v(value))


def _out(self, context):
    return self.W_o(context.transpose(1, 2).contiguous().view(context.size(0), -1, self.d_model))


def _literally(self, query, key, value, mask=None):
    batch_size = query.size(0)
    Q = self.W_q(query).view(batch_size, -1, self.n_heads, self.head_width).transpose(1, 2)
    K = self.W_k(key).view(batch_size, -1, self.n_heads, self.head_width).transpose(1, 2)
    V = self.W_v(value).view(batch_size, -1, self.n_heads, self.head_width).transpose(1, 2)
    scores = torch.matmul(Q, K.transpose(-2, -1)) / torch.sqrt(torch.tensor(self.head_width, dtype=torch.float32))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    attention = self.dropout(torch.softmax(scores, dim=-1))
    x = torch.matmul(attention, V)
    x = x.transpose(1, 2).contiguous().view(batch_size, -1, self.d_model)
    return self.W_o(x), attention


def _root_of_an_integer_tensor(self, query, key, value, mask=None):
    Q, K, V = _qkv(self, query, key, value)
    scores = Q @ K.permute(0, 1, 3, 2) / torch.sqrt(torch.tensor(self.head_width))
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
    weights = F.softmax(scores, dim=3)
    return [_out(self, weights @ V), weights]


def _einsum(self, query, key, value, mask=None):
    Q, K, V = (
        x.unflatten(-1, (self.n_heads, self.head_width)) for x in (self.W_q(query), self.W_k(key), self.W_v(value))
    )
    scores = torch.einsum("bthd,bshd->bhts", Q, K) / self.scale
    if mask is not None:
        scores = torch.where(mask, scores, torch.tensor(-1e20, dtype=scores.dtype))
    weights = scores.softmax(-1)
    output = torch.einsum("bhts,bshd->bthd", weights, V).reshape(query.shape)
    return namedtuple("Attended", "output weights")(self.W_o(output), weights)


def _folded_batch(self, query, key, value, mask=None):
    """Samples and heads on one axis, the sample changing slowest."""
    B, T, S = query.size(0), query.size(1), key.size(1)
    Q, K, V = (x.flatten(0, 1) for x in _qkv(self, query, key, value))
    scores = torch.bmm(Q, K.transpose(1, 2)) * self.head_width**-0.5  # (B * H, T, S)
    if mask is not None:
        mask = mask.expand(B, self.n_heads, T, S).reshape(B * self.n_heads, T, S)
        scores = scores + torch.zeros_like(scores).masked_fill_(~mask, -1e9)
    weights = scores.softmax(dim=-1)
    context = torch.bmm(weights, V).view(B, self.n_heads, T, self.head_width)
    return _out(self, context), weights.view(B, self.n_heads, T, S)


def _heads_slowest(self, query, key, value, mask=None):
    """Heads and samples on one axis, the head changing slowest."""
    layers = (self.W_q(query), self.W_k(key), self.W_v(value))
    Q, K, V = (torch.cat(x.chunk(self.n_heads, dim=-1), dim=0) for x in layers)
    scores = Q @ K.mT / sqrt(self.head_width)  # (H * B, T, S)
    if mask is not None:
        scores = scores.masked_fill(~mask.squeeze(1).repeat(self.n_heads, 1, 1), -1e9)
    weights = scores.softmax(-1)
    context = torch.cat((weights @ V).chunk(self.n_heads, dim=0), dim=-1)
    return self.W_o(context), weights.unflatten(0, (self.n_heads, -1)).transpose(0, 1)


def _minus_infinity(self, query, key, value, mask=None):
    Q, K, V = _qkv(self, query, key, value)
    scores = (Q / sqrt(self.head_width)) @ K.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -inf)
    weights = scores.softmax(-1)
    weights = weights.masked_fill(weights.isnan(), 0.0)
    return _out(self, weights @ V), weights


def _renormalised(self, query, key, value, mask=None):
    """Softmax by hand; hidden weights are set to 0 and the others divided by what is left."""
    Q, K, V = _qkv(self, query, key, value)
    scores = (Q * self.head_width**-0.25) @ (K * self.head_width**-0.25).mT
    open = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
    e = (scores - scores.masked_fill(~open, -1e30).amax(-1, keepdim=True)).clamp(max=0).exp() * open
    weights = e / e.sum(-1, keepdim=True).clamp(min=1e-30)
    return _out(self, weights @ V), weights


def _filled_before_the_division(self, query, key, value, mask=None):
    Q, K, V = _qkv(self, query, key, value)
    scores = Q.matmul(K.transpose(2, 3))
    if mask is not None:
        scores = scores.masked_fill(mask == False, float("-1e20"))  # noqa: E712
    scores /= sqrt(self.head_width)
    weights = torch.softmax(scores, -1)
    return _out(self, weights.matmul(V)), weights.detach()


def _additive(self, query, key, value, mask=None):
    q, k, v = _qkv(self, query, key, value)
    q *= self.head_width**-0.5
    scores = q @ k.mT
    if mask is not None:
        scores += (1.0 - mask.to(scores.dtype)) * torch.finfo(scores.dtype).min
    return _out(self, scores.softmax(-1) @ v), scores.softmax(-1)


def _scale_in_the_layer(self, query, key, value, mask=None):
    scale = 1 / sqrt(self.head_width)
    Q = _heads_of(self, F.linear(query, self.W_q.weight * scale, self.W_q.bias * scale))
    _, K, V = _qkv(self, query, key, value)
    scores = Q @ K.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    return _out(self, weights @ V), weights


def _sum_of_heads(self, query, key, value, mask=None):
    """Each head through its own columns of the output layer; the products are summed."""
    Q, K, V = _qkv(self, query, key, value)
    scores = Q @ K.mT / sqrt(self.head_width)
    scores = scores if mask is None else torch.where(mask, scores, -1e9)
    weights = scores.softmax(-1)
    columns = self.W_o.weight.view(self.d_model, self.n_heads, self.head_width)
    return torch.einsum("bhtd,ohd->bto", weights @ V, columns) + self.W_o.bias, weights


# --- torch's own


def _by_torch(names):
    """A function (module, query, key, value, mask) that hands the module's layers to torch."""

    def forward(self, query, key, value, mask=None):
        q, k, v, last = (getattr(self, name) for name in names)
        T, S = query.size(1), key.size(1)
        if mask is not None:  # torch's True hides, on an axis of samples and heads
            mask = ~mask.expand(-1, self.n_heads, T, S).flatten(0, 1)
        output, weights = F.multi_head_attention_forward(
            *(x.transpose(0, 1) for x in (query, key, value)),
            self.d_model,
            self.n_heads,
            in_proj_weight=None,
            in_proj_bias=torch.cat([q.bias, k.bias, v.bias]),
            bias_k=None,
            bias_v=None,
            add_zero_attn=False,
            dropout_p=0.0,
            out_proj_weight=last.weight,
            out_proj_bias=last.bias,
            training=False,
            attn_mask=mask,
            use_separate_proj_weight=True,
            q_proj_weight=q.weight,
            k_proj_weight=k.weight,
            v_proj_weight=v.weight,
            average_attn_weights=False,
        )
        return output.transpose(0, 1), weights

    return forward


def _loop_by_torch(self, q, k, v):
    return _by_torch(_LOOP_LAYERS)(self, q, k, v)[0]


def _each_with(mechanism, others):
    return tuple((mechanism, other) for other in others.split())


def _right_styles(names, forwards, extra):
    return {description: _module(forward, names) for description, forward in forwards.items()} | {
        "another order of layers, own linear": _module(extra, names, _OwnLinear, order=(3, 2, 1, 0))
    }


# ---------------------------------------------------------------------- solutions

_LOOP_MECHANISMS = (
    _LINEAR, _SOURCES, _LOOP_SAMPLES, _LOOP_SPLIT, _LOOP_MERGE, _LOOP_PRODUCT, _DIVISOR, _LOOP_SCALING,
    _LOOP_AXIS, _FORM, _LOOP_GRAPH, _WEIGH, _KEPT, _OUTPUT,
)  # fmt: skip

_MECHANISMS = (
    _LINEAR, _SOURCES, _SAMPLES, _SPLIT, _MERGE, _PRODUCT, _DIVISOR, _SCALING, _READING, _HIDDEN, _FILL,
    _DEAD, _AXIS, _FORM, _GRAPH, _WEIGH, _OUTPUT, _RETURNED,
)  # fmt: skip

_LOOP_CORNERS = (
    corner("130 keys", lambda s: _loop(s, B=1, H=2, T=2, S=130, D=4)),
    corner("70 queries", lambda s: _loop(s, B=1, H=2, T=70, S=3, D=4)),
    corner("66 features", lambda s: _loop(s, B=1, H=1, T=2, S=3, D=66)),
    corner("all the same", lambda s: _loop(s, B=3, H=3, T=3, S=3, D=9)),
)


def _last(use, i):
    return use.steps[-1].args[i]


def _rows(use, i):
    """T of the queries (0), S of the keys (1)."""
    return _last(use, i).shape[1]


def _made(use):
    """The last module that is built."""
    return [step for step in use.steps if isinstance(step, Build)][-1]


def _largest(use, names):
    """The largest score, of either sign."""
    weights, (D, H) = _made(use).weights, _made(use).args
    Q, K = (
        (_last(use, i) @ weights[f"{names[i]}.weight"].T + weights[f"{names[i]}.bias"]).reshape(
            *_last(use, i).shape[:2], H, D // H
        )
        for i in (0, 1)
    )
    return np.abs(np.einsum("bthd,bshd->bhts", Q, K)).max() / sqrt(D // H)


_LOOP_PROMISES = (
    Promise("q (B, T, D), k (B, S, D), v (B, S, D) -> output (B, T, D)", ("shape",)),
    Promise("Four layers, all of them nn.Linear from D features to D features", ("values",)),
    Promise("For each sequence of the batch, on its own", ("values",)),
    Promise("Head h owns features h * d_k up to (h + 1) * d_k", ("values",)),
    Promise("Z_h goes back into the same columns", ("values",)),
    Promise("H always divides D", ("values",)),
    Promise(
        "T and S may differ",
        ("values", "equal-lengths"),
        {
            "T < S": lambda use: _rows(use, 0) < _rows(use, 1),
            "T = S": lambda use: _rows(use, 0) == _rows(use, 1) > 1,
            "T > S": lambda use: _rows(use, 0) > _rows(use, 1),
            "more than 64 keys": lambda use: _rows(use, 1) > 64,
            "more than 64 queries": lambda use: _rows(use, 0) > 64,
        },
    ),
    Promise(
        "Any size may be 1",
        ("ones",),
        {
            "one sample": lambda use: _last(use, 0).shape[0] == 1,
            "one query": lambda use: _rows(use, 0) == 1,
            "one key": lambda use: _rows(use, 1) == 1,
            "one head": lambda use: _made(use).args[1] == 1 < _made(use).args[0],
            "one feature for each head": lambda use: _made(use).args[0] == _made(use).args[1] > 1,
        },
    ),
    Promise("There is no mask and no dropout", ("values",)),
    Promise("Return the output alone, without the weights", ("shape",)),
    Promise(
        "Scores may be large (thousands): the output stays finite",
        ("steep",),
        {"thousands": lambda use: _largest(use, _LOOP_LAYERS) > 1_000},
    ),
    Promise(
        "The output has the dtype (float32 or float64) and the device of the inputs and the layers",
        ("float32", "device"),
        {"float32": lambda use: use.dtype == "float32"},
    ),
    Promise(
        "Gradients reach q, k, v and all four layers", ("gradient",), {"gradients": lambda use: bool(use.upstream)}
    ),
    Promise(
        "a second call with the same inputs gives the same result",
        ("purity",),
        {
            "watched": lambda use: use.purity,
            "after another module": lambda use: sum(isinstance(step, Build) for step in use.steps) > 1,
            "after another length": lambda use: len(use.steps) == 3 and use.steps[1].args[0].shape[1] > _rows(use, 0),
        },
    ),
    Promise("Two loops, over sequences and over heads, are the idea here", ("values",)),
    Promise("Only results are graded, though", ("values",)),
    Promise("Any softmax will do", ("values",)),
    Promise("Do not call F.scaled_dot_product_attention", ("by-hand",)),
)


def _example(target, names, *mask):
    """That in the prompt of `target`."""
    moved = np.roll(np.eye(4), 1, axis=1)  # one place to the left
    rows = dict(zip(names, (2 * np.eye(4), np.eye(4), np.eye(4), moved), strict=True))
    biases = dict(zip(names, (np.zeros(4), np.eye(4)[0], np.eye(4)[1], np.zeros(4)), strict=True))
    weights = {f"{name}.weight": array for name, array in rows.items()}
    weights |= {f"{name}.bias": array for name, array in biases.items()}
    inputs = (
        np.array([[[1.0, 0, 0, 1], [0, 1, -1, 0]]]),
        np.array([[[1.0, 0, 1, 0], [0, 1, 0, 1], [0, 0, 0, -1]]]),
        np.array([[[1.0, 2, 3, 4], [5, 6, 7, 8], [-1, 0, 1, 0]]]),
    )
    return Case("example", lambda s: Script((build(target, 4, 2, weights=weights), Call(None, (*inputs, *mask)))))


_LOOP_EXAMPLE = _example("LoopMultiHeadAttention", _LOOP_LAYERS)


LOOP_MULTI_HEAD_ATTENTION = Solution(
    "LoopMultiHeadAttention",
    points=8,
    summary="several heads, one sequence and one head at a time",
    reference=LoopMultiHeadAttention,
    variant=_loop_variant,
    mechanisms=_LOOP_MECHANISMS,
    cases=(
        _LOOP_EXAMPLE,
        _LOOP_PLAIN,
        Case("T = S", lambda s: _loop(s, S=T)),
        Case("one sequence, one head", lambda s: _loop(s, B=1, H=1)),
        Case("one token", lambda s: _loop(s, B=1, T=1, S=1)),
        Case("steep", lambda s: _steep(_loop(s))),
        Case("gradient", lambda s: replace(_loop(s), upstream=(s.normal(B, T, D),))),
        _LOOP_PLAIN.having("float32", dtype="float32"),
        _LOOP_PLAIN.having("purity", purity=True),
        _LOOP_PLAIN.having("device", device="meta"),
        _LOOP_PLAIN.having("operations", operations=True),
        *_LOOP_CORNERS,
    ),
    checks=(
        example(0.5),
        Check("shape", "the result has one row per query", "shape", 0.5, ("T < S", "T = S"), "shape"),
        Check("values", "every head attends for itself", "values", 2, ("T < S",)),
        Check("equal-lengths", "as many keys as queries", "values", 0.5, ("T = S",)),
        Check("ones", "a single sequence, head or token", "values", 0.5, ("one sequence, one head", "one token")),
        Check("steep", "scores in the thousands", "robustness", 0.5, ("steep",)),
        Check("gradient", "gradients reach the inputs and all four layers", "gradient", 1, ("gradient",), "gradient"),
        Check("float32", "works in float32", "robustness", 0.5, ("float32",)),
        Check("purity", "leaves its inputs and layers as they are", "robustness", 0.5, ("purity",), "purity"),
        Check("device", "makes its tensors where the inputs are", "robustness", 0.5, ("device",), "device"),
        Check("by-hand", "written by hand", "style", 0.5, ("operations",), "forbidden"),
        any_input(0.5, *_LOOP_CORNERS),
    ),
    domain=_any_loop,
    promises=_LOOP_PROMISES,
    hints=(
        "Start with a single head and a single sequence: that is an exercise you have already solved. Then ask which "
        "columns of the projected sequence belong to head h, and write down the shape of what one head gives you.",
        "Two loops, the sequences outside and the heads inside. Project first. A head works on d_k neighbouring "
        "columns of Q, K and V, and d_k is also what its scores are scaled by. What one head gives is (T, d_k): how "
        "do H of these become (T, D) again, with the heads side by side?",
        "For each sequence and each head, cut columns h * d_k up to (h + 1) * d_k out of the projected queries, keys "
        "and values; take scores, divide by the square root of d_k, softmax over the keys, times values. Concatenate "
        "the heads along the last axis, stack the sequences, and send the result through wz.",
    ),
    axes=_AXES,
    returns=("output",),
    forbidden=_FINISHED,
    pairs=(
        ("split", "merge"),
        *_each_with("divisor", "split merge axis form sources layers product weigh output"),
        *_each_with("output", "split merge axis sources layers"),
        *_each_with("axis", "split merge sources form"),
        ("sources", "layers"),
        ("form", "output"),
        ("weigh", "output"),
        ("product", "sources"),
    ),
    also_right=_right_styles(
        _LOOP_LAYERS,
        {
            "literally from an article": _loop_literally,
            "slices of a buffer, a layer call per sequence": _loop_into_a_buffer,
            "growing tensors, scores scaled in place": _loop_growing,
            "slices of the layers, sum of heads": _loop_over_layers_too,
            "query by query": _loop_query_by_query,
            "online softmax": _loop_online,
            "no loop at all": _no_loop,
            "one list of all heads": _folded_lists,
        },
        _loop_literally,
    ),
    torch_says={"multi_head_attention_forward": _module(_loop_by_torch, _LOOP_LAYERS)},
)


def _hidden_far_above(s):
    """Keys 0 and 2 are open, with scores of -5,000 and a little more; key 1 is hidden, with one of 5,000."""
    script = _full(s, B=1, H=2, T=2, S=3, D=4, mask=np.array([[[[True, False, True]] * 2]]))
    weights, key = script.steps[0].weights, script.steps[1].args[1]
    weights["W_q.weight"][[0, 2]] = 0.0
    weights["W_q.bias"][[0, 2]] = sqrt(2)
    weights["W_k.weight"][:, 0] = 0.0
    weights["W_k.weight"][[0, 2]] = np.eye(4)[0]
    key[..., 0] = np.array([-5000.0, 5000.0, -4999.0])
    return replace(script, tolerance=steepness(1e4))


_FULL_CORNERS = (
    corner("hidden far above", _hidden_far_above),
    corner("130 keys", lambda s: _full(s, B=1, H=2, T=2, S=130, D=4, mask=s.mask(1, 1, 2, 130))),
    corner("70 queries", lambda s: _full(s, B=1, H=2, T=70, S=3, D=4)),
    corner("66 features", lambda s: _full(s, B=1, H=1, T=2, S=3, D=66, mask=s.mask(1, 1, 2, 3))),
    corner("all the same", lambda s: _full(s, B=3, H=3, T=3, S=3, D=9, mask=s.mask(3, 1, 3, 3))),
)


def _masks(use):
    """The mask of the last call, or None."""
    return use.steps[-1].args[3] if len(use.steps[-1].args) > 3 else None


_FULL_PROMISES = (
    Promise("mask bool -> output (B, T, D), weights (B, H, T, S)", ("shape",)),
    Promise("Four layers, all of them nn.Linear from D features to D features", ("values",)),
    Promise("Head h owns features h * d_k up to (h + 1) * d_k of what a layer makes", ("values",)),
    Promise("the checks pass it as (B, 1, T, S), the same for all heads of a sample", ("masked",)),
    Promise("True: this query MAY attend to this key", ("masked",)),
    Promise(
        "the remaining weights of the row sum to 1, however low their scores are (-50,000 happens)",
        ("masked", "low-scores"),
        {"that low": lambda use: _masks(use) is not None and _last(use, 1).min() < -49_000},
    ),
    Promise(
        "In a row without any True there is nothing to attend to",
        ("dead-rows",),
        {"such a row": lambda use: bool(use.free)},
    ),
    Promise(
        "mask=None, or no mask at all: every query sees every key",
        ("values",),
        {
            "mask=None": lambda use: len(use.steps[-1].args) == 4 and use.steps[-1].args[3] is None,
            "no mask": lambda use: len(use.steps[-1].args) == 3,
        },
    ),
    Promise("The rest of the contract", ("values",)),
    Promise("H always divides D", ("values",)),
    Promise(
        "T and S may differ",
        ("values", "equal-lengths"),
        {
            "T < S": lambda use: _rows(use, 0) < _rows(use, 1),
            "T = S": lambda use: _rows(use, 0) == _rows(use, 1) > 1,
            "T > S": lambda use: _rows(use, 0) > _rows(use, 1),
            "more than 64 keys": lambda use: _rows(use, 1) > 64,
            "more than 64 queries": lambda use: _rows(use, 0) > 64,
        },
    ),
    Promise(
        "Any size may be 1",
        ("ones",),
        {
            "one sample": lambda use: _last(use, 0).shape[0] == 1,
            "one query": lambda use: _rows(use, 0) == 1,
            "one key": lambda use: _rows(use, 1) == 1,
            "one head": lambda use: _made(use).args[1] == 1 < _made(use).args[0],
            "one feature for each head": lambda use: _made(use).args[0] == _made(use).args[1] > 1,
        },
    ),
    Promise("There is no dropout", ("values",)),
    Promise("Return a tuple, the output first", ("values",)),
    Promise("The weights are those that meet the values, one (T, S) for every head", ("values",)),
    Promise(
        "Scores may be large (thousands): everything stays finite",
        ("steep",),
        {"thousands": lambda use: _largest(use, _FULL_LAYERS) > 1_000},
    ),
    Promise("the number of torch operations (views are not counted) is the same whatever B and H are", ("no-loop",)),
    Promise(
        "Both results have the dtype (float32 or float64) and the device of the inputs and the layers",
        ("float32", "device"),
        {"float32": lambda use: use.dtype == "float32"},
    ),
    Promise(
        "Gradients of the output reach query, key, value and all four layers",
        ("gradient",),
        {"gradients": lambda use: bool(use.upstream)},
    ),
    Promise(
        "a second call with the same inputs gives the same result",
        ("purity",),
        {
            "watched": lambda use: use.purity,
            "after another module": lambda use: sum(isinstance(step, Build) for step in use.steps) > 1,
            "after another length": lambda use: len(use.steps) == 3 and use.steps[1].args[0].shape[1] > _rows(use, 0),
        },
    ),
    Promise("Any softmax will do", ("values",)),
    Promise("Do not call F.scaled_dot_product_attention", ("by-hand",)),
)


_FULL_EXAMPLE = _example("MultiHeadAttention", _FULL_LAYERS, np.array([[[[True, True, False], [True, False, True]]]]))


MULTI_HEAD_ATTENTION = Solution(
    "MultiHeadAttention",
    points=14,
    summary="all heads and samples at once, with an optional mask",
    reference=MultiHeadAttention,
    variant=_variant,
    mechanisms=_MECHANISMS,
    cases=(
        _FULL_EXAMPLE,
        _PLAIN,
        Case("T = S", lambda s: _full(s, S=T)),
        _MASKED,
        Case("dead rows", _dead_rows),
        Case("low scores", _low_scores),
        Case("steep", lambda s: _steep(_full(s))),
        Case("one sample, one head", lambda s: _full(s, B=1, H=1, mask=_mask(s, B=1))),
        Case("one token", lambda s: _full(s, B=1, T=1, S=1, mask=np.ones((1, 1, 1, 1), bool))),
        Case("gradient", _gradient),
        _MASKED.having("float32", dtype="float32"),
        _MASKED.having("purity", purity=True),
        _MASKED.having("device", device="meta"),
        _MASKED.having("operations", operations=True),
        Case("more of both", lambda s: _full(s, B=B + 1, H=H + 1, mask=_mask(s, B=B + 1), operations=True)),
        *_FULL_CORNERS,
    ),
    checks=(
        example(0.5),
        Check("shape", "output (B, T, D), weights (B, H, T, S)", "shape", 0.5, ("T < S", "T = S"), "shape"),
        Check("values", "every head attends for itself", "values", 2.5, ("T < S",)),
        Check("equal-lengths", "as many keys as queries", "values", 0.5, ("T = S",)),
        Check("masked", "a mask hides keys, from every head of its sample", "mask", 2, ("masked",)),
        Check("low-scores", "hidden keys stay hidden however low the other scores are", "mask", 1, ("low scores",)),
        Check("dead-rows", "a query with nothing to attend to stays finite", "mask", 1, ("dead rows",)),
        Check("ones", "a single sample, head or token", "values", 0.5, ("one sample, one head", "one token")),
        Check("steep", "scores in the thousands", "robustness", 0.5, ("steep",)),
        Check("gradient", "gradients reach the inputs and all four layers", "gradient", 1, ("gradient",), "gradient"),
        Check("float32", "works in float32", "robustness", 0.5, ("float32",)),
        Check("purity", "leaves inputs, mask and layers as they are", "robustness", 0.5, ("purity",), "purity"),
        Check("device", "makes its tensors where the inputs are", "robustness", 0.5, ("device",), "device"),
        Check("no-loop", "no loop over samples or heads", "style", 1.5, ("operations", "more of both"), "operations"),
        Check("by-hand", "written by hand", "style", 0.5, ("operations",), "forbidden"),
        any_input(0.5, *_FULL_CORNERS),
    ),
    domain=_any_full,
    promises=_FULL_PROMISES,
    hints=(
        "You have every piece already: project, split into heads, attend, merge, project. Write down the shape after "
        "each step before you write the step. T and S need not be equal, so ask each tensor for its own length.",
        "With an axis for the heads in second place, one matrix product serves all samples and heads at once, since "
        "torch multiplies the last two axes and carries the others along. The mask arrives with an axis of size 1 "
        "where the scores have their heads: what does broadcasting do with it?",
        "Cut the features into (H, d_k) and bring the heads before the tokens; scores are queries times keys with the "
        "last two axes exchanged, over the square root of d_k; where the mask is False, put the lowest finite number; "
        "softmax over the keys, times values. Bring the tokens before the heads again, join the last two axes, and "
        "send that through W_o. Return it together with the weights.",
    ),
    axes=_AXES,
    returns=("output", "weights"),
    forbidden=_FINISHED,
    pairs=(
        ("split", "merge"),
        ("divisor", "hidden", "fill", "axis"),
        *_each_with("divisor", "split merge form sources layers output returned"),
        *_each_with("dead", "layers sources samples split merge product divisor scaling"),  # many fill with -inf
        *_each_with("dead", "reading hidden fill axis form graph weigh output returned"),
        ("sources", "layers"),
        ("sources", "output"),
        ("layers", "output"),
        ("returned", "axis"),
        ("returned", "output"),
        ("merge", "output"),
        ("split", "output"),
        ("axis", "sources"),
        ("axis", "output"),
        ("axis", "form"),
        ("fill", "sources"),
        ("fill", "output"),
        ("fill", "returned"),
        ("hidden", "output"),
        ("split", "axis"),
        ("merge", "axis"),
    ),
    also_right=_right_styles(
        _FULL_LAYERS,
        {
            "literally from an article": _literally,
            "root of an integer tensor, a list returned": _root_of_an_integer_tensor,
            "einsum, a named tuple returned": _einsum,
            "samples and heads on one axis": _folded_batch,
            "heads and samples on one axis": _heads_slowest,
            "-inf, then zeros": _minus_infinity,
            "softmax by hand, renormalised after the mask": _renormalised,
            "filled before the division, weights detached": _filled_before_the_division,
            "mask added, own tensors in place": _additive,
            "scale in the layer": _scale_in_the_layer,
            "sum of heads": _sum_of_heads,
        },
        _literally,
    ),
    torch_says={"multi_head_attention_forward": _module(_by_torch(_FULL_LAYERS), _FULL_LAYERS)},
)

EXERCISES = (LOOP_MULTI_HEAD_ATTENTION, MULTI_HEAD_ATTENTION)
