"""The feed-forward modules: equal to NumPy and T5, with and without biases, and what they refuse."""

from functools import partial

import numpy as np
import pytest
import torch
from transformers import T5Config
from transformers.models.t5.modeling_t5 import T5DenseActDense, T5DenseGatedActDense

from clearformer import functional as F
from clearformer import nn
from tests.nn.parts import RTOL, close, draw, generator, gradients, with_numbers

GELU_TANH = partial(torch.nn.functional.gelu, approximate="tanh")
PLAIN = {"w_in": "wi", "w_out": "wo"}
GATED = {"w_gate": "wi_0", "w_up": "wi_1", "w_down": "wo"}
ACTIVATIONS = [(torch.relu, F.relu), (GELU_TANH, F.gelu_tanh), (torch.tanh, np.tanh), (torch.sin, np.sin)]


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("activation", "in_numpy"), [(None, F.gelu), *ACTIVATIONS])
def test_equal_to_numpy(activation, in_numpy, bias: bool, dtype: torch.dtype) -> None:
    given = {"activation": activation} if activation else {}
    x = draw(2, 3, 5, dtype=dtype)
    ours = with_numbers(nn.FeedForward(5, 7, generator=generator(), bias=bias, dtype=dtype, **given))
    w = {name: parameter.detach().numpy() for name, parameter in ours.named_parameters()}
    assert sorted(w) == (["b_in", "b_out", "w_in", "w_out"] if bias else ["w_in", "w_out"])
    expected = F.feed_forward(x.numpy(), w["w_in"], w.get("b_in"), w["w_out"], w.get("b_out"), activation=in_numpy)
    close(ours(x), torch.from_numpy(expected))


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize(("activation", "in_numpy"), [(None, F.silu), *ACTIVATIONS])
def test_gated_equal_to_numpy(activation, in_numpy, dtype: torch.dtype) -> None:
    given = {"activation": activation} if activation else {}
    x = draw(2, 3, 5, dtype=dtype)
    ours = with_numbers(nn.GatedFeedForward(5, 7, generator=generator(), dtype=dtype, **given))
    w = {name: parameter.detach().numpy() for name, parameter in ours.named_parameters()}
    close(ours(x), torch.from_numpy(F.gated_feed_forward(x.numpy(), **w, activation=in_numpy)))


def test_biases_of_a_gated_layer_are_a_feature_that_is_always_1() -> None:
    """All but the last, which is added to the output, become a row of their matrix."""
    ours = with_numbers(nn.GatedFeedForward(5, 7, generator=generator(), bias=True, dtype=torch.float64))
    x = draw(2, 3, 5)
    w = {name: parameter.detach().numpy() for name, parameter in ours.named_parameters()}
    with_one = np.concatenate([x.numpy(), np.ones((2, 3, 1))], axis=-1)
    w_gate, w_up = (np.vstack([w[f"w_{name}"], w[f"b_{name}"]]) for name in ("gate", "up"))
    close(ours(x), torch.from_numpy(F.gated_feed_forward(with_one, w_gate, w_up, w["w_down"]) + w["b_down"]))


@pytest.mark.parametrize("gated", [False, True])
@pytest.mark.parametrize("dtype", RTOL)
def test_equal_to_t5_with_gradients(dtype: torch.dtype, gated: bool) -> None:
    make, make_peer, names = (
        (nn.GatedFeedForward, T5DenseGatedActDense, GATED) if gated else (nn.FeedForward, T5DenseActDense, PLAIN)
    )
    kind = "gated-gelu" if gated else "relu"
    activation = GELU_TANH if gated else torch.relu
    ours = with_numbers(make(6, 7, generator=generator(), activation=activation, bias=False, dtype=dtype))
    theirs = make_peer(T5Config(d_model=6, d_ff=7, feed_forward_proj=kind)).to(dtype).eval()
    theirs.load_state_dict({f"{names[name]}.weight": w.T for name, w in ours.state_dict().items()})
    x = draw(2, 3, 6, dtype=dtype).requires_grad_()
    got, expected = ours(x), theirs(x)
    close(got, expected)
    mine = gradients([x, *(ours.get_parameter(name) for name in names)], got)
    others = gradients([x, *(theirs.get_parameter(f"{name}.weight") for name in names.values())], expected)
    close(mine[0], others[0])
    for one, other in zip(mine[1:], others[1:], strict=True):
        close(one, other.T)


def test_start_keeps_the_spread() -> None:
    layer = nn.FeedForward(256, 1024, generator=generator())
    assert layer.w_in.std().item() == pytest.approx(256**-0.5, rel=0.02)
    assert layer.w_out.std().item() == pytest.approx(1024**-0.5, rel=0.02)
    assert not layer.b_in.any()
    assert not layer.b_out.any()
    assert torch.equal(layer.w_in, nn.FeedForward(256, 1024, generator=generator()).w_in)


@pytest.mark.parametrize("make", [nn.FeedForward, nn.GatedFeedForward])
def test_refusals(make, unchecked) -> None:
    with pytest.raises(ValueError, match="d_model=0 must be at least 1"):
        make(0, 4, generator=generator())
    with pytest.raises(ValueError, match=r"x must be \(..., 3\), got shape \(2, 4\)"):
        make(3, 4, generator=generator())(torch.zeros(2, 4))
