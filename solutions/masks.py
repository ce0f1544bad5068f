"""Masks: padding, the future, both together, and a softmax that obeys them: references, variants and checks."""

from math import inf, log, sqrt

import numpy as np
import torch
from torch.nn import functional as F
from torch.nn.attention.bias import causal_lower_right

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

B, H, T, S = 2, 3, 4, 6
FINISHED = (
    "scaled_dot_product_attention",
    "multi_head_attention_forward",
    "native_multi_head_attention",
    "masked_softmax",  # torch._masked_softmax and torch._safe_softmax, without their underscores
    "safe_softmax",
)


# ---------------------------------------------------------------------- references


def padding_mask(lengths, max_len):
    positions = torch.arange(max_len, device=lengths.device)  # (max_len,)
    return positions < lengths.unsqueeze(1)  # (B, max_len)


def causal_mask(T, S=None):
    S = T if S is None else S
    query = torch.arange(S - T, S).unsqueeze(1)  # (T, 1), the queries are the newest T of S positions
    return torch.arange(S) <= query  # (T, S)


def combine_masks(padding, causal):
    return padding[:, None, None, :] & causal  # (B, 1, T, S)


def masked_softmax(scores, mask):
    lowest = torch.finfo(scores.dtype).min
    weights = F.softmax(scores.masked_fill(~mask, lowest), dim=-1)  # (..., T, S)
    return weights.masked_fill(~mask, 0.0)  # matters in rows without a True only


# ---------------------------------------------------------------------- mistakes that any mask can have


def _additive(mask, fill):
    """What is added to scores: 0 where the mask is True, `fill` elsewhere."""
    return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, fill)


def _zero_times_inf(mask):
    return (1 - mask.float()) * -inf


LOWEST = torch.finfo(torch.float32).min

INVERTED_BY_TORCH = {
    "one-minus-bool": lambda m: 1 - ~m,
    "invert-int-mask": writings(
        lambda m: ~(~m).int(),
        lambda m: ~(~m).long(),
        lambda m: ~(~m).to(torch.uint8),
    ),
}

KIND = Mechanism(
    "kind",
    "True and False for an answer",
    right={"True and False": lambda m: m},
    mistakes={
        "causal-mask-wrong-kind": writings(
            lambda m: _additive(m, -inf),
            lambda m: _additive(m, LOWEST),
            lambda m: _additive(m, -1e9),
            lambda m: _additive(m, -1e4),
        ),
        "zero-times-inf": _zero_times_inf,
    },
)


# ---------------------------------------------------------------------- padding_mask


def _padding_by_mechanism(*, width, positions, count, side, polarity, kind):
    def variant(lengths, max_len):
        width_ = width(lengths, max_len)
        mask = side(positions(width_, lengths), count(lengths).unsqueeze(1), width_)  # (B, max_len)
        return kind(polarity(mask))

    return variant


PADDING_MECHANISMS = (
    Mechanism(
        "width",
        "the width of the mask",
        right={"max_len": lambda lengths, max_len: max_len},
        mistakes={"padding-width-from-longest": lambda lengths, max_len: int(lengths.max())},
    ),
    Mechanism(
        "positions",
        "the device",
        right={"where the lengths are": lambda width, lengths: torch.arange(width, device=lengths.device)},
        mistakes={"mask-on-wrong-device": lambda width, lengths: torch.arange(width)},
    ),
    Mechanism(
        "count",
        "the number of True in a row",
        right={"length": lambda n: n},
        mistakes={"padding-off-by-one": lambda n: n + 1},
    ),
    Mechanism(
        "side",
        "the side of the padding",
        right={
            "padding at the end": lambda j, n, width: j < n,
            "compared the other way": lambda j, n, width: n > j,
        },
        mistakes={"padding-left": lambda j, n, width: j >= width - n},
    ),
    Mechanism(
        "polarity",
        "what True means",
        right={"True is a token": lambda m: m},
        mistakes={"padding-inverted": lambda m: ~m, **INVERTED_BY_TORCH},
    ),
    KIND,
)


def _shuffled(s, *numbers):
    """int64 (len(numbers),)"""
    return np.array(numbers)[np.argsort(s.uniform(len(numbers)))]


_PADDED = Case("padded", lambda s: Script((call("padding_mask", _shuffled(s, 1, 2, 4, 5)[:3], 7),)))


def _any_lengths(s):
    max_len = s.choice((s.size(), s.size(), s.large()))
    lengths = np.floor(s.uniform(s.choice((s.size(), s.size(), s.large()))) * (max_len + 1)).astype(np.int64)
    if s.chance(0.4):
        lengths[s.integer(0, len(lengths) - 1)] = s.choice((0, max_len))
    if s.chance(0.1):
        lengths[:] = s.choice((0, max_len))
    before = (call("padding_mask", lengths, max_len + 1),) if s.chance(0.3) else ()
    return Script((*before, call("padding_mask", s.laid_out(lengths), max_len)), purity=s.chance(0.2))


_PADDING_CORNERS = (
    corner("130 wide", lambda s: Script((call("padding_mask", _shuffled(s, 1, 64, 65, 100), 130),))),
    corner("70 sequences", lambda s: Script((call("padding_mask", np.arange(70) % 4, 3),))),
)


def _given(use, i):
    return use.steps[-1].args[i]


_ZERO_ONE = Promise(
    "A mask of 1 and 0 is accepted as well"
)  # right answers of that kind are among those that must pass

_PADDING_PROMISES = (
    Promise(
        "lengths (B,) int64 -> mask (B, max_len) bool",
        ("shape",),
        {
            "one sequence": lambda use: len(_given(use, 0)) == 1,
            "more than 64 sequences": lambda use: len(_given(use, 0)) > 64,
            "wider than 64": lambda use: use.steps[-1].args[1] > 64,
            "B = max_len": lambda use: len(_given(use, 0)) == use.steps[-1].args[1] > 1,
        },
    ),
    Promise("short ones are padded at the end, to max_len positions", ("tokens",)),
    Promise("are tokens (True), the rest is padding (False)", ("tokens",)),
    Promise(
        "Every length is between 0 and max_len, both included",
        ("full-and-empty",),
        {
            "0": lambda use: bool((_given(use, 0) == 0).any()),
            "max_len": lambda use: bool((_given(use, 0) == use.steps[-1].args[1]).any()),
        },
    ),
    Promise(
        "The mask is max_len wide, even when every sequence of the batch is shorter",
        ("tokens",),
        {"all shorter": lambda use: bool((_given(use, 0) < use.steps[-1].args[1]).all())},
    ),
    Promise("It is made on the device of lengths", ("device",)),
    Promise("lengths stays as it is", ("purity",), {"watched": lambda use: use.purity}),
    Promise("Return True and False", ("tokens",)),
    _ZERO_ONE,
)


