"""temperature_and_penalties.cold_penalty: what a penalty costs when a low temperature follows it."""

import torch

from clearformer.decoding import pipeline
from linebyline.exercises.core import Predict, Rng

BETA, TAU = 1.0, 0.5


def _fall(rng: Rng) -> float:
    """By which factor the odds of a token that came before are lower than without the penalty."""
    logits, came = torch.from_numpy(rng.normal(size=(1, 2))), torch.tensor([[0]])
    plain, lowered = (pipeline(presence=beta, tau=TAU)(logits, came).softmax(dim=-1) for beta in (0.0, BETA))
    return float((plain[0, 0] / plain[0, 1]) / (lowered[0, 0] / lowered[0, 1]))


EXERCISE = Predict(
    id="temperature_and_penalties.cold_penalty",
    title="A penalty in the cold",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="a pocket calculator",
    asks=("factor by which the odds fall",),
    compute=_fall,
    within=0.03,
    wrong_answers={
        "This would be right if the temperature came first. Here it divides the penalty, too.": 2.718,
        "Division by one half is no multiplication by one half.": 1.649,
        "This is by how much the difference of the logits falls. Odds are exponentials of it.": 2.0,
        "The penalty is taken off a logit, and odds are exponentials of logits.": 1.0,
        "The odds fall, so this is what remains of them; the factor by which they fall is its inverse.": 0.1353,
    },
)
