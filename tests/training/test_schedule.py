"""Schedules: worked by hand, equal to PyTorch's and transformers', their highest rate, and what they refuse."""

import math
from collections.abc import Callable

import pytest
import torch
from transformers import get_cosine_schedule_with_warmup, get_inverse_sqrt_schedule

from clearformer.training import inverse_square_root, warmup_cosine


def test_cosine_by_hand() -> None:
    rate = warmup_cosine(2.0, 4, 12, floor=0.25)
    assert [rate(i) for i in range(4)] == [0.5, 1.0, 1.5, 2.0]
    assert rate(8) == pytest.approx(2 * (0.25 + 0.75 / 2))
    assert rate(12) == rate(100) == pytest.approx(0.5)
    assert all(rate(i) >= rate(i + 1) for i in range(4, 12))


def test_root_by_hand() -> None:
    rate = inverse_square_root(512, 4000)  # the first Transformer's
    assert rate(0) == pytest.approx(512**-0.5 / 4000**1.5)
    assert rate(3_999) == pytest.approx((512 * 4000) ** -0.5)
    assert rate(15_999) == pytest.approx(rate(3_999) / 2)
    assert inverse_square_root(2048, 4000)(9) == pytest.approx(rate(9) / 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: warmup_cosine(1.0, 13, 12), "warmup=13 between 0 and steps=12"),
        *((lambda p=p: warmup_cosine(p, 1, 5), f"peak={p} must be positive") for p in (math.inf, math.nan, 0.0)),
        (lambda: inverse_square_root(0, 5), "d_model=0 and warmup=5 must be at least 1"),
        (lambda: inverse_square_root(7, 0), "d_model=7 and warmup=0 must be at least 1"),
    ],
)
def test_refuses(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def rates_of(scheduler: torch.optim.lr_scheduler.LRScheduler, steps: int) -> list[float]:
    """The rate that each step is made with."""
    rates = []
    for _ in range(steps):
        rates.append(scheduler.get_last_lr()[0])
        scheduler.optimizer.step()
        scheduler.step()
    return rates


def optimizer(lr: float) -> torch.optim.Optimizer:
    return torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr)


@pytest.mark.parametrize(("warmup", "steps", "floor"), [(1, 5, 0.0), (10, 31, 0.5)])
def test_cosine_equals_torch(warmup: int, steps: int, floor: float) -> None:
    ours, peer = warmup_cosine(0.3, warmup, steps, floor=floor), optimizer(0.3)
    schedulers = torch.optim.lr_scheduler
    rise = schedulers.LinearLR(peer, start_factor=1 / warmup, total_iters=warmup - 1)
    fall = schedulers.CosineAnnealingLR(peer, steps - warmup, eta_min=floor * 0.3)
    both = schedulers.SequentialLR(peer, [rise, fall], milestones=[warmup])
    assert rates_of(both, steps + 1) == pytest.approx([ours(i) for i in range(steps + 1)], rel=1e-9)


@pytest.mark.parametrize(("warmup", "steps"), [(1, 5), (10, 31)])
def test_both_equal_transformers(warmup: int, steps: int) -> None:
    """Their warm-up begins one step earlier, at 0; their root counts that step, and their cosine does not."""
    cosine, root = warmup_cosine(0.3, warmup, steps, floor=0.0), inverse_square_root(7, warmup)
    theirs = rates_of(get_cosine_schedule_with_warmup(optimizer(0.3), warmup, steps), steps + 1)
    assert theirs[1 : warmup + 1] == pytest.approx([cosine(i) for i in range(warmup)], rel=1e-12)
    assert theirs[warmup:] == pytest.approx([cosine(i) for i in range(warmup, steps + 1)], rel=1e-12, abs=1e-15)
    peak = root(warmup - 1)
    theirs = rates_of(get_inverse_sqrt_schedule(optimizer(peak), warmup), steps)
    assert theirs[0] == 0
    assert theirs[1:] == pytest.approx([root(i) for i in range(steps - 1)], rel=1e-12)
