"""Training runs of our model and its variants, for the studies that ask what a part is worth."""

from itertools import islice
from typing import Generic, TypeVar

from torch import nn

from linebyline import growing

Model = TypeVar("Model", bound=nn.Module)


class Prepared(Generic[Model]):
    """A model and its training run, which has not begun."""

    def __init__(self, model: Model, text: growing.Text, steps: int, rate: float, seed: int, shift: int = 1) -> None:
        self.model, self.text = model, text
        self.losses = growing.train(model, text.read, steps, rate, seed=seed, shift=shift)

    def run(self, steps: int) -> list[float]:
        """Make some steps, and return their losses."""
        return list(islice(self.losses, steps))
