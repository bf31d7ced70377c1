"""The exercise on cross-attention: laws that right answers obey, and wrong answers that break them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _draw(rng: Rng, *batch: int, T: int = 3, S: int = 5) -> list[np.ndarray]:
    """Draw a decoder of width 4, an encoder of width 7, weights with d_k=2 and d_v=6, and a mask (..., 1, S)."""
    shapes = ((*batch, T, 4), (*batch, S, 7), (4, 2), (7, 2), (7, 6))
    mask = rng.random(size=(*batch, 1, S)) < 0.6
    mask[..., 0] = True
    return [*(rng.normal(size=shape) for shape in shapes), mask]


def _cross_expected(x: Any, y: Any, w_q: Any, w_k: Any, w_v: Any, mask: Any) -> Any:
    return F.scaled_dot_product_attention(x @ w_q, y @ w_k, y @ w_v, mask)[0]


def _cross_definition(answer: Answer, rng: Rng) -> None:
    for T, S in ((3, 5), (5, 3), (1, 4)):
        case = _draw(rng, T=T, S=S)
        expect_close(answer(*case), _cross_expected(*case), f"T={T}, S={S}, widths 4 and 7")


def _cross_batch(answer: Answer, rng: Rng) -> None:
    case = _draw(rng, 2)
    expect_close(answer(*case), _cross_expected(*case), "a batch of 2, each with its own mask")


def _cross_square(answer: Answer, rng: Rng) -> None:
    x, y, w_q, w_k, w_v = (rng.normal(size=(4, 4)) for _ in range(5))
    case = (x, y, w_q, w_k, w_v, np.ones((1, 4), dtype=bool))
    expect_close(answer(*case), _cross_expected(*case), "all sizes 4, where no shape gives a mistake away")


def _cross_with(wire: Callable[..., tuple[Any, Any, Any]]) -> Answer:
    """Build a wrong answer from the way it wires x and y to queries, keys and values."""
    return lambda x, y, w_q, w_k, w_v, mask: F.scaled_dot_product_attention(*wire(x, y, w_q, w_k, w_v), mask)[0]


EXERCISE = Write(
    id="masks_and_cross_attention.cross",
    title="Cross-attention",
    difficulty="medium",
    points=4,
    minutes=20,
    may_use="NumPy and `F.softmax`",
    laws=(
        Law("the definition, with more or fewer queries than keys", _cross_definition),
        Law("leading axes", _cross_batch),
        Law("the wiring, where shapes do not help", _cross_square),
    ),
    wrong_answers={
        "takes queries and keys from the encoder": _cross_with(lambda x, y, q, k, v: (y @ q, y @ k, x @ v)),
        "swaps encoder and decoder": _cross_with(lambda x, y, q, k, v: (y @ q, x @ k, x @ v)),
        "attends to the decoder itself": _cross_with(lambda x, y, q, k, v: (x @ q, x @ k, x @ v)),
        "swaps keys and values": _cross_with(lambda x, y, q, k, v: (x @ q, y @ v, y @ k)),
        "does not scale": _cross_with(lambda x, y, q, k, v: (np.sqrt(k.shape[-1]) * (x @ q), y @ k, y @ v)),
        "hides what comes later in the encoder": lambda x, y, q, k, v, mask: _cross_expected(
            x, y, q, k, v, mask & np.tri(x.shape[-2], y.shape[-2], dtype=bool)
        ),
        "forgets the mask": lambda x, y, q, k, v, mask: _cross_expected(x, y, q, k, v, mask | True),
        "transposes the batch too": lambda x, y, q, k, v, mask: (
            F.softmax(np.where(mask, (x @ q) @ (y @ k).T / np.sqrt(k.shape[-1]), -np.inf)) @ (y @ v)
        ),
    },
)
