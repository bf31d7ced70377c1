"""translation.smoothed: (logits (B, T, V), targets (B, T), share, pad) -> the smoothed loss and its gradient."""

from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close

PAD, V = 0, 5


def _asked(targets: Any, share: float, V: int) -> Any:
    return (1 - share) * (np.arange(V) == targets[..., None]) + share / V  # (B, T, V)


def _smoothed(
    logits: Any,
    targets: Any,
    share: float,
    pad: int,
    *,
    asked: Any = None,
    n: int | None = None,
    everywhere: bool = False,
) -> Any:
    """The right answer, or with other probabilities asked for, another number to divide by, or padding that counts."""
    q = _asked(targets, share, logits.shape[-1]) if asked is None else asked
    log_p, counts = F.log_softmax(logits), np.ones_like(targets, bool) if everywhere else targets != pad
    n = counts.sum() if n is None else n
    losses = -(q * log_p).sum(axis=-1)  # (B, T)
    return losses[counts].sum() / n, np.where(counts[..., None], np.exp(log_p) - q, 0) / n


def _draw(rng: Rng) -> tuple[np.ndarray, np.ndarray]:
    lengths = rng.permutation([2, 3, 4])
    targets = np.where(np.arange(4) < lengths[:, None], rng.integers(1, V, size=(3, 4)), PAD)
    return rng.normal(size=(3, 4, V)), targets


def _by_hand(answer: Answer, rng: Rng) -> None:
    loss, gradient = answer(np.zeros((1, 2, 4)), np.array([[1, 3]]), 0.2, 3)
    expect_close(loss, np.log(4), "loss of four words alike")
    expected = [[[0.2, -0.6, 0.2, 0.2], [0.0] * 4]]
    expect_close(gradient, expected, "gradient with target 1 and then padding, share 0.2, four words alike")


def _plain(answer: Answer, rng: Rng) -> None:
    logits, targets = _draw(rng)
    rows = F.log_softmax(logits)[targets != PAD]
    chosen = rows[np.arange(len(rows)), targets[targets != PAD]]
    expect_close(answer(logits, targets, 0.0, PAD)[0], -chosen.mean(), "share 0: mean surprise at 9 words")


def _differences(answer: Answer, rng: Rng) -> None:
    logits, targets = _draw(rng)
    way = rng.normal(size=logits.shape)
    ahead, behind = (float(answer(logits + step * way, targets, 0.1, PAD)[0]) for step in (1e-5, -1e-5))
    slope = np.sum(np.asarray(answer(logits, targets, 0.1, PAD)[1]) * way)
    expect_close(slope, (ahead - behind) / 2e-5, "gradient along a direction, against two losses", rtol=1e-5)


def _floor(answer: Answer, rng: Rng) -> None:
    targets = _draw(rng)[1]
    q = _asked(targets, 0.3, V)
    loss, gradient = answer(np.log(q), targets, 0.3, PAD)
    expect_close(loss, -(0.76 * np.log(0.76) + 0.24 * np.log(0.06)), "loss of who says what is asked, share 0.3, V=5")
    expect_close(gradient, np.zeros_like(q), "gradient of who says what is asked")


def _padding(answer: Answer, rng: Rng) -> None:
    logits, targets = _draw(rng)
    padded = np.pad(logits, ((0, 0), (0, 3), (0, 0)), constant_values=7.0), np.pad(targets, ((0, 0), (0, 3)))
    (loss, gradient), (longer_loss, longer) = answer(logits, targets, 0.1, PAD), answer(*padded, 0.1, PAD)
    expect_close(longer_loss, loss, "loss with three more columns of padding")
    expect_close(longer, np.pad(gradient, ((0, 0), (0, 3), (0, 0))), "gradient with three more columns of padding")


def _large(answer: Answer, rng: Rng) -> None:
    logits, targets = _draw(rng)
    expected = _smoothed(logits, targets, 0.1, PAD)
    for got, value, name in zip(answer(logits + 1000, targets, 0.1, PAD), expected, ("loss", "gradient"), strict=True):
        expect_close(got, value, f"{name} with 1000 added to every logit")


def _direct(logits: Any, targets: Any, share: float, pad: int) -> Any:
    p = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    q, counts = _asked(targets, share, logits.shape[-1]), targets != pad
    loss = -(q * np.log(p)).sum(axis=-1)[counts].mean()
    return loss, np.where(counts[..., None], p - q, 0) / counts.sum()


def _but(change: Any) -> Answer:
    """Give the right answer with a change of its loss and gradient."""
    return lambda z, targets, share, pad: change(*_smoothed(z, targets, share, pad), z, targets, share, pad)


EXERCISE = Write(
    id="translation.smoothed",
    entry="smoothed_loss",
    title="A smoothed loss and its gradient",
    difficulty="hard",
    points=5,
    minutes=35,
    may_use="NumPy and `F.log_softmax`",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("without smoothing it is the mean surprise", _plain),
        Law("the gradient is the slope of the loss", _differences),
        Law("who says what is asked is left alone", _floor),
        Law("padding changes nothing", _padding),
        Law("large logits do not overflow", _large),
    ),
    wrong_answers={
        "shares among the other words only": lambda z, targets, share, pad: _smoothed(
            z,
            targets,
            share,
            pad,
            asked=np.where(np.arange(z.shape[-1]) == targets[..., None], 1 - share, share / (z.shape[-1] - 1)),
        ),
        "takes the share from nobody": lambda z, targets, share, pad: _smoothed(
            z, targets, share, pad, asked=_asked(targets, share, z.shape[-1]) + share * np.eye(z.shape[-1])[targets]
        ),
        "lets padding count": lambda z, targets, share, pad: _smoothed(z, targets, share, pad, everywhere=True),
        "divides by all positions": lambda z, targets, share, pad: _smoothed(z, targets, share, pad, n=targets.size),
        "adds up in place of averaging": lambda z, targets, share, pad: _smoothed(z, targets, share, pad, n=1),
        "does not average the gradient": _but(
            lambda loss, d, z, targets, share, pad: (loss, d * (targets != pad).sum())
        ),
        "turns the gradient round": _but(lambda loss, d, z, targets, share, pad: (loss, -d)),
        "does not smooth the gradient": _but(
            lambda loss, d, z, targets, share, pad: (loss, _smoothed(z, targets, 0.0, pad)[1])
        ),
        "does not smooth the loss": _but(
            lambda loss, d, z, targets, share, pad: (_smoothed(z, targets, 0.0, pad)[0], d)
        ),
        "averages each sentence by itself": _but(
            lambda loss, d, z, targets, share, pad: (
                np.mean([_smoothed(*row, share, pad)[0] for row in zip(z, targets, strict=True)]),
                d,
            )
        ),
        "takes padding to be 0": lambda z, targets, share, pad: _smoothed(z, targets, share, 0),
        "takes the exponential as it is": _direct,
    },
)
