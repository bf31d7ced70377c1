"""text_to_text.bias: (table (n_buckets, n_heads), T, S) -> bias of the last T of S positions, with a faulty line."""

import numpy as np

from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close


def _draw(rng: Rng) -> np.ndarray:
    return rng.normal(size=(7, 3))


def _by_hand(answer: Answer, rng: Rng) -> None:
    table = np.array([[0.0], [10.0], [20.0], [30.0]])
    expect_close(answer(table, 3, 3), [[[0, 0, 0], [10, 0, 0], [20, 10, 0]]], "three tokens, a table of 0, 10, 20, 30")


def _all_at_once(answer: Answer, rng: Rng) -> None:
    table, T = _draw(rng), int(rng.integers(3, 12))
    expected = np.zeros((3, T, T))
    for t, s in np.ndindex(T, T):
        expected[:, t, s] = table[min(max(t - s, 0), 6)]
    expect_close(answer(table, T, T), expected, f"all of {T} tokens at once")


def _one_step(answer: Answer, rng: Rng) -> None:
    table = _draw(rng)
    S = int(rng.integers(4, 9))
    whole = np.asarray(answer(table, S, S))
    expect_close(answer(table, 1, S), whole[:, -1:], f"one new token of {S}, against the last row of all")


def _some_steps(answer: Answer, rng: Rng) -> None:
    table = _draw(rng)
    T, S = int(rng.integers(2, 4)), int(rng.integers(5, 12))
    rows = [[min(max(t - s, 0), 6) for s in range(S)] for t in range(S - T, S)]
    expect_close(answer(table, T, S), table[np.array(rows)].transpose(2, 0, 1), f"the last {T} of {S} tokens")


def _far(answer: Answer, rng: Rng) -> None:
    table = _draw(rng)
    expect_close(np.asarray(answer(table, 20, 20))[:, -1, :10], np.tile(table[-1][:, None], 10), "far tokens")


_PLACES = "t = np.arange(T)[:, None]  # (T, 1)"
_BACK = "back = np.maximum(t - np.arange(S), 0)  # (T, S)"
_SHARED = "bucket = np.minimum(back, len(table) - 1)"
_RETURN = "return table[bucket].transpose(2, 0, 1)"
_BROKEN = Code(
    """
def distance_bias(table, T, S):
    t = np.arange(T)[:, None]  # (T, 1)
    back = np.maximum(t - np.arange(S), 0)  # (T, S)
    bucket = np.minimum(back, len(table) - 1)
    return table[bucket].transpose(2, 0, 1)
""",
    np=np,
)
_FIXED = _BROKEN.replace_line(_PLACES, "t = np.arange(S - T, S)[:, None]  # (T, 1)")

EXERCISE = Diagnose(
    id="text_to_text.bias",
    title="Right in training, wrong in writing",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("all tokens at once", _all_at_once),
        Law("one new token is the last of all", _one_step),
        Law("some new tokens", _some_steps),
        Law("far tokens share a number", _far),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "The queries are counted from 0, whatever came before them. While all tokens are there at once, T is S and "
        "nothing is wrong; with keys that are kept from earlier steps the new token takes itself for the first one."
    ),
    innocent={
        _BACK: "How far back each key stands from its query. Keys ahead are hidden by the mask; 0 does for them.",
        _SHARED: "All that is farther than the table is long shares its last row. That is what buckets are for.",
        _RETURN: "A number for each head and each pair of query and key, with the heads in front as scores have them.",
    },
    wrong_answers={
        "counts the keys from the end as well": _BROKEN.replace_line(
            _BACK, "back = np.maximum(t - np.arange(S) + S - T + 1, 0)  # (T, S)"
        ),
        "moves the queries by one too many": _BROKEN.replace_line(
            _PLACES, "t = np.arange(S - T + 1, S + 1)[:, None]  # (T, 1)"
        ),
        "moves every query to the end": _BROKEN.replace_line(_PLACES, "t = np.full((T, 1), S - 1)  # (T, 1)"),
        "counts the queries backwards": _BROKEN.replace_line(
            _PLACES, "t = np.arange(S - 1, S - T - 1, -1)[:, None]  # (T, 1)"
        ),
        "lets distances ahead be as far as those behind": _BROKEN.replace_line(
            _BACK, "back = np.abs(t - np.arange(S))  # (T, S)"
        ),
        "gives each distance a row, round and round": _FIXED.replace_line(_SHARED, "bucket = back % len(table)"),
        "puts the heads last": _FIXED.replace_line(_RETURN, "return table[bucket]"),
        "turns queries and keys around": _FIXED.replace_line(_RETURN, "return table[bucket].transpose(2, 1, 0)"),
    },
)
