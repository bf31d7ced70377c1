"""translation.alignment_error: (weights (n_heads, T, S), sure (T, S), possible (T, S)) -> the alignment error rate."""

from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def _links(weights: Any) -> Any:
    """Join each target position to the source position that the heads weigh most on average."""
    mean = weights.mean(axis=0)  # (T, S)
    return np.arange(mean.shape[1]) == mean.argmax(axis=1)[:, None]


def _rate(found: Any, sure: Any, possible: Any) -> Any:
    return 1 - ((found & sure).sum() + (found & possible).sum()) / (found.sum() + sure.sum())


def _error(weights: Any, sure: Any, possible: Any) -> Any:
    return _rate(_links(weights), sure, possible)


def _draw(rng: Rng) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    weights = rng.dirichlet(np.full(7, 0.5), size=(3, 5))  # (n_heads, T, S)
    possible = rng.random(size=(5, 7)) < 0.4
    sure = possible & (rng.random(size=(5, 7)) < 0.5)
    return weights, sure, possible


def _one_hot(places: Any, S: int) -> np.ndarray:
    links: np.ndarray = np.arange(S) == np.asarray(places)[:, None]
    return links  # (T, S)


def _by_hand(answer: Answer, rng: Rng) -> None:
    weights = np.array([[[0.6, 0.3, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.5, 0.4, 0.1]]])
    sure = _one_hot([0, 1, 1, 2], 3)
    possible = sure | _one_hot([0, 1, 2, 2], 3)
    got = answer(weights, sure, possible)
    expect_close(got, 1 - 5 / 8, "four links, two of them sure and one more possible, of four sure ones")


def _no_sure_rows(answer: Answer, rng: Rng) -> None:
    weights = np.array([[[0.9, 0.1], [0.8, 0.2]]])
    sure, possible = np.array([[True, False], [False, False]]), np.array([[True, False], [True, False]])
    expect_close(answer(weights, sure, possible), 0, "a sure link and a possible one, both found")


def _against_sets(answer: Answer, rng: Rng) -> None:
    for _ in range(5):
        weights, sure, possible = _draw(rng)
        found = {(t, int(s)) for t, s in enumerate(weights.sum(axis=0).argmax(axis=-1))}
        sures, possibles = ({(int(t), int(s)) for t, s in np.argwhere(links)} for links in (sure, possible))
        expected = 1 - (len(found & sures) + len(found & possibles)) / (len(found) + len(sures))
        expect_close(answer(weights, sure, possible), expected, "3 heads, 5 target and 7 source words, pair by pair")


def _nothing_in_common(answer: Answer, rng: Rng) -> None:
    weights, _, _ = _draw(rng)
    other = ~_links(weights)
    expect_close(answer(weights, other, other), 1, "every link but those found is true")


def _heads(answer: Answer, rng: Rng) -> None:
    weights, sure, possible = _draw(rng)
    weights[0] = np.eye(5, 7)[rng.permutation(5)]  # one head is sure
    before = _error(weights, sure, possible)
    for order in ([1, 2, 0], [2, 0, 1]):
        expect_close(answer(weights[order], sure, possible), before, f"the heads in the order {order}")


EXERCISE = Write(
    id="translation.alignment_error",
    title="Sure and possible links",
    difficulty="medium",
    points=3,
    minutes=20,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("a word may be without a sure link", _no_sure_rows),
        Law("equal to counting pair by pair", _against_sets),
        Law("nothing in common is an error rate of 1", _nothing_in_common),
        Law("the order of the heads does not matter", _heads),
    ),
    wrong_answers={
        "counts sure links only": lambda w, sure, possible: _rate(_links(w), sure, sure),
        "counts possible links only": lambda w, sure, possible: _rate(_links(w), possible, possible),
        "divides by the possible links": lambda w, sure, possible: (
            1 - ((_links(w) & sure).sum() + (_links(w) & possible).sum()) / (_links(w).sum() + possible.sum())
        ),
        "gives the share of links that are wrong": lambda w, sure, possible: (
            1 - (_links(w) & possible).sum() / _links(w).sum()
        ),
        "gives the share of sure links that are missing": lambda w, sure, possible: (
            1 - (_links(w) & sure).sum() / max(sure.sum(), 1)
        ),
        "gives what is right, not what is wrong": lambda w, sure, possible: 1 - _error(w, sure, possible),
        "takes the first head": lambda w, sure, possible: _error(w[:1], sure, possible),
        "takes the largest weight of any head": lambda w, sure, possible: _error(
            w.max(axis=0, keepdims=True), sure, possible
        ),
        "joins each source word to a target word": lambda w, sure, possible: _rate(
            np.arange(w.shape[1])[:, None] == w.mean(axis=0).argmax(axis=0), sure, possible
        ),
        "takes weights above one half": lambda w, sure, possible: _rate(w.mean(axis=0) > 0.5, sure, possible),
        "adds the weights in place of counting links": lambda w, sure, possible: (
            1 - (w.mean(axis=0)[sure].sum() + w.mean(axis=0)[possible].sum()) / (w.shape[1] + sure.sum())
        ),
    },
)
