"""The means and standard deviations are those by which the norms of the package divide."""

import re

import numpy as np

from clearformer import functional as F
from linebyline.drawings import norm_axes


def test_statistics_give_the_norms_of_the_package():
    texts = re.findall(r"<text[^>]*>([\d.]+)<", norm_axes().svg())
    numbers = np.array([float(text) for text in texts])
    rows, columns = numbers[:18].reshape(3, 6), numbers[18:].reshape(4, 5)  # cells, then mean and std
    table, ones, zeros = rows[:, :4], np.ones(4), np.zeros(4)
    np.testing.assert_array_equal(table, columns[:, :3].T)
    by_row = (table - rows[:, 4:5]) / rows[:, 5:]
    by_column = (table - columns[:, 3]) / columns[:, 4]
    np.testing.assert_allclose(F.layer_norm(table, ones, zeros, 0.0), by_row, atol=0.02)
    np.testing.assert_allclose(F.batch_norm_training(table, ones, zeros, zeros, ones, eps=0.0)[0], by_column, atol=0.02)