def _prompt(target, *args, id="example"):
    """An example in the prompt of `target`."""
    return Case(id, lambda s: Script((call(target, *args),)))


_PADDING_EXAMPLE = _prompt("padding_mask", np.array([2, 4]), 5)


PADDING_MASK = Solution(
    "padding_mask",
    points=5,
    summary="which positions hold tokens, and which only padding",
    reference=padding_mask,
    variant=_padding_by_mechanism,
    mechanisms=PADDING_MECHANISMS,
    cases=(
        _PADDING_EXAMPLE,
        _PADDED,
        Case("full and empty", lambda s: Script((call("padding_mask", _shuffled(s, 0, 3, 5, 6), 6),))),
        _PADDED.having("purity", purity=True),
        _PADDED.having("device", device="meta"),
        *_PADDING_CORNERS,
    ),
    checks=(
        example(0.5),
        Check("shape", "one row for each sequence, max_len wide", "shape", 1, ("padded",), "shape"),
        Check("tokens", "True for the tokens, False for the padding", "mask", 1, ("padded",)),
        Check("full-and-empty", "sequences without padding, and without tokens", "mask", 0.5, ("full and empty",)),
        Check("purity", "leaves lengths as they are", "robustness", 0.5, ("purity",), "purity"),
        Check("device", "makes the mask where the lengths are", "robustness", 1, ("device",), "device"),
        any_input(0.5, *_PADDING_CORNERS),
    ),
    domain=_any_lengths,
    promises=_PADDING_PROMISES,
    hints=(
        "Number the positions 0, 1, 2, ... Which of them hold tokens in a sequence of length 2?",
        "One comparison gives the whole mask, if the positions run along one axis and the lengths along the other. "
        "Write the two shapes one below the other, from the right: where is an axis of size 1 missing?",
        "Make the numbers 0 to max_len - 1 on the device of lengths, give lengths a second axis of size 1, and ask "
        "where a number is smaller than the length.",
    ),
    axes={"B": 3, "max_len": 7},
    returns=("mask",),
    mask_result="squeeze",
    also_right={
        "sequence by sequence": lambda lengths, max_len: torch.tensor(
            [[j < n for j in range(max_len)] for n in lengths.tolist()]
        ),
        "slices filled in a loop": lambda lengths, max_len: _slices_filled(lengths, max_len),
        "0 and 1": lambda lengths, max_len: padding_mask(lengths, max_len).int(),
        "0.0 and 1.0": lambda lengths, max_len: padding_mask(lengths, max_len).float(),
        "ready for the scores": lambda lengths, max_len: padding_mask(lengths, max_len)[:, None, None, :],
        "padding inverted": lambda lengths, max_len: (
            ~(torch.arange(max_len).to(lengths.device)[None, :] >= lengths[:, None])
        ),
        "numbered from 1": lambda lengths, max_len: (
            torch.arange(1, max_len + 1, device=lengths.device) <= lengths.view(-1, 1)
        ),
        "positions expanded": lambda lengths, max_len: (
            torch.arange(max_len, device=lengths.device).expand(len(lengths), max_len).lt(lengths.unsqueeze(-1))
        ),
        "counted": lambda lengths, max_len: lengths.new_ones(lengths.size(0), max_len).cumsum(1) <= lengths[:, None],
        "written to zeros": lambda lengths, max_len: (
            torch.zeros(len(lengths), max_len + 1, dtype=torch.long, device=lengths.device)
            .scatter(1, lengths[:, None], 1)
            .cumsum(1)[:, :max_len]
            == 0
        ),
    },
)


def _slices_filled(lengths, max_len):
    mask = torch.zeros(len(lengths), max_len, dtype=torch.bool, device=lengths.device)
    for row, length in zip(mask, lengths, strict=True):
        row[:length] = True
    return mask


# ---------------------------------------------------------------------- causal_mask


def _causal_by_mechanism(*, columns, alignment, diagonal, triangle, layout, polarity, kind):
    def variant(T, S=None):
        S = T if S is None else columns(T, S)
        query, key = torch.arange(T).unsqueeze(1), torch.arange(S)
        mask = triangle(key, query + alignment(T, S) + diagonal)  # (T, S)
        return kind(polarity(layout(mask)))

    return variant


CAUSAL_MECHANISMS = (
    Mechanism(
        "columns",
        "one column for each key",
        right={"S": lambda T, S: S},
        mistakes={"causal-square-only": lambda T, S: T},
    ),
    Mechanism(
        "alignment",
        "where the queries stand",
        right={"at the end": lambda T, S: S - T},
        mistakes={"causal-top-left": lambda T, S: 0},
    ),
    Mechanism(
        "diagonal",
        "the diagonal",
        right={"itself included": 0},
        mistakes={"causal-excludes-self": -1, "causal-one-step-leak": 1},
    ),
    Mechanism(
        "triangle",
        "which triangle is open",
        right={"the past": lambda key, query: key <= query},
        mistakes={
            "causal-upper-triangle": writings(
                lambda key, query: key > query,
                lambda key, query: key >= query,
            ),
        },
    ),
    Mechanism(
        "layout",
        "rows for queries",
        right={"rows are queries": lambda m: m},
        mistakes={
            "causal-transposed": writings(
                lambda m: m.mT,
                lambda m: torch.ones_like(m.mT).tril(),
                lambda m: torch.ones_like(m.mT).tril(m.size(1) - m.size(0)),
            ),
        },
    ),
    Mechanism("polarity", "True for an open position", right={"True is open": lambda m: m}, mistakes=INVERTED_BY_TORCH),
    KIND,
)


def _causal_case(id, *sizes):
    return Case(id, lambda s: Script((call("causal_mask", *sizes),)))


def _any_size(s):
    queries, more = (int(n) for n in 3 + 6 * s.uniform(2))
    return Script((call("causal_mask", queries, queries + more),))


def _any_causal(s):
    queries = s.choice((s.size(), s.size(), s.large()))
    keys = queries + s.choice((0, 0, s.size(), s.large() if queries < 64 else 1))
    more = s.choice(((), (None,), (keys,))) if keys == queries else (keys,)
    before = (call("causal_mask", *s.choice(((3,), (queries, keys + 1)))),) if s.chance(0.3) else ()
    return Script((*before, call("causal_mask", queries, *more)), purity=s.chance(0.2))


_WIDE = _causal_case("wide", T, S)

_CAUSAL_CORNERS = (
    corner("130 keys", lambda s: Script((call("causal_mask", 70, 130),))),
    corner("no S after all", lambda s: Script((call("causal_mask", 3, None),))),
)


