"""A trained masked language model that runs in the reader's browser."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from clearformer.models import BertConfig
from clearformer.tokenizers import WordPieceTokenizer
from clearformer.tokenizers.pre_tokenization import words_and_punctuation
from linebyline.masked_language_model import CLS, MASK, SEP, encoder

from .live import LiveModel, packed, quantized, weights_of

MIME_TYPE = "application/vnd.clearformer.live-fill-in+json"
GUESSES = 5  # at each hidden token


def live_fill_in(
    state: Mapping[str, np.ndarray],
    tokenizer: WordPieceTokenizer,
    config: BertConfig,
    examples: Mapping[str, Sequence[str]],
    *,
    description: str,
) -> LiveModel:
    """A model that predicts the words that a reader hides in a sentence, run by the reader's own browser.

    The weights are those of a `linebyline.masked_language_model.encoder`, and are `quantized` for the page. Each
    example is a sentence with the words of it that are hidden at first, at their first place; the page begins with the
    first one and the model's guesses.

    Raises:
        ValueError: The weights have other names than those of such a model, or an example is longer than its context.
    """
    arrays = weights_of(state, lambda: encoder(config), "a BERT of this depth that predicts hidden tokens")
    ids = tokenizer.vocab | tokenizer.special_tokens
    tokens = sorted(ids, key=ids.__getitem__)
    read = [_pieces_and_places(tokenizer, text, words, config.context) for text, words in examples.items()]
    sizes = {key: getattr(config, key) for key in ("context", "d_model", "eps", "n_heads", "n_layers")}
    model = {"sizes": sizes, "tokens": tokens, **packed(arrays)}
    shown = [{"text": text, "hidden": hidden} for text, (_, hidden) in zip(examples, read, strict=True)]
    page = {"description": description.strip(), "examples": shown}
    opening = _opening(quantized(arrays), config, *read[0], tokens)
    return LiveModel(MIME_TYPE, page, {"model": model, "opening": opening})


def _pieces_and_places(
    tokenizer: WordPieceTokenizer, text: str, hidden: Sequence[str], context: int
) -> tuple[list[list[int]], list[int]]:
    """The ids of the pieces of each word of a sentence, and the places of the hidden words."""
    words = words_and_punctuation(text)
    pieces = [tokenizer.encode(word) for word in words]
    length = sum(map(len, pieces)) + 2
    if length > context:
        raise ValueError(f"{text!r} has {length} tokens, [CLS] and [SEP] among them, more than context={context}")
    return pieces, sorted({words.index(word) for word in hidden})


@torch.no_grad()
def _opening(
    weights: Mapping[str, np.ndarray],
    config: BertConfig,
    words: Sequence[Sequence[int]],
    hidden: Sequence[int],
    tokens: Sequence[str],
) -> list[dict[str, Any]]:
    """For each hidden token its ``position``, what it ``hides``, and the ``guesses`` with their probabilities."""
    model = encoder(config).double().eval()
    model.load_state_dict({name: torch.from_numpy(array.astype(np.float64)) for name, array in weights.items()})
    originals = [CLS, *(i for word in words for i in word), SEP]
    masked = [CLS, *(MASK if place in hidden else i for place, word in enumerate(words) for i in word), SEP]
    probabilities = model(torch.tensor(masked)).softmax(dim=-1)  # (T, vocab_size)
    opening = []
    for position in (t for t, i in enumerate(masked) if i == MASK):
        row, original = probabilities[position], originals[position]
        best = row.argsort(descending=True, stable=True)[:GUESSES].tolist()
        guesses = [[tokens[i], row[i].item()] for i in [*best, *({original} - set(best))]]
        opening.append({"position": position, "hides": tokens[original], "guesses": guesses})
    return opening
