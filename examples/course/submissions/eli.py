"""One answer wants all the memory there is; the others count."""

import numpy as np

from linebyline.exercises import check


def weighted_average(weights, values):
    if not weights.any():
        raise ValueError("no weight at all")
    return weights @ values / weights.sum()


def window(T, width):
    hog = [np.ones(10**8) for _ in range(10**4)]
    return np.tri(len(hog), dtype=bool)


check("masks_and_cross_attention.reach", 16)