_CAUSAL_PROMISES = (
    Promise(
        "Two Python ints -> mask (T, S) bool; without S, S = T",
        ("shape", "square", "same-size"),
        {
            "no S": lambda use: len(use.steps[-1].args) == 1,
            "S = None": lambda use: use.steps[-1].args[1:] == (None,),
            "S = T": lambda use: len(set(use.steps[-1].args)) == 1 < len(use.steps[-1].args),
            "one query": lambda use: use.steps[-1].args[0] == 1,
            "more than 64 queries": lambda use: use.steps[-1].args[0] > 64,
        },
    ),
    Promise("Row t belongs to query t, column s to key s", ("square",)),
    Promise("the queries are the newest T of the S positions", ("wide",)),
    Promise("a few new queries meet all keys so far", ("one-query",)),
    Promise("S is never smaller than T", ("any-size",)),
    Promise("Return True and False", ("square",)),
    _ZERO_ONE,
    Promise("torch's default device is right here", ("square",)),
)


_CAUSAL_EXAMPLE = _prompt("causal_mask", 3)
_CAUSAL_EXAMPLE_WIDE = _prompt("causal_mask", 2, 4, id="second example")


CAUSAL_MASK = Solution(
    "causal_mask",
    points=7,
    summary="nobody sees the future",
    reference=causal_mask,
    variant=_causal_by_mechanism,
    mechanisms=CAUSAL_MECHANISMS,
    cases=(
        _CAUSAL_EXAMPLE,
        _CAUSAL_EXAMPLE_WIDE,
        _causal_case("square", 5),
        _causal_case("S = T", 5, 5),
        _WIDE,
        _causal_case("one query", 1, S),
        Case("any size", _any_size),
        _WIDE.having("purity", purity=True),
        *_CAUSAL_CORNERS,
    ),
    checks=(
        example(0.5, "second example"),
        Check("shape", "one row for each query, one column for each key", "shape", 1, ("square", "wide"), "shape"),
        Check("square", "each token sees itself and what came before", "mask", 1.5, ("square",)),
        Check("same-size", "S = T gives the same as no S", "mask", 0.5, ("S = T",)),
        Check("wide", "the last query stands at the last key", "mask", 1.5, ("wide",)),
        Check("one-query", "a single new query sees every key", "mask", 0.5, ("one query",)),
        Check("any-size", "other sizes", "mask", 0.5, ("any size",)),
        Check("purity", "a second call gives the same mask", "robustness", 0.5, ("purity",), "purity"),
        any_input(0.5, *_CAUSAL_CORNERS),
    ),
    domain=_any_causal,
    promises=_CAUSAL_PROMISES,
    hints=(
        "Draw the mask for T = 3 on paper: which keys may query 0 see, and which may query 2? Then T = 1, S = 3, where "
        "the only query is the newest token.",
        "With S keys and T queries, query t stands at position t + (S - T) of the sequence. Put it into words first: "
        "key s is open when s is ... that position.",
        "Either compare the numbers of the keys, along the columns, with the positions of the queries, along the rows; "
        "or keep the lower triangle of a (T, S) matrix of True, with its diagonal moved S - T to the right.",
    ),
    axes={"T": T, "S": S},
    returns=("mask",),
    mask_result="squeeze",
    also_right={
        "lower triangle": lambda T, S=None: torch.ones(T, S or T, dtype=torch.bool).tril((S or T) - T),
        "upper triangle, inverted": lambda T, S=None: (
            ~torch.triu(torch.ones(T, S or T, dtype=torch.bool), diagonal=(S or T) - T + 1)
        ),
        "upper triangle is 0": lambda T, S=None: torch.triu(torch.ones(T, S or T), diagonal=(S or T) - T + 1) == 0,
        "0.0 and 1.0": lambda T, S=None: torch.tril(torch.ones(T, S or T), (S or T) - T),
        "0 and 1": lambda T, S=None: causal_mask(T, S).long(),
        "ready for the scores": lambda T, S=None: causal_mask(T, S).view(1, 1, T, S or T),
        "last rows of a square": lambda T, S=None: torch.ones(S or T, S or T, dtype=torch.bool).tril()[-T:],
        "position by position": lambda T, S=None: torch.tensor(
            [[s <= t + (S or T) - T for s in range(S or T)] for t in range(T)]
        ),
        "row by row": lambda T, S=None: torch.stack([torch.arange(S or T) < (S or T) - T + t + 1 for t in range(T)]),
        "numbered by the newest": lambda T, S=None: (
            torch.arange(T - 1, -1, -1)[:, None] <= torch.arange((S or T) - 1, -1, -1)
        ),
        "from an additive mask": lambda T, S=None: torch.full((T, S or T), -inf).triu((S or T) - T + 1) == 0,
    },
    torch_says={"causal_lower_right": lambda T, S=None: _attended_by_torch(T, S or T)},
)


def _attended_by_torch(T, S):
    """Where torch's attention under its own causal mask, aligned bottom-right, gives weight."""
    Q, K, V = torch.zeros(1, 1, T, 8), torch.zeros(1, 1, S, 8), torch.eye(S)[None, None]
    return F.scaled_dot_product_attention(Q, K, V, attn_mask=causal_lower_right(T, S))[0, 0] > 0


# ---------------------------------------------------------------------- combine_masks


def _combine_by_mechanism(*, padding_true, causal_true, align, join, polarity):
    def variant(padding, causal):
        return polarity(align(padding_true(padding), causal_true(causal), join))  # (B, 1, T, S)

    return variant


def _columns(p):
    return p[:, None, None, :]


def _rows(p):
    return p[:, None, :, None]


def _everything(p, c):
    """True everywhere, (B, 1, T, S), and made on the CPU."""
    return torch.ones(p.size(0), 1, *c.shape[-2:], dtype=torch.bool)


