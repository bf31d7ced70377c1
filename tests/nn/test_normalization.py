"""The normalization modules: equal to the NumPy functions and to PyTorch's own, and what they refuse."""

import pytest
import torch

from clearformer import functional as F
from clearformer import nn
from tests.nn.parts import RTOL, close, draw, gradients, with_numbers

OURS = {
    "LayerNorm": (nn.LayerNorm, torch.nn.LayerNorm, {"gamma": "weight", "beta": "bias"}),
    "RMSNorm": (nn.RMSNorm, torch.nn.RMSNorm, {"gamma": "weight"}),
}


@pytest.mark.parametrize("dtype", RTOL)
def test_equal_to_numpy(dtype: torch.dtype) -> None:
    x = draw(2, 3, 5, 7, dtype=dtype)
    layer, rms = with_numbers(nn.LayerNorm(7, eps=1e-3, dtype=dtype)), with_numbers(nn.RMSNorm(7, dtype=dtype))
    gamma, beta = (parameter.detach().numpy() for parameter in layer.parameters())
    close(layer(x), torch.from_numpy(F.layer_norm(x.numpy(), gamma, beta, eps=1e-3)))
    close(rms(x), torch.from_numpy(F.rms_norm(x.numpy(), rms.gamma.detach().numpy())))


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("name", OURS)
def test_equal_to_torch_with_gradients(name: str, dtype: torch.dtype) -> None:
    make, make_peer, names = OURS[name]
    ours, peer = with_numbers(make(7, dtype=dtype)), make_peer(7, eps=1e-5, dtype=dtype)
    peer.load_state_dict({names[key]: value for key, value in ours.state_dict().items()})
    x = draw(2, 5, 7, dtype=dtype).requires_grad_()
    got, expected = ours(x), peer(x)
    close(got, expected)
    mine = gradients([x, *(ours.get_parameter(key) for key in names)], got)
    others = gradients([x, *(peer.get_parameter(key) for key in names.values())], expected)
    for one, other in zip(mine, others, strict=True):
        close(one, other)


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
    with pytest.raises(RuntimeError, match=r"shape \[\*,? ?3\]"):
        make(3)(torch.ones(2, 1))
