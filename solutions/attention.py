"""Scaled dot-product attention: references, variants and checks."""

from collections import namedtuple
from math import inf, log, sqrt

import numpy as np
import torch
from torch.nn import functional as F

from attention_kata.authoring import (
    MOST,
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
    steepness,
    writings,
)

B, H, T, S, D_K, D_V = 2, 3, 4, 6, 8, 7
AXES = {"B": B, "H": H, "T": T, "S": S, "d_k": D_K, "d_v": D_V}
FINISHED = ("scaled_dot_product_attention", "multi_head_attention_forward", "native_multi_head_attention")


# ---------------------------------------------------------------------- references


def attention_scores(Q, K):
    return Q @ K.mT / sqrt(Q.size(-1))  # (..., T, S)


def softmax(x, dim=-1):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)


def attention(Q, K, V, mask=None):
    scores = attention_scores(Q, K)  # (..., T, S)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = softmax(scores)
    return weights @ V, weights  # (..., T, d_v), (..., T, S)


# ---------------------------------------------------------------------- attention_scores


def _scores_by_mechanism(*, product, scale, graph):
    return lambda Q, K: graph(scale(Q, K, None, product))


def _query_scaled_in_place(Q, K, V, product):
    Q /= sqrt(Q.size(-1))
    return product(Q, K)


def _d_model(Q):
    return Q.size(1) * Q.size(-1) if Q.dim() > 3 else Q.size(-1)


def _reversed(K):
    return K.permute(*reversed(range(K.dim())))


PRODUCT = Mechanism(
    "product",
    "the product of queries and keys",
    right={
        "matrix product": lambda Q, K: Q @ K.transpose(-2, -1),
        "einsum": lambda Q, K: torch.einsum("...td,...sd->...ts", Q, K),
    },
    mistakes={
        "key-reversed-all-axes": lambda Q, K: Q @ _reversed(K),
        "key-reshaped-not-transposed": lambda Q, K: Q @ K.reshape(*K.shape[:-2], K.size(-1), K.size(-2)),
        "query-key-swapped": lambda Q, K: K @ Q.mT,
        "query-squared": lambda Q, K: (Q * Q) @ K.mT,
        "fixed-number-of-axes": writings(
            lambda Q, K: Q @ K.transpose(1, 2),
            alone=(
                lambda Q, K: Q @ K.transpose(2, 3),
                lambda Q, K: Q @ K.t(),
                lambda Q, K: Q @ K.permute(0, 2, 1),
                lambda Q, K: Q @ K.permute(0, 1, 3, 2),
                lambda Q, K: torch.bmm(Q, K.transpose(1, 2)),
                lambda Q, K: torch.einsum("btd,bsd->bts", Q, K),
                lambda Q, K: torch.einsum("bhtd,bhsd->bhts", Q, K),
            ),
        ),
    },
)

