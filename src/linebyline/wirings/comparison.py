"""The three wirings and three shapes beside each other: what they learn of one task in as many steps."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from clearformer import training
from linebyline.corpora.translations import ENGLISH_SWEDISH, Pair, Split
from linebyline.translation import PAD, Words, batches, rows, sentences
from linebyline.wirings.kinds import Wiring, decoder_only, encoder_decoder, encoder_only

PAIRS, UNSEEN, STEPS, BATCH, PEAK = 40_000, 600, 400, 32, 6e-3
LONGEST = 9  # words of a source, so that trainings are short

# A block of an encoder or of a decoder alone has 4 d² + 2 d d_ff weights, one that looks at sources 8 d² + 2 d d_ff.
WIRINGS = {
    "encoder-only": encoder_only(4, 64, 320),
    "decoder-only": decoder_only(4, 64, 320),
    "encoder-decoder": encoder_decoder(2, 64, 256),
}
# With n d² the same, a decoder of n blocks makes as many operations for a token.
SHAPES = {
    "1 block, 128 wide": decoder_only(1, 128, 640),
    "4 blocks, 64 wide": WIRINGS["decoder-only"],
}

Progress = Callable[[Iterable[int]], Iterable[int]]


def short_sentences(n_train: int = PAIRS, n_unseen: int = UNSEEN) -> Split:
    """Draw the sentences of the comparison: the short ones of some thousand.

    Args:
        n_train: Sentences to train on that are looked at.
        n_unseen: New sentences of either kind that are looked at.
    """
    split = sentences(ENGLISH_SWEDISH, n_train, n_unseen)
    return Split(*([pair for pair in part if len(pair.source) <= LONGEST] for part in split))


def weights(model: nn.Module) -> int:
    """Count the numbers of a model that training changes, but its tables of words and of distances."""
    tables = {id(module.table) for module in model.modules() if hasattr(module, "table")}
    return sum(p.numel() for p in model.parameters() if id(p) not in tables)


def trainer(
    wiring: Wiring, words: Words, pairs: Sequence[Pair], seed: int, steps: int = STEPS, batch: int = BATCH
) -> training.Trainer:
    """Prepare the training that all go through.

    Args:
        wiring: Which.
        words: The vocabulary.
        pairs: What is trained on.
        seed: Of the start, and of the order of the sentences.
        steps: Steps in all.
        batch: Sentences in each.
    """
    generator = torch.Generator().manual_seed(seed)
    model = wiring.make(len(words), generator)

    def loss(model: nn.Module, batch: training.Batch) -> Float[Tensor, ""]:
        logits, asked = wiring.asks(model, *batch)
        return training.cross_entropy(logits, asked, ignore_index=PAD)

    draw = batches([rows(words, ENGLISH_SWEDISH, pairs)], batch=batch)
    schedule = training.warmup_cosine(PEAK, steps // 10, steps)
    return training.Trainer(model, draw, schedule, generator=generator, loss=loss)


@torch.no_grad()
def surprise(wiring: Wiring, model: nn.Module, words: Words, pairs: Sequence[Pair]) -> float:
    """Measure what true translations cost, in nats for a word."""
    logits, asked = wiring.asks(model, *rows(words, ENGLISH_SWEDISH, pairs))
    return training.cross_entropy(logits, asked, ignore_index=PAD).item()


def found(wiring: Wiring, model: nn.Module, words: Words, pairs: Sequence[Pair]) -> float:
    """Measure the share of translations that are right word for word."""
    sources, _ = rows(words, ENGLISH_SWEDISH, pairs)
    written = wiring.write(model, sources, words.start(ENGLISH_SWEDISH))
    right = [words.decode(ids) == pair.target for ids, pair in zip(written, pairs, strict=True)]
    return sum(right) / len(right)


@torch.no_grad()
def operations(wiring: Wiring, words: Words, pairs: Sequence[Pair]) -> float:
    """Count the multiplications and additions that the true translation of a sentence takes in training, forward.

    Each sentence goes alone, so that no padding is counted.
    """
    model, counted = wiring.make(len(words), torch.Generator().manual_seed(0)), FlopCounterMode(display=False)
    with counted:
        for pair in pairs:
            wiring.asks(model, *rows(words, ENGLISH_SWEDISH, [pair]))
    return counted.get_total_flops() / len(pairs)


def measured(
    wiring: Wiring, words: Words, split: Sequence[Sequence[Pair]], seed: int, progress: Progress
) -> dict[str, float]:
    """Train once, and measure on new sentences."""
    made = trainer(wiring, words, split[0], seed)
    made.run(STEPS, progress)
    model = made.model.eval()
    return {
        "surprise": surprise(wiring, model, words, split[1]),
        "new_sentences": found(wiring, model, words, split[1]),
        "new_combinations": found(wiring, model, words, split[2]),
    }


def compare(seeds: Iterable[int], progress: Callable[[str], Progress]) -> dict[str, Any]:
    """Train every wiring and every shape with several seeds.

    Args:
        seeds: Starts and orders of sentences.
        progress: Makes of a name what wraps the numbers of the steps, such as ``tqdm``.
    """
    words, split = Words.of([ENGLISH_SWEDISH]), short_sentences()
    every, results = {**WIRINGS, **{k: w for k, w in SHAPES.items() if w not in WIRINGS.values()}}, dict[str, Any]()
    for name, wiring in every.items():
        model = wiring.make(len(words), torch.Generator().manual_seed(0))
        results[name] = {
            "weights": weights(model),
            "parameters": sum(p.numel() for p in model.parameters()),
            "operations": operations(wiring, words, split.unseen_sentences[:20]),
            "seeds": [],
        }
    for seed in seeds:
        for name, wiring in every.items():
            results[name]["seeds"].append(measured(wiring, words, split, seed, progress(f"{name}, seed {seed}")))
    return {"steps": STEPS, "batch": BATCH, "longest": LONGEST, "results": results}
