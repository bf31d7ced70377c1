"""positional_encoding.row_length: the squared length of one row of the sinusoidal encoding."""

from clearformer import functional as F
from linebyline.exercises.core import Predict, Rng

T, D_MODEL = 1000, 512


def _squared_length(rng: Rng) -> float:
    row = F.sinusoidal_encoding(T, D_MODEL)[rng.integers(T)]  # (d_model,)
    return float(row @ row)


EXERCISE = Predict(
    id="positional_encoding.row_length",
    title="How long is a row?",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="pen and paper",
    asks=("squared length of a row",),
    compute=_squared_length,
    within=0.02,
    wrong_answers={
        "Not every feature gives 1: it takes a sine and a cosine of one angle.": D_MODEL,
        "This is the length: its square was asked for.": (D_MODEL / 2) ** 0.5,
        "This is what one hand gives, and a row has many.": 1,
        "This is the length of a row of ones: sines are smaller, and the square was asked for.": D_MODEL**0.5,
    },
)
