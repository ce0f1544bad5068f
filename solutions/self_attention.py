"""Self-attention with one head, as a module: reference, variants and checks."""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from attention_kata.authoring import (
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

B, T, D = 3, 6, 10
LAYERS = ("wq", "wk", "wv", "wz")
FINISHED = ("scaled_dot_product_attention", "multi_head_attention_forward", "native_multi_head_attention")


# ---------------------------------------------------------------------- reference


class SelfAttention(nn.Module):
    def __init__(self, embedding_dim):
        super().__init__()
        self.scale = 1 / sqrt(embedding_dim)
        self.wq = nn.Linear(embedding_dim, embedding_dim)
        self.wk = nn.Linear(embedding_dim, embedding_dim)
        self.wv = nn.Linear(embedding_dim, embedding_dim)
        self.wz = nn.Linear(embedding_dim, embedding_dim)

    def forward(self, x):
        Q, K, V = self.wq(x), self.wk(x), self.wv(x)  # (B, T, D) each
        weights = (Q @ K.mT * self.scale).softmax(-1)  # (B, T, T)
        return self.wz(weights @ V)  # (B, T, D)


# ---------------------------------------------------------------------- variants


def _variant(*, registry, bias, weight, projections, samples, product, scale, softmax, graph, weigh, output):
    class Variant(nn.Module):
        def __init__(self, embedding_dim):
            super().__init__()
            layers = {name: nn.Linear(embedding_dim, embedding_dim, name in bias.made) for name in LAYERS}
            for name in projections.aliases:
                layers[name] = layers["wq"]
            registry(self, layers)
            self.by_name = lambda name: layers[name]  # in a closure, so that torch does not register the layers

        def project(self, name, x):
            layer = self.by_name(name)
            y = weight(x, layer.weight, name)
            return y + layer.bias if name in bias.added else y

        def forward(self, x):
            D = x.size(-1)
            q, k, v = (samples.apart(y) for y in projections.qkv(self.project, x))
            scores = graph.scores(scale.scores(product(q, k), D, x))
            weights = graph.weights(scale.weights(softmax(scores), D))
            z = samples.together(weigh(weights, v), x)
            return graph.result(output(self.project, z))

    return Variant


def _same(x, *_):
    return x


# --- layers: whether the module knows them, their weights and biases


def _as_attributes(module, layers):
    for name, layer in layers.items():
        setattr(module, name, layer)


def _in_a_list(*names):
    """The layers `names` in a list, where torch does not see them; the others as attributes."""

    def registry(module, layers):
        module.layers = [layers[name] for name in layers if name in names]
        _as_attributes(module, {name: layer for name, layer in layers.items() if name not in names})

    return registry


_REGISTRY = Mechanism(
    "registry",
    "the layers of the module",
    right={"attributes": _as_attributes},
    mistakes={"heads-in-python-list": writings(_in_a_list(*LAYERS), _in_a_list("wq", "wk", "wv"))},
)

_WEIGHT = Mechanism(
    "weight",
    "the weights of the layers",
    right={"transposed": lambda x, W, name: x @ W.mT},
    mistakes={
        "weight-not-transposed": writings(
            lambda x, W, name: x @ W,
            lambda x, W, name: x @ W if name != "wz" else x @ W.mT,
        ),
    },
)


class _Bias(NamedTuple):
    made: Any = LAYERS  # layers that have a bias
    added: Any = LAYERS  # layers whose bias is used


_BIAS = Mechanism(
    "bias",
    "the biases",
    right={"in every layer": _Bias()},
    mistakes={
        "projection-bias-forgotten": writings(
            _Bias(made=(), added=()),
            _Bias(made=("wz",), added=("wz",)),
            _Bias(added=()),
            _Bias(added=("wz",)),
            _Bias(added=("wq", "wk", "wv")),
        ),
    },
)


# --- which layer makes what


class _Projections(NamedTuple):
    qkv: Any  # (project, x) -> queries, keys, values
    aliases: Any = ()  # names of the very layer that wq is


def _from(q, k, v):
    return lambda project, x: (project(q, x), project(k, x), project(v, x))


_PROJECTIONS = Mechanism(
    "projections",
    "which layer makes queries, keys and values",
    right={"one layer for each": _Projections(_from("wq", "wk", "wv"))},
    mistakes={
        "value-uses-key-projection": _Projections(_from("wq", "wk", "wk")),
        "qk-projections-swapped": _Projections(_from("wk", "wq", "wv")),
        "value-projection-unused": _Projections(lambda project, x: (project("wq", x), project("wk", x), x)),
        "relu-after-projection": _Projections(
            lambda project, x: (project("wq", x).relu(), project("wk", x).relu(), project("wv", x).relu())
        ),
        "one-projection-for-qkv": writings(
            _Projections(_from("wq", "wq", "wq")),
            _Projections(_from("wk", "wk", "wk")),
            _Projections(_from("wv", "wv", "wv")),
            _Projections(_from("wq", "wk", "wv"), aliases=("wk", "wv")),
        ),
    },
)


def _projected_in_vain(project, z):
    project("wz", z)
    return z


_OUTPUT = Mechanism(
    "output",
    "the output layer",
    right={"applied": lambda project, z: project("wz", z)},
    mistakes={
        "missing-output-projection": lambda project, z: z,
        "output-projected-then-dropped": _projected_in_vain,
    },
)


# --- attention


class _Samples(NamedTuple):
    apart: Any  # (B, T, D) -> the sequences to attend within
    together: Any  # (result of those, x) -> (B, T, D)


_SAMPLES = Mechanism(
    "samples",
    "each sample by itself",
    right={"each by itself": _Samples(_same, _same)},
    mistakes={
        "attends-over-batch": writings(
            _Samples(lambda y: y.transpose(0, 1), lambda z, x: z.transpose(0, 1)),
            _Samples(lambda y: y.flatten(0, 1), lambda z, x: z.view_as(x)),
        ),
    },
)

_PRODUCT = Mechanism(
    "product",
    "the product of queries and keys",
    right={"K transposed": lambda q, k: q @ k.mT},
    mistakes={
        "key-reversed-all-axes": writings(
            lambda q, k: q @ k.permute(*reversed(range(k.dim()))),
            lambda q, k: torch.bmm(q, k.permute(2, 1, 0)),
        ),
        "fixed-number-of-axes": lambda q, k: q @ k.t(),
        "key-reshaped-not-transposed": lambda q, k: q @ k.reshape(*k.shape[:-2], k.size(-1), k.size(-2)),
    },
)


class _Scale(NamedTuple):
    scores: Any = _same  # (product, D, x) -> scores
    weights: Any = _same  # (softmax of the scores, D) -> weights


_SCALE = Mechanism(
    "scale",
    "the scale of the scores",
    right={"divided by sqrt(D)": _Scale(lambda s, D, x: s / sqrt(D))},
    mistakes={
        "scale-missing": _Scale(),
        "scale-no-sqrt": _Scale(lambda s, D, x: s / D),
        "scale-applied-twice": _Scale(lambda s, D, x: s * D**-0.5 * D**-0.5),
        "scale-inverted": _Scale(lambda s, D, x: s * sqrt(D)),
        "scale-fourth-root-once": _Scale(lambda s, D, x: s * D**-0.25),
        "scale-by-key-count": _Scale(lambda s, D, x: s / sqrt(x.size(1))),
        "scale-floor-division": writings(
            _Scale(lambda s, D, x: s // sqrt(D)),
            _Scale(lambda s, D, x: torch.floor(s / sqrt(D))),  # has a gradient: 0
        ),
        "scale-after-softmax": writings(
            _Scale(weights=lambda w, D: w / sqrt(D)),
            _Scale(weights=lambda w, D: w.div_(sqrt(D))),
        ),
        "sqrt-of-python-int": _Scale(lambda s, D, x: s / torch.sqrt(D)),
        "mask-on-wrong-device": _Scale(lambda s, D, x: s / torch.tensor([float(D)]).sqrt()),
    },
)


def _by_hand(s):
    e = (s - s.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


def _below(s, highest):
    e = (s - highest).exp()
    return e / e.sum(-1, keepdim=True)


def _below_without_axes(s):
    e = (s - s.amax(-1)).exp()
    return e / e.sum(-1)


def _divided_in_place(s):
    e = (s - s.amax(-1, keepdim=True)).exp()
    e /= e.sum(-1, keepdim=True)
    return e


def _plus_one(s):
    e = (s - s.amax(-1, keepdim=True)).exp()
    return e / (1 + e.sum(-1, keepdim=True))


_SOFTMAX = Mechanism(
    "softmax",
    "the softmax",
    right={"over the keys": lambda s: s.softmax(-1), "by hand": _by_hand},
    mistakes={
        "softmax-over-queries": lambda s: s.softmax(-2),
        "softmax-over-batch": lambda s: s.softmax(0),
        "softmax-over-everything": lambda s: s.flatten().softmax(0).view_as(s),
        "softmax-twice": lambda s: s.softmax(-1).softmax(-1),
        "softmax-denominator-plus-one": writings(
            _plus_one, alone=(lambda s: s.exp() / (1 + s.exp().sum(-1, keepdim=True)),)
        ),
        "softmax-over-size-one": writings(alone=(lambda s: s.unsqueeze(-1).softmax(-1).squeeze(-1),)),
        "softmax-missing": _same,
        "softmax-log": lambda s: s.log_softmax(-1),
        "softmax-no-max-subtraction": lambda s: s.exp() / s.exp().sum(-1, keepdim=True),
        "softmax-global-max": lambda s: _below(s, s.max()),
        "softmax-max-without-keepdim": writings(lambda s: _below(s, s.amax(-1)), _below_without_axes),
        "weights-edited-in-place": writings(
            _divided_in_place,
            lambda s: s.softmax(-1).nan_to_num_(),
            lambda s: s.softmax(-1).clamp_(0, 1),
        ),
    },
)


class _Graph(NamedTuple):
    scores: Any = _same
    weights: Any = _same
    result: Any = _same


_GRAPH = Mechanism(
    "graph",
    "the way back for gradients",
    right={"kept": _Graph()},
    mistakes={
        "weights-detached": writings(
            _Graph(weights=lambda w: w.detach()),
            _Graph(result=lambda y: y.detach()),
        ),
        "scores-recreated": writings(
            _Graph(scores=lambda s: torch.tensor(s.tolist(), dtype=s.dtype)),
            _Graph(scores=lambda s: torch.tensor(s.tolist())),
            _Graph(scores=lambda s: torch.from_numpy(s.detach().numpy())),
            _Graph(scores=lambda s: torch.from_numpy(s.numpy())),
        ),
    },
)

_WEIGH = Mechanism(
    "weigh",
    "the weighted sum of the values",
    right={"weights @ V": lambda w, v: w @ v},
    mistakes={
        "weights-transposed-before-v": lambda w, v: w.mT @ v,
        "einsum-index-not-shared": lambda w, v: torch.einsum("...ts,...ud->...td", w, v),
    },
)


# ---------------------------------------------------------------------- cases


def _weights(s, D):
    """Scores of a standard deviation of about 2 for normal x, and biases that count."""
    weights = {f"{name}.weight": s.normal(D, D, scale=1.4 / sqrt(D)) for name in LAYERS}
    return weights | {f"{name}.bias": s.normal(D, scale=0.7) for name in LAYERS}


def _script(s, B, T, D, *, size=1.0, **how):
    steps = build("SelfAttention", D, weights=_weights(s, D)), Call(None, (s.normal(B, T, D, scale=size),))
    return Script(steps, **how)


_PLAIN = Case("plain", lambda s: _script(s, B, T, D))
_EQUAL = Case("B = T = D", lambda s: _script(s, 5, 5, 5))
_OTHER = Case("other sizes", lambda s: _script(s, 2, 7, 5))
_STEEP = Case("steep", lambda s: _script(s, B, T, D, size=28.0, tolerance=1e-3))  # scores of a few thousand
_GRADIENT = Case("gradient", lambda s: _script(s, B, T, D, upstream=(s.normal(B, T, D),)))


def _any_self_attention(s):
    B, T, D = s.size(), s.size(), s.size()
    match s.choice(("", "", "T", "D", "B", "T = D", "B = T", "B = T = D")):
        case "T":
            T, B = s.large(), 1
        case "D":
            D = s.choice((16, 33, 64, 66))
        case "B":
            B = s.large()
        case "T = D":
            T = D
        case "B = T":
            B = T
        case "B = T = D":
            B = T = D
    asked = s.choice(("", "", "gradient", "purity", "float32"))
    weights = _weights(s, D)
    size = 1.0 if asked == "gradient" else s.choice((1.0, 1.0, 0.1, 28.0))
    x = s.entries(B, T, D, scale=size)
    if s.chance(0.2):  # keys that are all alike: a plain mean
        weights["wk.weight"][...] = 0.0
    Q, K = (np.abs(x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]) for name in ("wq", "wk"))
    before = ()
    if s.chance(0.3):  # another module, other numbers, or another length
        before = s.choice(
            (
                (build("SelfAttention", D, weights=_weights(s, D)), Call(None, (x + 1.0,))),
                (Call(None, (x + 1.0,)),),
                (Call(None, (s.normal(1, T + 1, D),)),),
            )
        )
    made = build("SelfAttention", D, weights=weights)
    steps = (*before, made) if len(before) == 2 else (made, *before)
    return Script(
        (*steps, Call(None, (s.laid_out(x),))),
        dtype="float32" if asked == "float32" else "float64",
        upstream=(s.normal(B, T, D),) if asked == "gradient" else (),
        purity=asked == "purity",
        tolerance=steepness((Q @ K.swapaxes(-1, -2)).max() / sqrt(D), asked),
    )


# ---------------------------------------------------------------------- right answers in other styles


def _module(forward, linear=nn.Linear, order=LAYERS):
    """A module with the four layers, made in `order`, and the given forward(self, x)."""

    class Module(nn.Module):
        def __init__(self, embedding_dim):
            super().__init__()
            self.embedding_dim = embedding_dim
            self.dropout = nn.Dropout(0.0)
            self.register_buffer("root", torch.sqrt(torch.tensor(embedding_dim, dtype=torch.float32)))
            for name in order:
                setattr(self, name, linear(embedding_dim, embedding_dim))

    Module.forward = forward
    return Module


class _OwnLinear(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs).uniform_(-0.1, 0.1))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return torch.einsum("...i,oi->...o", x, self.weight) + self.bias


def _literally(self, x):
    query, key, value = self.wq(x), self.wk(x), self.wv(x)
    root = torch.sqrt(torch.tensor(x.shape[-1], dtype=torch.float32))
    scores = torch.matmul(query, key.transpose(-2, -1)) / root
    return self.wz(torch.matmul(F.softmax(scores, dim=-1), value))


def _root_of_an_integer_tensor(self, x):
    head_width = x.size(-1)
    scores = torch.bmm(self.wq(x), self.wk(x).permute(0, 2, 1)) / torch.sqrt(torch.tensor(head_width))
    return self.wz(self.dropout(scores.softmax(dim=2)).bmm(self.wv(x)))


def _root_in_a_buffer(self, x):
    scores = self.wq(x) @ self.wk(x).transpose(1, 2) / self.root
    return self.wz(_by_hand(scores) @ self.wv(x))


def _einsum(self, x):
    scores = torch.einsum("btd,bsd->bts", self.wq(x), self.wk(x)) * self.embedding_dim**-0.5
    return self.wz(torch.einsum("bts,bsd->btd", scores.softmax(-1), self.wv(x)))


def _own_tensors_in_place(self, x):
    q = self.wq(x)
    q /= sqrt(self.embedding_dim)
    scores = q @ self.wk(x).mT
    scores -= scores.amax(-1, keepdim=True).detach()
    return self.wz(scores.softmax(-1) @ self.wv(x))


def _fourth_root_on_both(self, x):
    half = self.embedding_dim**-0.25
    return self.wz(((self.wq(x) * half) @ (self.wk(x) * half).mT).softmax(-1) @ self.wv(x))


def _scale_in_the_layer(self, x):
    scale = 1 / sqrt(self.embedding_dim)
    q = F.linear(x, self.wq.weight * scale, self.wq.bias * scale)
    return self.wz((q @ self.wk(x).mT).softmax(-1) @ self.wv(x))


def _one_product_for_three(self, x):
    layers = (self.wq, self.wk, self.wv)
    y = F.linear(x, torch.cat([layer.weight for layer in layers]), torch.cat([layer.bias for layer in layers]))
    q, k, v = y.chunk(3, dim=-1)
    return self.wz((q @ k.mT / sqrt(x.size(-1))).softmax(-1) @ v)


def _keys_in_rows(self, x):
    scores = self.wk(x) @ self.wq(x).mT / sqrt(x.size(-1))  # (B, keys, queries)
    return self.wz(scores.softmax(-2).mT @ self.wv(x))


def _values_through_wz_first(self, x):
    values = self.wv(x) @ self.wz.weight.mT
    return (self.wq(x) @ self.wk(x).mT / sqrt(x.size(-1))).softmax(-1) @ values + self.wz.bias


def _query_by_query(self, x):
    samples = []
    for sample in x:
        q, k, v = self.wq(sample), self.wk(sample), self.wv(sample)
        rows = []
        for t in range(sample.size(0)):
            weights = torch.softmax(k @ q[t] / sqrt(sample.size(-1)), dim=0)  # (T,)
            rows.append((weights.unsqueeze(-1) * v).sum(0))
        samples.append(self.wz(torch.stack(rows)))
    return torch.stack(samples)


def _online(self, x):
    q, k, v = self.wq(x) / sqrt(x.size(-1)), self.wk(x), self.wv(x)
    highest = torch.full_like(q[..., :1], -torch.inf)  # (B, T, 1)
    total, z = torch.zeros_like(highest), torch.zeros_like(v)
    for s in range(x.size(1)):
        scores = q @ k[:, s].unsqueeze(-1)  # (B, T, 1)
        new = torch.maximum(highest, scores)
        old, now = (highest - new).exp(), (scores - new).exp()
        total, z, highest = total * old + now, z * old + now * v[:, s : s + 1], new
    return self.wz(z / total)


# ---------------------------------------------------------------------- solution

_CORNERS = (
    corner("70 tokens", lambda s: _script(s, 1, 70, 3)),
    corner("66 features", lambda s: _script(s, 1, 2, 66)),
    corner("33 samples", lambda s: _script(s, 33, 2, 2)),
)


def _x(use):
    return use.steps[-1].args[0]


def _scores(use):
    """float64 (B, T, T): what the last module built makes of the last input."""
    weights = [step for step in use.steps if isinstance(step, Build)][-1].weights
    Q, K = (_x(use) @ weights[f"{name}.weight"].T + weights[f"{name}.bias"] for name in ("wq", "wk"))
    return Q @ K.swapaxes(-1, -2) / sqrt(_x(use).shape[-1])


_PROMISES = (
    Promise("Four layers, each an nn.Linear from D features to D features, with bias", ("values",)),
    Promise("Weights are loaded by name", ("values",)),
    Promise("forward(x), for each sample on its own", ("values",)),
    Promise("There is one head, so the d_k of the paper is D", ("values",)),
    Promise("There is no mask and no dropout", ("values",)),
    Promise("Return the result alone, without the weights", ("shape",)),
    Promise(
        "B, T and D may have any size, and may be equal",
        ("values",),
        {
            **{f"{name} = 1": lambda use, axis=axis: _x(use).shape[axis] == 1 for axis, name in enumerate("BTD")},
            "T = D": lambda use: _x(use).shape[1] == _x(use).shape[2] > 1,
            "B = T": lambda use: _x(use).shape[0] == _x(use).shape[1] > 1,
            "B = T = D": lambda use: len(set(_x(use).shape)) == 1 < _x(use).shape[0],
            "more than 64 tokens": lambda use: _x(use).shape[1] > 64,
            "64 features or more": lambda use: _x(use).shape[2] >= 64,
            "many samples": lambda use: _x(use).shape[0] > 16,
            "equal rows": lambda use: _x(use).shape[1] > 1 and bool((_x(use)[:, 0] == _x(use)[:, -1]).all()),
        },
    ),
    Promise(
        "Scores may be large (thousands): the result stays finite",
        ("steep",),
        {"thousands": lambda use: np.abs(_scores(use)).max() > 1_000},
    ),
    Promise(
        "The result has the dtype and the device of x and of the layers",
        ("float32", "device"),
        {"float32": lambda use: use.dtype == "float32"},
    ),
    Promise("Gradients reach x and all four layers", ("gradient",), {"gradients": lambda use: bool(use.upstream)}),
    Promise(
        "a second call with the same x gives the same result",
        ("purity",),
        {
            "watched": lambda use: use.purity,
            "after another module": lambda use: sum(isinstance(step, Build) for step in use.steps) > 1,
            "after another input": lambda use: len(use.steps) == 3 and isinstance(use.steps[1], Call),
        },
    ),
    Promise("Any softmax will do", ("values",)),
    Promise("Do not call F.scaled_dot_product_attention", ("by-hand",)),
)


def _example(s):
    """That in the prompt."""
    weights = {"wq": [[2, 0], [0, 1]], "wk": [[0, 1], [1, 0]], "wv": [[1, 1], [0, 1]], "wz": [[1, 0], [1, -1]]}
    arrays = {f"{name}.weight": np.array(rows, dtype=float) for name, rows in weights.items()}
    arrays |= {f"{name}.bias": np.array([1.0, 0.0] if name == "wz" else [0.0, 0.0]) for name in weights}
    x = np.array([[[1.0, 0], [0, 2]], [[1, 1], [-1, 0]]])
    return Script((build("SelfAttention", 2, weights=arrays), Call(None, (x,))))


_EXAMPLE = Case("example", _example)


SELF_ATTENTION = Solution(
    "SelfAttention",
    points=8,
    summary="a sequence that asks itself, one head",
    reference=SelfAttention,
    variant=_variant,
    mechanisms=(
        _REGISTRY,
        _PROJECTIONS,
        _WEIGHT,
        _BIAS,
        _SAMPLES,
        _PRODUCT,
        _SCALE,
        _SOFTMAX,
        _GRAPH,
        _WEIGH,
        _OUTPUT,
    ),
    cases=(
        _EXAMPLE,
        _PLAIN,
        _OTHER,
        _EQUAL,
        _STEEP,
        _GRADIENT,
        _PLAIN.having("float32", dtype="float32"),
        _PLAIN.having("purity", purity=True),
        _PLAIN.having("meta", device="meta"),
        _PLAIN.having("operations", operations=True),
        *_CORNERS,
    ),
    checks=(
        example(0.5),
        Check("shape", "the result has the shape of x", "shape", 1, ("plain", "other sizes"), "shape"),
        Check("values", "attention of a sequence to itself", "values", 2, ("plain", "other sizes", "B = T = D")),
        Check("steep", "stays finite for large scores", "robustness", 1, ("steep",)),
        Check("gradient", "gradients reach x and all four layers", "gradient", 1, ("gradient",), "gradient"),
        Check("float32", "works in float32", "robustness", 0.5, ("float32",)),
        Check("purity", "leaves x and its layers as they are", "robustness", 0.5, ("purity",), "purity"),
        Check("device", "makes nothing on another device", "robustness", 0.5, ("meta",), "device"),
        Check("by-hand", "written by hand", "style", 0.5, ("operations",), "forbidden"),
        any_input(0.5, *_CORNERS),
    ),
    domain=_any_self_attention,
    promises=_PROMISES,
    hints=(
        "Make the four layers in __init__, one attribute each. In forward, x goes through three of them first: "
        "write down the shapes of what you get, and which two of them meet in a product.",
        "Each sample has T queries and T keys, so its scores are (T, T): rows are queries, columns are keys. "
        "Which axis must sum to 1, how long are the vectors in the dot product, and which layer comes last?",
        "Multiply the queries by the keys with their last two axes exchanged, divide by the square root of D, "
        "take the softmax over the last axis, multiply by the values, and send the result through wz.",
    ),
    axes={"B": B, "T": T, "D": D},
    returns=("output",),
    forbidden=FINISHED,
    also_right={
        "literally from an article": _module(_literally),
        "root of an integer tensor, bmm, dropout of 0": _module(_root_of_an_integer_tensor),
        "root in a buffer, softmax by hand": _module(_root_in_a_buffer),
        "einsum": _module(_einsum),
        "own tensors in place": _module(_own_tensors_in_place),
        "fourth root on both": _module(_fourth_root_on_both),
        "scale in the layer": _module(_scale_in_the_layer),
        "one product for three layers": _module(_one_product_for_three),
        "keys in rows": _module(_keys_in_rows),
        "values through wz first": _module(_values_through_wz_first),
        "query by query": _module(_query_by_query),
        "online softmax": _module(_online),
        "another order of layers, own linear": _module(_einsum, _OwnLinear, order=("wz", "wv", "wk", "wq")),
    },
)

EXERCISES = (SELF_ATTENTION,)
