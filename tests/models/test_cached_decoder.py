"""The decoder that remembers: equal to the one that does not, whatever it is asked next and whatever its parts are."""

from collections.abc import Callable
from functools import partial

import pytest
import torch
from decoders import IDS, gpt, llama

from clearformer.models import CachedDecoder, Decoder
from clearformer.nn import FeedForward


class Louder(FeedForward):
    """A part from outside the package."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 2 * super().forward(x)


@pytest.mark.parametrize("make", [gpt, llama, partial(gpt, Louder)])
def test_cached_continues_and_starts_anew(make: Callable[[], Decoder]) -> None:
    ours = make()
    cached = CachedDecoder(ours)
    for ids in (IDS[:, :3], IDS[:, :4], IDS[:, :7], IDS[:, :2], IDS.flip(0), IDS.flip(0)[:1], IDS.flip(1)):
        torch.testing.assert_close(cached(ids), ours(ids)[:, -1], rtol=1e-10, atol=1e-12)


def test_cached_computes_new_positions_only(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, seen = gpt(), []
    states = ours.states
    monkeypatch.setattr(ours, "states", lambda ids, caches=None: seen.append(ids.shape[1]) or states(ids, caches))
    cached = CachedDecoder(ours)
    for length in (3, 4, 7):
        cached(IDS[:, :length])
    cached.keep(torch.tensor([1, 0]))
    swapped = torch.cat([IDS.flip(0), IDS[:, :1]], dim=1)
    torch.testing.assert_close(cached(swapped), gpt()(swapped)[:, -1], rtol=1e-10, atol=1e-12)
    assert seen == [3, 1, 3, 1]


def test_cached_keeps_any_number_of_sequences() -> None:
    ours, ids = gpt(), IDS[:1, :3]
    cached = CachedDecoder(ours)
    cached(ids)
    for number, rows in enumerate(([0, 0, 0], [2, 0], [1], [0, 0])):
        cached.keep(torch.tensor(rows))
        ids = torch.cat([ids[rows], IDS[:1, :1].expand(len(rows), 1) + torch.arange(len(rows))[:, None]], dim=1)
        torch.testing.assert_close(cached(ids), ours(ids)[:, -1], rtol=1e-10, atol=1e-12, msg=f"{number}: {rows}")


def test_cached_follows_weights_and_calls_hooks() -> None:
    ours, seen = gpt(), []
    ours.blocks[1].feed_forward.register_forward_hook(lambda *_: seen.append(True))
    cached = CachedDecoder(ours)
    with torch.no_grad():
        ours.blocks[0].attention.w_qkv.mul_(2)
    torch.testing.assert_close(cached(IDS), ours(IDS)[:, -1], rtol=1e-10, atol=1e-12)
    assert len(seen) == 2


def test_cached_goes_on_after_a_refusal() -> None:
    ours, wrong = gpt(), torch.full((2, 1), 99)
    cached = CachedDecoder(ours)
    cached(IDS[:, :3])
    for ids in (torch.cat([IDS[:, :3], wrong], dim=1), torch.cat([IDS[:, :3], wrong, IDS[:, :1]], dim=1)):
        with pytest.raises(ValueError, match="to 99 must lie between 0 and vocab_size - 1 = 22"):
            cached(ids)
    torch.testing.assert_close(cached(IDS[:, :4]), ours(IDS[:, :4])[:, -1], rtol=1e-10, atol=1e-12)


def test_cached_is_not_deceived_by_a_tensor_written_into() -> None:
    ours, ids = gpt(), IDS.clone()
    cached = CachedDecoder(ours)
    cached(ids[:, :5])
    ids[:, 0] = 11
    torch.testing.assert_close(cached(ids[:, :6]), ours(ids[:, :6])[:, -1], rtol=1e-10, atol=1e-12)


def test_cache_beyond_the_context_is_refused() -> None:
    cached = CachedDecoder(gpt())
    cached(torch.zeros(1, 16, dtype=torch.int64))
    with pytest.raises(ValueError, match="17 positions, but the model has context=16"):
        cached(torch.zeros(1, 17, dtype=torch.int64))
