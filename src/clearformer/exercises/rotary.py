"""The exercises on the rotary encoding: laws that right answers obey, and wrong answers that break them."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.exercises.core import Answer, Exercise, Law, expect_close

Rng = np.random.Generator


# --- positional_encoding.to_half_layout: (w (d_model, n_heads * d_k), n_heads) -> the same shape ---


def _scores(w_q: Any, w_k: Any, x: np.ndarray, n_heads: int, layout: Any) -> np.ndarray:
    """Rotated scores of every head, (n_heads, T, T)."""
    heads = [(x @ w).reshape(len(x), n_heads, -1).swapaxes(0, 1) for w in (np.asarray(w_q), np.asarray(w_k))]
    q, k = (F.rotary_encoding(head, np.arange(len(x)), layout=layout) for head in heads)  # (n_heads, T, d_k)
    scores: np.ndarray = q @ k.swapaxes(-1, -2)  # (n_heads, T, T)
    return scores


def _layout_by_hand(answer: Answer, rng: Rng) -> None:
    w = np.array([[0.0, 1.0, 2.0, 3.0]])
    expect_close(answer(w, 1), [[0.0, 2.0, 1.0, 3.0]], "columns 0 1 2 3 of one head")


def _layout_scores(answer: Answer, rng: Rng) -> None:
    w_q, w_k, x = rng.normal(size=(5, 6)), rng.normal(size=(5, 6)), rng.normal(size=(4, 5))
    expected = _scores(w_q, w_k, x, 1, "interleaved")
    expect_close(_scores(answer(w_q, 1), answer(w_k, 1), x, 1, "half"), expected, "scores of one head, d_k=6")


def _layout_heads(answer: Answer, rng: Rng) -> None:
    w_q, w_k, x = rng.normal(size=(5, 24)), rng.normal(size=(5, 24)), rng.normal(size=(4, 5))
    expected = _scores(w_q, w_k, x, 3, "interleaved")
    expect_close(_scores(answer(w_q, 3), answer(w_k, 3), x, 3, "half"), expected, "scores of 3 heads, d_k=8")


def _layout_columns(answer: Answer, rng: Rng) -> None:
    w = rng.normal(size=(5, 16))
    order = np.argsort(np.asarray(answer(w, 2))[0])
    expect_close(np.asarray(answer(w, 2))[:, order], w[:, np.argsort(w[0])], "the columns, whatever their order")


def _reorder(w: Any, n_heads: int, order: Any) -> Any:
    d_k = w.shape[1] // n_heads
    return w.reshape(w.shape[0], n_heads, d_k)[:, :, order(d_k)].reshape(w.shape)


def _even_odd(d_k: int) -> Any:
    return np.concatenate([np.arange(0, d_k, 2), np.arange(1, d_k, 2)])


TO_HALF_LAYOUT = Exercise(
    id="positional_encoding.to_half_layout",
    title="From one layout to the other",
    difficulty="medium",
    points=4,
    minutes=20,
    laws=(
        Law("a case worked by hand", _layout_by_hand),
        Law("scores of one head stay the same", _layout_scores),
        Law("scores of several heads stay the same", _layout_heads),
        Law("columns are reordered, not changed", _layout_columns),
    ),
    wrong_answers={
        "changes nothing": lambda w, n_heads: w,
        "reorders across heads": lambda w, n_heads: _reorder(w, 1, _even_odd),
        "goes the other way": lambda w, n_heads: _reorder(w, n_heads, lambda d: np.argsort(_even_odd(d))),
        "puts odd columns first": lambda w, n_heads: _reorder(w, n_heads, lambda d: np.roll(_even_odd(d), d // 2)),
        "reverses the columns": lambda w, n_heads: _reorder(w, n_heads, lambda d: np.arange(d)[::-1]),
        "takes every n_heads-th column as a head": lambda w, n_heads: np.concatenate(
            [w[:, h::n_heads][:, _even_odd(w.shape[1] // n_heads)] for h in range(n_heads)], axis=1
        ),
        "flips the sign of the second half": lambda w, n_heads: (
            _reorder(w, n_heads, _even_odd) * np.where(np.arange(w.shape[1]) % 2, -1, 1)
        ),
    },
)


# --- positional_encoding.rotary: (x (..., T, d_k), positions (T,)) -> the same shape ---


def _rotary_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([[1.0, 0.0, 0.0, 1.0]]), np.array([2]))  # pairs (0, 2) and (1, 3), angles 2 and 0.02
    expected = [[np.cos(2), -np.sin(0.02), np.sin(2), np.cos(0.02)]]
    expect_close(got, expected, "x = [1 0 0 1] at position 2")


def _rotary_definition(answer: Answer, rng: Rng) -> None:
    x, positions = rng.normal(size=(2, 3, 5, 8)), np.array([0, 1, 7, 100, 1000])
    expected = F.rotary_encoding(x, positions)
    expect_close(answer(x, positions), expected, "x (2, 3, 5, 8) at positions 0, 1, 7, 100, 1000", atol=1e-9)


def _rotary_lengths(answer: Answer, rng: Rng) -> None:
    x = rng.normal(size=(5, 6))
    lengths = np.linalg.norm(answer(x, np.arange(5)), axis=-1)
    expect_close(lengths, np.linalg.norm(x, axis=-1), "lengths of the rows")


def _rotary_relative(answer: Answer, rng: Rng) -> None:
    q, k = rng.normal(size=(2, 4, 6))

    def scores(first: int) -> Any:
        places = np.arange(first, first + 4)
        return np.asarray(answer(q, places)) @ np.asarray(answer(k, places)).T

    expect_close(scores(50), scores(0), "scores at positions 50 to 53 against 0 to 3", atol=1e-9)


def _rotary_order(answer: Answer, rng: Rng) -> None:
    q, k = rng.normal(size=(2, 1, 6))
    ahead = np.sum(np.asarray(answer(q, np.array([4]))) * k)
    expected = np.sum(q * F.rotary_encoding(k, np.array([-4])))
    expect_close(ahead, expected, "query 4 after the key, against key 4 before the query", atol=1e-9)


def _rotate(x: Any, positions: Any, *, sign: int = 1, speed: float = 1.0, both: int = 1) -> Any:
    half = x.shape[-1] // 2
    angles = np.asarray(positions)[..., None] * 10000.0 ** (-speed * np.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    cos, sin = np.cos(angles), sign * np.sin(angles)
    return np.concatenate([a * cos - b * sin, a * sin + both * b * cos], axis=-1)


def _rotates_in_place(x: Any, positions: Any) -> Any:
    x[...] = _rotate(x, positions)
    return x


ROTARY = Exercise(
    id="positional_encoding.rotary",
    title="The rotary encoding",
    difficulty="hard",
    points=5,
    minutes=30,
    laws=(
        Law("a case worked by hand", _rotary_by_hand),
        Law("the definition, with leading axes and any positions", _rotary_definition),
        Law("lengths are kept", _rotary_lengths),
        Law("scores depend on the difference of positions only", _rotary_relative),
        Law("positive positions turn counterclockwise", _rotary_order),
    ),
    wrong_answers={
        "pairs neighbours": lambda x, p: F.rotary_encoding(x, p, layout="interleaved"),
        "turns the other way": lambda x, p: _rotate(x, p, sign=-1),
        "reflects instead of rotating": lambda x, p: _rotate(x, p, both=-1),
        "numbers rows instead of using the positions": lambda x, p: _rotate(x, np.arange(x.shape[-2])),
        "takes the frequencies of twice the width": lambda x, p: _rotate(x, p, speed=0.5),
        "turns all pairs at one speed": lambda x, p: _rotate(x, p, speed=0.0),
        "adds the sinusoidal encoding": lambda x, p: x + F.sinusoidal_encoding(int(max(p)) + 1, x.shape[-1])[p],
        "scales by the cosine and forgets the sine": lambda x, p: (
            x * np.cos(np.asarray(p)[..., None] * np.ones(x.shape[-1]))
        ),
        "rotates the caller's array in place": _rotates_in_place,
    },
)
