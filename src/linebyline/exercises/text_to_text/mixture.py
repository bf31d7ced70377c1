"""text_to_text.mixture: (sizes (n,), limit, temperature) -> how often each task is drawn, (n,)."""

from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def _mixture(sizes: Any, limit: float, temperature: float) -> Any:
    rates = np.minimum(sizes, limit) ** (1 / temperature)  # (n,)
    return rates / rates.sum()


def _draw(rng: Rng) -> np.ndarray:
    return rng.permutation(np.round(10 ** rng.uniform(1, 6, size=5)))


def _by_hand(answer: Answer, rng: Rng) -> None:
    expect_close(answer(np.array([100.0, 400.0, 3000.0]), 900.0, 1.0), [1 / 14, 4 / 14, 9 / 14], "a limit of 900")
    got = answer(np.array([100.0, 400.0, 3000.0]), 900.0, 2.0)
    expect_close(got, [1 / 6, 2 / 6, 3 / 6], "a limit of 900, temperature 2")


def _random(answer: Answer, rng: Rng) -> None:
    sizes, limit, temperature = _draw(rng), float(rng.uniform(50, 5e5)), float(rng.uniform(0.5, 4))
    expected = _mixture(sizes, limit, temperature)
    expect_close(answer(sizes, limit, temperature), expected, f"sizes {sizes}, limit {limit:.0f}, T={temperature:.2f}")


def _sums(answer: Answer, rng: Rng) -> None:
    expect_close(np.sum(answer(_draw(rng), 1e4, 3.0)), 1.0, "the sum of all rates")


def _below_the_limit(answer: Answer, rng: Rng) -> None:
    sizes = _draw(rng)
    expect_close(answer(sizes, 1e9, 1.0), sizes / sizes.sum(), "no task at the limit, temperature 1")


def _hot(answer: Answer, rng: Rng) -> None:
    expect_close(answer(_draw(rng), 1e5, 1e12), np.full(5, 0.2), "a temperature of 1e12", rtol=1e-6)


def _clips_in_place(sizes: Any, limit: float, temperature: float) -> Any:
    sizes[sizes > limit] = limit
    return _mixture(sizes, limit, temperature)


EXERCISE = Write(
    id="text_to_text.mixture",
    title="How often each task comes",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("random sizes, limits and temperatures", _random),
        Law("rates sum to one", _sums),
        Law("below the limit each example is as likely", _below_the_limit),
        Law("a high temperature makes tasks equal", _hot),
    ),
    wrong_answers={
        "draws all tasks alike": lambda sizes, limit, T: np.full(len(sizes), 1 / len(sizes)),
        "has no limit": lambda sizes, limit, T: _mixture(sizes, np.inf, T),
        "limits rates, not sizes": lambda sizes, limit, T: np.minimum(_mixture(sizes, np.inf, T), limit / sizes.sum()),
        "multiplies by the temperature": lambda sizes, limit, T: _mixture(sizes, limit, 1 / T),
        "divides by the temperature": lambda sizes, limit, T: (
            np.minimum(sizes, limit) / T / (np.minimum(sizes, limit) / T).sum()
        ),
        "takes a softmax": lambda sizes, limit, T: (
            np.exp((np.minimum(sizes, limit) - limit) / T) / np.exp((np.minimum(sizes, limit) - limit) / T).sum()
        ),
        "leaves out who is above the limit": lambda sizes, limit, T: (
            np.where(sizes <= limit, sizes, 0.0) ** (1 / T)
            / max((np.where(sizes <= limit, sizes, 0.0) ** (1 / T)).sum(), 1)
        ),
        "applies the limit after the temperature": lambda sizes, limit, T: (
            np.minimum(sizes ** (1 / T), limit) / np.minimum(sizes ** (1 / T), limit).sum()
        ),
        "does not normalize": lambda sizes, limit, T: np.minimum(sizes, limit) ** (1 / T) / sizes.sum(),
        "writes into the sizes": _clips_in_place,
    },
)
