"""relative_positions.turned_values: (q, k, v, positions) -> output, of which one line is at fault."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close


def _draw(rng: Rng) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q, k, v = rng.normal(size=(3, 4, 6))
    return q, k, v


def _unturned(answer: Answer, rng: Rng) -> None:
    q, k, v = _draw(rng)
    expected = F.scaled_dot_product_attention(q, k, v)[0]
    expect_close(answer(q, k, v, np.zeros(4, dtype=int)), expected, "output for four tokens at position 0")


def _by_hand(answer: Answer, rng: Rng) -> None:
    q, k = np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[1.0, 0.0], [1.0, 0.0]])
    near = 1 / (1 + np.exp((np.cos(3) - 1) / np.sqrt(2)))  # weight of a token on itself, scores 1 and cos 3
    expected = [[near, 1 - near], [1 - near, near]]
    expect_close(answer(q, k, np.eye(2), np.array([2, 5])), expected, "two tokens at 2 and 5, v the identity")


def _moved(answer: Answer, rng: Rng) -> None:
    q, k, v = _draw(rng)
    positions, n = np.array([0, 1, 4, 9]), int(rng.integers(1, 500))
    expected = np.asarray(answer(q, k, v, positions))
    expect_close(answer(q, k, v, positions + n), expected, f"output after all moved by {n}", atol=1e-9)


def _alike(answer: Answer, rng: Rng) -> None:
    q, k, v = _draw(rng)
    v[:] = v[0]
    expect_close(answer(q, k, v, np.arange(3, 7)), v, "output where all values are alike, positions 3 to 6", atol=1e-9)


_VALUES = "v = F.rotary_encoding(v, positions)"
_QUERIES, _KEYS = _VALUES.replace("v", "q"), _VALUES.replace("v", "k")
_ATTEND = "output, _ = F.scaled_dot_product_attention(q, k, v)"
_BROKEN = Code(
    """
def attention(q, k, v, positions):
    q = F.rotary_encoding(q, positions)
    k = F.rotary_encoding(k, positions)
    v = F.rotary_encoding(v, positions)
    output, _ = F.scaled_dot_product_attention(q, k, v)
    return output
""",
    np=np,
    F=F,
)
_FIXED = _BROKEN.replace_line(_VALUES, "v = np.asarray(v)")

EXERCISE = Diagnose(
    id="relative_positions.turned_values",
    title="An output that knows the page",
    difficulty="medium",
    points=3,
    minutes=10,
    may_use="NumPy and `F.rotary_encoding`",
    laws=(
        Law("at position 0 nothing turns", _unturned),
        Law("two tokens, worked by hand", _by_hand),
        Law("moving all positions along changes no output", _moved),
        Law("values that are alike come out as they are", _alike),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "A query meets a key in a product, and there the two rotations merge into their difference. A value meets "
        "nothing that turns with it: it comes out turned by its own position."
    ),
    innocent={
        _QUERIES: "A query has to be turned by its position, or the score would depend on that of the key alone.",
        _KEYS: "A key has to be turned by its position, or the score would depend on that of the query alone.",
        _ATTEND: "This is scaled dot-product attention. With the right arguments it is right.",
        "return output": "This is what was asked for.",
    },
    wrong_answers={
        "turns the values back": _BROKEN.replace_line(_VALUES, "v = F.rotary_encoding(v, -positions)"),
        "turns the values in the other layout": _BROKEN.replace_line(
            _VALUES, "v = F.rotary_encoding(v, positions, layout='interleaved')"
        ),
        "counts the turns of the values from the first one": _BROKEN.replace_line(
            _VALUES, "v = F.rotary_encoding(v, positions - positions[0])"
        ),
        "turns the values by their number": _BROKEN.replace_line(
            _VALUES, "v = F.rotary_encoding(v, np.arange(len(v)))"
        ),
        "takes the keys for values": _BROKEN.replace_line(_VALUES, "v = k"),
        "turns the output back": _BROKEN.replace_line("return output", "return F.rotary_encoding(output, -positions)"),
        "turns no queries any more": _FIXED.replace_line(_QUERIES, "q = np.asarray(q)"),
        "turns no keys any more": _FIXED.replace_line(_KEYS, "k = np.asarray(k)"),
        "turns the keys the other way": _FIXED.replace_line(_KEYS, "k = F.rotary_encoding(k, -positions)"),
    },
)
