"""sampling.rejections: how many draws it takes until one lies in the nucleus."""

from linebyline.exercises.core import Predict, Rng

MASS, DRAWS = 0.8, 1_000_000


def _draws(rng: Rng) -> float:
    inside = rng.random(DRAWS) < MASS
    return float(DRAWS / inside.sum())


EXERCISE = Predict(
    id="sampling.rejections",
    title="Draw until it fits",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="pen and paper",
    asks=("draws on average",),
    compute=_draws,
    within=0.02,
    wrong_answers={
        "This is the chance that the first draw fits; one draw at least is made.": MASS,
        "This counts the first draw and one more; the second may fail, too.": 2 - MASS,
        "This is how many draws it takes until one lies outside.": 1 / (1 - MASS),
        "This is how many draws fail before one fits; the one that fits is a draw, too.": 1 / MASS - 1,
        "Four draws of five fit at once, but the others take longer.": 1.0,
    },
)
