"""Momentum, Adam and AdamW: by hand, against PyTorch, as laws of a step."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from clearformer import functional as F

STEPS = 100
seeds, betas = st.integers(0, 2**32 - 1), st.floats(0, 0.999)
rates, decays = st.floats(1e-5, 0.1), st.floats(0, 0.5)
some = settings(max_examples=30)  # each of them is 100 steps


def test_two_steps_of_momentum_by_hand() -> None:
    theta, velocity = F.momentum_step(np.array([8.0]), np.array([3.0]), np.zeros(1), lr=0.5, beta=0.75)
    assert (theta, velocity) == (6.5, 3)
    theta, velocity = F.momentum_step(theta, np.array([-1.0]), velocity, lr=0.5, beta=0.75)
    assert (theta, velocity) == (6.5 - 0.5 * 1.25, 1.25)


def test_two_steps_by_hand() -> None:
    rates = {"lr": 0.5, "beta_1": 0.5, "beta_2": 0.75, "eps": 1.0, "weight_decay": 0.25}
    zero = np.zeros(1)
    theta, m, v = F.adamw_step(np.array([8.0]), np.array([3.0]), zero, zero, 1, **rates)
    # m = 1.5, v = 9 / 4; without the start they are 3 and 9; 8 - 0.5 * (3 / (3 + 1) + 2)
    assert (m, v, theta) == (1.5, 2.25, 6.625)
    theta, m, v = F.adamw_step(theta, np.array([0.0]), m, v, 2, **rates)
    assert (m, v) == (0.75, 1.6875)
    expected = 6.625 - 0.5 * ((0.75 / 0.75) / (np.sqrt(1.6875 / 0.4375) + 1) + 0.25 * 6.625)
    np.testing.assert_allclose(theta, expected, rtol=1e-15)


def theirs(
    theta: np.ndarray, gradients: np.ndarray, make: Callable[..., torch.optim.Optimizer]
) -> Iterator[np.ndarray]:
    """Return PyTorch's parameter after each step."""
    peer = torch.nn.Parameter(torch.tensor(theta))
    optimizer = make([peer])
    for gradient in gradients:
        peer.grad = torch.tensor(gradient)
        optimizer.step()
        yield peer.detach().numpy()


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A parameter, and gradients of different sizes."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(2, 3)), rng.normal(size=(STEPS, 2, 3)) * 10 ** rng.uniform(-1, 1, size=(2, 3))


def same(got: np.ndarray, expected: np.ndarray, largest: float) -> None:
    """Equal to 1e-12; what comes back to 0 keeps the rounding of the largest number that it was."""
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12 * largest)


@some
@given(seeds, rates, betas)
def test_momentum_equals_torch(seed: int, lr: float, beta: float) -> None:
    theta, gradients = drawn(seed)
    peers = theirs(theta, gradients, partial(torch.optim.SGD, lr=lr, momentum=beta))
    velocity, largest = np.zeros_like(theta), 1.0
    for gradient, peer in zip(gradients, peers, strict=True):
        theta, velocity = F.momentum_step(theta, gradient, velocity, lr=lr, beta=beta)
        largest = max(largest, np.abs(theta).max())
        same(theta, peer, largest)


@some
@given(seeds, rates, betas, st.floats(0.9, 0.999), decays)
def test_adam_and_its_decays_equal_torch(seed: int, lr: float, beta_1: float, beta_2: float, decay: float) -> None:
    """Adam with the decay in its gradient, as an L2 penalty has it, and AdamW with the decay apart."""
    start, gradients = drawn(seed)
    options = {"lr": lr, "betas": (beta_1, beta_2), "eps": 1e-8, "weight_decay": decay}
    ours = {"lr": lr, "beta_1": beta_1, "beta_2": beta_2, "eps": 1e-8}
    for kind, step_of in (
        (torch.optim.Adam, lambda theta, g, *rest: F.adam_step(theta, g + decay * theta, *rest, **ours)),
        (torch.optim.AdamW, partial(F.adamw_step, weight_decay=decay, **ours)),
    ):
        theta, m, v = start, np.zeros_like(start), np.zeros_like(start)
        peers = theirs(start, gradients, partial(kind, **options))
        for step, (gradient, peer) in enumerate(zip(gradients, peers, strict=True), 1):
            theta, m, v = step_of(theta, gradient, m, v, step)
            same(theta, peer, 1.0)
