"""Blocks: equal to PyTorch's encoder and decoder layers and to NumPy, with every gradient, and made from parts."""

from functools import partial

import pytest
import torch

from clearformer import functional as F
from clearformer import nn
from tests.nn.parts import RTOL, attention, close, draw, generator, gradients, projections, with_numbers

B, T, S, D_MODEL, D_FF = 2, 5, 7, 6, 10
CAUSAL = torch.ones(T, T, dtype=torch.bool).tril()
THERE = torch.arange(S) < torch.tensor([[S], [3]])  # (B, S): which positions of the source are no padding
GELU = torch.nn.functional.gelu
MAKES = [(nn.Block, True), (nn.PostNormBlock, False)]


def block(make=nn.Block, *, cross=False, dtype=torch.float64, activation=torch.relu, n_kv_heads=None, **options):
    """A block with random numbers everywhere."""
    mixing = partial(attention, 2, n_kv_heads, D_MODEL, dtype, bias=True)
    feed_forward = nn.FeedForward(D_MODEL, D_FF, generator=generator(), activation=activation, dtype=dtype)
    norm = partial(nn.LayerNorm, D_MODEL, dtype=dtype)
    return with_numbers(make(mixing(), feed_forward, norm, cross=mixing() if cross else None, **options))


# --- against PyTorch ---


def peer(ours: nn.Block, norm_first: bool, activation, dtype) -> tuple[torch.nn.Module, dict[str, str]]:
    """PyTorch's layer with our weights, and its names for them."""
    kind = torch.nn.TransformerDecoderLayer if ours.cross else torch.nn.TransformerEncoderLayer
    theirs = kind(D_MODEL, 2, D_FF, 0.0, activation, batch_first=True, norm_first=norm_first, dtype=dtype)
    parts = {"attention": "self_attn", "cross": "multihead_attn", "norm_attention": "norm1", "norm_cross": "norm2"}
    parts |= {"norm_feed_forward": "norm3" if ours.cross else "norm2"}
    inside = {"w_qkv": "in_proj_weight", "b_qkv": "in_proj_bias", "w_o": "out_proj.weight", "b_o": "out_proj.bias"}
    inside |= {"gamma": "weight", "beta": "bias"}
    names = {"w_in": "linear1.weight", "b_in": "linear1.bias", "w_out": "linear2.weight", "b_out": "linear2.bias"}
    names = {f"feed_forward.{mine}": other for mine, other in names.items()}
    for name, _ in ours.named_parameters():
        part, leaf = name.split(".")
        names.setdefault(name, f"{parts.get(part)}.{inside.get(leaf)}")
    theirs.load_state_dict({names[name]: w.T if w.ndim == 2 else w for name, w in ours.state_dict().items()})
    return theirs, names


def compare(ours: nn.Block, got, theirs: torch.nn.Module, names: dict[str, str], expected, *inputs) -> None:
    """Outputs, and gradients by the inputs and by every parameter."""
    close(got, expected)
    mine = gradients([*inputs, *(ours.get_parameter(name) for name in names)], got)
    others = gradients([*inputs, *(theirs.get_parameter(name) for name in names.values())], expected)
    for one, other in zip(mine, others, strict=True):
        close(one, other if one.shape == other.shape and one.ndim != 2 else other.T)


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("activation", [torch.relu, GELU])
@pytest.mark.parametrize(("make", "norm_first"), MAKES)
def test_equal_to_encoder_layer_with_gradients(make, norm_first: bool, activation, dtype) -> None:
    ours = block(make, dtype=dtype, activation=activation)
    theirs, names = peer(ours, norm_first, activation, dtype)
    x = draw(B, T, D_MODEL, dtype=dtype).requires_grad_()
    compare(ours, ours(x, mask=CAUSAL), theirs, names, theirs(x, src_mask=~CAUSAL), x)


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize(("make", "norm_first"), MAKES)
def test_equal_to_decoder_layer_with_gradients(make, norm_first: bool, padded: bool, dtype) -> None:
    ours = block(make, cross=True, dtype=dtype)
    theirs, names = peer(ours, norm_first, torch.relu, dtype)
    x, memory = (draw(B, n, D_MODEL, dtype=dtype, seed=n).requires_grad_() for n in (T, S))
    source = ours.cross.keys_values(memory)
    there = torch.arange(T) < torch.tensor([[4], [T]])  # (B, T)
    if padded:
        got = ours(x, source, mask=CAUSAL & there[:, None, None], memory_mask=THERE[:, None, None])
        hidden = {"tgt_key_padding_mask": ~there, "memory_key_padding_mask": ~THERE}
    else:
        got, hidden = ours(x, source, mask=CAUSAL), {}
    compare(ours, got, theirs, names, theirs(x, memory, tgt_mask=~CAUSAL, **hidden), x, memory)


# --- against NumPy ---


