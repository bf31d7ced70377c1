"""multi_head_attention.merged: causal attention in several heads, of which one line is at fault."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close


def _draw(rng: Rng, T: int = 5, d_model: int = 6) -> list[np.ndarray]:
    return [rng.normal(size=(T, d_model)), *rng.normal(size=(4, d_model, d_model))]


def _merged_by_hand(answer: Answer, rng: Rng) -> None:
    x, flat, same = np.array([[2.0, 10.0], [4.0, 30.0]]), np.zeros((2, 2)), np.eye(2)
    expected = [[2.0, 10.0], [3.0, 20.0]]
    expect_close(answer(x, flat, flat, same, same, 2), expected, "two heads of width 1 that average what they may see")


def _merged_definition(answer: Answer, rng: Rng) -> None:
    case = _draw(rng)
    expected, _ = F.multi_head_attention(case[0], *case, n_heads=3, mask=F.causal_mask(5))
    expect_close(answer(*case, 3), expected, "5 tokens of width 6, 3 heads")


def _merged_single(answer: Answer, rng: Rng) -> None:
    x, w_q, w_k, w_v, w_o = case = _draw(rng)
    expected, _ = F.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v, F.causal_mask(5))
    expect_close(answer(*case, 1), expected @ w_o, "a single head against attention and w_o")


def _merged_causal(answer: Answer, rng: Rng) -> None:
    x, *weights = _draw(rng)
    other = np.where(np.arange(5)[:, None] == 4, rng.normal(size=x.shape), x)
    before, after = (np.asarray(answer(array, *weights, 3))[:4] for array in (x, other))
    expect_close(after, before, "another last token, 3 heads: the outputs before it")


_SPLIT = "q, k, v = (F.split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))"
_MASK = "mask = F.causal_mask(len(x))"
_ATTEND = "heads, _ = F.scaled_dot_product_attention(q, k, v, mask)"
_MERGE = "side_by_side = heads.reshape(len(x), -1)"
_RETURN = "return side_by_side @ w_o"
_BROKEN = Code(
    f"""
def multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    {_SPLIT}
    {_MASK}
    {_ATTEND}
    {_MERGE}
    {_RETURN}
""",
    np=np,
    F=F,
)
_FIXED = _BROKEN.replace_line(_MERGE, "side_by_side = heads.swapaxes(0, 1).reshape(len(x), -1)")

EXERCISE = Diagnose(
    id="multi_head_attention.merged",
    title="Right shapes, wrong rows",
    difficulty="medium",
    points=4,
    minutes=20,
    may_use="NumPy and `F`",
    laws=(
        Law("a case worked by hand", _merged_by_hand),
        Law("the definition", _merged_definition),
        Law("a single head is attention and w_o", _merged_single),
        Law("no output depends on a later token", _merged_causal),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "The heads come as (n_heads, T, d_v), and a reshape reads them in that order: all positions of head 0, "
        "then all of head 1. Positions must stand before heads first; then the heads of one position lie side by side."
    ),
    innocent={
        _SPLIT: "One head after the other, each with its own columns of the projections: the package's own split.",
        _MASK: "True where a query may attend, and the same for all heads: it broadcasts.",
        _ATTEND: "The head axis is a batch axis here, the divisor is a head's own, and no row looks ahead.",
        _RETURN: "W_O adds up what stands side by side. It can only mix within a row, so the leak comes from above.",
    },
    wrong_answers={
        "turns all three axes round": _BROKEN.replace_line(_MERGE, "side_by_side = heads.T.reshape(len(x), -1)"),
        "reshapes to columns and transposes": _BROKEN.replace_line(
            _MERGE, "side_by_side = heads.reshape(-1, len(x)).T"
        ),
        "swaps positions and features": _BROKEN.replace_line(
            _MERGE, "side_by_side = heads.swapaxes(1, 2).reshape(len(x), -1)"
        ),
        "deals the features of the heads out in turn": _BROKEN.replace_line(
            _MERGE, "side_by_side = np.moveaxis(heads, 0, -1).reshape(len(x), -1)"
        ),
        "averages the heads": _BROKEN.replace_line(_MERGE, "side_by_side = np.tile(heads.mean(axis=0), n_heads)"),
        "splits by the same reshape, so that both undo each other": _BROKEN.replace_line(
            _SPLIT, "q, k, v = ((x @ w).reshape(n_heads, len(x), -1) for w in (w_q, w_k, w_v))"
        ),
        "drops the mask": _FIXED.replace_line(_MASK, "mask = None"),
        "transposes the mask": _FIXED.replace_line(_MASK, "mask = F.causal_mask(len(x)).T"),
        "hides each token from itself": _FIXED.replace_line(_MASK, "mask = np.tri(len(x), k=-1, dtype=bool)"),
        "transposes w_o": _FIXED.replace_line(_RETURN, "return side_by_side @ w_o.T"),
    },
)
