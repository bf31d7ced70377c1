"""Dropout in blocks: on what each layer adds, on nothing else, and while training only."""

import pytest
import torch

from clearformer import nn
from tests.nn.parts import attention, close, draw, generator

FRACTION, T, D_MODEL = 0.25, 40, 50
ADDED = {"attention.b_o": 1.0, "cross.b_o": 10.0, "feed_forward.b_out": 100.0}


def block(make=nn.Block, dropout: float = FRACTION, norm=torch.nn.Identity) -> nn.Block:
    """Each layer has weights of 0 at its end, and adds a number of its own alone."""
    mixing, cross = (attention(2, d_model=D_MODEL, bias=True) for _ in range(2))
    feed_forward = nn.FeedForward(D_MODEL, 7, generator=generator(), dtype=torch.float64)
    ours = make(mixing, feed_forward, norm, cross=cross, dropout=dropout)
    for end in (mixing.w_o, cross.w_o, feed_forward.w_out):
        end.data.zero_()
    for name, number in ADDED.items():
        ours.get_parameter(name).data.fill_(number)
    return ours


def run(ours: nn.Block, x: torch.Tensor) -> torch.Tensor:
    return ours(x, ours.cross.keys_values(draw(3, D_MODEL)))


@pytest.mark.parametrize("make", [nn.Block, nn.PostNormBlock])
def test_fraction_and_scale_of_what_each_layer_adds(make) -> None:
    """In the sum each layer has a digit of its own: 1 where its number was kept, 0 where it was left out."""
    torch.manual_seed(0)
    x = draw(T, D_MODEL)
    added = (run(block(make), x) - x) * (1 - FRACTION)
    digits = torch.stack([added.round() // number % 10 for number in ADDED.values()])
    close(added, sum(digit * number for digit, number in zip(digits, ADDED.values(), strict=True)))
    assert digits.unique().tolist() == [0, 1]
    # Five standard deviations of a share of 2,000; the layers are independent of each other.
    room = 5 * (FRACTION * (1 - FRACTION) / (T * D_MODEL)) ** 0.5
    assert (digits.mean(dim=(1, 2)) - (1 - FRACTION)).abs().max() < room
    both = (digits[0] * digits[1]).mean(), (digits[0] * digits[2]).mean(), (digits[1] * digits[2]).mean()
    assert all(abs(mean - (1 - FRACTION) ** 2) < 2 * room for mean in both)


@pytest.mark.parametrize("make", [nn.Block, nn.PostNormBlock])
def test_nothing_where_it_does_not_train(make) -> None:
    x, norm = draw(T, D_MODEL), lambda: nn.LayerNorm(D_MODEL, dtype=torch.float64)
    close(run(block(make, norm=norm).eval(), x), run(block(make, 0.0, norm), x))


def test_all_left_out_leaves_the_stream() -> None:
    x = draw(T, D_MODEL)
    assert torch.equal(run(block(dropout=1.0), x), x)


def test_layers_work_on_whole_rows_with_whole_weights() -> None:
    """What attention sees, and how much of it, is the same in training."""
    ours, x = block(), draw(T, D_MODEL)
    maps = [nn.attention_maps(module, x, ours.cross.keys_values(x)) for module in (ours.train(), ours.eval())]
    close(maps[0]["attention"], maps[1]["attention"])


def test_refuses_a_fraction_above_1() -> None:
    with pytest.raises(ValueError, match=r"^dropout=1.5 must be between 0 and 1$"):
        block(dropout=1.5)
