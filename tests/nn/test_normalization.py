"""The normalization modules: equal to the NumPy functions and to PyTorch's own, and what they refuse."""

import numpy as np
import pytest
import torch

from clearformer import functional as F
from clearformer import nn

RTOL = {torch.float32: 1e-5, torch.float64: 1e-10}
OURS = {
    "LayerNorm": (nn.LayerNorm, torch.nn.LayerNorm, {"gamma": "weight", "beta": "bias"}),
    "RMSNorm": (nn.RMSNorm, torch.nn.RMSNorm, {"gamma": "weight"}),
}


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def with_numbers(module: torch.nn.Module) -> torch.nn.Module:
    for seed, parameter in enumerate(module.parameters()):
        parameter.data = draw(*parameter.shape, seed=seed + 1, dtype=parameter.dtype)
    return module


@pytest.mark.parametrize("dtype", RTOL)
def test_equal_to_numpy(dtype: torch.dtype) -> None:
    x, close = draw(2, 3, 5, 7, dtype=dtype), {"rtol": RTOL[dtype], "atol": RTOL[dtype] / 10}
    layer, rms = with_numbers(nn.LayerNorm(7, eps=1e-3, dtype=dtype)), with_numbers(nn.RMSNorm(7, dtype=dtype))
    gamma, beta = (parameter.detach().numpy() for parameter in layer.parameters())
    np.testing.assert_allclose(layer(x).detach(), F.layer_norm(x.numpy(), gamma, beta, eps=1e-3), **close)
    np.testing.assert_allclose(rms(x).detach(), F.rms_norm(x.numpy(), rms.gamma.detach().numpy()), **close)
    assert layer(x).dtype == rms(x).dtype == dtype


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("name", OURS)
def test_equal_to_torch_with_gradients(name: str, dtype: torch.dtype) -> None:
    make, make_peer, names = OURS[name]
    ours, peer = with_numbers(make(7, dtype=dtype)), make_peer(7, eps=1e-5, dtype=dtype)
    peer.load_state_dict({names[key]: value for key, value in ours.state_dict().items()})
    x, direction = draw(2, 5, 7, dtype=dtype), draw(2, 5, 7, seed=9, dtype=dtype)
    a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
    got, expected = ours(a), peer(b)
    got.backward(direction)
    expected.backward(direction)
    pairs = [(got, expected), (a.grad, b.grad)]
    pairs += [(getattr(ours, key).grad, getattr(peer, names[key]).grad) for key in names]
    for one, other in pairs:
        torch.testing.assert_close(one, other, rtol=RTOL[dtype], atol=RTOL[dtype])


def test_start_and_state() -> None:
    layer, rms = nn.LayerNorm(3), nn.RMSNorm(3)
    assert list(layer.state_dict()) == ["gamma", "beta"]
    assert list(rms.state_dict()) == ["gamma"]
    assert torch.equal(layer.gamma, torch.ones(3))
    assert torch.equal(layer.beta, torch.zeros(3))
    assert torch.equal(rms.gamma, torch.ones(3))


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("make", [nn.LayerNorm, nn.RMSNorm])
def test_refuses_what_has_no_meaning(make) -> None:
    with pytest.raises(ValueError, match=r"^d_model=0 must be at least 1$"):
        make(0)
    with pytest.raises(ValueError, match=r"^eps=-0.1 must not be negative$"):
        make(3, eps=-0.1)
    with pytest.raises(ValueError, match=r"^x must be \(\.\.\., d_model=3\), got shape \(2, 1\)$"):
        make(3)(torch.ones(2, 1))
