"""training_at_scale.noise: how many windows make the noise of a gradient as long as the gradient."""

import numpy as np

from linebyline.exercises.core import Predict, Rng

N_PARAMS, LENGTH, SPREAD, DRAWS = 50, 2.0, 1.0, 40_000


def _noise_scale(rng: Rng) -> tuple[float]:
    direction = rng.normal(size=N_PARAMS)
    common = LENGTH * direction / np.linalg.norm(direction)  # the gradient of the whole text
    windows = common + SPREAD * rng.normal(size=(DRAWS, N_PARAMS))
    return (((windows - common) ** 2).sum(axis=1).mean() / LENGTH**2,)


EXERCISE = Predict(
    id="training_at_scale.noise",
    title="As much noise as signal",
    difficulty="easy",
    points=2,
    minutes=5,
    may_use="pen and paper",
    asks=("windows in the batch",),
    compute=_noise_scale,
    within=0.03,
    wrong_answers={
        "Lengths are squared on both sides: of the gradient, too.": (25.0,),
        "The noise of all fifty numbers counts, not that of one.": (0.25,),
        "The other way round: the noise stands above, the gradient below.": (0.08,),
        "This is the noise of one window; how long is the gradient beside it?": (50.0,),
        "Variances add up over the numbers, and lengths do not.": (3.54,),
    },
)
