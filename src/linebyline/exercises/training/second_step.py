"""training.second_step: what Adam does when the gradient turns round, and when it does not."""

from functools import partial

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Predict, Rng

LR, BETA_1, BETA_2 = 0.01, 0.9, 0.999


def _second_steps(rng: Rng) -> tuple[float, float]:
    first = rng.uniform(0.1, 100, size=1)  # of any size, as long as it is positive
    zero, step = np.zeros(1), partial(F.adam_step, lr=LR, beta_1=BETA_1, beta_2=BETA_2, eps=0.0)
    theta, m, v = step(zero, first, zero, zero, 1)
    turned, again = (step(theta, g, m, v, 2)[0] - theta for g in (-first, first))
    return turned.item(), again.item()


EXERCISE = Predict(
    id="training.second_step",
    title="The gradient turns round",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="a calculator",
    asks=("change at the second step, gradients 4 and -4", "the same, gradients 4 and 4"),
    compute=_second_steps,
    within=0.02,
    wrong_answers={
        "The numerator is a mean of both gradients, and not the last one.": (0.01, -0.01),
        "They do not quite cancel: of two gradients the later one weighs a little more.": (0.0, -0.01),
        "Both means began at 0, and after two steps that still shows, unless it is made up for.": (0.002237, -0.0425),
        "Right but for the signs: a step goes against the gradient.": (-0.000526, 0.01),
        "The mean of gradients is divided by their size: a step does not know how large they are.": (0.002105, -0.04),
    },
)
