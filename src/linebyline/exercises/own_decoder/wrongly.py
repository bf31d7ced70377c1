"""The parts of a decoder as functions of their weights, right, or with one of several mistakes."""

import torch
from torch.nn import functional as nnF

from linebyline.our_model import rotate

BLOCK = ("w_q", "w_k", "w_v", "w_o", "w_1", "b_1", "w_2", "b_2", "gain_1", "shift_1", "gain_2", "shift_2")


def one(w, i=0):
    return {name: w[name][i] for name in BLOCK}


def attend(q, k, v, *, mask=0, width=None, late=False, axis=-1, reach=None):
    """One head; ``mask`` is the first diagonal that is hidden, less 1, and None hides nothing.

    ``reach`` is how many tokens it sees at most, itself among them.
    """
    scores = q @ k.mT / (width or q.shape[-1]) ** 0.5
    seen = torch.ones_like(scores).tril(0 if mask is None else mask).bool()
    seen = seen if reach is None else seen.triu(1 - reach)
    if late or mask is None:
        found = scores.softmax(axis)
        return (found * seen if late else found) @ v
    return scores.masked_fill(~seen, -1e9).softmax(axis) @ v


def head(x, w_q, w_k, w_v, **how):
    return attend(x @ w_q, x @ w_k, x @ w_v, **how)


def heads(x, w_q, w_k, w_v, w_o, n_heads, *, turned="qk", early=False, by_columns=True, joined=True, **how):
    """Compute several rotary heads, or the same with a mistake."""
    q, k, v = (x @ w for w in (w_q, w_k, w_v))
    if early:
        q, k = rotate(q), rotate(k)
    if by_columns:
        q, k, v = (y.unflatten(-1, (n_heads, -1)).transpose(-3, -2) for y in (q, k, v))
    else:
        q, k, v = (y.reshape(len(x), n_heads, x.shape[1], -1) for y in (q, k, v))
    q, k, v = (rotate(y) if name in turned else y for name, y in {"q": q, "k": k, "v": v}.items())
    found = attend(q, k, v, **how)
    return (found.transpose(-3, -2) if joined else found).reshape(x.shape) @ w_o


def norm(x, gain, shift):
    return nnF.layer_norm(x, x.shape[-1:], gain, shift)


def block(x, w, n_heads, *, residual=(1, 1), pre=True, activation=torch.relu, **how):
    """Compute a block, or one with a mistake."""
    for i, keep in enumerate(residual, start=1):
        z = norm(x, w[f"gain_{i}"], w[f"shift_{i}"]) if pre else x
        if i == 1:
            found = heads(z, w["w_q"], w["w_k"], w["w_v"], w["w_o"], n_heads, **how)
        else:
            found = activation(z @ w["w_1"] + w["b_1"]) @ w["w_2"] + w["b_2"]
        x = keep * x + found
        x = x if pre else norm(x, w[f"gain_{i}"], w[f"shift_{i}"])
    return x


def decoder(ids, w, n_heads, *, layers=lambda n: range(n), last=True, head=lambda w: w["w_out"], **how):
    """Compute logits, or with a mistake."""
    x = w["embedding"][ids]
    for i in layers(len(w["w_q"])):
        x = block(x, one(w, i), n_heads, **how)
    x = norm(x, w["gain"], w["shift"]) if last else x
    return x @ head(w) + w["b_out"]