SCALE = Mechanism(
    "scale",
    "the scale of the scores",
    right={
        "divided by sqrt(d_k)": lambda Q, K, V, dot: dot(Q, K) / sqrt(Q.size(-1)),
        "queries scaled first": lambda Q, K, V, dot: dot(Q * Q.size(-1) ** -0.5, K),
    },
    mistakes={
        "scale-missing": lambda Q, K, V, dot: dot(Q, K),
        "scale-no-sqrt": lambda Q, K, V, dot: dot(Q, K) / Q.size(-1),
        "scale-applied-twice": lambda Q, K, V, dot: dot(Q / sqrt(Q.size(-1)), K) / sqrt(Q.size(-1)),
        "scale-inverted": lambda Q, K, V, dot: dot(Q, K) * sqrt(Q.size(-1)),
        "scale-fourth-root-once": lambda Q, K, V, dot: dot(Q * Q.size(-1) ** -0.25, K),
        "scale-by-key-count": lambda Q, K, V, dot: dot(Q, K) / sqrt(K.size(-2)),
        "scale-by-d-model": lambda Q, K, V, dot: dot(Q, K) / sqrt(_d_model(Q)),
        "scale-d-k-over-heads": lambda Q, K, V, dot: dot(Q, K) / sqrt(Q.size(-1) // (Q.size(1) if Q.dim() > 3 else 1)),
        "scale-floor-division": writings(
            lambda Q, K, V, dot: dot(Q, K) // sqrt(Q.size(-1)),
            alone=(lambda Q, K, V, dot: torch.floor(dot(Q, K) / sqrt(Q.size(-1))),),  # has a gradient: 0
        ),
        "sqrt-of-python-int": lambda Q, K, V, dot: dot(Q, K) / torch.sqrt(Q.size(-1)),
        "query-scaled-in-place": _query_scaled_in_place,
    },
)

GRAPH = Mechanism(
    "graph",
    "the gradient",
    right={"kept": lambda s: s},
    mistakes={
        "weights-detached": lambda s: s.detach(),
        # With the dtype kept, or through .detach().numpy(), nothing tells it from weights-detached.
        "scores-recreated": writings(lambda s: torch.tensor(s.tolist()), lambda s: torch.from_numpy(s.numpy())),
    },
)


def _queries_keys(s, *lead):
    return 2 * s.normal(*lead, T, D_K), s.normal(*lead, S, D_K)


_SCORES_4D = Case("4-D", lambda s: Script((call("attention_scores", *_queries_keys(s, B, H)),)))
_SCORES_3D = Case("3-D", lambda s: Script((call("attention_scores", *_queries_keys(s, B)),)))
_SCORES_2D = Case("2-D", lambda s: Script((call("attention_scores", *_queries_keys(s)),)))
_SCORES_GRADIENT = Case(
    "gradient",
    lambda s: Script((call("attention_scores", *_queries_keys(s, B)),), upstream=(s.normal(B, T, S),)),
)


def _any_sizes(s):
    """(lead, T, S, d_k, d_v): at most one axis is large, or T and S both; often T = S."""
    lead = tuple(s.size() for _ in range(s.choice((0, 1, 1, 2, 2, 3))))
    T, S, d_k, d_v = (s.size() for _ in range(4))
    match s.choice(("", "", "T", "S", "S", "T = S", "both", "d_k", "d_v")):
        case "T":
            T = s.large()
        case "S":
            S = s.large()
        case "T = S":
            S = T
        case "both":
            T = S = s.large(70)
        case "d_k":
            d_k = s.large()
        case "d_v":
            d_v = s.large()
    while lead and np.prod(lead) * T * S * max(d_k, d_v) > MOST:
        lead = lead[1:]
    if T * S * max(d_k, d_v) > MOST:
        d_k = d_v = 1
    return lead, T, S, d_k, d_v


def _any_scores(s):
    lead, T, S, d_k, _ = _any_sizes(s)
    Q, K = s.entries(*lead, T, d_k), s.entries(*lead, S, d_k) * s.choice((1.0, 1.0, 1.0, 300.0))
    asked = s.choice(("", "", "gradient", "purity", "float32"))
    before = ()
    if s.chance(0.3):
        before = (call("attention_scores", s.normal(*lead, S, d_k), s.normal(*lead, T, d_k)),)
    return Script(
        (*before, call("attention_scores", s.laid_out(Q), s.laid_out(K))),
        dtype="float32" if asked == "float32" else "float64",
        upstream=(s.normal(*lead, T, S),) if asked == "gradient" else (),
        purity=asked == "purity",
        tolerance=1e-3 if asked == "gradient" else None,
    )


_SCORES_CORNERS = (
    corner("130 keys", lambda s: Script((call("attention_scores", s.normal(2, 3, 5), s.normal(2, 130, 5)),))),
    corner("70 queries", lambda s: Script((call("attention_scores", s.normal(70, 5), s.normal(3, 5)),))),
    corner("66 features", lambda s: Script((call("attention_scores", s.normal(3, 66), s.normal(3, 66)),))),
)


def _given(use, i):
    return use.steps[-1].args[i]


def _queries(use):
    return _given(use, 0).shape[-2]


def _keys(use):
    return _given(use, 1).shape[-2]


_SCORES_PROMISES = (
    Promise(
        "Q (..., T, d_k), K (..., S, d_k) -> scores (..., T, S)",
        ("shape",),
        {
            "T < S": lambda use: _queries(use) < _keys(use),
            "T = S": lambda use: _queries(use) == _keys(use) > 1,
            "T > S": lambda use: _queries(use) > _keys(use),
            "no leading axes": lambda use: _given(use, 0).ndim == 2,
            "three leading axes": lambda use: _given(use, 0).ndim == 5,
            "more than 64 keys": lambda use: _keys(use) > 64,
            "more than 64 queries": lambda use: _queries(use) > 64,
            "one feature": lambda use: _given(use, 0).shape[-1] == 1,
            "more than 64 features": lambda use: _given(use, 0).shape[-1] > 64,
            "keys of zeros": lambda use: bool((_given(use, 1) == 0).all(-1).any()),
            "equal keys": lambda use: (
                _keys(use) > 1 and bool((_given(use, 1)[..., 0, :] == _given(use, 1)[..., -1, :]).all())
            ),
            "another layout": lambda use: not _given(use, 1).flags.c_contiguous,
            "after another call": lambda use: len(use.steps) > 1,
        },
    ),
    Promise("Row t belongs to query t, column s to key s", ("values",)),
    Promise("the division keeps its spread near 1", ("values",)),
    Promise("The result has the dtype of Q", ("float32",), {"float32": lambda use: use.dtype == "float32"}),
    Promise("Q and K are left as they are", ("purity",), {"watched": lambda use: use.purity}),
)


def _prompt(target, *args):
    """The example in the prompt of `target`."""
    return Case("example", lambda s: Script((call(target, *args),)))


_QUERIES = np.array([[2.0, 0, 0, 0], [0, 2, 2, 0]])
_SCORES_EXAMPLE = _prompt("attention_scores", _QUERIES, np.array([[1.0, 0, 0, 0], [0, 1, 1, 0], [-3, 1, 0, 0]]))


ATTENTION_SCORES = Solution(
    "attention_scores",
    points=8,
    summary="how well each query matches each key",
    reference=attention_scores,
    variant=_scores_by_mechanism,
    mechanisms=(PRODUCT, SCALE, GRAPH),
    cases=(
        _SCORES_EXAMPLE,
        _SCORES_4D,
        _SCORES_3D,
        _SCORES_2D,
        _SCORES_GRADIENT,
        _SCORES_4D.having("float32", dtype="float32"),
        _SCORES_3D.having("purity", purity=True),
        _SCORES_4D.having("operations", operations=True),
        *_SCORES_CORNERS,
    ),
    checks=(
        example(0.5),
        Check("shape", "one row for each query, one column for each key", "shape", 1, ("4-D", "3-D", "2-D"), "shape"),
        Check("values", "scaled dot products", "values", 2, ("3-D", "4-D")),
        Check("leading-axes", "any leading axes, or none", "values", 1, ("2-D",)),
        Check("gradient", "gradients reach the queries and the keys", "gradient", 1, ("gradient",), "gradient"),
        Check("float32", "works in float32", "robustness", 1, ("float32",)),
        Check("purity", "leaves its inputs as they are", "robustness", 0.5, ("purity",), "purity"),
        Check("by-hand", "written by hand", "style", 0.5, ("operations",), "forbidden"),
        any_input(0.5, *_SCORES_CORNERS),
    ),
    domain=_any_scores,
    promises=_SCORES_PROMISES,
    hints=(
        "One number for each pair of a query and a key: which product of two matrices gives all of these at once, "
        "and which of the two must be turned for its axes to meet?",
        "Turn only the last two axes of K; there may be axes for samples and heads in front. Then ask what happens to "
        "the size of a dot product when the vectors get longer.",
        "Multiply Q by K with its last two axes exchanged, and divide by the square root of the size of the last "
        "axis of Q. That size is a Python int: math.sqrt takes it.",
    ),
    axes=AXES,
    returns=("scores",),
    forbidden=FINISHED,
    also_right={
        "einsum and a power": lambda Q, K: torch.einsum("...td,...sd->...ts", Q, K) * Q.size(-1) ** -0.5,
        "a fourth root on both": lambda Q, K: (Q * Q.size(-1) ** -0.25) @ (K * K.size(-1) ** -0.25).mT,
        "sum of products": lambda Q, K: (Q.unsqueeze(-2) * K.unsqueeze(-3)).sum(-1) / Q.size(-1) ** 0.5,
        "sqrt of a float32 tensor": lambda Q, K: (
            Q @ K.transpose(-2, -1) / torch.sqrt(torch.tensor(Q.shape[-1], dtype=torch.float32))
        ),
        "sqrt of an integer tensor": lambda Q, K: (
            torch.matmul(Q, K.transpose(-1, -2)) / torch.sqrt(torch.tensor(K.size(-1)))
        ),
        "query by query": lambda Q, K: (
            torch.stack([(K @ q.unsqueeze(-1)).squeeze(-1) for q in Q.unbind(-2)], -2) / sqrt(Q.size(-1))
        ),
    },
)


# ---------------------------------------------------------------------- softmax


def _softmax_by_mechanism(*, shift, axis, form):
    def variant(x, dim=-1):
        dim = axis(dim)
        return form(shift(x, dim), dim, x)

    return variant


def _log(x, dim, raw):
    return x - x.exp().sum(dim, keepdim=True).log()


def _divided_in_place(x, dim, raw):
    e = x.exp()
    e /= e.sum(dim, keepdim=True)
    return e


_SHIFT = Mechanism(
    "shift",
    "large numbers",
    right={"maximum along dim": lambda x, dim: x - x.amax(dim, keepdim=True)},
    mistakes={
        "softmax-no-max-subtraction": lambda x, dim: x,
        "softmax-global-max": lambda x, dim: x - x.max(),
        "softmax-max-without-keepdim": lambda x, dim: x - x.amax(dim),
    },
)
_DIM = Mechanism(
    "axis",
    "the axis",
    right={"dim": lambda dim: dim},
    mistakes={
        "softmax-fixed-dim": writings(lambda dim: -1, lambda dim: 2, lambda dim: 1),
        "softmax-over-queries": lambda dim: -2,
        "softmax-over-batch": lambda dim: 0,
    },
)
_FORM = Mechanism(
    "form",
    "the exponential divided by its sum",
    right={"exp over sum": lambda x, dim, raw: x.exp() / x.exp().sum(dim, keepdim=True)},
    mistakes={
        "softmax-over-everything": lambda x, dim, raw: x.exp() / x.exp().sum(),
        "softmax-max-without-keepdim": lambda x, dim, raw: x.exp() / x.exp().sum(dim),
        "softmax-log": _log,
        "softmax-missing": writings(lambda x, dim, raw: raw, lambda x, dim, raw: x),
        "weights-edited-in-place": _divided_in_place,
        "weights-detached": lambda x, dim, raw: (x.exp() / x.exp().sum(dim, keepdim=True)).detach(),
        "scores-recreated": writings(
            lambda x, dim, raw: torch.tensor((x.exp() / x.exp().sum(dim, keepdim=True)).tolist()),
            lambda x, dim, raw: torch.from_numpy((x.exp() / x.exp().sum(dim, keepdim=True)).numpy()),
        ),
    },
)


def _steep(s):
    """Every line along the last axis has a level of its own, from -10,000 to 10,000."""
    levels = np.linspace(-1e4, 1e4, T).reshape(T, 1)
    return Script((call("softmax", s.normal(B, T, S, scale=3) + levels, -1),))


def _softmax_case(id, *shape, dim):
    return Case(id, lambda s: Script((call("softmax", s.normal(*shape, scale=2), *dim),)))


_SOFTMAX_ROWS = _softmax_case("rows", B, T, S, dim=(-1,))
_SOFTMAX_4D = _softmax_case("4-D", B, H, T, S, dim=(-1,))
_SOFTMAX_GRADIENT = Case(
    "gradient",
    lambda s: Script((call("softmax", s.normal(B, T, S, scale=2), -1),), upstream=(s.normal(B, T, S),)),
)


def _any_softmax(s):
    shape = tuple(s.size() for _ in range(s.choice((1, 2, 2, 3, 3, 4, 5))))
    if s.chance(0.3):
        axis = s.integer(0, len(shape) - 1)
        shape = (*shape[:axis], s.large(), *shape[axis + 1 :])
    dim = s.integer(-len(shape), len(shape) - 1)
    level = s.level(1e4)
    x = s.entries(*shape, scale=s.choice((0.25, 1.0, 3.0)))
    lines = [1 if axis == dim % len(shape) else n for axis, n in enumerate(shape)]
    x = x + np.round(
        level * s.choice((np.ones(lines), 2 * s.uniform(*lines) - 1))
    )  # one level for all, or each line's own
    if s.chance(0.2):  # one number far above all others of its line
        x[tuple(s.integer(0, n - 1) for n in shape)] += 100.0
    x = np.clip(x, -1e4, 1e4)
    asked = s.choice(("", "", "gradient", "purity", "float32"))
    x = s.laid_out(x)
    before = (call("softmax", x + 1.0, s.integer(0, len(shape) - 1)),) if s.chance(0.3) else ()
    last = call("softmax", x, *((dim,) if dim % len(shape) != len(shape) - 1 or s.chance(0.7) else ()))
    return Script(
        (*before, last),
        dtype="float32" if asked == "float32" else "float64",
        upstream=(s.normal(*shape),) if asked == "gradient" and abs(level) <= 10 else (),
        purity=asked == "purity",
        tolerance=steepness(np.abs(x).max(), asked),
    )


_SOFTMAX_CORNERS = (
    corner("1-D, default dim", lambda s: Script((call("softmax", s.normal(S)),))),
    corner("a long column", lambda s: Script((call("softmax", s.normal(130, 3, scale=2), 0),))),
    corner("a long row", lambda s: Script((call("softmax", s.normal(2, 130, scale=2)),))),
    corner("far apart", lambda s: Script((call("softmax", np.array([[-1e4, 1e4, 1e4 - 1], [-1e4, -1e4, -9e3]]), 1),))),
)


_SOFTMAX_PROMISES = (
    Promise(
        "x (any shape, any axis `dim`) -> the same shape",
        ("shape", "any-dim"),
        {
            "1-D": lambda use: _given(use, 0).ndim == 1,
            "5-D": lambda use: _given(use, 0).ndim == 5,
            "the first axis": lambda use: _given(use, 0).ndim > 1 and use.steps[-1].args[1:] == (0,),
            "a negative axis in the middle": lambda use: use.steps[-1].args[1:] == (-2,),
            "default dim": lambda use: len(use.steps[-1].args) == 1,
            "a long line": lambda use: max(_given(use, 0).shape) > 64,
            "an axis of size 1": lambda use: 1 in _given(use, 0).shape,
        },
    ),
    Promise(
        "numbers as large as ±10,000 must be right and finite",
        ("steep",),
        {
            "near 10,000": lambda use: _given(use, 0).max() > 9_000,
            "near -10,000": lambda use: _given(use, 0).min() < -9_000,
        },
    ),
    Promise("choose it well, and separately for each line along dim", ("steep",)),
    Promise("calling one of them earns nothing here", ("by-hand",)),
    Promise("Everything else in torch may be used", ("values",)),
    Promise("x is left as it is", ("purity",), {"watched": lambda use: use.purity}),
    Promise("the result has its dtype", ("float32",), {"float32": lambda use: use.dtype == "float32"}),
)


_LOGS = np.array([0.0, log(2), log(5)])
_SOFTMAX_EXAMPLE = _prompt("softmax", np.array([_LOGS, 1000 + _LOGS]))


SOFTMAX = Solution(
    "softmax",
    points=6,
    summary="weights that sum to 1, for numbers of any size",
    reference=softmax,
    variant=_softmax_by_mechanism,
    mechanisms=(_SHIFT, _DIM, _FORM),
    cases=(
        _SOFTMAX_EXAMPLE,
        _SOFTMAX_ROWS,
        _SOFTMAX_4D,
        _softmax_case("default dim", T, S, dim=()),
        _softmax_case("columns", T, S, dim=(0,)),
        _softmax_case("dim 1 of 3-D", B, T, S, dim=(1,)),
        _softmax_case("dim 1 of 4-D", B, H, T, S, dim=(1,)),
        _softmax_case("dim -2 of 4-D", B, H, T, S, dim=(-2,)),
        _softmax_case("1-D", S, dim=(0,)),
        Case("steep", _steep),
        _SOFTMAX_GRADIENT,
        _SOFTMAX_ROWS.having("float32", dtype="float32"),
        _SOFTMAX_ROWS.having("purity", purity=True),
        _SOFTMAX_ROWS.having("operations", operations=True),
        *_SOFTMAX_CORNERS,
    ),
    checks=(
        example(0.5),
        Check("shape", "the result has the shape of x", "shape", 0.5, ("rows", "4-D", "columns"), "shape"),
        Check("values", "weights along the last axis", "values", 1, ("rows", "4-D", "default dim")),
        Check(
            "any-dim", "any axis", "values", 0.5, ("columns", "dim 1 of 3-D", "dim 1 of 4-D", "dim -2 of 4-D", "1-D")
        ),
        Check("steep", "numbers as large as 10,000 and as small as -10,000", "robustness", 1, ("steep",)),
        Check("gradient", "gradients reach x", "gradient", 0.5, ("gradient",), "gradient"),
        Check("float32", "works in float32", "robustness", 0.5, ("float32",)),
        Check("purity", "leaves x as it is", "robustness", 0.5, ("purity",), "purity"),
        Check("by-hand", "written by hand", "style", 0.5, ("operations",), "forbidden"),
        any_input(0.5, *_SOFTMAX_CORNERS),
    ),
    domain=_any_softmax,
    promises=_SOFTMAX_PROMISES,
    hints=(
        "Exponentiate, then divide by the sum along dim. Check with three numbers on paper that the result sums to 1.",
        "The sum must line up with what it divides: look for the argument that keeps a reduced axis as size 1. "
        "Then try x = 1000: what must be done before the exponential?",
        "Subtract the largest entry of each line along dim (with its axis kept), exponentiate, and divide by the sum "
        "along the same dim (with its axis kept).",
    ),
    axes=AXES,
    returns=("weights",),
    forbidden=("softmax", "log_softmax", "softmin", "safe_softmax", "gumbel_softmax"),
    torch_says={"F.softmax": lambda x, dim=-1: F.softmax(x, dim)},
    also_right={
        "exp of x minus logsumexp": lambda x, dim=-1: torch.exp(x - torch.logsumexp(x, dim, keepdim=True)),
        "max returns a pair": lambda x, dim=-1: softmax(x - x.max(dim=dim, keepdim=True).values, dim),
        "maximum of a detached copy": lambda x, dim=-1: (
            (x - x.detach().amax(dim, True)).exp() / (x - x.detach().amax(dim, True)).exp().sum(dim, True)
        ),
        "axis moved to the end": lambda x, dim=-1: softmax(x.movedim(dim, -1)).movedim(-1, dim),
        "reciprocal": lambda x, dim=-1: (
            (x - x.amax(dim, True)).exp() * (x - x.amax(dim, True)).exp().sum(dim, True).reciprocal()
        ),
    },
)


# ---------------------------------------------------------------------- attention


def _attention_by_mechanism(*, product, scale, hidden, fill, axis, graph, weigh, returned):
    def variant(Q, K, V, mask=None):
        scores = scale(Q, K, V, product)  # (..., T, S)
        weights = axis(scores) if mask is None else fill(scores, hidden(mask), mask, axis, product(Q, K))
        if scale is _after_softmax:
            weights = weights / sqrt(Q.size(-1))
        weights = graph(weights)
        output = weigh(weights, V, K)
        if scale is _after_weighing:
            output = output / sqrt(Q.size(-1))
        return returned(output, weights, scores, None if mask is None else hidden(mask))

    return variant


def _after_softmax(Q, K, V, dot):
    """The variant divides the weights instead."""
    return dot(Q, K)


def _after_weighing(Q, K, V, dot):
    """The variant divides the output instead."""
    return dot(Q, K)


def _heads_and_keys(s):
    if s.dim() < 4:
        return s.softmax(-1)
    return s.transpose(1, 2).flatten(-2).softmax(-1).unflatten(-1, (s.size(1), s.size(-1))).transpose(1, 2)


def _implicit_dim(s):
    return s.softmax(0 if s.dim() in (0, 1, 3) else 1)


def _finite_fill(s, hidden, mask, axis, raw):
    return axis(s.masked_fill(hidden, -1e30))


def _infinite_fill(s, hidden, mask, axis, raw):
    """-inf, and a row with nothing left is made harmless."""
    s = s.masked_fill(hidden, -inf)
    return axis(s.masked_fill((s == -inf).all(-1, keepdim=True), 0.0))


def _lowest_fill(s, hidden, mask, axis, raw):
    return axis(torch.where(hidden, torch.finfo(s.dtype).min, s))


def _sentinel(s, hidden, mask, axis, raw):
    s = s * ~hidden
    return axis(s.masked_fill(s == 0, -1e30))


def _renormalised_blindly(s, hidden, mask, axis, raw):
    """0 / 0 where no open key has any weight left."""
    weights = axis(s) * ~hidden
    return weights / weights.sum(-1, keepdim=True)


def _exp_times_mask(s, hidden, mask, axis, raw):
    e = s.exp() * ~hidden
    return e / (e.sum(-1, keepdim=True) + 1e-9)


def _mask_edited(s, hidden, mask, axis, raw):
    mask.masked_fill_(hidden, True)
    return axis(s)


def _truthiness(s, hidden, mask, axis, raw):
    return axis(s.masked_fill(hidden, -1e30)) if mask else axis(s)


def _edited_in_place(w):
    w *= 1.0
    return w


def _plus_one(s):
    e = (s - s.amax(-1, keepdim=True)).exp()
    return e / (1 + e.sum(-1, keepdim=True))


def _shared_out_after(w, h):
    """Hidden keys have had a part in the softmax; what is left is shared out again."""
    return w * ~h / (w * ~h).sum(-1, keepdim=True).clamp(min=1e-12)


HIDDEN = Mechanism(
    "hidden",
    "which positions the mask hides",
    right={"where False": lambda m: ~m},
    mistakes={
        "mask-inverted": lambda m: m,
        "mask-fill-discarded": lambda m: torch.zeros_like(m),
        "invert-int-mask": lambda m: (~m.int()).bool(),
    },
)

FILL = Mechanism(
    "fill",
    "what hidden scores are replaced with",
    right={
        "finite": _finite_fill,
        "lowest number": _lowest_fill,
        "-inf, dead rows apart": _infinite_fill,
    },
    mistakes={
        "fully-masked-nan": writings(
            lambda s, h, m, axis, raw: axis(s.masked_fill(h, -inf)), alone=(_renormalised_blindly,)
        ),
        "mask-multiplies-scores": lambda s, h, m, axis, raw: axis(s * ~h),
        "fill-tiny-number": writings(
            lambda s, h, m, axis, raw: axis(s.masked_fill(h, 1e-9)),
            lambda s, h, m, axis, raw: axis(s.masked_fill(h, -1e-9)),
        ),
        "fill-not-low-enough": writings(
            lambda s, h, m, axis, raw: axis(s.masked_fill(h, -1e4)),
            lambda s, h, m, axis, raw: axis(s.masked_fill(h, -1e3)),
            lambda s, h, m, axis, raw: axis(s.masked_fill(h, -100.0)),
            lambda s, h, m, axis, raw: axis(s.masked_fill(h, -10.0)),
            alone=(
                lambda s, h, m, axis, raw: axis(s.masked_fill(h, -1.0)),
                lambda s, h, m, axis, raw: axis(s + h.to(s.dtype) * -1e4),
                lambda s, h, m, axis, raw: axis(s + h.to(s.dtype) * -100.0),
                lambda s, h, m, axis, raw: axis(s + h.to(s.dtype) * -25.0),
            ),
        ),
        "bool-mask-added": lambda s, h, m, axis, raw: axis(s + ~h),
        "zero-times-inf": writings(
            lambda s, h, m, axis, raw: axis(s + h.to(s.dtype) * -inf),
            lambda s, h, m, axis, raw: axis(s + (1 - (~h).to(s.dtype)) * -inf),
        ),
        "mask-after-softmax": writings(
            lambda s, h, m, axis, raw: axis(s) * ~h,
            alone=(
                lambda s, h, m, axis, raw: axis(s).masked_fill(h, -1e9),
                lambda s, h, m, axis, raw: axis(s).masked_fill(h, -inf),
            ),
        ),
        "softmax-no-max-subtraction": writings(alone=(_exp_times_mask,)),
        "weights-edited-in-place": writings(
            alone=(lambda s, h, m, axis, raw: _finite_fill(s, h, m, axis, raw).masked_fill_(h, 0.0),)
        ),
        "tanh-after-fill": lambda s, h, m, axis, raw: axis(s.masked_fill(h, -1e9).tanh()),
        "hidden-in-softmax": lambda s, h, m, axis, raw: _shared_out_after(axis(s), h),
        "mask-zero-sentinel": _sentinel,
        "mask-edited-not-scores": _mask_edited,
        "scale-lost-in-mask-branch": lambda s, h, m, axis, raw: axis(raw.masked_fill(h, -1e30)),
        "one-minus-bool": lambda s, h, m, axis, raw: axis(s.masked_fill(1 - m, -1e30)),
        "int-mask-to-masked-fill": writings(
            lambda s, h, m, axis, raw: axis(s.masked_fill(h.int(), -1e30)),
            alone=(
                lambda s, h, m, axis, raw: axis(s.masked_fill(h.long(), -1e30)),
                lambda s, h, m, axis, raw: axis(s.masked_fill(h.to(torch.uint8), -1e30)),
                lambda s, h, m, axis, raw: axis(s.masked_fill(h.float(), -1e30)),
                lambda s, h, m, axis, raw: axis(torch.where((~h).int(), s, -1e30)),
            ),
        ),
        "mask-truthiness": _truthiness,
        "mask-on-wrong-device": lambda s, h, m, axis, raw: axis(
            torch.where(h, torch.full(s.shape, -1e30, dtype=s.dtype), s)
        ),
    },
)

AXIS = Mechanism(
    "axis",
    "the softmax axis",
    right={"keys": lambda s: s.softmax(-1)},
    mistakes={
        "softmax-over-queries": lambda s: s.softmax(-2),
        "softmax-over-batch": lambda s: s.softmax(0),
        "softmax-fixed-dim": lambda s: s.softmax(2),
        "softmax-over-heads": lambda s: s.softmax(1),
        "softmax-implicit-dim": _implicit_dim,
        "softmax-over-heads-and-keys": _heads_and_keys,
        "softmax-over-everything": lambda s: s.flatten().softmax(0).view_as(s),
        "softmax-twice": lambda s: s.softmax(-1).softmax(-1),
        "softmax-denominator-plus-one": writings(
            _plus_one, alone=(lambda s: s.exp() / (1 + s.exp().sum(-1, keepdim=True)),)
        ),
        "softmax-over-size-one": lambda s: s.unsqueeze(-1).softmax(-1).squeeze(-1),
        "softmax-missing": lambda s: s,
        "softmax-log": lambda s: s.log_softmax(-1),
        "softmax-no-max-subtraction": lambda s: s.exp() / s.exp().sum(-1, keepdim=True),
        "softmax-global-max": lambda s: (s - s.max()).exp() / (s - s.max()).exp().sum(-1, keepdim=True),
        "softmax-max-without-keepdim": writings(
            lambda s: (s - s.amax(-1)).softmax(-1),
            alone=(lambda s: (s - s.amax(-1, keepdim=True)).exp() / (s - s.amax(-1, keepdim=True)).exp().sum(-1),),
        ),
        "weights-edited-in-place": writings(alone=(lambda s: _divided_in_place(s - s.amax(-1, keepdim=True), -1, s),)),
    },
)

_ATTENTION_SCALE = Mechanism(
    SCALE.name,
    SCALE.title,
    SCALE.right,
    {
        **SCALE.mistakes,
        "scale-by-value-dim": lambda Q, K, V, dot: dot(Q, K) / sqrt(V.size(-1)),
        "scale-after-softmax": writings(_after_softmax, alone=(_after_weighing,)),
    },
)

_ATTENTION_GRAPH = Mechanism(
    GRAPH.name,
    GRAPH.title,
    GRAPH.right,
    {**GRAPH.mistakes, "weights-edited-in-place": _edited_in_place},
)

WEIGH = Mechanism(
    "weigh",
    "the weighted mean of the values",
    right={"matrix product": lambda w, V, K: w @ V, "einsum": lambda w, V, K: torch.einsum("...ts,...sd->...td", w, V)},
    mistakes={
        "value-ignored": lambda w, V, K: w @ K,
        "weights-transposed-before-v": writings(
            lambda w, V, K: w.mT @ V,
            lambda w, V, K: torch.einsum("...st,...sd->...td", w, V),
        ),
        "einsum-index-not-shared": lambda w, V, K: torch.einsum("...ts,...ud->...td", w, V),
    },
)

RETURNED = Mechanism(
    "returned",
    "what is returned",
    right={"output and weights": lambda output, weights, scores, hidden: (output, weights)},
    mistakes={
        "returns-scores-as-weights": writings(
            lambda output, weights, scores, hidden: (output, scores),
            alone=(
                lambda output, weights, scores, hidden: (output, _filled(scores, hidden, -1e9)),
                lambda output, weights, scores, hidden: (output, _filled(scores, hidden, -inf)),
            ),
        ),
        "return-order-swapped": lambda output, weights, scores, hidden: (weights, output),
        "weights-detached": lambda output, weights, scores, hidden: (output.detach(), weights.detach()),  # no_grad
        "weights-averaged-over-heads": lambda output, weights, scores, hidden: (
            output,
            weights.mean(1) if weights.dim() > 3 else weights,
        ),
    },
)


def _filled(scores, hidden, number):
    return scores if hidden is None else scores.masked_fill(hidden, number)


def _qkv(s, *lead, scale=2.0):
    return s.normal(*lead, T, D_K, scale=scale), s.normal(*lead, S, D_K), s.normal(*lead, S, D_V)


def _attend(s, *lead, mask=None, scale=2.0, **options):
    Q, K, V = _qkv(s, *lead, scale=scale)
    masks = () if mask is None else (s.mask(*mask),)
    return Script((call("attention", Q, K, V, *masks),), **options)


def _dead_row(s):
    """Query 2 of sample 1 may attend to nothing; what comes out of it is free as long as it is finite."""
    mask = s.mask(B, 1, T, S)
    mask[1, 0, 2] = False
    free = np.broadcast_to(~mask.any(-1, keepdims=True), (B, H, T, 1))
    frees = (np.repeat(free, D_V, -1), np.repeat(free, S, -1))
    return Script((call("attention", *_qkv(s, B, H), mask),), free=frees)


def _low_scores(s):
    """Every score lies between -30,000 and -15,000, below many a "minus infinity"."""
    Q = 200 + 50 * s.uniform(B, H, T, D_K)
    K = -25 - 5 * s.uniform(B, H, S, D_K)
    return Script((call("attention", Q, K, s.normal(B, H, S, D_V), s.mask(B, 1, T, S)),), tolerance=1e-3)


def _zero_score(s):
    """Query 1 and key 3 are orthogonal: an allowed score that is exactly 0."""
    Q, K, V = _qkv(s, B, H)
    Q[..., 1, :4] = 0.0
    K[..., 3, 4:] = 0.0
    mask = s.mask(B, 1, T, S)
    mask[..., 1, 3] = True
    return Script((call("attention", Q, K, V, mask),))


def _upstream(s):
    return s.normal(B, T, D_V), s.normal(B, T, S)


def _literal(Q, K, V, mask=None):
    d_k = torch.tensor(Q.shape[-1], dtype=torch.float32)
    scores = torch.matmul(Q, K.transpose(-2, -1)) / torch.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, V), weights