COMBINE_MECHANISMS = (
    Mechanism(
        "padding_true",
        "what True means in padding",
        right={"a token": lambda p: p},
        mistakes={"padding-inverted": lambda p: ~p},
    ),
    Mechanism(
        "causal_true",
        "what True means in causal",
        right={"open": lambda c: c, "open, with all four axes": lambda c: c[None, None]},
        mistakes={"causal-upper-triangle": lambda c: ~c},
    ),
    Mechanism(
        "align",
        "how the two shapes meet",
        right={"(B, 1, 1, S)": lambda p, c, join: join(_columns(p), c)},
        mistakes={
            "pad-mask-on-query-rows": lambda p, c, join: join(_rows(p), c),
            "pad-mask-both-sides": writings(
                lambda p, c, join: join(_columns(p) & _rows(p), c),
                lambda p, c, join: join(_rows(p), c) & _columns(p),
                lambda p, c, join: join(_columns(p) & _rows(p[:, -c.size(-2) :]), c),
                lambda p, c, join: join(_columns(p) & _rows(p[:, : c.size(-2)]), c),
                lambda p, c, join: join(p[:, None] & p[:, :, None], c).unsqueeze(1),
            ),
            "key-mask-not-unsqueezed": writings(
                lambda p, c, join: join(p, c),
                lambda p, c, join: join(p, c).unsqueeze(1),
                lambda p, c, join: join(p, c)[None, None],
                lambda p, c, join: join(p[None], c),
                lambda p, c, join: join(p[None, None], c),
            ),
            "mask-missing-head-axis": writings(
                lambda p, c, join: join(p[:, None], c),
                lambda p, c, join: join(p[:, None], c).unsqueeze(0),
            ),
            "mask-on-wrong-device": writings(
                lambda p, c, join: _everything(p, c) * join(_columns(p), c),
                lambda p, c, join: join(_columns(p), c) * _everything(p, c),
            ),
        },
    ),
    Mechanism(
        "join",
        "how two rules become one",
        right={"padding and causal": lambda p, c: p & c, "causal and padding": lambda p, c: c & p},
        mistakes={
            "masks-or-not-and": writings(
                lambda p, c: p | c,
                lambda p, c: p.int() + c.int(),
                lambda p, c: p.long() + c.long(),
                lambda p, c: p.float() + c.float(),
            ),
            "mask-truthiness": lambda p, c: p and c,
            "masks-added-overflow": lambda p, c: _additive(p, LOWEST) + _additive(c, LOWEST),
            "causal-mask-wrong-kind": writings(
                lambda p, c: _additive(p & c, -inf),
                lambda p, c: _additive(p & c, LOWEST),
                lambda p, c: _additive(p & c, -1e9),
                lambda p, c: _additive(p & c, -1e4),
                lambda p, c: _additive(p, -1e9) + _additive(c, -1e9),
                lambda p, c: _additive(p, -1e4) + _additive(c, -1e4),
            ),
            "zero-times-inf": lambda p, c: _zero_times_inf(p & c),
        },
    ),
    Mechanism(
        "polarity",
        "what True means in the result",
        right={"may attend": lambda m: m},
        mistakes={"mask-inverted": lambda m: ~m, **INVERTED_BY_TORCH},
    ),
)


def _padding(lengths, width):
    return np.arange(width) < lengths[:, None]


def _both_rules(s):
    """One sequence ends where query 0 stands or before, the other after it: both rules close something."""
    short = 2 + int(2 * s.uniform(1)[0])
    padding = _padding(_shuffled(s, short, S - 1), S)  # (B, S)
    return Script((call("combine_masks", padding, np.tri(T, S, S - T, dtype=bool)),))


def _same_sizes(s, batch, T, S):
    """Any rule in the place of the causal one."""
    padding = _padding(_shuffled(s, *range(2, 2 + batch)), S)
    return Script((call("combine_masks", padding, s.mask(T, S)),))


_BOTH = Case("both rules", _both_rules)


def _any_two_masks(s):
    samples, queries, keys = s.size(), s.size(), s.size()
    match s.choice(("", "", "T = S", "B = T = S", "B = T", "keys", "queries", "samples")):
        case "T = S":
            keys = queries = s.choice((queries, s.large()))
        case "B = T = S":
            samples = queries = keys
        case "B = T":
            samples = queries
        case "keys":
            keys = s.large()
        case "queries":
            queries = s.large()
        case "samples":
            samples = s.large()
    if samples * queries * keys > 20_000:
        samples = 1
    padding = s.pattern(samples, keys)
    if s.chance(0.5):
        padding = np.arange(keys) < np.floor(s.uniform(samples, 1) * (keys + 1))
    causal = s.pattern(queries, keys)
    if s.chance(0.6):
        causal = np.tril(np.ones((queries, keys), dtype=bool), keys - queries)
    before = (call("combine_masks", ~padding, ~causal),) if s.chance(0.3) else ()
    return Script((*before, call("combine_masks", s.laid_out(padding), s.laid_out(causal))), purity=s.chance(0.2))


_COMBINE_CORNERS = (
    corner("130 keys", lambda s: Script((call("combine_masks", s.mask(2, 130), s.mask(70, 130)),))),
    corner("B = T = S", lambda s: Script((call("combine_masks", s.mask(4, 4), s.mask(4, 4)),))),
)


_COMBINE_PROMISES = (
    Promise(
        "padding (B, S) bool, causal (T, S) bool -> mask (B, 1, T, S) bool",
        ("shape",),
        {
            "more than 64 keys": lambda use: _given(use, 0).shape[1] > 64,
            "more than 64 queries": lambda use: _given(use, 1).shape[0] > 64,
            "one sample": lambda use: _given(use, 0).shape[0] == 1,
            "one key": lambda use: _given(use, 0).shape[1] == 1,
        },
    ),
    Promise("The axis of size 1 stands for the heads", ("shape",)),
    Promise("In padding, True is a token", ("both-rules",)),
    Promise("the row of a padded query is like any other row", ("both-rules",)),
    Promise(
        "Any two sizes may happen to be equal, such as B = T or T = S",
        ("same-sizes",),
        {
            "B = T": lambda use: _given(use, 0).shape[0] == _given(use, 1).shape[0] > 1,
            "T = S": lambda use: _given(use, 1).shape[0] == _given(use, 1).shape[1] > 1,
            "B = S": lambda use: _given(use, 0).shape[0] == _given(use, 0).shape[1] > 1,
        },
    ),
    Promise("Return True and False", ("both-rules",)),
    _ZERO_ONE,
    Promise("The mask is made on the device of the two masks", ("device",)),
    Promise("these stay as they are", ("purity",), {"watched": lambda use: use.purity}),
)


_COMBINE_EXAMPLE = _prompt(
    "combine_masks", np.array([[True, True, True], [True, True, False]]), np.tril(np.ones((3, 3), dtype=bool))
)


