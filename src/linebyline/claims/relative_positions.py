"""Claims on positions inside attention: whether it knows the order, and what rotations do to its scores."""

import numpy as np

from clearformer import functional as F
from linebyline.claims.declare import claim, corrected, depends, difference, draw, gap, holds


def _spread(rotate_embeddings: bool) -> float:
    """By how much a score changes while its two tokens move along together."""
    x, w_q, w_k = draw((2, 8), (8, 8), (8, 8))
    scores = []
    for first in range(50):
        places = np.array([first, first + 3])
        if rotate_embeddings:
            turned = F.rotary_encoding(x, places)
            q, k = turned @ w_q, turned @ w_k
        else:
            q, k = F.rotary_encoding(x @ w_q, places), F.rotary_encoding(x @ w_k, places)
        scores.append(q[1] @ k[0])
    return float(np.ptp(scores))


@claim("004", "order", "Without encoding, attention scores do not change with the order of the tokens.")
@corrected("They move along with the tokens: attention is equivariant, not invariant.")
def _order_unchanged() -> str:
    x, order = np.random.default_rng(0).normal(size=(5, 4)), np.array([3, 0, 4, 1, 2])
    output, weights = F.scaled_dot_product_attention(x, x, x)
    moved, moved_weights = F.scaled_dot_product_attention(x[order], x[order], x[order])
    carried = difference(max(gap(moved, output[order]), gap(moved_weights, weights[order][:, order])))
    changed = np.abs(moved_weights - weights).max()
    return f"weights, place by place, change by up to {changed:.2f}; carried along with the tokens: {carried}"


@claim("004", "causal-order", "Transformers do not know positions.")
@depends("True without a mask. A causal mask tells each token how many came before it.")
def _no_positions() -> str:
    x, order = np.random.default_rng(0).normal(size=(5, 4)), np.array([3, 0, 4, 1, 2])
    causal = F.causal_mask(5)
    output, _ = F.scaled_dot_product_attention(x, x, x, causal)
    moved, _ = F.scaled_dot_product_attention(x[order], x[order], x[order], causal)
    n = (np.abs(moved - output[order]).max(axis=-1) > 0.1).sum()
    return f"tokens whose output changes with the order, no encoding: 0 of 5 without a mask, {n} with a causal one"


@claim("004", "rope-where", "RoPE multiplies the token embeddings by a rotation.")
@corrected("It rotates queries and keys, in every layer. Rotated embeddings do not give relative scores.")
def _rope_embeddings() -> str:
    relative = difference(_spread(False))
    return f"score of a pair 3 apart, moved along: q and k rotated, {relative}; embeddings, {_spread(True):.0f}"


@claim("004", "rope", "RoPE encodes relative position.")
@holds("Scores depend on the difference of positions only.")
def _rope_relative() -> str:
    return f"score of a pair 3 apart at 50 places: {difference(_spread(False))}"