def _bias(Q, K, V, mask=None):
    scores = torch.einsum("...td,...sd->...ts", Q, K) * Q.size(-1) ** -0.5
    if mask is not None:
        scores = scores + torch.zeros_like(scores).masked_fill(~mask, -inf)
        weights = scores.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0.0)
    else:
        weights = scores.softmax(-1)
    return torch.einsum("...ts,...sd->...td", weights, V), weights


def _renormalised(Q, K, V, mask=None):
    scores = attention_scores(Q, K)
    if mask is None:
        weights = scores.softmax(-1)
    else:
        shift = torch.where(mask, scores, torch.finfo(scores.dtype).min).amax(-1, keepdim=True)
        weights = (scores - shift).clamp(max=0).exp() * mask
        weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-30)
    return weights @ V, weights


def _bmm(Q, K, V, mask=None):
    lead, (T, S) = Q.shape[:-2], (Q.size(-2), K.size(-2))
    q, k, v = (x.reshape(-1, *x.shape[-2:]) for x in (Q, K, V))
    scores = torch.bmm(q, k.transpose(1, 2)) / sqrt(Q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask.expand(*lead, T, S).reshape(-1, T, S), torch.finfo(Q.dtype).min)
    weights = scores.softmax(2)
    return torch.bmm(weights, v).view(*lead, T, -1), weights.view(*lead, T, S)


