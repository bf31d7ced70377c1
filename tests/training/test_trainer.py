"""The loop: it learns, repeats itself, takes any loss and optimizer, and small batches add up to a large one."""

import math
from functools import partial

import pytest
import torch
from torch import Tensor, nn

from clearformer.training import MakeOptimizer, Trainer, adamw, cross_entropy
from tests.training.toys import VOCAB_SIZE, Tied, trainer, weights

IGNORE = -1


def test_learns_and_repeats_itself() -> None:
    one, other = trainer(), trainer()
    losses = one.run(20)
    assert losses == other.run(20)
    assert torch.equal(weights(one), weights(other))
    assert losses[0] > math.log(VOCAB_SIZE)  # nothing is known before the first step
    assert losses[-1] < 0.5 * losses[0]
    assert losses != trainer(seed=1).run(20)


def test_rate_and_decay_and_clipping() -> None:
    ours = trainer()
    ours.run(2)
    assert ours.optimizer.param_groups[0]["lr"] == pytest.approx(0.03 * 2 / 3)
    assert all(p.ndim >= 2 for p in ours.optimizer.param_groups[0]["params"])
    assert all(p.ndim < 2 for p in ours.optimizer.param_groups[1]["params"])
    assert [group["weight_decay"] for group in ours.optimizer.param_groups] == [0.1, 0]
    small = trainer(clip=1e-3)
    small.run(1)
    length = torch.cat([p.grad.flatten() for p in small.model.parameters()]).norm().item()
    assert length == pytest.approx(1e-3, rel=1e-3)


def test_progress_sees_every_step() -> None:
    seen = []
    trainer().run(3, progress=lambda steps: (seen.append(step) or step for step in steps))
    assert seen == [0, 1, 2]


def test_one_step_by_hand_with_another_loss_and_optimizer() -> None:
    line = nn.Linear(1, 1, bias=False)
    nn.init.constant_(line.weight, 2.0)

    def squared(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
        x, y, scale = batch  # of any length, as only the loss looks into it
        return (scale * (model(x) - y) ** 2).mean()

    batch = torch.tensor([[1.0], [3.0]]), torch.tensor([[1.0], [3.0]]), torch.tensor([[1.0], [2.0]])
    options = {"loss": squared, "optimizer": torch.optim.SGD, "clip": math.inf}
    sgd = Trainer(line, lambda generator: batch, lambda step: 0.5, generator=torch.Generator(), **options)
    assert sgd.run(1) == [(1 + 2 * 9) / 2]
    assert line.weight.item() == 2 - 0.5 * (2 * 1 * 1 + 2 * 2 * 3 * 3) / 2


def masked(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
    inputs, targets = batch
    return cross_entropy(model(inputs), targets, ignore_index=IGNORE)


def steps(seed: int, accumulate: int, *, ignored: float = 0.0, **options) -> tuple[list[float], Tensor]:
    """Train for three steps on six sequences each, in one batch or in several."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(VOCAB_SIZE, (18, 8), generator=generator)
    targets = ids[:, 1:].masked_fill(torch.rand(18, 7, generator=generator) < ignored, IGNORE)
    size = 6 // accumulate
    parts = zip(ids[:, :-1].split(size), targets.split(size), strict=True)
    options = {"loss": masked, "accumulate": accumulate, **options}
    ours = Trainer(Tied(generator).double(), lambda _: next(parts), lambda _: 0.01, generator=generator, **options)
    return ours.run(3), weights(ours)


def same_as_one_batch(accumulate: int, **options) -> None:
    for seed in range(2):
        (losses, small), (expected, large) = steps(seed, accumulate, **options), steps(seed, 1, **options)
        assert losses == pytest.approx(expected, rel=1e-10)
        torch.testing.assert_close(small, large, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("optimizer", [adamw, partial(torch.optim.SGD, momentum=0.9)])
@pytest.mark.parametrize("accumulate", [2, 6])
def test_batches_of_one_size_add_up_to_a_large_one(optimizer: MakeOptimizer, accumulate: int) -> None:
    same_as_one_batch(accumulate, optimizer=optimizer)


@pytest.mark.parametrize("ignored", [0.3, 1.0])
@pytest.mark.parametrize("accumulate", [2, 6])
def test_batches_that_count_their_targets_add_up_whatever_is_ignored(accumulate: int, ignored: float) -> None:
    same_as_one_batch(accumulate, ignored=ignored, count=lambda batch: (batch[1] != IGNORE).sum())


def refused(ours: Trainer, error: type[Exception], words: str, steps: int = 1) -> None:
    before, step = weights(ours), ours.step
    with pytest.raises(error, match=words):
        ours.run(steps)
    assert torch.equal(weights(ours), before)
    assert ours.step == step


@pytest.mark.parametrize("rate", [-1e-9, math.inf, math.nan])
def test_refuses_a_rate_that_is_none(rate: float) -> None:
    ours = trainer()
    ours.run(2)
    state, ours.schedule = ours.generator.get_state(), lambda step: rate if step == 2 else 0.1
    refused(ours, ValueError, f"learning rate of step 2 is {rate}, and must be finite and not negative")
    assert torch.equal(ours.generator.get_state(), state)


def test_refuses_to_learn_nothing() -> None:
    with pytest.raises(ValueError, match="accumulate=0 must be at least 1"):
        trainer(accumulate=0)
    ours = trainer()
    ours.schedule = lambda step: 0.0
    refused(ours, ValueError, "learning rate of steps 0 to 7 is always 0: nothing is learned", steps=7)


@pytest.mark.parametrize("schedule", [lambda step: step / 100, lambda step: 0.01 * max(0, 4 - step)])
def test_a_rate_may_be_0_at_the_beginning_or_the_end(schedule) -> None:
    ours = trainer()
    ours.schedule = schedule
    for _ in range(6):
        (loss,) = ours.run(1)
        assert math.isfinite(loss)
    assert ours.step == 6


def test_refuses_an_empty_batch() -> None:
    ours = trainer()
    ours.batches = lambda generator: (torch.zeros(0, 7).long(),) * 2
    refused(ours, ValueError, r"a batch of shapes \[\(0, 7\), \(0, 7\)\] is empty")


def broken(trick) -> Trainer:
    """A training of which the third loss goes wrong."""
    calls = []

    def loss(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
        calls.append(batch)
        mean = cross_entropy(model(batch[0]), batch[1])
        return trick(mean) if len(calls) == 3 else mean

    ours = trainer(loss=loss)
    ours.run(2)
    return ours


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_refuses_a_loss_that_is_not_finite(value: float) -> None:
    message = f"at step 2 the loss is {value} and the norm of its gradient"
    refused(broken(lambda mean: mean * value), FloatingPointError, message)


def test_refuses_a_gradient_that_is_not_finite() -> None:
    message = r"at step 2 the loss is \d\.\d+ and the norm of its gradient nan: the weights are"
    refused(broken(lambda mean: mean + (mean - mean).sqrt()), FloatingPointError, message)
