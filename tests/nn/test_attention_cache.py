"""Attention step by step: equal to all at once, whatever the steps, and a source computed once."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import nn
from tests.nn.parts import RTOL, attention, close, draw

seeds, sizes = st.integers(0, 2**32 - 1), st.integers(1, 4)


@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
def test_step_by_step_equals_all_at_once(n_kv_heads: int, turned: bool, dtype, mode) -> None:
    rotary = nn.RotaryEncoding(16, 2, dtype=dtype) if turned else None
    ours, x = attention(4, n_kv_heads, 8, dtype, rotary=rotary), draw(2, 11, 8, dtype=dtype)
    full = ours(x, mask=torch.ones(11, 11, dtype=torch.bool).tril())
    for parts in ([1] * 11, [5, 1, 2, 3], [11]):
        cache, outputs = None, []
        with mode():
            for piece in x.split(parts, dim=-2):
                output, cache = ours.extend(piece, cache)
                outputs.append(output)
        close(torch.cat(outputs, dim=-2), full)
        assert len(cache) == 11
        assert cache.k.shape == (2, n_kv_heads, 11, 2)


@given(seeds, sizes, sizes, st.integers(1, 3), st.integers(1, 2))
def test_any_split_of_any_size(seed: int, before: int, after: int, n_kv_heads: int, group: int) -> None:
    n_heads, total = group * n_kv_heads, before + after
    ours, x = attention(n_heads, n_kv_heads, 2 * n_heads, seed=seed), draw(total, 2 * n_heads, seed=seed)
    full = ours(x, mask=torch.ones(total, total, dtype=torch.bool).tril())
    first, cache = ours.extend(x[:before])
    second, longer = ours.extend(x[before:], cache)
    close(torch.cat([first, second]), full)
    assert (len(cache), len(longer)) == (before, total)


def test_one_cache_can_be_continued_twice() -> None:
    """A cache is a value: continuing it one way leaves it as it was for another."""
    ours, x = attention(), draw(2, 5, 6)
    _, cache = ours.extend(x[:, :3])
    first, _ = ours.extend(x[:, 3:], cache)
    ours.extend(draw(2, 2, 6, seed=5), cache)
    again, _ = ours.extend(x[:, 3:], cache)
    assert torch.equal(first, again)


def test_padding_in_the_cache_stays_hidden() -> None:
    ours, x = attention(), draw(2, 5, 6)
    _, cache = ours.extend(x[:, :4])
    seen = torch.tensor([False, True, True, True, True])
    output, _ = ours.extend(x[:, 4:], cache, mask=seen)
    close(output, ours(x[:, 4:], x[:, 1:]))


def test_source_is_projected_once() -> None:
    ours, x, source = attention(6, 2, 12), draw(2, 5, 12), draw(2, 7, 12, seed=2)
    held = ours.keys_values(source)
    close(ours.attend(x[:, :3], held), ours(x[:, :3], source))
    assert (len(held), held.v.shape) == (7, (2, 2, 7, 2))
