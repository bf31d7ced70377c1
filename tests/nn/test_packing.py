"""Packing: rows without padding go through layers as the padded sequences would, and padding through none."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer.nn import Block, FeedForward, LayerNorm, MultiHeadAttention, Packing, PostNormBlock, attention_maps


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def block(kind: type[Block], seed: int = 0) -> Block:
    attention, cross = (MultiHeadAttention(6, 3, generator=generator(seed + n), bias=True) for n in (0, 1))
    layer = FeedForward(6, 10, generator=generator(seed + 2))
    return kind(attention, layer, lambda: LayerNorm(6), cross=cross).double()


@given(
    batch=st.sampled_from([(), (1,), (3,), (2, 3)]),
    T=st.integers(1, 5),
    d=st.integers(1, 3),
    share=st.sampled_from([0.0, 0.5, 1.0]),
    seed=st.integers(0, 2**16),
)
def test_what_was_packed_comes_back_to_its_place_and_padding_is_0(
    batch: tuple[int, ...], T: int, d: int, share: float, seed: int
) -> None:
    x, mask = torch.randn(*batch, T, d, generator=generator(seed)), torch.rand(*batch, T) < share
    packing = Packing(mask)
    rows = packing.pack(x)
    assert torch.equal(rows, x[mask])
    assert torch.equal(packing.unpack(rows), x * mask[..., None])
    assert (Packing.of(mask) is None) == bool(mask.all())


@pytest.mark.parametrize("kind", [Block, PostNormBlock])
@pytest.mark.parametrize("batch", [(), (4,), (2, 2)])
@pytest.mark.parametrize("way", ["forward", "extend"])
def test_a_block_gives_tokens_the_same_packed_and_padded_and_the_same_gradients(
    kind: type[Block], batch: tuple[int, ...], way: str
) -> None:
    ours, mask = block(kind), torch.rand(*batch, 5, generator=generator(1)) < 0.6
    x, sources = (torch.randn(*batch, n, 6, generator=generator(n), dtype=torch.float64) for n in (5, 7))
    packing, seen = Packing(mask), mask[..., None, None, :]
    results = []
    for packed in (False, True):
        start = x.clone().requires_grad_()
        held = ours.cross.keys_values(sources)
        given_x, options = (packing.pack(start), {"packing": packing}) if packed else (start, {})
        if way == "forward":
            out = ours(given_x, held, mask=seen, **options)
        else:
            out, _ = ours.extend(given_x, None, held, mask=seen, **options)
        rows = out if packed else out[mask]
        gradients = torch.autograd.grad(rows.square().sum(), [start, *ours.parameters()])
        results.append((rows, *gradients))
    for padded, packed in zip(*results, strict=True):
        torch.testing.assert_close(packed, padded, rtol=1e-10, atol=1e-12)


def test_keys_of_packed_sources_are_those_of_the_padded_ones() -> None:
    attention, mask = block(Block).cross, torch.rand(3, 7, generator=generator(1)) < 0.6
    sources = torch.randn(3, 7, 6, generator=generator(2), dtype=torch.float64)
    packing = Packing(mask)
    held, padded = attention.keys_values(packing.pack(sources), packing=packing), attention.keys_values(sources)
    seen = mask[:, None, :, None]
    torch.testing.assert_close(held.k, padded.k * seen)
    torch.testing.assert_close(held.v, padded.v * seen)


@pytest.mark.parametrize("batch", [(), (4,)])
def test_the_weights_of_tokens_are_shown_as_without_packing(batch: tuple[int, ...]) -> None:
    attention, mask = block(Block).attention, torch.rand(*batch, 5, generator=generator(1)) < 0.6
    x = torch.randn(*batch, 5, 6, generator=generator(2), dtype=torch.float64)
    packing, options = Packing(mask), {"mask": mask[..., None, None, :]}
    packed = attention_maps(attention, packing.pack(x), packing=packing, **options)[""]
    padded = attention_maps(attention, x, **options)[""]
    assert packed.shape == padded.shape
    torch.testing.assert_close(packed.transpose(-2, -3)[mask], padded.transpose(-2, -3)[mask])


@pytest.mark.usefixtures("unchecked")
def test_a_mask_of_numbers_is_refused() -> None:
    with pytest.raises(TypeError, match=r"mask must be boolean, True where a token is one; got dtype torch\.int64"):
        Packing(torch.ones(2, 3, dtype=torch.int64))
