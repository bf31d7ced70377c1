"""Feed-forward modules and blocks: equal to NumPy, PyTorch and Llama, step by step as all at once, and refusals."""

from functools import partial

import numpy as np
import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.models.llama.modeling_llama import LlamaMLP

from clearformer import functional as F
from clearformer import nn
from clearformer.course.claims.feed_forward import TENSORS

RTOL = {torch.float32: 1e-5, torch.float64: 1e-10}


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def draw(*shape: int, seed: int = 1, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=generator(seed), dtype=torch.float64).to(dtype)


def with_numbers(module: torch.nn.Module) -> torch.nn.Module:
    for seed, parameter in enumerate(module.parameters()):
        parameter.data = draw(*parameter.shape, seed=seed, dtype=parameter.dtype) / 2
    return module


def close(got, expected, dtype=torch.float64) -> None:
    torch.testing.assert_close(got, expected, rtol=RTOL[dtype], atol=RTOL[dtype])


@pytest.mark.parametrize("dtype", RTOL)
def test_equal_to_numpy(dtype: torch.dtype) -> None:
    x = draw(2, 3, 5, dtype=dtype)
    ours = with_numbers(nn.FeedForward(5, 7, generator=generator(), dtype=dtype))
    gated = with_numbers(nn.GatedFeedForward(5, 7, generator=generator(), dtype=dtype))
    for module, function in ((ours, F.feed_forward), (gated, F.gated_feed_forward)):
        weights = [parameter.detach().numpy() for parameter in module.parameters()]
        close(module(x).detach(), torch.from_numpy(function(x.numpy(), *weights)), dtype)


@pytest.mark.parametrize("dtype", RTOL)
def test_swiglu_equals_llama_with_gradients(dtype: torch.dtype) -> None:
    ours = with_numbers(nn.GatedFeedForward(6, 7, generator=generator(), dtype=dtype))
    theirs = LlamaMLP(LlamaConfig(hidden_size=6, intermediate_size=7, num_attention_heads=1)).to(dtype)
    pairs = [(ours.w_gate, theirs.gate_proj), (ours.w_up, theirs.up_proj), (ours.w_down, theirs.down_proj)]
    for w, linear in pairs:
        linear.weight.data = w.detach().T.clone()
    x, direction = draw(2, 3, 6, dtype=dtype), draw(2, 3, 6, seed=9, dtype=dtype)
    got, expected = ours(x), theirs(x)
    close(got, expected, dtype)
    (got * direction).sum().backward()
    (expected * direction).sum().backward()
    for w, linear in pairs:
        close(w.grad, linear.weight.grad.T, dtype)


def test_start_keeps_the_spread() -> None:
    layer = nn.FeedForward(256, 1024, generator=generator())
    assert layer.w_in.std().item() == pytest.approx(256**-0.5, rel=0.02)
    assert layer.w_out.std().item() == pytest.approx(1024**-0.5, rel=0.02)
    assert not layer.b_in.any()
    assert not layer.b_out.any()
    assert torch.equal(layer.w_in, nn.FeedForward(256, 1024, generator=generator()).w_in)


@pytest.mark.parametrize("make", [nn.FeedForward, nn.GatedFeedForward])
def test_refusals(make, unchecked) -> None:
    with pytest.raises(ValueError, match="d_model=0 and d_ff=4 must be at least 1"):
        make(0, 4, generator=generator())
    with pytest.raises(ValueError, match=r"x must be \(..., d_model=3\), got shape \(2, 4\)"):
        make(3, 4, generator=generator())(torch.zeros(2, 4))


# --- the block ---


def block(make=nn.Block, dtype=torch.float64, activation=torch.relu, bias=True, n_kv_heads=None):
    start = generator()
    attention = nn.MultiHeadAttention(6, 2, n_kv_heads, generator=start, bias=bias, dtype=dtype)
    feed_forward = nn.FeedForward(6, 10, generator=start, activation=activation, dtype=dtype)
    return with_numbers(make(attention, feed_forward, partial(nn.LayerNorm, 6, dtype=dtype)))


