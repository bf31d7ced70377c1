"""What stands in the page before its model has started: computed with the book, as the page will compute it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from clearformer.models import BertConfig
from linebyline.masked_language_model import CLS, MASK, SEP, encoder

GUESSES = 5  # at each hidden token


@torch.no_grad()
def opening(
    weights: Mapping[str, np.ndarray],
    config: BertConfig,
    words: Sequence[Sequence[int]],
    hidden: Sequence[int],
    tokens: Sequence[str],
) -> list[dict[str, Any]]:
    """Hide words of a sentence and guess them, in float64, as the page computes.

    Args:
        weights: Those of the model.
        config: Its sizes.
        words: The ids of the pieces of each word.
        hidden: Places of the words that are hidden.
        tokens: What the ids spell.

    Returns:
        For each hidden token its ``position`` among all, the token that it ``hides``, and its ``guesses``: the
        likeliest tokens with their probabilities, best first, and at the end the hidden one if it is not among them.
    """
    model = encoder(config).double().eval()
    model.load_state_dict({name: torch.from_numpy(array.astype(np.float64)) for name, array in weights.items()})
    originals = [CLS, *(i for word in words for i in word), SEP]
    seen = [CLS, *(MASK if place in hidden else i for place, word in enumerate(words) for i in word), SEP]
    probabilities = model(torch.tensor(seen)).softmax(dim=-1)  # (T, vocab_size)
    found = []
    for position in (t for t, i in enumerate(seen) if i == MASK):
        row, original = probabilities[position], originals[position]
        best = row.argsort(descending=True, stable=True)[:GUESSES].tolist()
        rows = [*best, *({original} - set(best))]
        guesses = [[tokens[i], row[i].item()] for i in rows]
        found.append({"position": position, "hides": tokens[original], "guesses": guesses})
    return found
