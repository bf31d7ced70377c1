"""sampling.nucleus: (p (vocab_size,), threshold) -> kept (vocab_size,), boolean, of which one line is at fault."""

import numpy as np

from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close


def _by_hand(answer: Answer, rng: Rng) -> None:
    p = np.array([0.1, 0.4, 0.2, 0.3])
    expect_close(answer(p, 0.6), [False, True, False, True], ".1 .4 .2 .3, threshold .6")
    expect_close(answer(p, 0.75), [False, True, True, True], ".1 .4 .2 .3, threshold .75")


def _exact(answer: Answer, rng: Rng) -> None:
    p = np.array([0.25, 0.5, 0.125, 0.125])
    expect_close(answer(p, 0.75), [True, True, False, False], ".25 .5 .125 .125, threshold .75: met exactly")
    expect_close(answer(p, 0.5), [False, True, False, False], "and threshold .5")


def _fewest(answer: Answer, rng: Rng) -> None:
    for _ in range(20):
        p, threshold = rng.dirichlet(np.full(11, 0.5)), rng.uniform(0.05, 0.95)
        keep = np.asarray(answer(p, threshold))
        expect_close(keep.dtype == bool and keep.shape == p.shape, True, "a boolean for each token")
        if not keep.any() or p[keep].sum() < threshold or p[keep].sum() - p[keep].min() >= threshold:
            mass = p[keep].sum() if keep.any() else 0.0
            raise AssertionError(
                f"expected the fewest tokens that reach {threshold:.3f}, got {keep.sum()} of {mass:.3f}"
            )


def _likeliest(answer: Answer, rng: Rng) -> None:
    p = rng.dirichlet(np.ones(13))
    keep = np.asarray(answer(p, 0.6)).astype(bool)
    expect_close(
        p[keep].min(initial=1) >= p[~keep].max(initial=0), True, "no token outside is likelier than one inside"
    )


def _small(answer: Answer, rng: Rng) -> None:
    expect_close(answer(np.array([0.2, 0.7, 0.1]), 0.01), [False, True, False], "a tiny threshold keeps the likeliest")


_ORDER = "order = np.argsort(-p)"
_SUMS = "likelier = np.insert(p[order].cumsum()[:-1], 0, 0.0)"
_INSIDE = "inside = likelier < threshold"
_BACK = "return inside[order]"
_BROKEN = Code(
    """
def nucleus(p, threshold):
    order = np.argsort(-p)
    likelier = np.insert(p[order].cumsum()[:-1], 0, 0.0)
    inside = likelier < threshold
    return inside[order]
""",
    np=np,
)
_FIXED = _BROKEN.replace_line(_BACK, "return inside[np.argsort(order)]")


EXERCISE = Diagnose(
    id="sampling.nucleus",
    title="A nucleus with the wrong tokens",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("two cases worked by hand", _by_hand),
        Law("a sum that meets the threshold is enough", _exact),
        Law("the fewest tokens that reach it", _fewest),
        Law("the likeliest tokens", _likeliest),
        Law("never empty", _small),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "An index with order brings tokens into the order of ranks. Here ranks should become tokens again, which is "
        "the opposite permutation. The two are the same if order only exchanges pairs."
    ),
    innocent={
        _ORDER: "The likeliest token comes first: order holds the token at each rank.",
        _SUMS: "This is the mass of all likelier tokens, rank by rank: 0 for the first.",
        _INSIDE: "A token is needed as long as the likelier ones do not suffice. Their number is always right.",
    },
    wrong_answers={
        "answers in the order of ranks": _BROKEN.replace_line(_BACK, "return inside"),
        "turns the ranks around": _BROKEN.replace_line(_BACK, "return inside[order[::-1]]"),
        "sorts the answer": _BROKEN.replace_line(_BACK, "return np.sort(inside)[::-1]"),
        "gives the tokens, not a boolean for each": _BROKEN.replace_line(_BACK, "return order[inside]"),
        "gives numbers for true and false": _BROKEN.replace_line(_BACK, "return inside[np.argsort(order)].astype(int)"),
        "wants the sum to exceed the threshold": _FIXED.replace_line(_INSIDE, "inside = likelier <= threshold"),
        "leaves out the token that crosses the threshold": _FIXED.replace_line(_SUMS, "likelier = p[order].cumsum()"),
        "starts from the unlikely end": _FIXED.replace_line(_ORDER, "order = np.argsort(p)"),
        "takes the tokens as they come": _FIXED.replace_line(_ORDER, "order = np.arange(len(p))"),
        "compares each probability with the threshold": _FIXED.replace_line(_INSIDE, "inside = p[order] >= threshold"),
        "measures from the likeliest one, as min-p does": _FIXED.replace_line(
            _INSIDE, "inside = p[order] >= threshold * p.max()"
        ),
    },
)