def _query_by_query(Q, K, V, mask=None):
    weights, may = [], None if mask is None else mask.expand(*mask.shape[:-2], Q.size(-2), -1)
    for t in range(Q.size(-2)):
        row = (K * Q[..., t : t + 1, :]).sum(-1) / sqrt(Q.size(-1))  # (..., S)
        if mask is not None:
            row = torch.where(may[..., t, :], row, torch.full_like(row, -1e20))
        weights.append(softmax(row))
    weights = torch.stack(weights, dim=-2)
    return (weights.unsqueeze(-1) * V.unsqueeze(-3)).sum(-2), weights


def _online(Q, K, V, mask=None):
    """Keys two at a time, with a running maximum; the weights are recovered at the end."""
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    top = torch.full_like(scores[..., :1], torch.finfo(scores.dtype).min)
    total, mixed = torch.zeros_like(top), 0.0
    for block, values in zip(scores.split(2, -1), V.split(2, -2), strict=True):
        new = torch.maximum(top, block.amax(-1, keepdim=True))
        total = total * (top - new).exp() + (block - new).exp().sum(-1, keepdim=True)
        mixed = mixed * (top - new).exp() + (block - new).exp() @ values
        top = new
    return mixed / total, (scores - top).exp() / total


def _fourth_root(Q, K, V, mask=None):
    root = Q.size(-1) ** 0.25
    scores = (Q / root) @ (K / root).mT
    return _weigh(scores if mask is None else torch.where(mask, scores, -1e30), V)


