"""An encoder, a decoder and an encoder-decoder, made of the same parts, on the same translations.

All parts are T5's: pre-norm, no biases, relative positions in buckets, one table of words. They are compared
after 400 steps with several seeds, and with one seed on the way to 1,600 steps, after as many steps and as much work.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.flop_counter import FlopCounterMode

from clearformer import training
from clearformer.decoding import greedy_search
from clearformer.models import CachedDecoder, Decoder, Encoder, T5Config, TiedLMHead, t5
from clearformer.nn import Block, Embedding, FeedForward, MultiHeadAttention, RelativeBias, RMSNorm
from linebyline.corpora.translations import ENGLISH_SWEDISH, Pair, Split
from linebyline.translation import END, LONGEST, PAD, Words, batches, greedy, reader, rows, sentences

PAIRS, UNSEEN, STEPS, BATCH, PEAK = 40_000, 600, 400, 32, 6e-3
MARKS = (100, 200, 400, 600, 800, 1200, 1600)  # steps of the longer run, after which the loss is measured
LONGEST_SOURCE = 9  # words, so that training runs are short
SPARE = 7  # places for words beyond as many as the source has
HEAD, BUCKETS, REACH = 16, 64, 128
Progress = Callable[[Iterable[int]], Iterable[int]]

LogitsAndTargets = tuple[Float[Tensor, "B T vocab_size"], Int[Tensor, "B T"]]


@dataclass(frozen=True)
class Architecture:
    """An architecture, and how to train it and translate with it."""

    make: Callable[[int, torch.Generator], nn.Module]  #: Makes the untrained model for a number of tokens
    #: Returns logits and the right words, ``PAD`` where there is no target.
    logits_and_targets: Callable[[nn.Module, Int[Tensor, "B S"], Int[Tensor, "B T"]], LogitsAndTargets]
    #: Translates sources; the last argument is the token that begins a target.
    write: Callable[[nn.Module, Int[Tensor, "B S"], int], list[list[int]]]


def alone(
    kind: type[Encoder] | type[Decoder], n_blocks: int, d_model: int, d_ff: int, n: int, generator: torch.Generator
) -> nn.Module:
    """Make an encoder or a decoder of these parts for ``n`` tokens; each head is 16 wide."""

    def block() -> Block:
        attention = MultiHeadAttention(d_model, d_model // HEAD, d_k=HEAD, generator=generator)
        feed_forward = FeedForward(d_model, d_ff, activation=nn.functional.relu, bias=False, generator=generator)
        return Block(attention, feed_forward, partial(RMSNorm, d_model))

    embedding = Embedding(n, d_model, generator=generator)
    parts = [block() for _ in range(n_blocks)]
    bias = RelativeBias(d_model // HEAD, BUCKETS, REACH, bidirectional=kind is Encoder, generator=generator)
    norm, head = RMSNorm(d_model), TiedLMHead(embedding, scale=d_model**-0.5)
    if kind is Encoder:
        return Encoder(embedding, parts, norm=norm, position_bias=bias, head=head)
    return Decoder(embedding, parts, norm=norm, position_bias=bias, lm_head=head)


def _real(row: Tensor) -> Tensor:
    return row[row != PAD]


def _padded(rows: Sequence[Tensor]) -> Tensor:
    return pad_sequence(list(rows), batch_first=True, padding_value=PAD)


def with_places(sources: Int[Tensor, "B S"], start: int) -> Int[Tensor, "B L"]:
    """Append positions for a target to each source, all filled with the start token."""
    rows = [_real(row) for row in sources]
    return _padded([torch.cat([row, row.new_full((len(row) + SPARE,), start)]) for row in rows])


def _predict_encoder(model: nn.Module, sources: Tensor, targets: Tensor) -> LogitsAndTargets:
    start = int(targets[0, 0])
    ids = with_places(sources, start)  # (B, L)
    wanted = torch.full_like(ids, PAD)
    for row, source, target in zip(wanted, sources, targets, strict=True):
        words, first = _real(target)[1:], len(_real(source))
        row[first : first + len(words)] = words
    return model(ids, mask=ids != PAD), wanted


@torch.inference_mode()
def _write_encoder(model: nn.Module, sources: Tensor, start: int) -> list[list[int]]:
    ids = with_places(sources, start)
    said = model(ids, mask=ids != PAD).argmax(dim=-1)  # (B, L)
    rows = [row[place == start].tolist() for row, place in zip(said, ids, strict=True)]
    return [row[: row.index(END) + 1] if END in row else row for row in rows]


def _predict_decoder(model: nn.Module, sources: Tensor, targets: Tensor) -> LogitsAndTargets:
    """Predict targets after their sources."""
    rows = [torch.cat([_real(s), _real(t)]) for s, t in zip(sources, targets, strict=True)]
    ids, wanted = _padded([row[:-1] for row in rows]), _padded([row[1:] for row in rows])
    lengths = (sources != PAD).sum(dim=1, keepdim=True)  # (B, 1): counting the start token
    places = torch.arange(ids.shape[1])
    return model(ids), wanted.masked_fill(places < lengths, PAD)


def _write_decoder(model: nn.Module, sources: Tensor, start: int) -> list[list[int]]:
    assert isinstance(model, Decoder)
    prompts = [[*_real(row).tolist(), start] for row in sources]
    return greedy_search(CachedDecoder(model), prompts, LONGEST, stop_ids=[END])


def encoder_only(n_blocks: int, d_model: int, d_ff: int) -> Architecture:
    """Hidden words after the source, all predicted at once."""
    return Architecture(partial(alone, Encoder, n_blocks, d_model, d_ff), _predict_encoder, _write_encoder)


def decoder_only(n_blocks: int, d_model: int, d_ff: int) -> Architecture:
    """The source as the beginning of a text that continues with its translation."""
    return Architecture(partial(alone, Decoder, n_blocks, d_model, d_ff), _predict_decoder, _write_decoder)


def encoder_decoder(n_layers: int, d_model: int, d_ff: int) -> Architecture:
    """An encoder that reads the source, and a decoder that writes the target from it."""
    sizes = (d_model, d_model // HEAD, HEAD, n_layers, d_ff, BUCKETS, REACH)
    return Architecture(
        lambda n, generator: t5(T5Config(n, *sizes), generator),
        lambda model, sources, targets: (model(sources, targets[:, :-1], mask=sources != PAD), targets[:, 1:]),
        lambda model, sources, start: greedy(reader(model), sources, start),  # type: ignore[arg-type]
    )


# A block of an encoder or of a decoder alone has 4 d² + 2 d d_ff weights, one that looks at sources 8 d² + 2 d d_ff.
ARCHITECTURES = {
    "encoder-only": encoder_only(4, 64, 320),
    "decoder-only": decoder_only(4, 64, 320),
    "encoder-decoder": encoder_decoder(2, 64, 256),
}


def short_sentences(n_train: int = PAIRS, n_unseen: int = UNSEEN) -> Split:
    """Sample sentences to train on, and unseen ones of both kinds, and keep the short ones."""
    split = sentences(ENGLISH_SWEDISH, n_train, n_unseen)
    return Split(*([pair for pair in part if len(pair.source) <= LONGEST_SOURCE] for part in split))


def weights(model: nn.Module) -> int:
    """Count the numbers of a model that training changes, but its tables of words and of distances."""
    tables = {id(module.table) for module in model.modules() if hasattr(module, "table")}
    return sum(p.numel() for p in model.parameters() if id(p) not in tables)


def trainer(
    architecture: Architecture, words: Words, pairs: Sequence[Pair], seed: int, steps: int = STEPS, batch: int = BATCH
) -> training.Trainer:
    """Make the trainer of an architecture; the seed decides the start and the order of the sentences."""
    generator = torch.Generator().manual_seed(seed)
    model = architecture.make(len(words), generator)

    def loss(model: nn.Module, batch: training.Batch) -> Float[Tensor, ""]:
        logits, wanted = architecture.logits_and_targets(model, *batch)
        return training.cross_entropy(logits, wanted, ignore_index=PAD)

    draw = batches([rows(words, ENGLISH_SWEDISH, pairs)], batch=batch)
    schedule = training.warmup_cosine(PEAK, steps // 10, steps)
    return training.Trainer(model, draw, schedule, generator=generator, loss=loss)


@torch.no_grad()
def surprise(architecture: Architecture, model: nn.Module, words: Words, pairs: Sequence[Pair]) -> float:
    """Measure the loss of true translations, in nats per word."""
    logits, wanted = architecture.logits_and_targets(model, *rows(words, ENGLISH_SWEDISH, pairs))
    return training.cross_entropy(logits, wanted, ignore_index=PAD).item()


def accuracy(architecture: Architecture, model: nn.Module, words: Words, pairs: Sequence[Pair]) -> float:
    """Measure the fraction of translations that are right word for word."""
    sources, _ = rows(words, ENGLISH_SWEDISH, pairs)
    written = architecture.write(model, sources, words.start(ENGLISH_SWEDISH))
    right = [words.decode(ids) == pair.target for ids, pair in zip(written, pairs, strict=True)]
    return sum(right) / len(right)


@torch.no_grad()
def operations(architecture: Architecture, words: Words, pairs: Sequence[Pair]) -> float:
    """Count the operations of the true translation of a sentence, forward in training and without padding."""
    model, counted = architecture.make(len(words), torch.Generator().manual_seed(0)), FlopCounterMode(display=False)
    with counted:
        for pair in pairs:
            architecture.logits_and_targets(model, *rows(words, ENGLISH_SWEDISH, [pair]))
    return counted.get_total_flops() / len(pairs)


def measured(
    architecture: Architecture,
    words: Words,
    split: Sequence[Sequence[Pair]],
    seed: int,
    progress: Progress,
    marks: Sequence[int] = (STEPS,),
) -> dict[str, Any]:
    """Train once, and measure on new sentences: the loss after some steps, and how many are right at the end."""
    made, nats = trainer(architecture, words, split[0], seed, marks[-1]), []
    for before, mark in pairwise((0, *marks)):
        made.model.train()
        made.run(mark - before, progress)
        nats.append(surprise(architecture, made.model.eval(), words, split[1]))
    return {"surprise": nats, "right": accuracy(architecture, made.model, words, split[1])}


def compare(seeds: Sequence[int], progress: Callable[[str], Progress]) -> dict[str, Any]:
    """Train every architecture with several seeds, and once for longer; ``progress`` makes a bar from a name."""
    words, split, results = Words.of([ENGLISH_SWEDISH]), short_sentences(), dict[str, Any]()
    for name, architecture in ARCHITECTURES.items():
        model, of_each = architecture.make(len(words), torch.Generator().manual_seed(0)), (architecture, words, split)
        results[name] = {
            "weights": weights(model),
            "operations": operations(architecture, words, split.unseen_sentences[:20]),
            "seeds": [measured(*of_each, seed, progress(f"{name}, seed {seed}")) for seed in seeds],
            "longer": measured(*of_each, 0, progress(f"{name}, longer"), MARKS),
        }
    sizes = {"steps": STEPS, "marks": MARKS, "batch": BATCH, "longest": LONGEST_SOURCE}
    return sizes | {"results": results}
