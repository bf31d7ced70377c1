"""Half of it is wrong: a function that is forbidden, a maximum over the wrong axis, a window that is one too wide."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises import check


def weighted_average(weights, values):
    return np.average(values, axis=0, weights=weights)


def softmax(z):
    exponentials = np.exp(z - z.max(axis=0))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def window(T, width):
    ahead = np.arange(T)[:, None] - np.arange(T)
    return (ahead >= 0) & (ahead <= width)


def multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    mask = F.causal_mask(len(x))
    return F.multi_head_attention(x, x, w_q, w_k, w_v, w_o, n_heads=n_heads, mask=mask)[0]


check("masks_and_cross_attention.reach", 20)
check("multi_head_attention.silenced", (512, 64))