def _zero_one(Q, K, V, mask=None):
    scores = attention_scores(Q, K)
    if mask is not None:
        scores = scores - (1.0 - mask.to(scores.dtype)) * 1e30
    e = (scores - scores.max(-1, keepdim=True)[0]).exp()
    weights = e / e.sum(-1).unsqueeze(-1)
    return weights.matmul(V), weights


def _in_place_on_own(Q, K, V, mask=None):
    scores = Q.matmul(K.mT)
    scores /= sqrt(Q.size(-1))
    if mask is not None:
        scores.masked_fill_(mask.logical_not(), -1e20)
    return _weigh(scores, V)


def _weigh(scores, V):
    weights = scores.softmax(-1)
    return weights @ V, weights


def _any_mask(s, lead, T, S):
    """(bool that broadcasts to (*lead, T, S), whether the same keys are hidden from every query)"""
    lead = lead[s.integer(0, len(lead)) :]  # any of the leading axes may be left out, or be 1
    lead = tuple(s.choice((n, n, 1)) for n in lead)
    if s.chance(0.4):
        return s.pattern(*lead, s.choice((T, 1)), S), False
    if s.chance(0.1):
        return s.pattern(*lead, T, 1), False
    hidden = s.pattern(*lead, 1, S)
    return np.broadcast_to(hidden, (*lead, T, S)) if s.chance(0.5) else hidden, True


