"""Hiding words of the source from the decoder's cross-attention, and from the encoder as well."""

from collections.abc import Iterable, Sequence
from itertools import groupby

import numpy as np
import torch
from jaxtyping import Bool

from linebyline.corpora.translations import ENGLISH_SWEDISH, Pair

from .data import PAD, rows
from .model import Translator

# A case: which pair, which word of its target, and which words of its source are hidden.
Case = tuple[int, int, Iterable[int]]


@torch.no_grad()
def right_without(
    translator: Translator, pairs: Sequence[Pair], cases: Sequence[Case], *, encoder: bool = False
) -> Bool[np.ndarray, " cases"]:
    """Return for each case whether the target word is right, after the true words before it.

    The words are hidden in every cross-attention, from the queries of all target words. The encoder has read them,
    unless ``encoder`` hides them from its attention, too.
    """
    sources, targets = rows(translator.words, ENGLISH_SWEDISH, pairs)
    hits: list[bool] = []
    for n, group in groupby(cases, key=lambda case: case[0]):
        _, places, hidden = zip(*group, strict=True)
        seen = (sources[n] != PAD).repeat(len(places), 1)  # (k, S)
        for row, gone in zip(seen, hidden, strict=True):
            row[list(gone)] = False
        mask = seen if encoder else sources[n : n + 1] != PAD  # one source for all cases, if the encoder reads it whole
        states = translator.model.encoder(sources[n].expand(len(mask), -1), mask=mask)  # (1 or k, S, d_model)
        memory = translator.model.decoder.memory(states.expand(len(places), -1, -1), seen)
        read = targets[n, : len(pairs[n].target)].expand(len(places), -1)  # (k, T)
        said = translator.model.decoder(read, memory).argmax(-1)[range(len(places)), places]
        hits += (said == targets[n, torch.tensor(places) + 1]).tolist()
    return np.array(hits)