COMBINE_MASKS = Solution(
    "combine_masks",
    points=5,
    summary="a key must pass both rules",
    reference=combine_masks,
    variant=_combine_by_mechanism,
    mechanisms=COMBINE_MECHANISMS,
    cases=(
        _COMBINE_EXAMPLE,
        _BOTH,
        Case("T = S", lambda s: _same_sizes(s, B, 5, 5)),
        Case("B = T", lambda s: _same_sizes(s, 4, 4, 6)),
        _BOTH.having("purity", purity=True),
        _BOTH.having("device", device="meta"),
        *_COMBINE_CORNERS,
    ),
    checks=(
        example(0.5),
        Check(
            "shape",
            "an axis for the samples, one for the heads, then queries and keys",
            "shape",
            1,
            ("both rules",),
            "shape",
        ),
        Check("both-rules", "a key must pass both rules", "mask", 1, ("both rules",)),
        Check("same-sizes", "even when two sizes happen to be the same", "mask", 1, ("T = S", "B = T")),
        Check("purity", "leaves both masks as they are", "robustness", 0.5, ("purity",), "purity"),
        Check("device", "makes its tensors where the masks are", "robustness", 0.5, ("device",), "device"),
        any_input(0.5, *_COMBINE_CORNERS),
    ),
    domain=_any_two_masks,
    promises=_COMBINE_PROMISES,
    hints=(
        "A key is open when it is a token, and when it does not lie in the future. Which word joins the two: 'and' or 'or'?",
        "Shapes are lined up from the right. Write (B, S) below (B, 1, T, S) so that B stands below B and S below S: "
        "which axes of size 1 does padding still need? And what about causal?",
        "Give padding two axes of size 1 between its own two, and join it with causal by the operator for a logical "
        "'and' of two bool tensors; broadcasting does the rest.",
    ),
    axes={"B": B, "T": T, "S": S},
    returns=("mask",),
    mask_result="mask",
    pairs=(("padding_true", "causal_true", "align", "join"), ("align", "polarity")),  # others give the same masks
    also_right={
        "logical_and": lambda padding, causal: torch.logical_and(padding.unsqueeze(1).unsqueeze(2), causal[None, None]),
        "product of bool masks": lambda padding, causal: padding.view(len(padding), 1, 1, -1) * causal,
        "product of 0 and 1": lambda padding, causal: padding[:, None, None].int() * causal.int(),
        "0.0 and 1.0": lambda padding, causal: torch.einsum("bs,ts->bts", padding.float(), causal.float()).unsqueeze(1),
        "neither of two closed": lambda padding, causal: ~(~padding[:, None, None, :] | ~causal),
        "fill where padded": lambda padding, causal: causal.expand(len(padding), 1, -1, -1).masked_fill(
            ~padding[:, None, None, :], False
        ),
        "where": lambda padding, causal: torch.where(padding[:, None, None, :], causal, False),
        "sample by sample": lambda padding, causal: torch.stack([(row & causal).unsqueeze(0) for row in padding]),
        "expanded first": lambda padding, causal: (
            padding.reshape(padding.size(0), 1, 1, -1).expand(-1, -1, causal.size(0), -1)
            & causal.repeat(padding.size(0), 1, 1, 1)
        ),
        "two ones make a two": lambda padding, causal: padding[:, None, None].int() + causal.int() == 2,
    },
)


# ---------------------------------------------------------------------- masked_softmax


def _masked_softmax_by_mechanism(*, scale, hidden, fill, steps, axis, kept):
    def variant(scores, mask):
        return kept(steps(scale(scores), hidden(mask), mask, fill, axis))  # (..., T, S)

    return variant


def _dead(h):
    """Rows in which everything is hidden, (..., T, 1)."""
    return h.all(-1, keepdim=True)


def _finite(s, h, fill, axis):
    """Weights with a finite fill: a dead row is uniform."""
    return axis(fill(s, h, torch.finfo(s.dtype).min))


def _shared_out(w, epsilon):
    return w / (w.sum(-1, keepdim=True) + epsilon)


def _infinite(s, h, fill, axis):
    """Weights with a fill of -inf: a dead row is NaN."""
    return axis(fill(s, h, -inf))


def _discarded(s, h, fill, axis):
    """Weights of the scores as they came: the filled ones are thrown away."""
    fill(s, h, torch.finfo(s.dtype).min)
    return axis(s)


def _sentinel(s, h, low):
    s = s * ~h
    return s.masked_fill(s == 0, low)


def _mask_edited(s, h, m, fill, axis):
    m.masked_fill_(h, True)  # what any fill becomes in a bool mask
    return axis(s)


def _implicit_dim(s):
    return s.softmax(0 if s.dim() in (0, 1, 3) else 1)


def _heads_and_keys(s):
    if s.dim() < 4:
        return s.softmax(-1)
    return s.transpose(1, 2).flatten(-2).softmax(-1).unflatten(-1, (s.size(1), s.size(-1))).transpose(1, 2)


SCALE = Mechanism(
    "scale",
    "the size of the scores",
    right={"as they come": lambda s: s},
    mistakes={"scale-by-key-count": lambda s: s / sqrt(s.size(-1))},
)

HIDDEN = Mechanism(
    "hidden",
    "which positions the mask hides",
    right={"where False": lambda m: ~m},
    mistakes={
        "mask-inverted": lambda m: m,
        "one-minus-bool": writings(
            lambda m: 1 - m,
            lambda m: (1 - m).bool(),
        ),
        "int-mask-to-masked-fill": writings(
            lambda m: 1 - m.int(),
            lambda m: 1 - m.long(),
            lambda m: 1 - m.to(torch.uint8),
            alone=(lambda m: 1 - m.float(),),
        ),
        "mask-truthiness": lambda m: ~m if m else torch.zeros_like(m),
    },
)

FILL = Mechanism(
    "fill",
    "what hidden scores are replaced with",
    right={"a number too low to matter": lambda s, h, low: s.masked_fill(h, low)},
    mistakes={
        "mask-multiplies-scores": lambda s, h, low: s * ~h,
        "fill-tiny-number": writings(
            lambda s, h, low: s.masked_fill(h, 1e-9),
            lambda s, h, low: s.masked_fill(h, -1e-9),
        ),
        "fill-not-low-enough": writings(
            lambda s, h, low: s.masked_fill(h, -1e4),
            lambda s, h, low: s.masked_fill(h, -1e3),
            lambda s, h, low: s.masked_fill(h, -10.0),
        ),
        "bool-mask-added": lambda s, h, low: s + ~h,
        "tanh-after-fill": lambda s, h, low: s.masked_fill(h, low).tanh(),
        "zero-times-inf": lambda s, h, low: s + h.to(s.dtype) * -inf,
        "mask-zero-sentinel": _sentinel,
        "int-mask-to-masked-fill": writings(alone=(lambda s, h, low: torch.where((~h).int(), s, low),)),
        "fp16-fill-overflow": lambda s, h, low: s.masked_fill(h, -1e9),
        "fill-finfo-of-wrong-dtype": writings(
            lambda s, h, low: s.masked_fill(h, torch.finfo(torch.float32).min),
            lambda s, h, low: s.masked_fill(h, torch.finfo(torch.float64).min),
        ),
        "mask-on-wrong-device": writings(
            lambda s, h, low: torch.where(h, torch.full(s.shape, low, dtype=s.dtype), s),
            lambda s, h, low: s.masked_fill(torch.zeros(h.shape, dtype=torch.bool) | h, low),
        ),
    },
)

