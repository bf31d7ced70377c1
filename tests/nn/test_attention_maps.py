"""Captured attention weights: what a map shows, that capturing changes nothing, and that it ends."""

from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import nn
from tests.few import few
from tests.nn.parts import attention, close, draw, generator

T, S, D_MODEL = 5, 7, 12
CAUSAL = torch.ones(T, T, dtype=torch.bool).tril()


class Stack(torch.nn.Module):
    """Two blocks with a memory; ``inside`` is called in between."""

    def __init__(self, inside=lambda model, x: None) -> None:
        super().__init__()
        self.inside = inside
        mixing, norm = partial(attention, 6, 2, D_MODEL), partial(nn.LayerNorm, D_MODEL, dtype=torch.float64)

        def block(seed: int) -> nn.Block:
            feed_forward = nn.FeedForward(D_MODEL, 7, generator=generator(), dtype=torch.float64)
            return nn.Block(mixing(seed=seed), feed_forward, norm, cross=mixing(seed=seed + 2))

        self.blocks = torch.nn.ModuleList(block(seed) for seed in range(2))

    def forward(self, x: torch.Tensor, source: torch.Tensor, *, mask: torch.Tensor | None = None) -> torch.Tensor:
        for block in self.blocks:
            x = block(x, block.cross.keys_values(source), mask=mask)
            self.inside(self, x)
        return x


def hooks(model: torch.nn.Module) -> set:
    return {module.scores_hook for module in model.modules() if isinstance(module, nn.MultiHeadAttention)}


@pytest.mark.parametrize("axes", [(), (2,), (2, 3)], ids=str)
def test_names_shapes_and_order(axes: tuple[int, ...]) -> None:
    maps = nn.attention_maps(Stack(), draw(*axes, T, D_MODEL), draw(*axes, S, D_MODEL))
    assert list(maps) == ["blocks.0.attention", "blocks.0.cross", "blocks.1.attention", "blocks.1.cross"]
    assert [weights.shape for weights in maps.values()] == 2 * [(*axes, 6, T, T), (*axes, 6, T, S)]


@few
@given(st.integers(0, 2**32 - 1))
def test_rows_sum_to_1_over_what_may_be_seen(seed: int) -> None:
    mask = torch.rand(T, T, generator=generator(seed)) < 0.5
    maps = nn.attention_maps(Stack(), draw(2, T, D_MODEL, seed=seed), draw(2, S, D_MODEL), mask=mask)
    for name, weights in maps.items():
        assert (weights >= 0).all()
        some = torch.ones(T) if name.endswith("cross") else mask.any(dim=-1)
        close(weights.sum(dim=-1), some.double().expand(2, 6, T))
        assert name.endswith("cross") or (weights[..., ~mask] == 0).all()


def test_the_model_computes_the_same_while_weights_are_captured() -> None:
    model, x, source, outputs = Stack(), draw(2, T, D_MODEL), draw(2, S, D_MODEL), []
    model.register_forward_hook(lambda model, inputs, output: outputs.append(output))
    model(x, source, mask=CAUSAL)
    nn.attention_maps(model, x, source, mask=CAUSAL)
    assert torch.equal(*outputs)
    assert hooks(model) == {None}


def test_a_step_with_a_cache_is_captured() -> None:
    ours, x, cache = attention(6, 2, D_MODEL), draw(2, T, D_MODEL), nn.KeyValueCache()
    expected = nn.attention_maps(ours, x, is_causal=True)[""][..., 3:, :]
    ours(x[:, :3], cache=cache)
    close(nn.attention_maps(ours, x[:, 3:], cache=cache, is_causal=True)[""], expected)


@pytest.mark.usefixtures("unchecked")
def test_capturing_ends_after_an_error() -> None:
    model = Stack()
    with pytest.raises(RuntimeError):
        nn.attention_maps(model, draw(2, T, D_MODEL), draw(2, S, D_MODEL), mask=CAUSAL[:, :4])
    assert hooks(model) == {None}


def test_refuses_a_layer_that_attends_twice() -> None:
    twice = torch.nn.Sequential(*2 * [attention(6, 2, D_MODEL)])
    with pytest.raises(ValueError, match=r"^0 attends more than once in one call$"):
        nn.attention_maps(twice, draw(2, T, D_MODEL))
    again = Stack(lambda model, x: model.blocks[1].attention(x))
    with pytest.raises(ValueError, match=r"^blocks\.1\.attention attends more than once in one call$"):
        nn.attention_maps(again, draw(2, T, D_MODEL), draw(2, S, D_MODEL))
    assert hooks(again) == {None}
