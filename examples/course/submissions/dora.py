"""One answer never ends; the others count."""

import numpy as np

from linebyline.exercises import check


def weighted_average(weights, values):
    while weights.sum() != 1:
        weights = weights / weights.sum()
    return weights @ values


def softmax(z):
    exponentials = np.exp(z - z.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


check("masks_and_cross_attention.reach", 16)
check("multi_head_attention.silenced", (512, 64))
