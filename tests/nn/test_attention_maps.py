"""Who watches attention: what a map shows, that watching changes nothing, and that it ends."""

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
    """Two blocks with a source; ``inside`` is called in between."""

    def __init__(self, inside=lambda model, x: None) -> None:
        super().__init__()
        self.inside = inside
        mixing = partial(attention, 6, 2, D_MODEL)
        norm = partial(nn.LayerNorm, D_MODEL, dtype=torch.float64)
        self.blocks = torch.nn.ModuleList(
            nn.Block(
                mixing(seed=seed),
                nn.FeedForward(D_MODEL, 7, generator=generator(), dtype=torch.float64),
                norm,
                cross=mixing(seed=seed + 2),
            )
            for seed in range(2)
        )

    def forward(self, x: torch.Tensor, source: torch.Tensor, *, mask: torch.Tensor | None = None) -> torch.Tensor:
        for block in self.blocks:
            x = block(x, block.cross.keys_values(source), mask=mask)
            self.inside(self, x)
        return x


def watchers(model: torch.nn.Module) -> list[list]:
    return [module.watchers for module in model.modules() if isinstance(module, nn.MultiHeadAttention)]


@pytest.mark.parametrize("axes", [(), (2,), (2, 3)], ids=str)
def test_names_shapes_and_order(axes: tuple[int, ...]) -> None:
    maps = nn.attention_maps(Stack(), draw(*axes, T, D_MODEL), draw(*axes, S, D_MODEL))
    names = ["blocks.0.attention", "blocks.0.cross", "blocks.1.attention", "blocks.1.cross"]
    assert list(maps) == names
    assert [weights.shape for weights in maps.values()] == 2 * [(*axes, 6, T, T), (*axes, 6, T, S)]


@few
@given(st.integers(0, 2**32 - 1))
def test_rows_sum_to_1_over_what_may_be_seen(seed: int) -> None:
    mask = torch.rand(T, T, generator=torch.Generator().manual_seed(seed)) < 0.5
    maps = nn.attention_maps(Stack(), draw(2, T, D_MODEL, seed=seed), draw(2, S, D_MODEL), mask=mask)
    for name, weights in maps.items():
        assert (weights >= 0).all()
        some = torch.ones(T) if name.endswith("cross") else mask.any(dim=-1)
        close(weights.sum(dim=-1), some.double().expand(2, 6, T))
        assert name.endswith("cross") or (weights[..., ~mask] == 0).all()


def test_equal_to_weights_of_the_layer() -> None:
    model, x = Stack(), draw(2, T, D_MODEL)
    first = model.blocks[0]
    _, expected = first.attention.with_weights(first.norm_attention(x), mask=CAUSAL)
    close(nn.attention_maps(model, x, draw(2, S, D_MODEL), mask=CAUSAL)["blocks.0.attention"], expected)


def test_the_model_gives_what_it_gives_unwatched() -> None:
    """To whoever watches, its output is that of a run without; and afterwards nobody watches."""
    model, x, source, seen = Stack(), draw(2, T, D_MODEL), draw(2, S, D_MODEL), []
    model.register_forward_hook(lambda model, inputs, output: seen.append(output))
    before = model(x, source, mask=CAUSAL)
    nn.attention_maps(model, x, source, mask=CAUSAL)
    close(seen[1], before)
    assert torch.equal(model(x, source, mask=CAUSAL), before)
    assert watchers(model) == 4 * [[]]


def test_a_step_with_a_cache_is_watched() -> None:
    ours, x = attention(6, 2, D_MODEL), draw(2, T, D_MODEL)
    _, cache = ours.extend(x[:, :3])

    class Step(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = ours

        def forward(self, x: torch.Tensor) -> None:
            ours.extend(x, cache)

    expected = ours.with_weights(x, mask=CAUSAL)[1][..., 3:, :]
    close(nn.attention_maps(Step(), x[:, 3:])["layer"], expected)


# --- several who watch ---


@pytest.mark.parametrize("inner", ["maps", "with_weights"])
def test_who_watches_inside_takes_nothing_from_who_watches_outside(inner: str) -> None:
    x, found = draw(2, T, D_MODEL), []

    class Outer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = attention(6, 2, D_MODEL)

        def forward(self, x: torch.Tensor) -> None:
            found.append(nn.attention_maps(self.model, x)[""] if inner == "maps" else self.model.with_weights(x)[1])

    outer = Outer()
    assert torch.equal(nn.attention_maps(outer, x)["model"], found[0])
    assert watchers(outer) == [[]]


def test_watching_another_model_inside_is_no_matter() -> None:
    other, x, source = Stack(), draw(2, T, D_MODEL), draw(2, S, D_MODEL)
    model = Stack(lambda model, x: nn.attention_maps(other, x, source))
    maps, expected = nn.attention_maps(model, x, source), nn.attention_maps(Stack(), x, source)
    assert list(maps) == list(expected)
    assert all(torch.equal(maps[name], expected[name]) for name in maps)


# --- errors ---


@pytest.mark.usefixtures("unchecked")
def test_watching_ends_after_an_error() -> None:
    model, x = Stack(), draw(2, T, D_MODEL)
    with pytest.raises(ValueError, match=r"^mask \(5, 4\) does not broadcast"):
        nn.attention_maps(model, x, draw(2, S, D_MODEL), mask=CAUSAL[:, :4])
    with pytest.raises(ValueError, match=r"^mask \(5, 4\) does not broadcast"):
        model.blocks[0].attention.with_weights(x, mask=CAUSAL[:, :4])
    assert watchers(model) == 4 * [[]]


def test_refuses_a_layer_that_attends_twice() -> None:
    twice = torch.nn.Sequential(*2 * [attention(6, 2, D_MODEL)])
    with pytest.raises(ValueError, match=r"^0 attends more than once in one call$"):
        nn.attention_maps(twice, draw(2, T, D_MODEL))
    assert watchers(twice) == [[]]
    again = Stack(lambda model, x: model.blocks[1].attention(x))
    with pytest.raises(ValueError, match=r"^blocks\.1\.attention attends more than once in one call$"):
        nn.attention_maps(again, draw(2, T, D_MODEL), draw(2, S, D_MODEL))
    assert watchers(again) == 4 * [[]]
