"""The exercise on streaming attention: all of attention, and never all of its scores."""

import math
from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close, peak_memory


def _expected(q: Any, k: Any, v: Any) -> Any:
    return F.scaled_dot_product_attention(q, k, v, F.causal_mask(len(q)))[0]


def _by_hand(answer: Answer, rng: Rng) -> None:
    q = k = np.zeros((3, 2))
    expect_close(answer(q, k, np.array([[3.0], [6.0], [9.0]]), 2), [[3.0], [4.5], [6.0]], "q = k = 0, v = 3, 6, 9")


def _random(answer: Answer, rng: Rng) -> None:
    q, k, v = rng.normal(size=(12, 3)), rng.normal(size=(12, 3)), rng.normal(size=(12, 5))
    for chunk in (3, 4, 12):
        expect_close(answer(q, k, v, chunk), _expected(q, k, v), f"12 tokens in blocks of {chunk}")


def _ragged(answer: Answer, rng: Rng) -> None:
    q, k, v = rng.normal(size=(3, 11, 4))
    for chunk in (4, 20):
        expect_close(answer(q, k, v, chunk), _expected(q, k, v), f"11 tokens in blocks of {chunk}")


def _large(answer: Answer, rng: Rng) -> None:
    q, k, v = rng.normal(size=(3, 8, 4))
    q = 3000 * q
    expect_close(answer(q, k, v, 3), _expected(q, k, v), "scores of some thousand")


def _memory(answer: Answer, rng: Rng) -> None:
    T = 2048
    q, k, v = rng.normal(size=(3, T, 4))
    peak = peak_memory(answer, q, k, v, 64)
    # A block of rows of scores has 64 T numbers; three such blocks are less than a tenth of T².
    if peak > 0.3 * 8 * T * T:
        raise AssertionError(f"expected less than 0.3 T² numbers at a time for T={T}, got {peak / (8 * T * T):.1f} T²")


def _streaming(
    q: Any, k: Any, v: Any, chunk: int, *, scale: float = 0.5, shift: bool = True, mask: str = "causal"
) -> Any:
    rows = []
    for start in range(0, len(q), chunk):
        stop = min(start + chunk, len(q))
        seen = {"causal": stop, "block": stop, "before": start or stop, "none": len(k)}[mask]
        scores = q[start:stop] @ k[:seen].T / q.shape[-1] ** scale
        if mask == "causal":
            scores = np.where(np.arange(start, stop)[:, None] >= np.arange(seen), scores, -np.inf)
        e = np.exp(scores - scores.max(axis=-1, keepdims=True)) if shift else np.exp(scores)
        rows.append(e @ v[:seen] / e.sum(axis=-1, keepdims=True))
    return np.concatenate(rows)


def _drops_the_rest(q: Any, k: Any, v: Any, chunk: int) -> Any:
    whole = max(len(q) // chunk, 1) * chunk
    output = np.zeros((len(q), v.shape[-1]))
    output[:whole] = _streaming(q[:whole], k[:whole], v[:whole], chunk)
    return output


def _blocks_apart(q: Any, k: Any, v: Any, chunk: int) -> Any:
    starts = range(0, len(q), chunk)
    return np.concatenate([_expected(q[s : s + chunk], k[s : s + chunk], v[s : s + chunk]) for s in starts])


def _keeps_no_maximum(q: Any, k: Any, v: Any, chunk: int) -> Any:
    """Add up blocks of keys, each shifted by a maximum of its own, as if the shifts were one."""
    output, total = np.zeros((len(q), v.shape[-1])), np.zeros((len(q), 1))
    for start in range(0, len(q), chunk):
        scores = q @ k[start : start + chunk].T / math.sqrt(q.shape[-1])
        seen = np.arange(len(q))[:, None] >= np.arange(start, start + scores.shape[1])
        e = np.where(seen, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0)
        output, total = output + e @ v[start : start + chunk], total + e.sum(axis=-1, keepdims=True)
    return output / total


EXERCISE = Write(
    id="attention_cost.streaming",
    title="Attention in blocks",
    difficulty="hard",
    points=8,
    minutes=60,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("the result does not depend on the block", _random),
        Law("a last block that is not full", _ragged),
        Law("scores of any size", _large),
        Law("never all scores at a time", _memory),
    ),
    wrong_answers={
        "computes everything at once": lambda q, k, v, chunk: _expected(q, k, v),
        "sees the whole block": lambda *a: _streaming(*a, mask="block"),
        "ignores the mask": lambda *a: _streaming(*a, mask="none"),
        "leaves the block on the diagonal out": lambda *a: _streaming(*a, mask="before"),
        "forgets the scale": lambda *a: _streaming(*a, scale=0.0),
        "does not shift": lambda *a: _streaming(*a, shift=False),
        "drops the last block": _drops_the_rest,
        "keeps blocks apart": _blocks_apart,
        "merges sums with different shifts": _keeps_no_maximum,
    },
)
