"""Does a head gain by choosing? Our model with a mean of the past whose weights halve with each step back."""

from typing import Any

import torch
from torch import Tensor, nn

from linebyline import growing
from linebyline.growing.record import ALL

from .our_model import SEEDS
from .our_runs import Prepared
from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

STEPS = ALL["mean of the past"].steps


class FadingMean(growing.MeanOfPast):
    """The mean of the past with fixed weights: nothing is chosen, but recent tokens count more."""

    def forward(self, x: Tensor) -> Tensor:
        """Average the values of the tokens so far, (B, T, d_model)."""
        places = torch.arange(x.shape[-2])
        weights = (0.5 ** (places[:, None] - places)).tril()  # (T, T)
        found: Tensor = weights / weights.sum(-1, keepdim=True) @ self.w_v(x)
        return found


def prepared(setting: Facts, texts: Texts) -> Prepared[nn.Module]:
    """Make the stage "mean of the past" with such weights, and its training run."""
    text, seed = growing.text(), setting["seed"]
    model: Any = growing.build("mean of the past", text.vocab_size, seed)
    mean, model[1][0] = model[1][0], FadingMean(growing.D_MODEL)  # type: ignore[no-untyped-call]
    model[1][0].w_v = mean.w_v
    return Prepared(model, text, STEPS, ALL["mean of the past"].rate, seed)


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor, and return the first losses and the bits per byte on unseen text."""
    run = prepared(setting, texts)
    losses = [run.run(1)[0] for _ in progress(range(STEPS))]
    return {
        "first": [rounded(loss) for loss in losses[:3]],
        "bits": rounded(growing.bits_per_byte(run.model, run.text)),
    }


RECIPE = {"d_model": growing.D_MODEL, "window": growing.WINDOW, "steps": STEPS}
STUDY = Study("fixed_weights", RECIPE, [{"seed": seed} for seed in range(SEEDS)], lambda _: (STEPS, 12), measure)
