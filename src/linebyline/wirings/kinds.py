"""One task, three wirings of the same parts: an encoder alone, a decoder alone, and both.

All parts are T5's: norms before the layers, no biases, relative positions in buckets, one table of words.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from clearformer.decoding import greedy_search
from clearformer.models import CachedDecoder, Decoder, Encoder, T5Config, TiedLMHead, t5
from clearformer.nn import Block, Embedding, FeedForward, MultiHeadAttention, RelativeBias, RMSNorm
from linebyline.translation import END, LONGEST, PAD, greedy, reader

SPARE = 7  # places for words beyond as many as the source has
HEAD, BUCKETS, REACH = 16, 64, 128

Asked = tuple[Float[Tensor, "B T vocab_size"], Int[Tensor, "B T"]]


@dataclass(frozen=True)
class Wiring:
    """A way to put the parts together, and to translate with them.

    Args:
        make: Makes the model for a number of tokens, untrained.
        asks: Scores words of targets, and says which were right, ``PAD`` where nothing is asked.
        write: Translates sources; the last argument is the token that begins a target.
        calls: How many calls of the model a target of so many tokens takes.
    """

    make: Callable[[int, torch.Generator], nn.Module]
    asks: Callable[[nn.Module, Int[Tensor, "B S"], Int[Tensor, "B T"]], Asked]
    write: Callable[[nn.Module, Int[Tensor, "B S"], int], list[list[int]]]
    calls: Callable[[int], int]


def blocks(n: int, d_model: int, d_ff: int, generator: torch.Generator) -> list[Block]:
    """Make blocks of attention and a feed-forward layer; each head is 16 wide."""

    def block() -> Block:
        return Block(
            MultiHeadAttention(d_model, d_model // HEAD, d_k=HEAD, generator=generator),
            FeedForward(d_model, d_ff, activation=nn.functional.relu, bias=False, generator=generator),
            partial(RMSNorm, d_model),
        )

    return [block() for _ in range(n)]


def alone(
    kind: type[Encoder] | type[Decoder], n_blocks: int, d_model: int, d_ff: int, n: int, generator: torch.Generator
) -> nn.Module:
    """Make an encoder or a decoder of these parts that scores words.

    Args:
        kind: Which.
        n_blocks: Number of blocks.
        d_model: Width of the vectors.
        d_ff: Width inside the feed-forward layers.
        n: Number of tokens.
        generator: Where the random start comes from.
    """
    embedding = Embedding(n, d_model, generator=generator)
    parts = blocks(n_blocks, d_model, d_ff, generator)
    bias = RelativeBias(d_model // HEAD, BUCKETS, REACH, bidirectional=kind is Encoder, generator=generator)
    norm, head = RMSNorm(d_model), TiedLMHead(embedding, scale=d_model**-0.5)
    if kind is Encoder:
        return Encoder(embedding, parts, norm=norm, position_bias=bias, head=head)
    return Decoder(embedding, parts, norm=norm, position_bias=bias, lm_head=head)


def both(n_layers: int, d_model: int, d_ff: int, n: int, generator: torch.Generator) -> nn.Module:
    """Make an encoder-decoder of these parts, of so many layers on each side."""
    return t5(T5Config(n, d_model, d_model // HEAD, HEAD, n_layers, d_ff, BUCKETS, REACH), generator)


def _real(row: Tensor) -> Tensor:
    return row[row != PAD]


def _padded(rows: Sequence[Tensor]) -> Tensor:
    return pad_sequence(list(rows), batch_first=True, padding_value=PAD)


def with_places(sources: Int[Tensor, "B S"], start: int) -> Int[Tensor, "B L"]:
    """Lay places for a target behind each source, each held by the same token.

    Example:
        >>> with_places(torch.tensor([[7, 8], [9, PAD]]), 2).shape
        torch.Size([2, 11])
    """
    rows = [_real(row) for row in sources]
    return _padded([torch.cat([row, row.new_full((len(row) + SPARE,), start)]) for row in rows])


def _ask_encoder(model: nn.Module, sources: Tensor, targets: Tensor) -> Asked:
    start = int(targets[0, 0])
    ids = with_places(sources, start)  # (B, L)
    asked = torch.full_like(ids, PAD)
    for row, source, target in zip(asked, sources, targets, strict=True):
        wanted, first = _real(target)[1:], len(_real(source))
        if len(wanted) > first + SPARE:
            raise ValueError(f"a target of {len(wanted)} words has only {first + SPARE} places")
        row[first : first + len(wanted)] = wanted
    return model(ids, mask=ids != PAD), asked


@torch.inference_mode()
def _write_encoder(model: nn.Module, sources: Tensor, start: int) -> list[list[int]]:
    ids = with_places(sources, start)
    said = model(ids, mask=ids != PAD).argmax(dim=-1)  # (B, L)
    rows = [row[place == start].tolist() for row, place in zip(said, ids, strict=True)]
    return [row[: row.index(END) + 1] if END in row else row for row in rows]


def _ask_decoder(model: nn.Module, sources: Tensor, targets: Tensor) -> Asked:
    rows = [torch.cat([_real(s), _real(t)]) for s, t in zip(sources, targets, strict=True)]
    ids, asked = _padded([row[:-1] for row in rows]), _padded([row[1:] for row in rows])
    lengths = (sources != PAD).sum(dim=1, keepdim=True)  # (B, 1): the start token stands there
    return model(ids), asked.masked_fill(torch.arange(ids.shape[1]) < lengths, PAD)


def _write_decoder(model: nn.Module, sources: Tensor, start: int) -> list[list[int]]:
    assert isinstance(model, Decoder)
    prompts = [[*_real(row).tolist(), start] for row in sources]
    return greedy_search(CachedDecoder(model), prompts, LONGEST, stop_ids=[END])


def _ask_both(model: nn.Module, sources: Tensor, targets: Tensor) -> Asked:
    return model(sources, targets[:, :-1], mask=sources != PAD), targets[:, 1:]


def _write_both(model: nn.Module, sources: Tensor, start: int) -> list[list[int]]:
    return greedy(reader(model), sources, start)  # type: ignore[arg-type]


def encoder_only(n_blocks: int, d_model: int, d_ff: int) -> Wiring:
    """Hidden words behind the source, all guessed at once."""
    make = partial(alone, Encoder, n_blocks, d_model, d_ff)
    return Wiring(make, _ask_encoder, _write_encoder, lambda T: 1)


def decoder_only(n_blocks: int, d_model: int, d_ff: int) -> Wiring:
    """The source as the beginning of a text, which goes on with its translation."""
    make = partial(alone, Decoder, n_blocks, d_model, d_ff)
    return Wiring(make, _ask_decoder, _write_decoder, lambda T: T)


def encoder_decoder(n_layers: int, d_model: int, d_ff: int) -> Wiring:
    """An encoder that reads the source, and a decoder that writes the target from it."""
    return Wiring(partial(both, n_layers, d_model, d_ff), _ask_both, _write_both, lambda T: T)
