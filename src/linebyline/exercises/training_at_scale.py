"""The exercises on training at scale, in the order of the chapter."""

import numpy as np

from linebyline.exercises.core import Chapter, expect_close, instead

chapter = Chapter("training_at_scale", np=np)


@chapter.predict(
    "As much noise as signal · easy · 2 points · 5 minutes · may use pen and paper",
    "windows in the batch",
    within=0.03,
    right=50 / 4,
    wrong={
        "Lengths are squared on both sides: of the gradient, too.": 25.0,
        "The noise of all fifty numbers counts, not that of one.": 0.25,
        "The other way round: the noise is divided by the gradient.": 0.08,
        "This is the noise of one window; how long is the gradient beside it?": 50.0,
        "Variances add up over the numbers, and lengths do not.": 3.54,
    },
)
def noise(rng, n_params=50, length=2.0, spread=1.0):
    direction = rng.normal(size=n_params)
    of_the_whole_text = length * direction / np.linalg.norm(direction)
    of_windows = of_the_whole_text + spread * rng.normal(size=(40_000, n_params))
    return ((of_windows - of_the_whole_text) ** 2).sum(axis=1).mean() / length**2


def _running_mean(gradients, counts):
    mean, seen = np.zeros(gradients.shape[1]), 0
    for gradient, count in zip(gradients, counts, strict=True):
        if count:
            seen += count
            mean = mean + (gradient - mean) * count / seen
    return mean


def _weighted(weights, gradients):
    return weights @ np.nan_to_num(gradients)


@chapter.write(
    "Parts of unequal size · medium · 3 points · 15 minutes · may use NumPy",
    right=_running_mean,
    wrong={
        "averages the means": lambda g, n: g[n > 0].mean(axis=0) if n.any() else np.zeros(g.shape[1]),
        "adds the means up": lambda gradients, counts: np.nan_to_num(gradients).sum(axis=0),
        "divides by the number of parts": lambda gradients, counts: _weighted(counts, gradients) / len(counts),
        "does not divide": lambda gradients, counts: _weighted(counts, gradients),
        "multiplies NaN by 0": lambda gradients, counts: counts @ gradients / max(counts.sum(), 1),
        "divides by 0": lambda gradients, counts: _weighted(counts, gradients) / counts.sum(),
        "counts an empty part as one target": lambda g, n: _weighted(n.clip(1), g) / n.clip(1).sum(),
        "weighs by the root of the count": lambda g, n: _weighted(np.sqrt(n), g) / max(np.sqrt(n).sum(), 1),
    },
)
class accumulate:
    def _expect_mean(self, answer, rng, counts, what):
        """Draw the gradients of targets in parts, and compare with the mean of all of them."""
        parts = [rng.normal(size=(count, 5)) for count in counts]
        gradients = np.array([part.mean(axis=0) if len(part) else np.full(5, np.nan) for part in parts])
        every = np.concatenate(parts)
        expect_close(answer(gradients, counts), every.mean(axis=0) if len(every) else np.zeros(5), what)

    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.array([[1.0, 0.0], [5.0, 8.0]]), np.array([3, 1]))
        expect_close(got, [2.0, 2.0], "gradients [1, 0] of 3 targets and [5, 8] of one")

    def random_parts(self, answer, rng):
        counts = rng.integers(1, 9, size=4)
        self._expect_mean(answer, rng, counts, f"parts of {counts.tolist()} targets")

    def parts_of_one_size(self, answer, rng):
        self._expect_mean(answer, rng, np.full(3, 4), "three parts of 4 targets")

    def parts_without_a_target(self, answer, rng):
        counts = rng.permutation([0, 2, 5, 0])
        self._expect_mean(answer, rng, counts, f"parts of {counts.tolist()} targets, gradients of none are NaN")

    def no_target_at_all(self, answer, rng):
        self._expect_mean(answer, rng, np.zeros(2, int), "no target in any part")


@chapter.diagnose(
    "Noise below nothing · medium · 2 points · 10 minutes · may use NumPy",
    """
def two_batches(of_small, of_large, small, large):
    signal = (large * of_large - small * of_small) / (large - small)
?   The noise is gone from the difference: each size times its squared length holds it once.
    noise = (of_small - of_large) / (1 / large - 1 / small)
!   noise = (of_small - of_large) / (1 / small - 1 / large)
?   The smaller batch has more noise, so the numerator is positive; the denominator is negative.
?   The ratio of noise and signal then comes out below zero, and a rule that waits for it never acts.
    return signal, noise
?   Both, in this order. Their ratio is the noise scale, once each is a mean over many draws.
""",
    wrong={
        "gives the noise of the small batch": "noise = of_small - of_large",
        "multiplies by the difference of sizes": "noise = (of_small - of_large) * (large - small)",
        "takes the root": "noise = np.sqrt((of_small - of_large) / (1 / small - 1 / large))",
        "makes it positive by a square": "noise = (of_small - of_large) ** 2",
        "divides the signal by the larger size": instead(1, "signal = (large * of_large - small * of_small) / large"),
        "swaps the sizes of the signal": instead(1, "signal = (small * of_large - large * of_small) / (small - large)"),
    },
)
class two_batches:
    def _expect_both(self, got, expected, said):
        names = ("the squared length of the common gradient", "the noise of one window")
        for value, right, name in zip(got, expected, names, strict=True):
            expect_close(value, right, f"{name}, {said}")

    def _ask(self, answer, signal, noise, small, large, said):
        got = answer(signal + noise / small, signal + noise / large, small, large)
        self._expect_both(got, (signal, noise), said)

    def a_case_worked_by_hand(self, answer, rng):
        self._expect_both(answer(6.0, 4.5, 2, 8), (4.0, 4.0), "of 6 at 2 windows and 4.5 at 8")

    def random_signal_and_noise(self, answer, rng):
        small = int(rng.integers(1, 9))
        large, (signal, noise) = small + int(rng.integers(1, 60)), rng.uniform(0.5, 9.0, size=2)
        self._ask(answer, signal, noise, small, large, f"batches of {small} and {large}")

    def no_noise(self, answer, rng):
        self._ask(answer, float(rng.uniform(0.5, 9.0)), 0.0, 2, 16, "windows that all say the same")

    def no_signal(self, answer, rng):
        self._ask(answer, 0.0, float(rng.uniform(0.5, 9.0)), 2, 16, "windows that have nothing in common")

    def a_batch_of_one_window(self, answer, rng):
        # It holds the signal and the noise of a window, so the two add up to what it measures.
        short, long = rng.uniform(1.0, 2.0), rng.uniform(5.0, 9.0)
        expect_close(sum(answer(long, short, 1, 32)), long, "signal and noise together, batches of 1 and 32")
