"""The decoder: step by step as all at once, blind to what comes, and refusals."""

import pytest
import torch

from clearformer import nn
from clearformer.models import GPT2Config, gpt2
from tests.models.small import DECODERS, IDS, gpt


@pytest.mark.parametrize("make", DECODERS.values(), ids=DECODERS)
@pytest.mark.parametrize("parts", [[7], [3, 4], [1] * 7, [2, 1, 3, 1]])
def test_step_by_step_equals_all_at_once(make, parts: list[int]) -> None:
    ours = make()
    caches, steps = None, []
    for ids in IDS.split(parts, dim=-1):
        states, caches = ours.states(ids, caches)
        steps.append(ours.lm_head(states))
    torch.testing.assert_close(torch.cat(steps, dim=1), ours(IDS), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("make", DECODERS.values(), ids=DECODERS)
def test_future_cannot_be_seen(make) -> None:
    ours, changed = make(), IDS.clone()
    changed[:, 4:] = 0
    torch.testing.assert_close(ours(changed)[:, :4], ours(IDS)[:, :4], rtol=1e-12, atol=1e-12)
    assert (ours(changed)[:, 4:] - ours(IDS)[:, 4:]).abs().max() > 0.01


@pytest.mark.parametrize("make", DECODERS.values(), ids=DECODERS)
def test_a_single_sequence_is_a_batch_of_one(make) -> None:
    ours = make()
    torch.testing.assert_close(ours(IDS[0]), ours(IDS[:1])[0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("make", DECODERS.values(), ids=DECODERS)
def test_order_counts(make) -> None:
    """All know positions, each in its own way: a text that is turned round ends in another state."""
    ours, turned = make(), torch.cat([IDS[:, :-1].flip(1), IDS[:, -1:]], dim=1)
    assert (ours(turned)[:, -1] - ours(IDS)[:, -1]).abs().max() > 0.01


def test_attention_maps_name_every_layer_and_see_the_past_only() -> None:
    ours = gpt()
    maps = nn.attention_maps(ours, IDS)
    assert list(maps) == ["blocks.0.attention", "blocks.1.attention"]
    for weights in maps.values():
        assert weights.shape == (2, 3, 7, 7)
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 3, 7, dtype=torch.float64))
        assert (weights.triu(1) == 0).all()
    normed = ours.blocks[0].norm_attention(ours.embedding(IDS))
    mask = torch.ones(7, 7, dtype=torch.bool).tril()
    expected = ours.blocks[0].attention.with_weights(normed, mask=mask)[1]
    torch.testing.assert_close(maps["blocks.0.attention"], expected)


def test_tied_table_is_counted_once_and_learns_from_both_ends() -> None:
    ours = gpt()
    names = [name for name in ours.state_dict() if "table" in name]
    assert names == ["embedding.table", "embedding.position.table"]
    ours(torch.tensor([0, 1])).logsumexp(dim=-1).sum().backward()
    assert (ours.embedding.table.grad.abs().sum(dim=1) > 0).all()  # each token is scored, though two were read


def test_without_a_generator_weights_wait_to_be_filled_and_take_no_memory_on_the_meta_device() -> None:
    with torch.device("meta"):
        empty = gpt2(GPT2Config())
    assert all(parameter.is_meta for parameter in empty.parameters())
    same = [gpt2(GPT2Config(11, 7, 8, 2, 1, 13), torch.Generator().manual_seed(3)).state_dict() for _ in range(2)]
    assert all(torch.equal(same[0][name], same[1][name]) for name in same[0])


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        (torch.zeros(1, 17, dtype=torch.int64), ValueError, "T=17 positions, but the encoding has max_length=16"),
        (torch.zeros(1, 0, dtype=torch.int64), ValueError, r"must hold a token at least, got shape \(1, 0\)"),
        (torch.tensor([[3, 23]]), ValueError, "ids 3 to 23 must lie between 0 and vocab_size - 1 = 22"),
        (torch.tensor([[-1, 3]]), ValueError, "ids -1 to 3 must lie between"),
        (torch.ones(1, 2), TypeError, "ids must be int64 or int32, got dtype torch.float32"),
    ],
)
def test_refuses(ids: torch.Tensor, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        gpt()(ids)


def test_refuses_sizes() -> None:
    with pytest.raises(ValueError, match="n_layers=0 must be at least 1"):
        GPT2Config(vocab_size=2, context=2, d_model=2, n_heads=1, n_layers=0, d_ff=2)
    with pytest.raises(ValueError, match="d_model=8 must be a multiple of n_heads=3"):
        gpt2(GPT2Config(vocab_size=2, context=2, d_model=8, n_heads=3, n_layers=1, d_ff=2))
