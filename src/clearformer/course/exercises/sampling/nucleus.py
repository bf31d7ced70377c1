"""The exercise on the nucleus: the fewest likeliest tokens that reach a probability."""

from typing import Any

import numpy as np

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _nucleus(p: Any, threshold: float) -> Any:
    order = np.argsort(-p, kind="stable")
    before = np.insert(np.cumsum(p[order])[:-1], 0, 0.0)
    keep = np.zeros(len(p), dtype=bool)
    keep[order[before < threshold]] = True
    return keep


def _by_hand(answer: Answer, rng: Rng) -> None:
    p = np.array([0.1, 0.4, 0.2, 0.3])
    expect_close(answer(p, 0.6), [False, True, False, True], ".1 .4 .2 .3, threshold .6")
    expect_close(answer(p, 0.75), [False, True, True, True], ".1 .4 .2 .3, threshold .75")


def _exact(answer: Answer, rng: Rng) -> None:
    p = np.array([0.25, 0.5, 0.125, 0.125])
    expect_close(answer(p, 0.75), [True, True, False, False], ".25 .5 .125 .125, threshold .75: met exactly")
    expect_close(answer(p, 0.5), [False, True, False, False], "and threshold .5")


def _fewest(answer: Answer, rng: Rng) -> None:
    for _ in range(20):
        p, threshold = rng.dirichlet(np.full(11, 0.5)), rng.uniform(0.05, 0.95)
        keep = np.asarray(answer(p, threshold))
        expect_close(keep.dtype == bool and keep.shape == p.shape, True, "a boolean for each token")
        if not keep.any() or p[keep].sum() < threshold or p[keep].sum() - p[keep].min() >= threshold:
            mass = p[keep].sum() if keep.any() else 0.0
            raise AssertionError(
                f"expected the fewest tokens that reach {threshold:.3f}, got {keep.sum()} of {mass:.3f}"
            )


def _likeliest(answer: Answer, rng: Rng) -> None:
    p = rng.dirichlet(np.ones(13))
    keep = np.asarray(answer(p, 0.6)).astype(bool)
    expect_close(
        p[keep].min(initial=1) >= p[~keep].max(initial=0), True, "no token outside is likelier than one inside"
    )


def _small(answer: Answer, rng: Rng) -> None:
    expect_close(answer(np.array([0.2, 0.7, 0.1]), 0.01), [False, True, False], "a tiny threshold keeps the likeliest")


def _strict(p: Any, threshold: float) -> Any:
    order = np.argsort(-p, kind="stable")
    before = np.insert(np.cumsum(p[order])[:-1], 0, 0.0)
    keep = np.zeros(len(p), dtype=bool)
    keep[order[before <= threshold]] = True
    return keep


def _short(p: Any, threshold: float) -> Any:
    order = np.argsort(-p, kind="stable")
    keep = np.zeros(len(p), dtype=bool)
    keep[order[np.cumsum(p[order]) <= threshold]] = True
    return keep


def _unsorted(p: Any, threshold: float) -> Any:
    return np.insert(np.cumsum(p)[:-1], 0, 0.0) < threshold


def _unlikely(p: Any, threshold: float) -> Any:
    return _nucleus(-p + p.max() + p.min(), threshold)


EXERCISE = Write(
    id="sampling.nucleus",
    title="The nucleus",
    difficulty="medium",
    points=4,
    minutes=20,
    may_use="NumPy",
    laws=(
        Law("two cases worked by hand", _by_hand),
        Law("a sum that meets the threshold is enough", _exact),
        Law("the fewest tokens that reach it", _fewest),
        Law("the likeliest tokens", _likeliest),
        Law("never empty", _small),
    ),
    wrong_answers={
        "wants the sum to exceed the threshold": _strict,
        "leaves out the token that crosses it": _short,
        "takes the tokens as they come": _unsorted,
        "starts from the unlikely end": _unlikely,
        "compares each probability with the threshold": lambda p, threshold: p >= threshold,
        "answers in the sorted order": lambda p, threshold: _nucleus(np.sort(p)[::-1], threshold),
        "measures from the most likely one, as min-p does": lambda p, threshold: p >= threshold * p.max(),
        "gives numbers for true and false": lambda p, threshold: _nucleus(p, threshold).astype(int),
    },
)
