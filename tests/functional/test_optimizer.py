"""AdamW: by hand, against PyTorch, as laws of its step, and what it refuses."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F

RATES = {"beta_1": 0.9, "beta_2": 0.97, "eps": 1e-8}
seeds, numbers = st.integers(0, 2**32 - 1), st.floats(0.01, 100)


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


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float32, 1e-5), (np.float64, 1e-10)])
@pytest.mark.parametrize("weight_decay", [0.0, 0.3])
def test_equal_to_torch_over_several_steps(weight_decay: float, dtype: type, rtol: float) -> None:
    rng = np.random.default_rng(0)
    theta = rng.normal(size=(3, 5)).astype(dtype)
    peer = torch.nn.Parameter(torch.tensor(theta))
    optimizer = torch.optim.AdamW([peer], lr=0.01, betas=(0.9, 0.97), eps=1e-8, weight_decay=weight_decay)
    m, v = np.zeros_like(theta), np.zeros_like(theta)
    for step in range(1, 12):
        gradient = rng.normal(size=(3, 5)).astype(dtype)
        theta, m, v = F.adamw_step(theta, gradient, m, v, step, lr=0.01, weight_decay=weight_decay, **RATES)
        peer.grad = torch.tensor(gradient)
        optimizer.step()
        assert theta.dtype == m.dtype == v.dtype == dtype
        np.testing.assert_allclose(theta, peer.detach().numpy(), rtol=rtol, atol=rtol / 10)


@given(seeds, numbers, numbers)
def test_the_first_step_has_the_size_of_lr(seed: int, scale: float, lr: float) -> None:
    rng = np.random.default_rng(seed)
    theta, gradient = rng.normal(size=(2, 5))
    zero = np.zeros(5)
    moved, _, _ = F.adamw_step(theta, scale * gradient, zero, zero, 1, lr=lr, weight_decay=0.0, **RATES | {"eps": 0.0})
    np.testing.assert_allclose(moved, theta - lr * np.sign(gradient), rtol=1e-12, atol=1e-12)


@given(seeds, st.integers(1, 50), st.floats(0, 1))
def test_decay_pulls_at_the_parameter_alone(seed: int, step: int, weight_decay: float) -> None:
    """The means know nothing of it, and what it takes is lr * weight_decay of the parameter."""
    theta, gradient, m, v = np.random.default_rng(seed).random(size=(4, 3))
    for array in (theta, gradient, m, v):
        array.flags.writeable = False
    plain, *means = F.adamw_step(theta, gradient, m, v, step, lr=0.1, weight_decay=0.0, **RATES)
    decayed, *others = F.adamw_step(theta, gradient, m, v, step, lr=0.1, weight_decay=weight_decay, **RATES)
    np.testing.assert_array_equal(means, others)
    np.testing.assert_allclose(decayed, plain - 0.1 * weight_decay * theta, rtol=1e-12, atol=1e-13)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gradient": np.ones(2)}, r"^gradient \(2,\) must have the shape of its parameter \(3,\)$"),
        ({"v": np.ones((1, 3))}, r"^v \(1, 3\) must have the shape of its parameter \(3,\)$"),
        ({"step": 0}, r"^step=0: steps count from 1$"),
        ({"beta_1": 1.0}, r"^beta_1=1.0 must lie between 0 and below 1$"),
        ({"beta_2": -0.1}, r"^beta_2=-0.1 must lie between 0 and below 1$"),
    ],
)
def test_refuses(change: dict, message: str) -> None:
    arrays = {name: np.ones(3) for name in ("parameter", "gradient", "m", "v")}
    with pytest.raises(ValueError, match=message):
        F.adamw_step(**{**arrays, "step": 1, "lr": 0.1, "weight_decay": 0.0, **RATES, **change})
    with pytest.raises(TypeError, match=r"^m must hold floats, got dtype int64"):
        F.adamw_step(**arrays | {"m": np.ones(3, dtype=int)}, step=1, lr=0.1, weight_decay=0.0, **RATES)
