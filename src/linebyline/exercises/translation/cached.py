"""translation.cached: how many keys a decoder computes for one translation, without caches and with them."""

import torch

from clearformer.models import TransformerConfig, transformer
from linebyline.exercises.core import Predict, Rng

SOURCE, TARGET, BLOCKS = 12, 10, 6
CONFIG = TransformerConfig(vocab_size=29, context=16, d_model=8, n_heads=2, n_layers=BLOCKS, d_ff=8)


@torch.no_grad()
def _keys(rng: Rng) -> tuple[int, int]:
    """Write a target token by token, and count the keys of each step: of the source, and of the target."""
    model = transformer(CONFIG, torch.Generator().manual_seed(0))
    source, target = (torch.from_numpy(rng.integers(29, size=length)) for length in (SOURCE, TARGET))

    without = 0
    for t in range(TARGET):
        sources = model.encode(source)
        _, made = model.decoder.states(target[: t + 1], sources=sources)
        without += sum(map(len, (*sources.held, *made)))

    sources, caches = model.encode(source), None
    for t in range(TARGET):
        _, caches = model.decoder.states(target[t : t + 1], caches, sources=sources)
    return without, sum(map(len, (*sources.held, *(caches or ()))))


EXERCISE = Predict(
    id="translation.cached",
    title="Keys of a translation",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="pen and paper",
    asks=("keys without caches", "keys with caches"),
    compute=_keys,
    within=0.005,
    wrong_answers={
        "This is one block. Every block has keys of its own, of the source and of the target.": (175, 22),
        "The second is right. But without caches step t reads t tokens of the target, not all ten.": (1320, 132),
        "The second is right. But without caches the source is projected again at each step.": (402, 132),
        "The second is right. But without caches the whole past of the target is projected again, too.": (780, 132),
        "The first is right. But the keys of the source do not change from step to step: once is enough.": (1050, 780),
        "The first is right. But the keys of the target's own words are needed as well, one each.": (1050, 72),
        "These are the keys of the source alone. A decoder attends to its own words, too.": (720, 72),
    },
)
