"""Claims on several heads: what is split, what is shared, what it costs."""

import numpy as np
import torch

from clearformer import functional as F
from clearformer import nn
from linebyline.claims.declare import claim, corrected, depends, difference, gap, holds, operations


def _draw(n_heads: int = 4, n_kv_heads: int | None = None, d_model: int = 32, T: int = 5) -> list[np.ndarray]:
    """Tokens and weights of a layer: x, w_q, w_k, w_v, w_o."""
    rng, narrow = np.random.default_rng(0), d_model // n_heads * (n_kv_heads or n_heads)
    shapes = [(d_model, d_model), (d_model, narrow), (d_model, narrow), (d_model, d_model)]
    return [rng.normal(size=(T, d_model)), *(rng.normal(size=shape) / np.sqrt(d_model) for shape in shapes)]


def _attend(x: np.ndarray, *weights: np.ndarray, n_heads: int = 4) -> np.ndarray:
    return F.multi_head_attention(x, x, *weights, n_heads=n_heads)[0]


def _heads(x: np.ndarray, w_q: np.ndarray, w_k: np.ndarray, w_v: np.ndarray, n_heads: int = 4) -> np.ndarray:
    """The output of each head, (n_heads, T, d_v)."""
    return F.scaled_dot_product_attention(*(F.split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v)))[0]


@claim("000", "number-of-heads", "Heads are set side by side and mapped by one matrix.")
@holds("The same as giving each head its own rows of W_O and adding up.")
def _concatenate() -> str:
    x, w_q, w_k, w_v, w_o = _draw()
    added = sum(head @ rows for head, rows in zip(_heads(x, w_q, w_k, w_v), np.split(w_o, 4), strict=True))
    return f"concatenation times W_O, and the sum over heads: {difference(gap(_attend(*_draw()), added))}"


@claim("000", "number-of-heads", "Concatenation is a product with block-diagonal matrices (in a hidden remark).")
@corrected("One block of columns of the identity for each head; the sum over heads then is right.")
def _block_diagonal() -> str:
    x, w_q, w_k, w_v, _ = _draw()
    heads = _heads(x, w_q, w_k, w_v)  # (4, 5, 8)
    blocks = np.split(np.eye(32), 4, axis=1)  # (32, 8) each
    built = sum(head @ block.T for head, block in zip(heads, blocks, strict=True))
    return f"sum of y_h B_hᵀ, each B_h {blocks[0].shape}: {difference(np.abs(built - F.merge_heads(heads)).max())}"


@claim("000", "number-of-heads")
@holds("Merged matrices have the rank of a head, however many numbers they hold.")
def _merged_output() -> str:
    """Merging values and output into one matrix for each head takes H D² numbers, much redundant."""
    _, _, _, w_v, w_o = _draw()
    merged = [v @ o for v, o in zip(np.split(w_v, 4, axis=1), np.split(w_o, 4), strict=True)]
    ranks = {int(np.linalg.matrix_rank(m)) for m in merged}
    return f"4 heads, width 32: {w_v.size + w_o.size:,} numbers, merged {sum(m.size for m in merged):,}; rank {ranks}"


@claim("001", "number-of-heads", "With 512 features, 4 heads are four matrices of 4 x 128.")
@holds("For 4 tokens; each head then divides its scores by √128.")
def _four_pieces() -> str:
    return f"(4, 512) in 4 heads: {F.split_heads(np.zeros((4, 512)), 4).shape}"


@claim("001", "number-of-heads", "A head sees a subset of the embedding's values.")
@corrected("What is cut is the projection, after W_Q: every head reads all input features.")
def _subset_of_features() -> str:
    rng = np.random.default_rng(0)
    x, w_q = rng.normal(size=512), rng.normal(size=(512, 512)) / np.sqrt(512)
    nudged = x + np.eye(512)[0]
    changed = np.abs((nudged - x) @ w_q).reshape(4, 128) > 0
    return f"input feature 0 moves {', '.join(map(str, changed.sum(axis=-1)))} of 128 entries of q in heads 0 to 3"


@claim("001", "number-of-heads", "The split makes the heads learn different things.")
@depends("On a random start: heads that start alike get equal gradients and stay alike.")
def _learn_different() -> str:
    x, w_q, w_k, w_v, w_o = _draw(2, d_model=8)
    half = [np.tile(w[:, :4], 2) for w in (w_q, w_k, w_v)]
    q, k, v = (F.split_heads(x @ w, 2) for w in half)  # (2, T, 4) each
    d_heads = F.split_heads(np.ones_like(x) @ np.tile(w_o[:4], (2, 1)).T, 2)  # both use the same rows of W_O
    d_q, _, _ = F.scaled_dot_product_attention_backward(d_heads, q, k, v)
    apart = F.scaled_dot_product_attention_backward(d_heads, *(F.split_heads(x @ w, 2) for w in (w_q, w_k, w_v)))[0]
    moved = np.abs(apart[0] - apart[1]).max() > 1e-3
    alike = difference(gap(d_q[0], d_q[1]))
    return f"gradients of two heads that start alike: {alike}; at random differ: {moved}"


