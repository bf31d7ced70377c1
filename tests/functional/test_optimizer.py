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
