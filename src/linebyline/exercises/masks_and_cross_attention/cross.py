"""masks_and_cross_attention.cross: cross-attention to a padded source, of which one line is at fault."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close


def _draw(rng: Rng, T: int, S: int) -> list[np.ndarray]:
    """Draw two decoders of width 4, two encoders of width 7, and weights with d_k=2 and d_v=6."""
    shapes = ((2, T, 4), (2, S, 7), (4, 2), (7, 2), (7, 6))
    return [*(rng.normal(size=shape) for shape in shapes), rng.integers(1, S, size=2)]


def _cross_by_hand(answer: Answer, rng: Rng) -> None:
    flat, values = np.zeros((1, 1)), np.array([[[2.0], [4.0], [9.0]]])
    got = answer(np.ones((1, 2, 1)), values, flat, flat, np.ones((1, 1)), np.array([2]))
    expect_close(got, [[[3.0], [3.0]]], "equal scores, values 2, 4 and a padded 9, two rows")


def _cross_definition(answer: Answer, rng: Rng) -> None:
    for T, S in ((3, 5), (5, 3), (1, 4)):
        x_dec, x_enc, w_q, w_k, w_v, lengths = case = _draw(rng, T, S)
        mask = F.padding_mask(lengths, S)
        expected, _ = F.scaled_dot_product_attention(x_dec @ w_q, x_enc @ w_k, x_enc @ w_v, mask)
        expect_close(answer(*case), expected, f"T={T}, S={S}, lengths {lengths}")


def _cross_padding(answer: Answer, rng: Rng) -> None:
    x_dec, x_enc, *weights, lengths = _draw(rng, 4, 5)
    padded = np.arange(5)[:, None] >= lengths[:, None, None]  # (2, 5, 1)
    other = np.where(padded, rng.normal(size=x_enc.shape), x_enc)
    before, after = answer(x_dec, x_enc, *weights, lengths), answer(x_dec, other, *weights, lengths)
    expect_close(after, before, f"other padding, S=5, lengths {lengths}")


def _cross_rows(answer: Answer, rng: Rng) -> None:
    x_dec, x_enc = rng.normal(size=(2, 1, 4, 4))
    case = (x_enc, *rng.normal(size=(3, 4, 4)), np.array([4]))
    other = np.where(np.arange(4)[:, None] == 2, rng.normal(size=(1, 4, 4)), x_dec)
    kept = [0, 1, 3]
    before, after = (np.asarray(answer(x, *case))[:, kept] for x in (x_dec, other))
    expect_close(after, before, "another decoder token at 2, all sizes 4: outputs 0, 1 and 3")


_READ = "k, v = x_enc @ w_k, x_enc @ w_v  # (B, S, d_k), (B, S, d_v)"
_PADDING = "padding = np.arange(S) < lengths[:, None, None]  # (B, 1, S)"
_MASK = "mask = np.tri(T, S, dtype=bool) & padding"
_BROKEN = Code(
    """
def cross(x_dec, x_enc, w_q, w_k, w_v, lengths):
    q = x_dec @ w_q  # (B, T, d_k)
    k, v = x_enc @ w_k, x_enc @ w_v  # (B, S, d_k), (B, S, d_v)
    T, S = q.shape[1], k.shape[1]
    padding = np.arange(S) < lengths[:, None, None]  # (B, 1, S)
    mask = np.tri(T, S, dtype=bool) & padding
    output, _ = F.scaled_dot_product_attention(q, k, v, mask)
    return output
""",
    np=np,
    F=F,
)
_FIXED = _BROKEN.replace_line(_MASK, "mask = padding")

EXERCISE = Diagnose(
    id="masks_and_cross_attention.cross",
    title="A translation that begins badly",
    difficulty="medium",
    points=4,
    minutes=15,
    may_use="NumPy and `F`",
    laws=(
        Law("a case worked by hand", _cross_by_hand),
        Law("the definition, with more or fewer queries than keys", _cross_definition),
        Law("the padding of the source changes nothing", _cross_padding),
        Law("a decoder token moves its own output only", _cross_rows),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "This hides words of the source by the position of a word of the translation. The source is known to its end "
        "before the first word is written: nothing in it is later than a query, so only its padding is hidden."
    ),
    innocent={
        "q = x_dec @ w_q  # (B, T, d_k)": "The decoder asks, so queries are made of its rows.",
        _READ: "Keys and values both come from the source: one pair for each of its words.",
        "T, S = q.shape[1], k.shape[1]": "Two lengths, and they may differ. That is why the scores need not be square.",
        _PADDING: "The lengths are the source's and the axis is the keys', so exactly the padding is False.",
        "output, _ = F.scaled_dot_product_attention(q, k, v, mask)": (
            "This is given the right queries, keys and values, and does what the mask says."
        ),
        "return output": "One row for each query, as it should be.",
    },
    wrong_answers={
        "hides nothing any more": _BROKEN.replace_line(_MASK, "mask = np.ones((1, T, S), dtype=bool)"),
        "hides the past in place of the future": _BROKEN.replace_line(
            _MASK, "mask = padding & np.tri(S, T, dtype=bool).T"
        ),
        "moves the triangle to the end of the source": _BROKEN.replace_line(
            _MASK, "mask = padding & np.tri(T, S, k=S - T, dtype=bool)"
        ),
        "joins the masks by or": _BROKEN.replace_line(_MASK, "mask = padding | np.tri(T, S, dtype=bool)"),
        "shows the padding and hides the words": _BROKEN.replace_line(_MASK, "mask = ~padding"),
        "hides rows in place of columns": _BROKEN.replace_line(
            _MASK, "mask = np.broadcast_to(np.arange(T)[:, None] < lengths[:, None, None], (len(q), T, S))"
        ),
        "lets one word of padding in": _FIXED.replace_line(
            _PADDING, "padding = np.arange(S) <= lengths[:, None, None]  # (B, 1, S)"
        ),
        "takes the values from the decoder": _FIXED.replace_line(_READ, "k, v = x_enc @ w_k, x_dec @ w_v"),
        "attends to the decoder itself": _FIXED.replace_line(_READ, "k, v = x_dec @ w_k, x_dec @ w_v"),
        "swaps keys and values": _FIXED.replace_line(_READ, "k, v = x_enc @ w_v, x_enc @ w_k"),
    },
)
