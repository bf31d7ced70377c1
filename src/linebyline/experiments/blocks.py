"""What is a block made of, and which of it counts? Our model with one thing changed, at equal steps.

The feed-forward layer loses its nonlinearity, or gets another one or a gate; the two blocks lose their residual
connections, their norms change places, or they are RMS norms. All else is as in the stages. Two attention layers
without norms show what a feed-forward layer gains between them, and what it gains after them.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from clearformer.nn import GatedFeedForward
from linebyline import growing
from linebyline.growing.record import ALL, SMALL
from linebyline.our_model import FeedForward, Heads, Residual, rotate

from .our_model import SEEDS
from .our_runs import Prepared
from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

D, STEPS = growing.D_MODEL, ALL["two blocks"].steps
EPS = 1e-5  # as PyTorch's layer norm has it


class PostNorm(nn.Module):
    """Norm of the sum of a part and its input: the residual connection of the first Transformer."""

    def __init__(self, part: nn.Module) -> None:
        super().__init__()
        self.part, self.norm = part, nn.LayerNorm(D)

    def forward(self, x: Tensor) -> Tensor:
        """Add and normalize, (B, T, d_model)."""
        sums: Tensor = self.norm(x + self.part(x))
        return sums


def with_activation(vocab_size: int, activation: nn.Module) -> nn.Module:
    """Make the model of the stage "feed-forward" with another nonlinearity, and with the same weights."""
    model: Any = ALL["feed-forward"].make(vocab_size)
    model[2][0][1] = activation
    return nn.Sequential(*model)


def with_layer(vocab_size: int, layer: Callable[[], nn.Module]) -> nn.Module:
    """Make the model of that stage with another layer."""
    model: Any = ALL["feed-forward"].make(vocab_size)
    model[2] = Residual(layer())
    return nn.Sequential(*model)


def blocks(vocab_size: int, joined: Callable[[nn.Module], nn.Module], last: nn.Module) -> nn.Module:
    """Make two blocks whose parts are joined to the stream in some way, with a last norm."""
    parts: list[nn.Module] = [nn.Embedding(vocab_size, D)]
    for _ in range(growing.N_LAYERS):
        attention: nn.Module = Heads(D, growing.N_HEADS, rotate)  # type: ignore[no-untyped-call]
        parts += [joined(attention), joined(FeedForward(D))]  # type: ignore[no-untyped-call]
    return nn.Sequential(*parts, last, nn.Linear(D, vocab_size))


def in_order(vocab_size: int, layers: str) -> nn.Module:
    """Make a model without norms whose layers are "a" for attention and "f" for feed-forward, in their order."""
    parts: list[nn.Module] = [nn.Embedding(vocab_size, D)]
    for letter in layers:
        part: Any = Heads(D, growing.N_HEADS, rotate) if letter == "a" else FeedForward(D)  # type: ignore[no-untyped-call]
        parts.append(Residual(part))
    return nn.Sequential(*parts, nn.Linear(D, vocab_size))


KINDS: dict[str, Callable[[int], nn.Module]] = {
    "no nonlinearity": lambda n: with_activation(n, nn.Identity()),
    "GELU": lambda n: with_activation(n, nn.GELU()),
    "gate": lambda n: with_layer(n, lambda: GatedFeedForward(D, 8 * D // 3 + 1)),
    "attention twice": lambda n: in_order(n, "aa"),
    "layer last": lambda n: in_order(n, "aaf"),
    "layer between": lambda n: in_order(n, "afa"),
    "no residual": lambda n: blocks(n, lambda part: nn.Sequential(nn.LayerNorm(D), part), nn.LayerNorm(D)),
    "post-norm": lambda n: blocks(n, PostNorm, nn.Identity()),
    "RMSNorm": lambda n: blocks(n, lambda part: Residual(nn.RMSNorm(D, EPS), part), nn.RMSNorm(D, EPS)),
}
RUNS = [("no nonlinearity", SMALL, 1), *((name, STEPS, 1) for name in KINDS), ("post-norm", STEPS, 2)]


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings: kind by kind, with all seeds, and at the end one kind at twice the rate."""
    for name, steps, faster in RUNS:
        yield from ({"kind": name, "steps": steps, "faster": faster, "seed": seed} for seed in range(SEEDS))


def made(kind: str, vocab_size: int, seed: int) -> nn.Module:
    """Make our model with one thing changed; a seed decides its weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return KINDS[kind](vocab_size)


def prepared(setting: Facts, texts: Texts) -> Prepared[nn.Module]:
    """Make the model of a setting, and its training run; its text is that of our model."""
    text, seed = growing.text(), setting["seed"]
    rate = setting["faster"] * ALL["two blocks"].rate
    return Prepared(made(setting["kind"], text.vocab_size, seed), text, setting["steps"], rate, seed)


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor.

    Returns:
        The first losses, the mean of the last 50, the bits per byte on unseen text, and the number of parameters.
    """
    run = prepared(setting, texts)
    losses = [run.run(1)[0] for _ in progress(range(setting["steps"]))]
    return {
        "first": [rounded(loss) for loss in losses[:3]],
        "last": rounded(sum(losses[-50:]) / 50),
        "bits": rounded(growing.bits_per_byte(run.model, run.text)),
        "parameters": sum(parameter.numel() for parameter in run.model.parameters()),
    }


RECIPE = {"d_model": D, "n_heads": growing.N_HEADS, "n_layers": growing.N_LAYERS, "window": growing.WINDOW}
STUDY = Study("blocks", RECIPE, list(settings()), lambda each: (each["steps"], 30), measure)