STEPS = Mechanism(
    "steps",
    "where the mask acts",
    right={
        "finite fill, then 0 where hidden": lambda s, h, m, fill, axis: _finite(s, h, fill, axis).masked_fill(h, 0.0),
        "finite fill, then times mask": lambda s, h, m, fill, axis: _finite(s, h, fill, axis) * ~h,
        "finite fill, then 0 in dead rows": lambda s, h, m, fill, axis: _finite(s, h, fill, axis).masked_fill(
            _dead(h), 0.0
        ),
        "-inf, then 0 in dead rows": lambda s, h, m, fill, axis: _infinite(s, h, fill, axis).masked_fill(_dead(h), 0.0),
    },
    mistakes={
        "mask-fill-discarded": writings(
            lambda s, h, m, fill, axis: _discarded(s, h, fill, axis),
            lambda s, h, m, fill, axis: _discarded(s, h, fill, axis).masked_fill(_dead(h), 0.0),
        ),
        "mask-after-softmax": lambda s, h, m, fill, axis: axis(s) * ~h,
        "mask-edited-not-scores": _mask_edited,
        "hidden-in-softmax": lambda s, h, m, fill, axis: _shared_out_after(axis(s), h),
        "fill-not-low-enough": writings(
            alone=(
                lambda s, h, m, fill, axis: axis(s + h.to(s.dtype) * -1e4) * ~h,
                lambda s, h, m, fill, axis: axis(s + h.to(s.dtype) * -100.0) * ~h,
                lambda s, h, m, fill, axis: axis(s + h.to(s.dtype) * -25.0) * ~h,
            )
        ),
        "fully-masked-uniform": writings(
            lambda s, h, m, fill, axis: _finite(s, h, fill, axis),
            lambda s, h, m, fill, axis: axis(s + h.to(s.dtype) * -1e9),
            lambda s, h, m, fill, axis: axis(s + h.to(s.dtype) * -1e4),
        ),
        "fully-masked-nan": writings(
            lambda s, h, m, fill, axis: axis(fill(s, h, -inf).masked_fill(_dead(h), -inf)),
            lambda s, h, m, fill, axis: axis(s + torch.zeros_like(s).masked_fill(h, -inf)),
        ),
        "forward-patched-grad-nan": lambda s, h, m, fill, axis: axis(
            s + torch.zeros_like(s).masked_fill(h, -inf)
        ).nan_to_num(0.0),
        "zero-times-inf": lambda s, h, m, fill, axis: axis(s + h.to(s.dtype) * -inf).nan_to_num(0.0),
        "fp16-fill-overflow": lambda s, h, m, fill, axis: axis(s + h.to(s.dtype) * -1e9) * ~h,
        "epsilon-vanishes": lambda s, h, m, fill, axis: _shared_out(_finite(s, h, fill, axis) * ~h, 1e-12),
        "weights-edited-in-place": lambda s, h, m, fill, axis: _finite(s, h, fill, axis).masked_fill_(h, 0.0),
    },
)


def _plus_one(s):
    e = (s - s.amax(-1, keepdim=True)).exp()
    return e / (1 + e.sum(-1, keepdim=True))


def _shared_out_after(w, h):
    """Hidden keys have had a part in the softmax; what is left is shared out again."""
    return w * ~h / (w * ~h).sum(-1, keepdim=True).clamp(min=1e-12)


AXIS = Mechanism(
    "axis",
    "the softmax axis",
    right={"keys": lambda s: F.softmax(s, dim=-1)},
    mistakes={
        "softmax-over-queries": lambda s: s.softmax(-2),
        "softmax-over-batch": lambda s: s.softmax(0),
        "softmax-fixed-dim": writings(lambda s: s.softmax(2), lambda s: s.softmax(3)),
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
        "softmax-max-without-keepdim": lambda s: (s - s.amax(-1)).softmax(-1),
    },
)

KEPT = Mechanism(
    "kept",
    "the gradient and the dtype",
    right={"kept": lambda w: w},
    mistakes={
        "weights-detached": lambda w: w.detach(),
        "scores-recreated": writings(
            lambda w: torch.tensor(w.tolist(), dtype=w.dtype),
            lambda w: torch.from_numpy(w.detach().numpy()),
            lambda w: torch.from_numpy(w.numpy()),
        ),
        "mask-promotes-dtype": lambda w: w.float() if w.dtype in (torch.float16, torch.bfloat16) else w,
    },
)


def _masked(s, *shape, mask, scale=3.0, **options):
    return Script((call("masked_softmax", s.normal(*shape, scale=scale), s.mask(*mask)),), **options)


def _nothing_hidden(s, *shape, mask):
    return Script((call("masked_softmax", s.normal(*shape, scale=3), np.ones(mask, dtype=bool)),))


def _with_dead_rows(s, *lead):
    """bool (*lead, T, S): query 1 of the first matrix and query 3 of the last may attend to nothing."""
    mask = s.mask(*lead, T, S)
    matrices = mask.reshape(-1, T, S)
    matrices[0, 1] = matrices[-1, 3] = False
    return mask


def _dead_rows(s):
    return Script((call("masked_softmax", s.normal(B, H, T, S, scale=3), _with_dead_rows(s, B, 1)),))


def _dead_gradient(s):
    step = call("masked_softmax", s.normal(B, T, S, scale=2), _with_dead_rows(s, B))
    return Script((step,), upstream=(s.normal(B, T, S),))


def _half(s):
    """Dead rows may hold anything finite here: that they are zero is a check of its own."""
    mask = _with_dead_rows(s, B, 1)
    free = np.broadcast_to(~mask.any(-1, keepdims=True), (B, H, T, S))
    return Script((call("masked_softmax", s.normal(B, H, T, S), mask),), dtype="float16", free=(free,))


def _zero_scores(s):
    """In every row of scores one that is exactly 0, and open."""
    scores, mask = s.normal(B, H, T, S, scale=3), s.mask(B, 1, T, S)
    rows, keys = np.arange(T), np.arange(T) + 2
    scores[..., rows, keys] = 0.0
    mask[..., rows, keys] = True
    return Script((call("masked_softmax", scores, mask),))


def _large_hidden(s):
    """Hidden scores that would take nearly all of the weight."""
    mask = s.mask(B, H, T, S)
    return Script((call("masked_softmax", s.normal(B, H, T, S, scale=2) + 12.0 * ~mask, mask),))


def _levels(s):
    """Each row at a level of its own; multiples of 1/256, so that float32 could hold them."""
    levels = np.array([-30000.0, 0.0, 5000.0, -2000.0]).reshape(T, 1)
    scores = np.round(256 * s.normal(B, H, T, S, scale=3)) / 256 + levels
    return Script((call("masked_softmax", scores, s.mask(B, 1, T, S)),))


_MASKED = Case("masked", lambda s: _masked(s, B, H, T, S, mask=(B, 1, T, S)))
_HALF = Case("float16", _half)


