"""What the steps of the cache show is attention over the whole sequence, one row at a time."""

import re

import numpy as np

from clearformer import functional as F
from linebyline.drawings import cache_steps
from linebyline.drawings.cache_steps import K, Q, V


def test_each_step_gives_the_row_of_the_whole_sequence():
    cells = re.findall(r'class="cell (\w+)"[^>]*></rect><text[^>]*>([\d.]+)<', cache_steps().svg())
    whole, _ = F.scaled_dot_product_attention(*(x.astype(float) for x in (Q, K, V)), F.causal_mask(3))
    for t in range(3):
        size = 2 + 4 * (t + 1) + 2  # a query, a key and a value for each token so far, and the result
        step, cells = cells[:size], cells[size:]
        q, k, v = (
            np.array([float(number) for role, number in step if role == name]).reshape(-1, 2)
            for name in ("query", "key", "value")
        )
        v, shown = v[:-1], v[-1]
        np.testing.assert_allclose(F.scaled_dot_product_attention(q, k, v)[0][0], whole[t])
        np.testing.assert_allclose(shown, whole[t], atol=0.005)
    assert not cells
