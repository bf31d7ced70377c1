"""Attention on one sequence, a batch, and several axes before the tokens: each sequence by itself, in every path."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.nn.parts import PATHS, attention, close, draw, generator

AXES = [(), (1,), (2,), (2, 3), (2, 1, 3)]
CAUSAL = torch.ones(5, 5, dtype=torch.bool).tril()
GIVEN = {
    "nothing": {},
    "mask": {"mask": CAUSAL},
    "bias": {"position_bias": draw(6, 5, 5)},
    "both": {"mask": CAUSAL, "position_bias": draw(6, 5, 5)},
}


@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize("n_kv_heads", [2, 6])
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_each_sequence_by_itself(dtype: torch.dtype, n_kv_heads: int, path, given, axes: tuple[int, ...]) -> None:
    ours, x = attention(6, n_kv_heads, 12, dtype), draw(*axes, 5, 12, dtype=dtype)
    for grad in (True, False):
        with torch.set_grad_enabled(grad):
            output = path(ours, x, **given)
            each = torch.stack([path(ours, one, **given) for one in x.reshape(-1, 5, 12)])
        assert output.shape == x.shape
        if dtype == torch.float64:
            close(output, each.reshape(x.shape))
        else:
            assert (output - each.reshape(x.shape)).float().norm() <= 0.02 * each.float().norm()


@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("n_kv_heads", [2, 6])
def test_a_source_and_masks_of_its_own_for_each(n_kv_heads: int, axes: tuple[int, ...]) -> None:
    ours, x, source = attention(6, n_kv_heads, 12), draw(*axes, 5, 12), draw(*axes, 7, 12, seed=2)
    mask = torch.rand(*axes, 1, 5, 7, generator=generator()) < 0.7
    bias = draw(*axes, 6, 5, 7, seed=3)
    output, weights = ours.with_weights(x, source, mask=mask, position_bias=bias)
    assert weights.shape == (*axes, 6, 5, 7)
    close(ours(x, source, mask=mask, position_bias=bias), output)
    flat = [t.reshape(-1, *t.shape[len(axes) :]) for t in (x, source, mask, bias)]
    for number, (one, other, seen, added) in enumerate(zip(*flat, strict=True)):
        alone = ours.with_weights(one, other, mask=seen, position_bias=added)
        for whole, part in zip((output, weights), alone, strict=True):
            close(whole.reshape(-1, *part.shape)[number], part)


@given(st.integers(0, 2**32 - 1), st.permutations(range(4)), st.sampled_from(sorted(PATHS)))
def test_order_of_the_batch_does_not_matter(seed: int, order: list[int], path: str) -> None:
    ours, x, bias = attention(6, 3, 12), draw(4, 5, 12, seed=seed), draw(4, 6, 5, 5, seed=seed)
    output = PATHS[path](ours, x, mask=CAUSAL, position_bias=bias)
    close(PATHS[path](ours, x[order], mask=CAUSAL, position_bias=bias[order]), output[order])


@pytest.mark.parametrize("axes", AXES, ids=str)
def test_one_position_at_a_time(axes: tuple[int, ...]) -> None:
    ours, x = attention(6, 2, 12), draw(*axes, 5, 12)
    cache, outputs = None, []
    for piece in x.split(1, dim=-2):
        output, cache = ours.extend(piece, cache)
        outputs.append(output)
    close(torch.cat(outputs, dim=-2), ours(x, mask=CAUSAL))


def test_one_sequence_is_a_batch_of_one_to_the_cache() -> None:
    """So several can go on from it."""
    ours, x, new = attention(6, 2, 12), draw(5, 12), draw(3, 1, 12, seed=2)
    _, cache = ours.extend(x)
    output, _ = ours.extend(new, cache.take(torch.tensor([0, 0, 0])))
    close(output, ours(torch.cat([x.expand(3, 5, 12), new], dim=1))[:, 5:])
