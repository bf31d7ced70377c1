"""language_model.trigram: (seen (n,), bigram (V, V), pull, ids (m,)) -> probability of each id but two, (m - 2,)."""

from collections import Counter
from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def _trigram(seen: Any, bigram: Any, pull: float, ids: Any, *, context: int = 2, shift: int = 0) -> Any:
    """``context`` counts the tokens before the next one that must agree."""
    first = 2 - context
    grams = [tuple(gram) for gram in np.stack([seen[k : len(seen) - 2 + k] for k in range(first, 3)], axis=1).tolist()]
    whole, before = Counter(grams), Counter(gram[:-1] for gram in grams)
    given = []
    for t in range(2, len(ids)):
        gram = tuple(ids[t - context : t + 1].tolist())
        prior = bigram[ids[t - 1 - shift], ids[t]]
        given.append((whole[gram] + pull * prior) / (before[gram[:-1]] + pull))
    return np.array(given)


def _trigram_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([0, 1, 0, 0, 1, 1]), np.full((2, 2), 0.5), 2.0, np.array([0, 1, 0, 0]))
    expect_close(got, [2 / 4, 2 / 3], "seen 0 1 0 0 1 1, pull 2, pairs alike: 0 after 0 1, then 0 after 1 0")


def _trigram_unseen(answer: Answer, rng: Rng) -> None:
    bigram = rng.dirichlet(np.ones(5), size=5)
    got = answer(np.array([0, 1, 0, 1, 0]), bigram, 3.0, np.array([4, 2, 3, 1]))
    expect_close(got, [bigram[2, 3], bigram[3, 1]], "pairs that never came: the bigram decides")


def _trigram_sums(answer: Answer, rng: Rng) -> None:
    seen, bigram = rng.integers(4, size=90), rng.dirichlet(np.ones(4), size=4)
    total = sum(np.asarray(answer(seen, bigram, 2.0, np.array([1, 3, c])))[0] for c in range(4))
    # The pair at the very end of the text has no successor, and may or may not be counted as a beginning.
    expect_close(total, 1, "the four probabilities after 1 3", rtol=0.1)


def _trigram_many(answer: Answer, rng: Rng) -> None:
    seen, bigram, ids = rng.integers(3, size=300), rng.dirichlet(np.ones(3), size=3), rng.integers(3, size=40)
    seen[-2:] = 2, 0  # a pair that comes often: its last copy, which nothing follows, changes little
    expect_close(answer(seen, bigram, 0.5, ids), _trigram(seen, bigram, 0.5, ids), "300 tokens of 3 kinds", rtol=0.05)


EXERCISE = Write(
    id="language_model.trigram",
    title="One token more",
    difficulty="medium",
    points=4,
    minutes=25,
    may_use="NumPy and Python's standard library",
    laws=(
        Law("a case worked by hand", _trigram_by_hand),
        Law("after a pair that never came, the bigram", _trigram_unseen),
        Law("the probabilities of all tokens sum to one", _trigram_sums),
        Law("a longer text", _trigram_many),
    ),
    wrong_answers={
        "counts pairs only": lambda seen, p, pull, ids: _trigram(seen, p, pull, ids, context=1),
        "does not smooth": lambda seen, p, pull, ids: _trigram(seen, p, 1e-300, ids) * (pull > 0),
        "is pulled towards what follows the token before": lambda seen, p, pull, ids: _trigram(
            seen, p, pull, ids, shift=1
        ),
        "is pulled without a share": lambda seen, p, pull, ids: _trigram(seen, p / p.max(), pull, ids),
        "reads the text backwards": lambda seen, p, pull, ids: _trigram(seen[::-1], p, pull, ids),
        "keeps the bigram": lambda seen, p, pull, ids: p[ids[1:-1], ids[2:]],
    },
)