def as_torch(ours: nn.Block, norm_first: bool, activation, dtype) -> torch.nn.TransformerEncoderLayer:
    """PyTorch's layer with our weights."""
    layer = torch.nn.TransformerEncoderLayer(
        6, 2, 10, dropout=0.0, activation=activation, batch_first=True, norm_first=norm_first, dtype=dtype
    )
    a, f = ours.attention, ours.feed_forward
    weights = {
        "self_attn.in_proj_weight": a.w_qkv.T,
        "self_attn.in_proj_bias": a.b_qkv,
        "self_attn.out_proj.weight": a.w_o.T,
        "self_attn.out_proj.bias": a.b_o,
        "linear1.weight": f.w_in.T,
        "linear1.bias": f.b_in,
        "linear2.weight": f.w_out.T,
        "linear2.bias": f.b_out,
        "norm1.weight": ours.norm_attention.gamma,
        "norm1.bias": ours.norm_attention.beta,
        "norm2.weight": ours.norm_feed_forward.gamma,
        "norm2.bias": ours.norm_feed_forward.beta,
    }
    layer.load_state_dict({name: w.detach() for name, w in weights.items()})
    return layer


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("activation", [torch.relu, torch.nn.functional.gelu])
@pytest.mark.parametrize(("make", "norm_first"), [(nn.Block, True), (nn.PostNormBlock, False)])
def test_equal_to_encoder_layer_with_gradients(make, norm_first: bool, activation, dtype) -> None:
    ours = block(make, dtype, activation)
    theirs = as_torch(ours, norm_first, activation, dtype)
    mask = torch.from_numpy(F.causal_mask(5))
    direction = draw(2, 5, 6, seed=9, dtype=dtype)
    a, b = (draw(2, 5, 6, dtype=dtype).requires_grad_() for _ in range(2))
    got, expected = ours(a, mask=mask), theirs(b, src_mask=~mask)
    close(got, expected, dtype)
    (got * direction).sum().backward()
    (expected * direction).sum().backward()
    close(a.grad, b.grad, dtype)
    close(ours.feed_forward.w_in.grad, theirs.linear1.weight.grad.T, dtype)
    close(ours.attention.w_qkv.grad, theirs.self_attn.in_proj_weight.grad.T, dtype)
    close(ours.attention.b_qkv.grad, theirs.self_attn.in_proj_bias.grad, dtype)
    close(ours.attention.b_o.grad, theirs.self_attn.out_proj.bias.grad, dtype)
    close(ours.norm_attention.gamma.grad, theirs.norm1.weight.grad, dtype)


@pytest.mark.parametrize("make", [nn.Block, nn.PostNormBlock])
def test_step_by_step_equals_all_at_once(make) -> None:
    ours = block(make, n_kv_heads=1)
    x = draw(2, 5, 6)
    whole = ours(x, mask=torch.from_numpy(F.causal_mask(5)))
    output, weights = ours.with_weights(x, mask=torch.from_numpy(F.causal_mask(5)))
    close(output, whole)
    assert weights.shape == (2, 2, 5, 5)
    cache, steps = None, []
    for part in x.split([2, 1, 2], dim=-2):
        step, cache = ours.extend(part, cache)
        steps.append(step)
    close(torch.cat(steps, dim=-2), whole)
    assert len(cache) == 5


def test_numpy_block_equals_module() -> None:
    ours, x = block(activation=torch.nn.functional.gelu, bias=False), np.random.default_rng(0).normal(size=(5, 6))
    w = {name: parameter.detach().numpy() for name, parameter in ours.named_parameters()}
    matrices = [*np.split(w["attention.w_qkv"], 3, axis=1), w["attention.w_o"]]
    normed = F.layer_norm(x, w["norm_attention.gamma"], w["norm_attention.beta"])
    middle = x + F.multi_head_attention(normed, normed, *matrices, n_heads=2)[0]
    normed = F.layer_norm(middle, w["norm_feed_forward.gamma"], w["norm_feed_forward.beta"])
    output = middle + F.feed_forward(normed, *(w[f"feed_forward.{n}"] for n in ("w_in", "b_in", "w_out", "b_out")))
    close(ours(torch.from_numpy(x)).detach(), torch.from_numpy(output))


# --- sizes of a published model ---


def test_tensors_of_llama_are_those_that_transformers_makes() -> None:
    config = LlamaConfig(hidden_size=4096, intermediate_size=11008, num_hidden_layers=32, num_attention_heads=32)
    with torch.device("meta"):  # shapes only: the weights would take 27 GB
        theirs = LlamaForCausalLM(config)
    assert sum(parameter.numel() for parameter in theirs.parameters()) == 6_738_415_616
    # nn.Linear keeps its matrices transposed, so the two axes may change places.
    assert sorted(sorted(shape) for shape in TENSORS.values()) == sorted(sorted(p.shape) for p in theirs.parameters())
