"""llama.int4: (x (T, d), packed (n, d / 2), steps (n, d / size)) -> the product with the weights, (T, n)."""

from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close

OFFSET = 8  # a code from -8 to 7 is kept as a number from 0 to 15


def _unpacked(packed: Any) -> Any:
    """Codes in their order, as whole numbers with a sign."""
    pairs = np.stack([packed & 15, packed >> 4], axis=-1)  # (n, d / 2, 2)
    return pairs.reshape(len(packed), -1).astype(int) - OFFSET


def _product(x: Any, packed: Any, steps: Any) -> Any:
    codes = _unpacked(packed)  # (n, d)
    return x @ (codes * steps.repeat(codes.shape[1] // steps.shape[1], axis=1)).T


def _packed(codes: np.ndarray) -> np.ndarray:
    shifted = (codes + OFFSET).astype(np.uint8)
    packed: np.ndarray = shifted[:, ::2] | shifted[:, 1::2] << 4
    return packed


def _draw(rng: Rng, size: int = 4, groups: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A case and, last, its weights, made without unpacking."""
    n, d = int(rng.integers(2, 6)), size * groups
    codes = rng.integers(-8, 8, size=(n, d))
    steps = rng.uniform(0.1, 2, size=(n, groups))
    weights = np.array([[codes[i, j] * steps[i, j // size] for j in range(d)] for i in range(n)])
    return rng.normal(size=(int(rng.integers(1, 5)), d)), _packed(codes), steps, weights


def _by_hand(answer: Answer, rng: Rng) -> None:
    packed = np.array([[0x98, 0x7F]], dtype=np.uint8)  # 0, 1, then 7, -1
    steps = np.array([[1.0, 10.0]])
    expect_close(answer(np.eye(4), packed, steps), [[0], [1], [70], [-10]], "the codes 0, 1, 7, -1 with steps 1 and 10")


def _random(answer: Answer, rng: Rng) -> None:
    x, packed, steps, weights = _draw(rng)
    expect_close(answer(x, packed, steps), x @ weights.T, "three groups of four weights a row")


def _one_group(answer: Answer, rng: Rng) -> None:
    x, packed, steps, weights = _draw(rng, size=6, groups=1)
    expect_close(answer(x, packed, steps), x @ weights.T, "one step for all of a row")


def _large_groups(answer: Answer, rng: Rng) -> None:
    x, packed, steps, weights = _draw(rng, size=32, groups=2)
    expect_close(answer(x, packed, steps), x @ weights.T, "two groups of 32 weights a row")


def _extremes(answer: Answer, rng: Rng) -> None:
    codes, steps = np.tile([-8, 7], (2, 4)), rng.uniform(1, 2, size=(2, 2))
    expected = np.repeat(steps, 4, axis=1) * codes
    expect_close(answer(np.eye(8), _packed(codes), steps), expected.T, "the smallest and the largest code")


def _high_first(x: Any, packed: Any, steps: Any) -> Any:
    return _product(x, packed << 4 | packed >> 4, steps)


def _with(change: Any) -> Any:
    """The right product of codes that were changed."""

    def wrong(x: Any, packed: Any, steps: Any) -> Any:
        codes = change(_unpacked(packed))
        return x @ (codes * steps.repeat(codes.shape[1] // steps.shape[1], axis=1)).T

    return wrong


EXERCISE = Write(
    id="llama.int4",
    entry="product",
    title="Two weights in a byte",
    difficulty="hard",
    points=4,
    minutes=25,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("random codes, steps and rows", _random),
        Law("one group a row", _one_group),
        Law("large groups", _large_groups),
        Law("the smallest and the largest code", _extremes),
    ),
    wrong_answers={
        "takes the high four bits first": _high_first,
        "forgets the offset": _with(lambda codes: codes + OFFSET),
        "takes an offset of 7": _with(lambda codes: codes + 1),
        "reads the codes as two's complement": _with(lambda codes: (codes + OFFSET + 8) % 16 - 8),
        "subtracts before it has a sign": lambda x, packed, steps: (
            x
            @ (
                (np.stack([packed & 15, packed >> 4], axis=-1).reshape(len(packed), -1) - np.uint8(8))
                * steps.repeat(2 * packed.shape[1] // steps.shape[1], axis=1)
            ).T
        ),
        "puts the low halves before the high ones": lambda x, packed, steps: (
            x
            @ (
                (np.concatenate([packed & 15, packed >> 4], axis=1).astype(int) - OFFSET)
                * steps.repeat(2 * packed.shape[1] // steps.shape[1], axis=1)
            ).T
        ),
        "deals the steps out in turn": lambda x, packed, steps: (
            x @ (_unpacked(packed) * np.tile(steps, 2 * packed.shape[1] // steps.shape[1])).T
        ),
        "takes the first step for all of a row": lambda x, packed, steps: _product(x, packed, steps[:, :1]),
        "leaves the steps out": lambda x, packed, steps: x @ _unpacked(packed).T.astype(float),
    },
)
