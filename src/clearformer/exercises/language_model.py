"""The exercises of the chapter on language models: laws that right answers obey, and wrong answers that break them."""

import math
from collections import Counter
from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.exercises.cached_block import CACHED_BLOCK
from clearformer.exercises.core import Answer, Exercise, Law, expect_close

Rng = np.random.Generator


# --- language_model.loss: (logits (T, vocab_size), ids (T,)) -> nats for a token ---


def _loss(logits: Any, ids: Any) -> Any:
    """The logits of the last position predict a token that is not there."""
    chosen = F.log_softmax(logits[:-1])[np.arange(len(ids) - 1), ids[1:]]
    return -chosen.mean()


def _loss_by_hand(answer: Answer, rng: Rng) -> None:
    logits = np.log([[0.5, 0.25, 0.25], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5]])
    expected = -(math.log(0.25) + math.log(0.1)) / 2
    expect_close(answer(logits, np.array([0, 1, 2])), expected, "ids 0 1 2, given 0.25 to 1 and then 0.1 to 2")


def _loss_of_a_seer(answer: Answer, rng: Rng) -> None:
    ids = rng.integers(7, size=9)
    sure = np.where(np.arange(7) == np.append(ids[1:], 0)[:, None], 50.0, 0.0)  # (9, 7)
    expect_close(answer(sure, ids), 0, "50 more for the token that comes next, at every position", atol=1e-9)


def _loss_of_a_die(answer: Answer, rng: Rng) -> None:
    logits = np.full((5, 6), 3.0)
    expect_close(answer(logits, rng.integers(6, size=5)), math.log(6), "six tokens, all alike")


def _loss_is_stable(answer: Answer, rng: Rng) -> None:
    logits, ids = rng.normal(size=(8, 5)), rng.integers(5, size=8)
    expect_close(answer(logits + 1000, ids), _loss(logits, ids), "1000 added to every logit")


def _direct_loss(logits: Any, ids: Any) -> Any:
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    return -np.log(probabilities[np.arange(len(ids) - 1), ids[1:]]).mean()


LOSS = Exercise(
    id="language_model.loss",
    title="Shift by one",
    difficulty="easy",
    points=2,
    minutes=10,
    laws=(
        Law("a case worked by hand", _loss_by_hand),
        Law("who knows what comes next has no loss", _loss_of_a_seer),
        Law("who knows nothing loses log V", _loss_of_a_die),
        Law("large logits do not overflow", _loss_is_stable),
    ),
    wrong_answers={
        "does not shift": lambda z, ids: -F.log_softmax(z)[np.arange(len(ids)), ids].mean(),
        "shifts the other way": lambda z, ids: -F.log_softmax(z[1:])[np.arange(len(ids) - 1), ids[:-1]].mean(),
        "sums instead of averaging": lambda z, ids: _loss(z, ids) * (len(ids) - 1),
        "divides by T": lambda z, ids: _loss(z, ids) * (len(ids) - 1) / len(ids),
        "counts in bits": lambda z, ids: _loss(z, ids) / math.log(2),
        "forgets the sign": lambda z, ids: -_loss(z, ids),
        "takes the exponential as it is": _direct_loss,
    },
)


# --- language_model.bits_per_byte: (perplexity, tokens, bytes) -> bits for a byte ---


def _bits_by_hand(answer: Answer, rng: Rng) -> None:
    expect_close(answer(8.0, 100, 300), 1, "perplexity 8 for each of 100 tokens, 300 bytes")
    expect_close(answer(1.0, 10, 40), 0, "perplexity 1: no surprise at all")


def _bits_of_bytes(answer: Answer, rng: Rng) -> None:
    expect_close(answer(256.0, 50, 50), 8, "a token for each byte, and all 256 alike")


def _bits_of_pairs(answer: Answer, rng: Rng) -> None:
    perplexity = float(rng.uniform(2, 20))
    expect_close(
        answer(perplexity**2, 50, 200),
        answer(perplexity, 100, 200),
        "two tokens read as one, with the square of the perplexity",
    )


BITS_PER_BYTE = Exercise(
    id="language_model.bits_per_byte",
    title="From perplexity to bits per byte",
    difficulty="easy",
    points=1,
    minutes=10,
    laws=(
        Law("cases worked by hand", _bits_by_hand),
        Law("a byte has eight bits", _bits_of_bytes),
        Law("joining tokens in pairs changes nothing", _bits_of_pairs),
    ),
    wrong_answers={
        "counts in nats": lambda perplexity, tokens, size: math.log(perplexity) * tokens / size,
        "gives bits per token": lambda perplexity, tokens, size: math.log2(perplexity),
        "bytes over tokens": lambda perplexity, tokens, size: math.log2(perplexity) * size / tokens,
        "takes no logarithm": lambda perplexity, tokens, size: perplexity * tokens / size,
        "takes the loss to be in the perplexity": lambda perplexity, tokens, size: (
            perplexity / math.log(2) * tokens / size
        ),
    },
)


# --- language_model.trigram: (seen (n,), bigram (V, V), pull, ids (m,)) -> probability of each id but two, (m - 2,) ---


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


TRIGRAM = Exercise(
    id="language_model.trigram",
    title="One token more",
    difficulty="medium",
    points=4,
    minutes=25,
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


EXERCISES = (LOSS, BITS_PER_BYTE, TRIGRAM, CACHED_BLOCK)
