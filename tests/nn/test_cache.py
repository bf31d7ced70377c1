"""The cache of keys and values: every cache keeps what it held, whatever grows out of it."""

import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer.nn import KeyValueCache


def draw(length: int, seed: int) -> torch.Tensor:
    return torch.randn(2, 3, length, 5, generator=torch.Generator().manual_seed(seed))


def beside(k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return torch.cat([k, v], dim=-3)


@given(st.lists(st.tuples(st.integers(0, 1_000), st.integers(1, 4)), max_size=12))
def test_a_tree_of_caches_equals_concatenation(growth: list[tuple[int, int]]) -> None:
    with torch.no_grad():
        caches = [KeyValueCache(draw(2, 0), draw(2, 1))]
        expected = [(draw(2, 0), draw(2, 1))]
        for number, (choice, length) in enumerate(growth):
            parent = choice % len(caches)
            k, v = draw(length, 2 * number + 2), draw(length, 2 * number + 3)
            caches.append(caches[parent].append(beside(k, v)))
            before = expected[parent]
            expected.append((torch.cat([before[0], k], dim=-2), torch.cat([before[1], v], dim=-2)))
        for cache, (k, v) in zip(caches, expected, strict=True):
            assert torch.equal(cache.k, k)
            assert torch.equal(cache.v, v)
            assert len(cache) == k.shape[-2]


@given(
    st.lists(st.integers(0, 1), min_size=1, max_size=5),
    st.integers(1, 4),
    st.booleans(),
)
def test_chosen_sequences_grow_on_their_own(rows: list[int], length: int, has_room: bool) -> None:
    with torch.no_grad():
        held = KeyValueCache(draw(2, 0), draw(2, 1))
        held = held.append(beside(draw(1, 2), draw(1, 3))) if has_room else held
        before, new = held.k.clone(), draw(length, 4).repeat(3, 1, 1, 1)[: len(rows)]
        longer = held.take(torch.tensor(rows)).append(beside(new, 2 * new))
        assert torch.equal(longer.k, torch.cat([before[rows], new], dim=-2))
        assert torch.equal(longer.v, torch.cat([held.v[rows], 2 * new], dim=-2))
        assert torch.equal(held.k, before)


def test_gradients_go_through_a_grown_cache() -> None:
    k, new = draw(2, 0).requires_grad_(), draw(1, 1).requires_grad_()
    cache = KeyValueCache(k, k)
    longer = [cache.append(beside(new, new)), cache.append(beside(2 * new, new))]
    (longer[0].k.square().sum() + longer[1].k.square().sum()).backward()
    torch.testing.assert_close(k.grad, 4 * k)
    torch.testing.assert_close(new.grad, 10 * new)


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        ((2, 6, 1, 4), torch.float32),
        ((2, 3, 1, 5), torch.float32),
        ((1, 6, 1, 5), torch.float32),
        ((6, 1, 5), torch.float32),
        ((2, 6, 1, 5), torch.float64),
    ],
    ids=["width", "heads", "sequences", "axes", "dtype"],
)
def test_refuses_what_does_not_fit(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    cache = KeyValueCache(draw(2, 0), draw(2, 0))
    given = re.escape(f"keys (2, 3, 2, 5) of torch.float32, which keys beside values {shape} of {dtype}")
    with pytest.raises(ValueError, match=rf"holds {given} cannot extend"):
        cache.append(torch.zeros(shape, dtype=dtype))


def test_a_cache_of_inference_mode_goes_on_outside() -> None:
    with torch.inference_mode():
        cache = KeyValueCache(draw(2, 0), draw(2, 1)).append(beside(draw(1, 2), draw(1, 3)))
    with torch.no_grad():
        longer = cache.append(beside(draw(1, 4), draw(1, 5)))
    assert torch.equal(longer.k, torch.cat([draw(2, 0), draw(1, 2), draw(1, 4)], dim=-2))