@claim("001", "shared-heads", "In multi-query attention there is a single key and value vector.")
@corrected("A single head of keys and one of values: still a vector for each token.")
def _single_key_vector() -> str:
    x, _, w_k, _, _ = _draw(4, 1)
    return f"4 heads, 5 tokens, width 32: keys {(x @ w_k).shape}, a vector for each token"


@claim("001", "shared-heads", "In grouped-query attention groups of query heads share keys and values.")
@holds("It equals plain multi-head attention whose keys and values repeat.")
def _grouped() -> str:
    x, w_q, w_k, w_v, w_o = _draw(4, 2)
    shared, _ = F.multi_head_attention(x, x, w_q, w_k, w_v, w_o, n_heads=4, n_kv_heads=2)
    repeated = [np.repeat(w.reshape(32, 2, 8), 2, axis=1).reshape(32, 32) for w in (w_k, w_v)]
    apart = np.abs(shared - _attend(x, w_q, *repeated, w_o)).max()
    return f"4 heads on 2, and 4 with repeated weights: {difference(apart)}"


@claim("002", "number-of-heads", "One question puts visite first; asked when, septembre scores highest.")
@depends("With vectors made by hand, in two heads. Nothing promises it before training.")
def _two_questions() -> str:
    words = ["Jane", "visite", "l'Afrique", "en", "septembre"]
    keys = np.eye(4)[[0, 1, 2, 3, 3]] * np.array([1, 1, 1, 0.4, 1])[:, None]  # who, what, where, when, when
    asked = {"what happens there?": np.array([0, 4.0, 0.8, 0]), "when?": np.array([0, 0, 0, 4.0])}
    found = {question: F.softmax(keys @ q) for question, q in asked.items()}
    return "; ".join(f"{question} {words[w.argmax()]} {w.max():.2f}" for question, w in found.items())


@claim("002", "number-of-heads", "Heads are independent of each other and can run in parallel.")
@holds("Up to W_O, which adds them up.")
def _independent() -> str:
    x, w_q, w_k, w_v, _ = _draw()
    before = _heads(x, w_q, w_k, w_v)
    w_q[:, :8] *= 2  # the columns of head 0
    changed = np.abs(_heads(x, w_q, w_k, w_v) - before).max(axis=(1, 2)) > 1e-9
    return f"new query weights for head 0 change heads {np.flatnonzero(changed).tolist()}"


@claim("003", "number-of-heads", "The output matrix differs from head to head.")
@depends("A layer has one W_O, of which each head owns d_v rows.")
def _output_per_head() -> str:
    with torch.device("meta"):
        w_o = nn.MultiHeadAttention(512, 4, generator=None).w_o
    return f"4 heads of width 128: W_O {tuple(w_o.shape)}; cut by rows, 4 blocks {tuple(w_o.chunk(4)[0].shape)}"


@claim("004", "number-of-heads", "Several heads raise the computational cost.")
@corrected("Products and parameters are the same for any number of heads; only the softmaxes multiply.")
def _costs_more() -> str:
    costs = set()
    for n_heads in (1, 4, 8):
        with torch.device("meta"):
            layer = nn.MultiHeadAttention(512, n_heads, generator=None)
            flops = operations(layer, torch.zeros(256, 512))
        costs.add((flops, sum(weight.numel() for weight in layer.parameters())))
    return "h=1, 4, 8: " + "; ".join(f"{flops:,} FLOPs, {size:,} weights" for flops, size in sorted(costs))


@claim("004", "number-of-heads", "Each head gives m vectors of width d_V.")
@holds("One for each query.")
def _head_shape() -> str:
    x, w_q, w_k, w_v, _ = _draw()
    return f"m=5, 4 heads of 8: {_heads(x, w_q, w_k, w_v)[0].shape}"


@claim("004", "number-of-heads", "A head watches one subspace of the representation.")
@holds("Its scores depend on the words through W_Q W_Kᵀ, a matrix of rank d_k at most.")
def _subspaces() -> str:
    _, w_q, w_k, _, _ = _draw()
    pairs = zip(np.split(w_q, 4, axis=1), np.split(w_k, 4, axis=1), strict=True)
    ranks = {int(np.linalg.matrix_rank(q @ k.T)) for q, k in pairs}
    return f"rank of W_Q W_Kᵀ, 4 heads of width 8 in a model of 32: {ranks}"