@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize(("make", "function"), [(nn.Block, F.block), (nn.PostNormBlock, F.post_norm_block)])
def test_equal_to_numpy(make, function, cross: bool) -> None:
    ours = block(make, cross=cross, n_kv_heads=1)
    x, memory, bias = draw(B, T, D_MODEL), draw(B, S, D_MODEL, seed=2), draw(2, T, T, seed=3)
    w = {name: parameter.detach().numpy() for name, parameter in ours.named_parameters()}

    def heads(name: str, x_q, x_kv=None, **given):
        layer = getattr(ours, name)
        matrices = [w.detach().numpy() for w in (*projections(layer), layer.w_o)]
        b_q, b_k, b_v = layer.b_qkv.detach().split([6, 3, 3])
        added = {"b_q": b_q.numpy(), "b_k": b_k.numpy(), "b_v": b_v.numpy(), "b_o": w[f"{name}.b_o"]}
        x_kv = x_q if x_kv is None else x_kv
        return F.multi_head_attention(x_q, x_kv, *matrices, n_heads=2, n_kv_heads=1, **added, **given)[0]

    def norm(name: str):
        return lambda x: F.layer_norm(x, w[f"norm_{name}.gamma"], w[f"norm_{name}.beta"])

    weights = [w[f"feed_forward.{name}"] for name in ("w_in", "b_in", "w_out", "b_out")]
    layers = {
        "attention": lambda x: heads("attention", x, mask=CAUSAL.numpy(), position_bias=bias.numpy()),
        "cross": lambda x: heads("cross", x, memory.numpy(), mask=THERE[:, None, None].numpy()),
        "feed_forward": lambda x: F.feed_forward(x, *weights, activation=F.relu),
    }
    pairs = [(layers[name], norm(name)) for name in layers if cross or name != "cross"]
    source = ours.cross.keys_values(memory) if cross else None
    seen = THERE[:, None, None] if cross else None
    got = ours(x, source, mask=CAUSAL, memory_mask=seen, position_bias=bias)
    close(got, torch.from_numpy(function(x.numpy(), *pairs)))


# --- step by step ---


@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("axes", [(), (B,), (2, 3)], ids=str)
@pytest.mark.parametrize("make", [nn.Block, nn.PostNormBlock])
def test_step_by_step_equals_all_at_once(make, axes: tuple[int, ...], cross: bool) -> None:
    ours = block(make, cross=cross, n_kv_heads=1)
    x, bias = draw(*axes, T, D_MODEL), draw(2, T, T, seed=3)
    keys = torch.tensor([[True, False, True, True, True]])
    memory = ours.cross.keys_values(draw(*axes, S, D_MODEL, seed=2)) if cross else None
    seen = THERE[1:] if cross else None
    whole = ours(x, memory, mask=CAUSAL & keys, memory_mask=seen, position_bias=bias)
    for parts in ([2, 1, 2], [1] * T, [T]):
        cache, steps = nn.KeyValueCache(), []
        for piece in x.split(parts, dim=-2):
            first, last = len(cache), len(cache) + piece.shape[-2]
            given = {"mask": keys[:, :last], "memory_mask": seen, "position_bias": bias[:, first:last, :last]}
            steps.append(ours(piece, memory, cache=cache, is_causal=True, **given))
        close(torch.cat(steps, dim=-2), whole)


# --- parts of one's own ---


@pytest.mark.parametrize(("make", "factor"), [(nn.Block, 0.5), (nn.PostNormBlock, -2.0)])
def test_a_block_of_ones_own_that_calls_super(make, factor: float) -> None:
    """A factor on what each layer adds is a factor on the weights with which it ends."""

    class Weighted(make):
        def residual(self, x, norm, layer):
            return super().residual(x, norm, lambda y: factor * layer(y))

    ours, plain = block(Weighted, cross=True), block(make, cross=True)
    ends = [plain.attention.w_o, plain.attention.b_o, plain.cross.w_o, plain.cross.b_o]
    for parameter in (*ends, plain.feed_forward.w_out, plain.feed_forward.b_out):
        parameter.data *= factor
    x, memory = draw(B, T, D_MODEL), ours.cross.keys_values(draw(B, S, D_MODEL, seed=2))
    close(ours(x, memory), plain(x, memory))


def test_names_of_the_parts() -> None:
    names = ["norm_attention", "attention", "norm_cross", "cross", "norm_feed_forward", "feed_forward"]
    assert list(dict.fromkeys(name.split(".")[0] for name in block(cross=True).state_dict())) == names
    assert not any("cross" in name for name in block().state_dict())


def test_refuses_a_memory_without_cross_and_cross_without_a_memory() -> None:
    x, with_cross, without = draw(B, T, D_MODEL), block(cross=True), block()
    with pytest.raises(ValueError, match=r"^cross-attention needs a memory$"):
        with_cross(x)
    with pytest.raises(ValueError, match=r"^a memory without cross-attention$"):
        without(x, with_cross.cross.keys_values(x))