def _any_attention(s):
    lead, T, S, d_k, d_v = _any_sizes(s)
    Q, K, V = s.entries(*lead, T, d_k), s.entries(*lead, S, d_k), s.entries(*lead, S, d_v)
    asked = s.choice(("", "", "gradient", "purity", "float32"))
    steep = s.chance(0.5) and asked != "gradient"
    mask, by_key = (None, False) if s.chance(0.25) else _any_mask(s, lead, T, S)
    if steep:  # the first feature of a key is its level: one for those that are open, one for those that are hidden
        Q[..., 0] = sqrt(d_k)
        if by_key:
            K[..., 0] += np.round(np.where(mask[..., 0, :], s.level(1e4), s.level(1e4)))
        else:
            K[..., 0] += np.round(s.level(1e4))
    free = ()
    if mask is not None:
        dead = np.broadcast_to(~np.broadcast_to(mask, (*lead, T, S)).any(-1, keepdims=True), (*lead, T, 1))
        if dead.any():
            free = (np.repeat(dead, d_v, -1), np.repeat(dead, S, -1))
            asked = "" if asked == "gradient" else asked  # nothing is promised about those of such a query
    products = np.abs(Q) @ np.abs(K).swapaxes(-1, -2) / sqrt(d_k)
    masks = s.choice(((), (None,))) if mask is None else (s.laid_out(mask) if mask.strides[-2] else mask,)
    before = ()
    if s.chance(0.3):
        other = s.pattern(T, S)
        other[:, 0] = True
        before = (call("attention", Q + 1.0, K - 1.0, V + 1.0, *s.choice(((), (other,)))),)
    return Script(
        (*before, call("attention", s.laid_out(Q), s.laid_out(K), s.laid_out(V), *masks)),
        dtype="float32" if asked == "float32" else "float64",
        upstream=(s.normal(*lead, T, d_v), s.normal(*lead, T, S)) if asked == "gradient" else (),
        purity=asked == "purity",
        tolerance=steepness(products.max(), asked),
        free=free,
    )