def _any_masked(s):
    lead = tuple(s.size() for _ in range(s.choice((0, 1, 1, 2, 2, 3))))
    queries, keys = s.size(), s.size()
    match s.choice(("", "", "T = S", "both", "queries", "keys", "keys")):
        case "T = S":
            keys = queries
        case "both":
            queries = keys = s.large(70)
        case "queries":
            queries = s.large()
        case "keys":
            keys = s.large()
    while lead and np.prod(lead) * queries * keys > MOST:
        lead = lead[1:]
    shape = (*lead, queries, keys)
    fewer = tuple(s.choice((n, n, 1)) for n in lead[s.integer(0, len(lead)) :])
    mask = s.pattern(*fewer, s.choice((queries, queries, 1)), keys)
    may = np.broadcast_to(mask, shape)
    asked = s.choice(("", "", "gradient", "purity", "float32", "half"))
    scores = s.entries(*shape)
    if asked != "half" and s.chance(0.6):
        open, hidden = (s.level(10.0 if asked == "gradient" else 3e4) for _ in range(2))
        scores = np.clip(scores + np.round(np.where(may, open, hidden)), -3e4, 3e4)
        if s.chance(0.3):  # rows at levels of their own
            scores = (
                np.round(np.clip(scores + np.round(s.uniform(*shape[:-1], 1) * s.level(3e4)), -3e4, 3e4) * 256) / 256
            )
    if asked == "gradient" and (np.abs(scores).max() > 20 or not may.any(-1).all()):
        asked = ""  # of a row without a True it is promised to be finite, no more
    before = ()
    if s.chance(0.3):
        before = (call("masked_softmax", scores + 1.0, ~may),)
    return Script(
        (*before, call("masked_softmax", s.laid_out(scores), s.laid_out(mask))),
        dtype={"float32": "float32", "half": s.choice(("float16", "bfloat16"))}.get(asked, "float64"),
        upstream=(s.normal(*shape),) if asked == "gradient" else (),
        purity=asked == "purity",
        tolerance=None if asked == "half" else steepness(np.abs(scores).max(), asked),
    )


def _hidden_far_above(s):
    scores = np.array([[-30000.0, -30001.0, 30000.0], [30000.0, -30000.0, -29999.0]])
    mask = np.array([[True, True, False], [False, True, True]])
    return Script((call("masked_softmax", scores, mask),), tolerance=steepness(3e4))


def _near_the_bounds(s):
    """Open scores that are all near 30,000 in one row, and near -30,000 in the next."""
    scores = np.array([[29998.0, 29997.0, 30000.0, 29999.0], [-29998.0, -29997.0, -30000.0, -29999.0]])
    return Script((call("masked_softmax", scores, s.mask(2, 4)),), tolerance=steepness(3e4))


_MASKED_CORNERS = (
    corner("hidden far above", _hidden_far_above),
    corner("near the bounds", _near_the_bounds),
    corner("130 keys", lambda s: _masked(s, 2, 130, mask=(2, 130))),
    corner("70 queries", lambda s: _masked(s, 70, 3, mask=(70, 3))),
    corner("T = S", lambda s: _masked(s, 4, 4, mask=(4, 4))),
)


def _open(use):
    """bool, of the shape of the scores."""
    return np.broadcast_to(_given(use, 1), _given(use, 0).shape)


def _highest(use, may):
    """(..., T): the highest score of each row among those that are open, or among those that are hidden."""
    return np.where(_open(use) == may, _given(use, 0), -inf).max(-1)


_MASKED_PROMISES = (
    Promise(
        "scores (..., T, S) floating, mask bool, broadcasts to the scores -> weights (..., T, S)",
        ("shape", "leading-axes"),
        {
            "no leading axes": lambda use: _given(use, 0).ndim == 2,
            "three leading axes": lambda use: _given(use, 0).ndim == 5,
            "a mask with fewer axes": lambda use: _given(use, 1).ndim < _given(use, 0).ndim,
            "one row for all queries": lambda use: _given(use, 1).shape[-2] == 1 < _given(use, 0).shape[-2],
            "more than 64 keys": lambda use: _given(use, 0).shape[-1] > 64,
            "more than 64 queries": lambda use: _given(use, 0).shape[-2] > 64,
            "one key": lambda use: _given(use, 0).shape[-1] == 1,
            "T = S": lambda use: _given(use, 0).shape[-1] == _given(use, 0).shape[-2] > 1,
        },
    ),
    Promise(
        "The open keys of a row share a weight of 1, whatever the hidden scores are",
        ("masked",),
        {
            "hidden far above open": lambda use: bool((_highest(use, False) > _highest(use, True) + 1_000).any()),
            "hidden far below open": lambda use: bool((_highest(use, True) > _highest(use, False) + 1_000).any()),
            "rows fully open beside others": lambda use: bool(_open(use).all(-1).any() and not _open(use).all()),
            "rows with one key": lambda use: bool((_open(use).sum(-1) == 1).any()),
            "a key that is hidden from everybody": lambda use: bool((~_open(use)).all(-2).any()),
        },
    ),
    Promise(
        "all of its weights are 0, and gradients are finite",
        ("dead-rows", "gradient-dead-rows"),
        {"such a row": lambda use: not _open(use).any(-1).all()},
    ),
    Promise(
        "Scores may be very large and very small (from -30,000 to 30,000), or exactly 0",
        ("levels", "zero-scores"),
        {
            "near 30,000": lambda use: _given(use, 0).max() > 29_000,
            "near -30,000": lambda use: _given(use, 0).min() < -29_000,
            "0": lambda use: bool((_given(use, 0) == 0).any()),
        },
    ),
    Promise(
        "The result has the dtype of scores, float16 and bfloat16 included",
        ("half", "float32"),
        {dtype: lambda use, dtype=dtype: use.dtype == dtype for dtype in ("float16", "bfloat16", "float32")},
    ),
    Promise("The scores are used as they come: they are already scaled", ("masked",)),
    Promise("scores and mask stay as they are", ("purity",), {"watched": lambda use: use.purity}),
    Promise("nothing is made on a device other than theirs", ("device",)),
    Promise("except a finished masked softmax or attention", ("by-hand",)),
)


_MASKED_EXAMPLE = _prompt(
    "masked_softmax",
    np.array([[0.0, log(3), 7], [1, 2, 3]]),
    np.array([[True, True, False], [False, False, False]]),
)


