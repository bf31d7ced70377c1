"""encoder.mean: (ids (B, T), states (B, T, d), pad) -> the mean state of each text (B, d), with a faulty line."""

import numpy as np

from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close


def _draw(rng: Rng, lengths: tuple[int, ...], d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    T = max(lengths)
    real = np.arange(T) < np.array(lengths)[:, None]
    ids = np.where(real, rng.integers(1, 9, size=(len(lengths), T)), 0)
    return ids, rng.normal(size=(len(lengths), T, d))


def _by_hand(answer: Answer, rng: Rng) -> None:
    ids, states = np.array([[5, 6, 0, 0]]), np.array([[[2.0], [4.0], [7.0], [9.0]]])
    expect_close(answer(ids, states, 0), [[3.0]], "states 2 and 4, padding of 7 and 9")


def _one_by_one(answer: Answer, rng: Rng) -> None:
    lengths = (4, 1, 6)
    ids, states = _draw(rng, lengths)
    expected = [states[b, :length].mean(axis=0) for b, length in enumerate(lengths)]
    expect_close(answer(ids, states, 0), expected, "texts of 4, 1 and 6 tokens")


def _wider(answer: Answer, rng: Rng) -> None:
    ids, states = _draw(rng, (4, 2))
    wide = np.pad(ids, ((0, 0), (0, 3))), np.pad(states, ((0, 0), (0, 3), (0, 0)), constant_values=5.0)
    expect_close(answer(*wide, 0), answer(ids, states, 0), "three more columns of padding")


def _same_length(answer: Answer, rng: Rng) -> None:
    ids, states = _draw(rng, (5, 5))
    expect_close(answer(ids, states, 0), states.mean(axis=1), "two texts of 5 tokens, no padding")


def _other_pad(answer: Answer, rng: Rng) -> None:
    ids, states = _draw(rng, (5, 2))
    expect_close(answer(np.where(ids == 0, 99, ids), states, 99), answer(ids, states, 0), "padding with the id 99")


_REAL = "real = (ids != pad)[:, :, None]  # (B, T, 1)"
_SUM = "total = (states * real).sum(axis=1)  # (B, d)"
_DIVIDE = "return total / ids.shape[1]"
_BROKEN = Code(
    """
def mean_state(ids, states, pad):
    real = (ids != pad)[:, :, None]  # (B, T, 1)
    total = (states * real).sum(axis=1)  # (B, d)
    return total / ids.shape[1]
""",
    np=np,
)
_FIXED = _BROKEN.replace_line(_DIVIDE, "return total / real.sum(axis=1)")


EXERCISE = Diagnose(
    id="encoder.mean",
    title="A mean that gets shorter",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("each text is what it is alone", _one_by_one),
        Law("more padding changes nothing", _wider),
        Law("texts of one length", _same_length),
        Law("what padding is called changes nothing", _other_pad),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "The sum leaves the padding out, and the division counts it: beside a long neighbour a text has more columns, "
        "and its mean becomes shorter. Divide by the tokens that were added up."
    ),
    innocent={
        _REAL: "True where a token is one; the last axis lets it meet the states.",
        _SUM: "States of padding are multiplied by 0, so they add nothing.",
    },
    wrong_answers={
        "divides by the rows": _BROKEN.replace_line(_DIVIDE, "return total / len(ids)"),
        "divides by all tokens of the batch": _BROKEN.replace_line(_DIVIDE, "return total / real.sum()"),
        "divides by the longest text": _BROKEN.replace_line(_DIVIDE, "return total / real.sum(axis=1).max()"),
        "leaves the sum": _BROKEN.replace_line(_DIVIDE, "return total"),
        "averages the padding, too": _BROKEN.replace_line(_DIVIDE, "return states.mean(axis=1)"),
        "counts the padding in the sum": _FIXED.replace_line(_SUM, "total = states.sum(axis=1)  # (B, d)"),
        "takes padding to be 0": _FIXED.replace_line(_REAL, "real = (ids != 0)[:, :, None]  # (B, T, 1)"),
        "scales to length one": _BROKEN.replace_line(
            _DIVIDE, "return total / np.linalg.norm(total, axis=1, keepdims=True)"
        ),
    },
)