_PLAIN = Case("plain", lambda s: _attend(s, B, H))
_MASKED = Case("masked", lambda s: _attend(s, B, H, mask=(B, 1, T, S)))


def _hidden_far_above(s):
    """Scores of 10,000 that are hidden, and open ones of -10,000 and a little more."""
    Q, K = np.ones((2, 1)), np.array([[1e4], [-1e4], [-10001.0], [-9999.0]])
    mask = np.array([[False, True, True, False], [False, True, False, True]])
    return Script((call("attention", Q, K, s.normal(4, 3), mask),), tolerance=steepness(1e4))


def _nothing_special(s):
    """Keys whose features sum to 0, and values of 0, are keys and values like any other."""
    Q, K, V = s.normal(B, 4, 5), s.normal(B, 4, 5), s.normal(B, 4, 3)
    K[..., -1] -= K.sum(-1)
    V[:, 1] = 0.0
    K[:, 2] = 0.0
    mask = np.broadcast_to(np.array([True, True, True, False]), (4, 4))
    return Script((call("attention", Q, K, V, mask),))


_ATTENTION_CORNERS = (
    corner("hidden far above", _hidden_far_above),
    corner("zeros", _nothing_special),
    corner(
        "130 keys",
        lambda s: Script((call("attention", s.normal(2, 3), s.normal(130, 3), s.normal(130, 2), s.mask(2, 130)),)),
    ),
    corner("70 queries", lambda s: Script((call("attention", s.normal(70, 3), s.normal(3, 3), s.normal(3, 2)),))),
    corner(
        "66 features",
        lambda s: Script((call("attention", s.normal(2, 66), s.normal(3, 66), s.normal(3, 65), s.mask(2, 3)),)),
    ),
)


def _mask(use):
    """The mask of the last call, or None."""
    return use.steps[-1].args[3] if len(use.steps[-1].args) > 3 else None


def _scaled(use):
    """float64 (..., T, S): the scores of the last call."""
    Q, K = _given(use, 0), _given(use, 1)
    return Q @ K.swapaxes(-1, -2) / sqrt(Q.shape[-1])


def _hidden_above(use):
    mask, scores = _mask(use), _scaled(use)
    if mask is None:
        return False
    may = np.broadcast_to(mask, scores.shape)
    return bool((np.where(may, -inf, scores).max(-1) > np.where(may, scores, -inf).max(-1) + 1_000)[may.any(-1)].any())


