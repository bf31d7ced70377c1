"""The exercises on texts that are longer than those of training, in the order of the chapter."""

import numpy as np

from linebyline.exercises.core import Chapter, expect_close, instead

chapter = Chapter("length_generalization", np=np)


@chapter.predict(
    "How many keys are too many? · easy · 2 points · 10 minutes · may use a pocket calculator",
    ("keys", "factor on the scores"),
    right=(16, np.log(4095) / np.log(15)),
    wrong={
        "The right key is one of the keys, too: 15 others and itself.": (15, 3.072),
        "The first is right. A factor on the scores is a power of the exponential, not a factor on it.": (16, 273),
        "The first is right. This is the whole lead, cz; the factor is this divided by z = ln 15.": (16, 8.318),
        "The first is right. Divide the logarithm of 4,095 by that of 15, both to one base.": (16, 1.334),
        "The first is right. Among 4,096 keys, 4,095 are wrong ones, not 4,096 / 16.": (16, 2.048),
        "Half of the weight, not all but nothing: the right key must outweigh all others together.": (30, 3.072),
    },
)
def too_many(rng, e_z=15.0, n=4096):
    """Search for the number of keys, and bisect for the factor."""
    keys = max(k for k in range(2, 100) if e_z / (e_z + k - 1) >= 0.5)
    low, high = 0.0, 10.0
    for _ in range(60):
        c = (low + high) / 2
        low, high = (low, c) if e_z**c / (e_z**c + n - 1) >= 0.5 else (c, high)
    return keys, high


@chapter.diagnose(
    "A cap on the distances · medium · 3 points · 15 minutes · may use NumPy",
    """
def capped_bias(bias, T):
    distance = np.arange(T)[:, None] - np.arange(T)  # (T, T)
?   The row is the query and the column the key, so an earlier key has a positive distance.
    index = distance % len(bias)
!   index = np.clip(distance, 0, len(bias) - 1)
?   Beyond the last known distance the remainder begins again with 0, so a far key counts as a near one. A cap keeps
?   it at the last known distance.
    found = bias[index]
?   Each distance has its number. This is right if the index is.
    return np.where(distance < 0, -np.inf, found)
?   A later key is hidden, as it must be in a causal model.
""",
    wrong={
        "caps one step too early": "index = np.clip(distance, 0, max(len(bias) - 2, 0))",
        "caps the near distances": "index = np.clip(distance, len(bias) - 1, len(bias) - 1)",
        "shrinks all distances": "index = np.clip(distance * len(bias) // max(T, len(bias)), 0, None)",
        "reflects far distances": "index = np.abs((distance + len(bias) - 1) % (2 * len(bias)) - len(bias) + 1)",
        "counts from the other end": "index = len(bias) - 1 - np.clip(distance, 0, len(bias) - 1)",
        "hides far keys": instead(4, "return np.where((distance < 0) | (distance >= len(bias)), -np.inf, found)"),
        "gives far keys nothing": instead(4, "return np.where(distance < 0, -np.inf, found * (distance < len(bias)))"),
    },
)
class capped:
    def a_case_worked_by_hand(self, answer, rng):
        hidden = -np.inf
        expected = [[5, hidden, hidden, hidden], [7, 5, hidden, hidden], [2, 7, 5, hidden], [2, 2, 7, 5]]
        expect_close(answer(np.array([5.0, 7.0, 2.0]), 4), expected, "distances 0, 1 and 2 have 5, 7 and 2; T=4")

    def up_to_the_trained_length_nothing_is_capped(self, answer, rng):
        bias = rng.normal(size=6)
        got = np.asarray(answer(bias, 6))
        expect_close(got[-1], bias[::-1], "the last query of 6 tokens, 6 known distances")
        expect_close(got[0], [bias[0], *[-np.inf] * 5], "the first query of 6 tokens")

    def all_far_keys_count_alike(self, answer, rng):
        bias, T = rng.normal(size=4), int(rng.integers(9, 20))
        last = np.asarray(answer(bias, T))[-1]
        expect_close(last[: T - 3], np.full(T - 3, bias[3]), f"far keys of the last query, T={T}")

    def a_longer_text_changes_no_earlier_row(self, answer, rng):
        bias = rng.normal(size=5)
        expect_close(np.asarray(answer(bias, 12))[:8, :8], answer(bias, 8), "the first 8 of 12 tokens against 8")