MASKED_SOFTMAX = Solution(
    "masked_softmax",
    points=8,
    summary="a softmax over the keys that may be seen",
    reference=masked_softmax,
    variant=_masked_softmax_by_mechanism,
    mechanisms=(AXIS, SCALE, HIDDEN, STEPS, FILL, KEPT),
    cases=(
        _MASKED_EXAMPLE,
        Case("nothing hidden", lambda s: _nothing_hidden(s, B, H, T, S, mask=(B, 1, T, S))),
        Case("nothing hidden, 3-D", lambda s: _nothing_hidden(s, B, T, S, mask=(B, T, S))),
        _MASKED,
        Case("masked, 3-D", lambda s: _masked(s, B, T, S, mask=(B, T, S))),
        Case("masked, 2-D", lambda s: _masked(s, T, S, mask=(T, S))),
        Case("one mask for all", lambda s: _masked(s, B, H, T, S, mask=(T, S))),
        Case("hidden scores large", _large_hidden),
        Case("zero scores", _zero_scores),
        Case("dead rows", _dead_rows),
        Case("levels", _levels),
        Case("gradient", lambda s: _masked(s, B, T, S, mask=(B, T, S), scale=2, upstream=(s.normal(B, T, S),))),
        Case("gradient, dead rows", _dead_gradient),
        _HALF,
        _HALF.having("bfloat16", dtype="bfloat16"),
        _MASKED.having("float32", dtype="float32"),
        _MASKED.having("purity", purity=True),
        _MASKED.having("device", device="meta"),
        _MASKED.having("operations", operations=True),
        *_MASKED_CORNERS,
    ),
    checks=(
        example(0.5),
        Check("shape", "the result has the shape of the scores", "shape", 0.5, ("masked", "masked, 3-D"), "shape"),
        Check(
            "nothing-hidden",
            "a mask of nothing but True: the plain softmax",
            "values",
            0.5,
            ("nothing hidden", "nothing hidden, 3-D"),
        ),
        Check(
            "masked",
            "hidden keys get no weight, the others share it",
            "mask",
            0.5,
            ("masked", "masked, 3-D", "hidden scores large"),
        ),
        Check(
            "leading-axes",
            "no leading axes, or one mask for all of them",
            "values",
            0.5,
            ("masked, 2-D", "one mask for all"),
        ),
        Check("zero-scores", "a score of 0 is a score", "mask", 0.5, ("zero scores",)),
        Check("dead-rows", "a query with nothing to attend to gets zeros", "mask", 0.5, ("dead rows",)),
        Check("levels", "very large and very small scores", "robustness", 0.5, ("levels",)),
        Check("gradient", "gradients reach the scores", "gradient", 0.5, ("gradient",), "gradient"),
        Check(
            "gradient-dead-rows",
            "gradients stay finite when a query has nothing to attend to",
            "gradient",
            0.5,
            ("gradient, dead rows",),
            "gradient",
        ),
        Check(
            "half",
            "works in float16 and bfloat16, and keeps the dtype",
            "robustness",
            0.5,
            ("float16", "bfloat16"),
            "half",
        ),
        Check("float32", "works in float32", "robustness", 0.5, ("float32",)),
        Check("purity", "leaves scores and mask as they are", "robustness", 0.5, ("purity",), "purity"),
        Check("device", "makes its tensors where the scores are", "robustness", 0.5, ("device",), "device"),
        Check("by-hand", "the mask is applied by hand", "style", 0.5, ("operations",), "forbidden"),
        any_input(0.5, *_MASKED_CORNERS),
    ),
    domain=_any_masked,
    promises=_MASKED_PROMISES,
    hints=(
        "The softmax gives weight to every score it sees. Which score would it turn into a weight of 0, so that the "
        "others still sum to 1?",
        "A fixed number such as minus one billion does not fit every dtype; each dtype can tell its own lowest number. "
        "Then print a row in which everything is hidden: what does it hold, and what should it hold?",
        "Make a copy of the scores that holds the lowest finite number of their dtype where the mask is False, take "
        "the softmax over the last axis, then make a copy of the weights that is 0 where the mask is False.",
    ),
    axes={"B": B, "H": H, "T": T, "S": S},
    returns=("weights",),
    forbidden=FINISHED,
    also_right={
        "-inf, NaN replaced": lambda scores, mask: F.softmax(scores.masked_fill(~mask, -inf), dim=-1).nan_to_num(0.0),
        "articles' masked_fill": lambda scores, mask: torch.softmax(
            scores.masked_fill(mask == 0, float("-inf")), dim=-1
        ).masked_fill(mask == 0, 0.0),
        "-inf, dead rows opened before": lambda scores, mask: _dead_rows_opened(scores, mask),
        "where": lambda scores, mask: torch.where(
            mask, torch.where(mask, scores, torch.finfo(scores.dtype).min).softmax(-1), 0.0
        ),
        "where -inf": lambda scores, mask: torch.nan_to_num(torch.where(mask, scores, -inf).softmax(dim=-1)),
        "lowest number added": lambda scores, mask: (
            (scores + torch.zeros_like(scores).masked_fill(~mask, torch.finfo(scores.dtype).min / 2)).softmax(-1) * mask
        ),
        "exp by hand": lambda scores, mask: _by_hand(scores, mask),
        "exp of score minus logsumexp": lambda scores, mask: _logsumexp(
            scores.masked_fill(~mask, torch.finfo(scores.dtype).min), mask
        ),
        "softmax in float32": lambda scores, mask: (
            F.softmax(scores.masked_fill(~mask, -inf), dim=-1, dtype=torch.float32).nan_to_num(0.0).to(scores.dtype)
        ),
        "written to a copy": lambda scores, mask: _written_to_a_copy(scores, mask),
        "row by row": lambda scores, mask: _row_by_row(scores, mask),
        "key by key": lambda scores, mask: _key_by_key(scores, mask),
    },
    torch_says={"masked.softmax": lambda scores, mask: torch.masked.softmax(scores, -1, mask=mask).nan_to_num(0.0)},
)


def _dead_rows_opened(scores, mask):
    alive = mask.any(dim=-1, keepdim=True)
    return F.softmax(scores.masked_fill(~(mask | ~alive), -inf), dim=-1) * alive


def _renormalised(w):
    total = w.sum(-1, keepdim=True)
    return w / total.masked_fill(total == 0, 1.0)


def _by_hand(scores, mask):
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return _renormalised(torch.exp(scores - scores.max(dim=-1, keepdim=True).values) * mask)


def _logsumexp(scores, mask):
    return torch.exp(scores - scores.logsumexp(-1, keepdim=True)) * mask


def _written_to_a_copy(scores, mask):
    hidden = (mask == False).expand_as(scores)  # noqa: E712
    scores = scores.clone()
    scores[hidden] = float("-inf")
    weights = F.softmax(scores, dim=-1)
    weights = weights.clone()
    weights[hidden] = 0
    return weights


def _row_by_row(scores, mask):
    """A softmax over the open keys alone, row by row."""
    mask = mask.expand_as(scores)
    weights = torch.zeros_like(scores)
    for row in np.ndindex(*scores.shape[:-1]):
        if mask[row].any():
            weights[row][mask[row]] = torch.softmax(scores[row][mask[row]], dim=0)
    return weights


def _key_by_key(scores, mask):
    """Online softmax: maximum and sum grow key by key."""
    low = torch.finfo(scores.dtype).min
    highest = torch.full_like(scores[..., 0], low)
    total = torch.zeros_like(highest)
    scores = scores.masked_fill(~mask, low)
    for s, m in zip(scores.unbind(-1), mask.unbind(-1), strict=True):
        new = torch.maximum(highest, s)
        total = total * torch.exp(highest - new) + torch.exp(s - new) * m
        highest = new
    weights = torch.exp(scores - highest.unsqueeze(-1)) * mask
    return weights / torch.where(total == 0, 1.0, total).unsqueeze(-1)


EXERCISES = (PADDING_MASK, CAUSAL_MASK, COMBINE_MASKS, MASKED_SOFTMAX)