_ATTENTION_PROMISES = (
    Promise(
        "Q (..., T, d_k), K (..., S, d_k), V (..., S, d_v), mask bool, broadcasts to (..., T, S)",
        ("shape", "leading-axes", "broadcast"),
        {
            "T < S": lambda use: _queries(use) < _keys(use),
            "T = S": lambda use: _queries(use) == _keys(use) > 1,
            "T > S": lambda use: _queries(use) > _keys(use),
            "no leading axes": lambda use: _given(use, 0).ndim == 2,
            "three leading axes": lambda use: _given(use, 0).ndim == 5,
            "more than 64 keys": lambda use: _keys(use) > 64,
            "more than 64 features": lambda use: _given(use, 0).shape[-1] > 64,
            "no mask": lambda use: len(use.steps[-1].args) == 3,
            "mask=None": lambda use: len(use.steps[-1].args) == 4 and use.steps[-1].args[3] is None,
            "a mask without leading axes": lambda use: (
                _mask(use) is not None and _mask(use).ndim == 2 < _given(use, 0).ndim
            ),
            "one row for all queries": lambda use: _mask(use) is not None and _mask(use).shape[-2] == 1 < _queries(use),
            "one column for all keys": lambda use: _mask(use) is not None and _mask(use).shape[-1] == 1 < _keys(use),
            "with a mask, then without": lambda use: _mask(use) is None and len(use.steps[0].args) > 3,
            "values of zeros": lambda use: bool((_given(use, 2) == 0).all(-1).any()),
        },
    ),
    Promise("mask[..., t, s] is True where query t MAY attend to key s", ("masked",)),
    Promise(
        "the remaining weights of the row sum to 1, however large or small the scores are",
        ("masked", "steep"),
        {
            "hidden far above open": _hidden_above,
            "scores near 10,000": lambda use: _scaled(use).max() > 9_000,
            "scores near -10,000": lambda use: _scaled(use).min() < -9_000,
        },
    ),
    Promise(
        "A row without any True has nothing to attend to", ("dead-row",), {"such a row": lambda use: bool(use.free)}
    ),
    Promise("Return the two as a tuple, output first", ("plain",)),
    Promise(
        "in the dtype of the inputs (float32 or float64)", ("float32",), {"float32": lambda use: use.dtype == "float32"}
    ),
    Promise("Inputs and mask are left as they are", ("purity",), {"watched": lambda use: use.purity}),
    Promise("nothing is made on a device other than theirs", ("device",)),
    Promise("not its finished attention", ("by-hand",)),
)


_ATTENTION_EXAMPLE = _prompt(
    "attention",
    np.array([[2.0, 0, 0, 0], [0, 2, 0, 0]]),
    np.array([[0.0, log(3), 0, 0], [log(3), 5, 0, 0], [7, 0, 0, 0]]),
    np.array([[4.0], [8], [-20]]),
    np.array([[True, True, False], [True, False, True]]),
)


ATTENTION = Solution(
    "attention",
    points=16,
    summary="scaled dot-product attention with an optional mask",
    reference=attention,
    variant=_attention_by_mechanism,
    mechanisms=(PRODUCT, _ATTENTION_SCALE, HIDDEN, FILL, AXIS, _ATTENTION_GRAPH, WEIGH, RETURNED),
    cases=(
        _ATTENTION_EXAMPLE,
        _PLAIN,
        Case("plain, 3-D", lambda s: _attend(s, B)),
        Case("plain, 2-D", lambda s: _attend(s)),
        _MASKED,
        Case("masked, 3-D", lambda s: _attend(s, B, mask=(B, T, S))),
        Case("one mask for all", lambda s: _attend(s, B, H, mask=(T, S))),
        Case("zero score", _zero_score),
        Case("dead row", _dead_row),
        Case("steep", lambda s: _attend(s, B, H, mask=(B, 1, T, S), scale=800.0, tolerance=1e-3)),
        Case("low scores", _low_scores),
        Case("gradient", lambda s: _attend(s, B, upstream=_upstream(s))),
        Case("masked gradient", lambda s: _attend(s, B, mask=(B, T, S), upstream=_upstream(s))),
        _MASKED.having("float32", dtype="float32"),
        _MASKED.having("purity", purity=True),
        _MASKED.having("device", device="meta"),
        _MASKED.having("operations", operations=True),
        *_ATTENTION_CORNERS,
    ),
    checks=(
        example(0.5),
        Check(
            "shape",
            "output (..., T, d_v) and weights (..., T, S)",
            "shape",
            1,
            ("plain", "plain, 3-D", "masked"),
            "shape",
        ),
        Check("plain", "without a mask, a weighted mean of the values", "values", 3, ("plain", "plain, 3-D")),
        Check("leading-axes", "any leading axes, or none", "values", 0.5, ("plain, 2-D",)),
        Check("masked", "a mask hides keys", "mask", 3, ("masked", "masked, 3-D", "zero score")),
        Check("broadcast", "one mask serves all samples and heads", "mask", 1, ("one mask for all",)),
        Check("dead-row", "a query with nothing to attend to stays finite", "mask", 1.5, ("dead row",)),
        Check("steep", "very large and very small scores", "robustness", 1.5, ("steep", "low scores")),
        Check(
            "gradient",
            "gradients reach queries, keys and values",
            "gradient",
            1,
            ("gradient", "masked gradient"),
            "gradient",
        ),
        Check("float32", "works in float32", "robustness", 0.5, ("float32",)),
        Check("purity", "leaves inputs and mask as they are", "robustness", 1, ("purity",), "purity"),
        Check("device", "makes its tensors where the inputs are", "robustness", 0.5, ("device",), "device"),
        Check("by-hand", "written by hand", "style", 0.5, ("operations",), "forbidden"),
        any_input(0.5, *_ATTENTION_CORNERS),
    ),
    domain=_any_attention,
    promises=_ATTENTION_PROMISES,
    hints=(
        "Three steps: scores, weights, output. You have the first two as exercises of their own. Get it right without "
        "a mask before you think about one.",
        "A hidden score must have no weight after the softmax, and the weights that stay must still sum to 1. So the "
        "mask has to act before the softmax. Which number has an exponential of 0, and what becomes of a row that has "
        "nothing else?",
        "Compute the scaled scores; where the mask is False, put the lowest finite number of their dtype (a method of "
        "tensors fills where a condition is True, and returns a new tensor); take the softmax over the last axis; "
        "multiply by V. Return output and weights.",
    ),
    axes=AXES,
    returns=("output", "weights"),
    forbidden=FINISHED,
    also_right={
        "-1e9 where mask == 0, sqrt of a tensor": _literal,
        "a bias of -inf, dead rows set to 0": _bias,
        "mask after the softmax, renormalised": _renormalised,
        "batched matrix products": _bmm,
        "query by query": _query_by_query,
        "online softmax": _online,
        "a fourth root on both": _fourth_root,
        "a named tuple": lambda *args: namedtuple("Result", "output weights")(*attention(*args)),
        "a list": lambda *args: list(attention(*args)),
        "softmax by hand, 0/1 mask": _zero_one,
        "masked_fill_ on its own scores": _in_place_on_own,
    },
    torch_says={
        "scaled_dot_product_attention": lambda Q, K, V, mask=None: (
            F.scaled_dot_product_attention(Q, K, V, attn_mask=mask),
            None,
        ),
    },
)

EXERCISES = (ATTENTION_SCORES, SOFTMAX, ATTENTION)
