"""The decoder that remembers: equal to the one that does not, whatever it is asked next and whatever its parts are."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from clearformer.decoding import greedy_search
from clearformer.models import CachedDecoder, Decoder, GPT2Config, gpt2
from clearformer.nn import Block, FeedForward
from tests.models.small import DECODERS, ENCODER_DECODERS, IDS, SIZES, SOURCE, THERE, gpt


class Louder(FeedForward):
    """A part from outside the package, which asks its own kind."""

    def forward(self, x: Tensor) -> Tensor:
        return 2 * super().forward(x)


class Slower(Block):
    """A block that adds half of what its layers make."""

    def residual(self, x: Tensor, norm: torch.nn.Module, layer: Callable[[Tensor], Tensor]) -> Tensor:
        assert isinstance(self, Slower)
        return super().residual(x, norm, lambda y: layer(y) / 2)


class Foreign(torch.nn.Module):
    """A part that knows nothing of the package."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(d_model, d_model, dtype=torch.float64)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x).tanh()


def unusual() -> Decoder:
    ours = gpt()
    ours.blocks[0].feed_forward.__class__ = Louder
    ours.blocks[1].__class__ = Slower
    ours.blocks[1].feed_forward = Foreign(12)
    return ours


def close(got: Tensor, expected: Tensor, why: str = "") -> None:
    torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-12, msg=why or None)


@pytest.mark.parametrize("make", [*DECODERS.values(), unusual])
def test_cached_continues_and_starts_anew(make: Callable[[], Decoder]) -> None:
    ours = make()
    cached = CachedDecoder(ours)
    for ids in (IDS[:, :3], IDS[:, :4], IDS[:, :4], IDS[:, :7], IDS[:, :2], IDS.flip(0), IDS.flip(0)[:1], IDS.flip(1)):
        close(cached(ids), ours(ids)[:, -1])


def test_unusual_parts_count() -> None:
    assert (unusual()(IDS) - gpt()(IDS)).abs().max() > 0.1


def test_cached_computes_new_positions_only(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, seen = gpt(), []
    states = ours.hidden_states
    monkeypatch.setattr(
        ours, "hidden_states", lambda ids, *rest, **more: seen.append(ids.shape[1]) or states(ids, *rest, **more)
    )
    cached = CachedDecoder(ours)
    for length in (3, 4, 7):
        cached(IDS[:, :length])
    cached.reorder_cache(torch.tensor([1, 0]))
    swapped = torch.cat([IDS.flip(0), IDS[:, :1]], dim=1)
    close(cached(swapped), gpt()(swapped)[:, -1])
    assert seen == [3, 1, 3, 1]


def test_cached_keeps_any_number_of_sequences() -> None:
    ours, ids = gpt(), IDS[:1, :3]
    cached = CachedDecoder(ours)
    cached(ids)
    for number, rows in enumerate(([0, 0, 0], [2, 0], [1], [0, 0])):
        cached.reorder_cache(torch.tensor(rows))
        ids = torch.cat([ids[rows], IDS[:1, :1].expand(len(rows), 1) + torch.arange(len(rows))[:, None]], dim=1)
        close(cached(ids), ours(ids)[:, -1], f"{number}: {rows}")


@pytest.mark.parametrize("make", ENCODER_DECODERS.values(), ids=ENCODER_DECODERS)
def test_rows_keep_their_sources(make) -> None:
    ours = make()
    cached, ids = CachedDecoder(ours.decoder, ours.encode(SOURCE, THERE)), IDS[:, :3]
    source_of = torch.arange(2)
    close(cached(ids), ours(SOURCE, ids, mask=THERE)[:, -1])
    for rows in ([1, 0], [0, 0, 1], [2, 2], [1, 0], [0]):
        cached.reorder_cache(torch.tensor(rows))
        source_of = source_of[rows]
        ids = torch.cat([ids[rows], torch.arange(len(rows))[:, None]], dim=1)
        close(cached(ids), ours(SOURCE[source_of], ids, mask=THERE[source_of])[:, -1], f"{rows}")
    close(cached(IDS), ours(SOURCE, IDS, mask=THERE)[:, -1], "from the start")


def test_cached_follows_weights_and_calls_hooks() -> None:
    ours, seen = gpt(), []
    ours.blocks[1].feed_forward.register_forward_hook(lambda *_: seen.append(True))
    cached = CachedDecoder(ours)
    with torch.no_grad():
        ours.blocks[0].attention.w_qkv.mul_(2)
    close(cached(IDS), ours(IDS)[:, -1])
    assert len(seen) == 2


def test_cached_follows_a_later_eval() -> None:
    """Dropout must end when the model is switched to evaluation, even after the cached decoder was made."""
    config = GPT2Config(**SIZES, dropout=0.9)
    model = gpt2(config, torch.Generator().manual_seed(0)).train()
    cached = CachedDecoder(model)
    model.eval()
    torch.testing.assert_close(cached(IDS), model(IDS)[:, -1])


def test_cached_goes_on_after_a_refusal() -> None:
    ours, wrong = gpt(), torch.full((2, 1), 99)
    cached = CachedDecoder(ours)
    cached(IDS[:, :3])
    for ids in (torch.cat([IDS[:, :3], wrong], dim=1), torch.cat([IDS[:, :3], wrong, IDS[:, :1]], dim=1)):
        with pytest.raises(ValueError, match="to 99 must be between 0 and vocab_size - 1 = 22"):
            cached(ids)
    close(cached(IDS[:, :4]), ours(IDS[:, :4])[:, -1])


def test_cached_is_not_deceived_by_a_tensor_written_into() -> None:
    ours, ids = gpt(), IDS.clone()
    cached = CachedDecoder(ours)
    cached(ids[:, :5])
    ids[:, 0] = 11
    close(cached(ids[:, :6]), ours(ids[:, :6])[:, -1])


def test_cache_beyond_the_context_is_refused() -> None:
    cached = CachedDecoder(gpt())
    cached(torch.zeros(1, 16, dtype=torch.int64))
    with pytest.raises(ValueError, match="positions 16 to 16 are needed, but the model has context=16"):
        cached(torch.zeros(1, 17, dtype=torch.int64))


def test_generation_stops_at_the_context_with_what_it_has() -> None:
    (tokens,) = greedy_search(CachedDecoder(gpt()), IDS[:1], 100)
    assert len(tokens) == 16 - 7 + 1  # the last token needs no position
    (whole,) = greedy_search(lambda ids: gpt()(ids)[:, -1], IDS[:1], 10)
    assert tokens == whole
    with pytest.raises(ValueError, match="a prompt has 17 tokens, and the context of the model is 16"):
        greedy_search(CachedDecoder(gpt()), torch.zeros(1, 17, dtype=torch.int64), 1)
