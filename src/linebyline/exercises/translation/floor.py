"""translation.floor: the least loss that label smoothing leaves, and the probability that gives it."""

import torch
from scipy.optimize import minimize_scalar

from clearformer.training import cross_entropy
from linebyline.exercises.core import Predict, Rng

V, SHARE = 1000, 0.1


def _least(rng: Rng) -> tuple[float, float]:
    """Look for the logit of the right word, above those of all others, that has the least loss."""
    target = torch.tensor([int(rng.integers(V))])

    def logits(margin: float) -> torch.Tensor:
        return margin * torch.nn.functional.one_hot(target, V).double()  # (1, V)

    def loss(margin: float) -> float:
        return cross_entropy(logits(margin), target, label_smoothing=SHARE).item()

    found = minimize_scalar(loss, bounds=(0, 50), method="bounded", options={"xatol": 1e-9})
    return logits(found.x).softmax(dim=-1)[0, target].item(), float(found.fun)


EXERCISE = Predict(
    id="translation.floor",
    title="A loss that never gets to zero",
    difficulty="medium",
    points=2,
    minutes=15,
    may_use="a calculator",
    asks=("probability of the right word", "least loss in nats for a word"),
    compute=_least,
    within=0.02,
    wrong_answers={
        "Who is sure of the right word says that all others are impossible, and each of them is asked for a little.": (
            1.0,
            0.0,
        ),
        "The probability is right. But the other words are asked for, too, and a surprise at a rare one is large.": (
            0.9001,
            0.1053,
        ),
        "The probability is right. But this is the surprise at the right word by its share: the others are missing.": (
            0.9001,
            0.0947,
        ),
        "The probability is right. But the other words share a tenth: each of them has a thousandth of that.": (
            0.9001,
            0.3251,
        ),
        "This is what a model pays that knows nothing.": (0.001, 6.908),
    },
)
