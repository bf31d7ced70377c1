"""A trained encoder-decoder that runs in the reader's browser: its weights as bytes, its vocabulary as lists."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linebyline.corpora.translations import Grammar
from linebyline.translation import LONGEST, Words, source_words

from ..live import LiveModel, packed, quantized, require_names
from .opening import TABLE, opening

MIME_TYPE = "application/vnd.clearformer.live-translator+json"
ATTENTION = ("w_qkv", "b_qkv", "w_o", "b_o")
NORM = ("gamma", "beta")
ENCODER_BLOCK = {
    "attention": ATTENTION,
    "norm_attention": NORM,
    "feed_forward": ("w_in", "b_in", "w_out", "b_out"),
    "norm_feed_forward": NORM,
}
DECODER_BLOCK = {**ENCODER_BLOCK, "cross": ATTENTION, "norm_cross": NORM}
# As BCP 47 names them, so that each language is read out as itself.
TAGS = {"English": "en", "Swedish": "sv", "French": "fr"}


def live_translator(
    state: Mapping[str, np.ndarray],
    words: Words,
    examples: Mapping[Grammar, Sequence[str]],
    *,
    n_heads: int,
    context: int,
    description: str,
) -> LiveModel:
    """Let the reader translate sentences, and see each word being chosen, computed by the reader's own browser.

    The weights travel as whole numbers of one byte with one scale a row; ``quantized`` gives what they stand for.

    Args:
        state: The weights of a ``models.transformer``, by its names. Tensors on the CPU will do.
        words: Its vocabulary.
        examples: For each pair of languages that it translates some sentences to begin with. The first one of all
            stands there at the start, with its translation.
        n_heads: Heads of each layer.
        context: How many words a sentence has at most, with its full stop.
        description: What the model is, in words.

    Raises:
        ValueError: the weights are not those of such a model, they or the heads or the vocabulary do not fit
            together, there is no example, or one that the model cannot read.

    Example:
        >>> import torch
        >>> from linebyline.corpora import ENGLISH_SWEDISH as grammar
        >>> from clearformer.models import TransformerConfig, transformer
        >>> words, examples = Words.of([grammar]), {grammar: ["Dan sleeps."]}
        >>> config = TransformerConfig(len(words), context=9, d_model=4, n_heads=2, n_layers=1, d_ff=5)
        >>> state = transformer(config, torch.Generator().manual_seed(0)).state_dict()
        >>> live_translator(state, words, examples, n_heads=2, context=9, description="A toy.")
        A toy. It runs in the book's page.
    """
    arrays = {name: np.asarray(array, dtype=np.float32) for name, array in state.items()}
    n_layers = _require(arrays, words, n_heads)
    del arrays[f"decoder.{TABLE}"]  # the same as that of the encoder
    if not description.strip():
        raise ValueError("a live translator needs a description: it is read where the model cannot run")
    _require_examples(examples, context)
    sizes = {
        "context": context,
        "d_model": arrays[f"encoder.{TABLE}"].shape[1],
        "longest": min(context, LONGEST),
        "n_heads": n_heads,
        "n_layers": n_layers,
    }
    weights = {
        "sizes": sizes,
        "tokens": words.tokens,
        "directions": [_direction(words, grammar) for grammar in examples],
        **packed(arrays),
    }
    directions = [
        {"name": grammar.name, "tags": _tags(grammar), "examples": list(sentences)}
        for grammar, sentences in examples.items()
    ]
    page = {"description": description.strip(), "directions": directions}
    grammar, (first, *_) = next(iter(examples.items()))
    begun = opening(quantized(arrays), words, grammar, first, n_heads=n_heads, longest=sizes["longest"])
    return LiveModel(MIME_TYPE, page, {"model": weights, "opening": begun})


def _direction(words: Words, grammar: Grammar) -> dict[str, Any]:
    """What the page needs to read a language and to write another."""
    return {
        "name": grammar.name,
        "source": grammar.source.name,
        "vocabulary": words.encode(grammar.source.vocabulary),
        "start": words.start(grammar),
    }


def _tags(grammar: Grammar) -> list[str]:
    return [TAGS[language.name] for language in (grammar.source, grammar.target)]


def _require(arrays: Mapping[str, np.ndarray], words: Words, n_heads: int) -> int:
    """Refuse weights that the page could not compute with; give the number of blocks of each stack."""
    n_layers = sum(name.endswith(".cross.w_o") for name in arrays)
    expected = [f"encoder.{TABLE}", f"decoder.{TABLE}"]
    for stack, block in (("encoder", ENCODER_BLOCK), ("decoder", DECODER_BLOCK)):
        for number in range(n_layers):
            expected += [f"{stack}.blocks.{number}.{part}.{name}" for part, names in block.items() for name in names]
    require_names(expected, arrays, "an encoder and a decoder of one depth, with norms behind their layers")
    if not n_layers:
        raise ValueError("0 layers: there is no attention to show")
    if not np.array_equal(arrays[f"encoder.{TABLE}"], arrays[f"decoder.{TABLE}"]):
        raise ValueError("encoder and decoder must share one table of embeddings, which also reads out")
    vocab_size, d_model = arrays[f"encoder.{TABLE}"].shape
    if vocab_size != len(words):
        raise ValueError(f"{len(words)} words do not fit an embedding of {vocab_size} rows")
    if n_heads < 1 or d_model % n_heads or d_model % 2:
        raise ValueError(f"d_model={d_model} must be even, for the sines, and a multiple of n_heads={n_heads}")
    return n_layers


def _require_examples(examples: Mapping[Grammar, Sequence[str]], context: int) -> None:
    if not examples or not all(examples.values()):
        counts = [len(sentences) for sentences in examples.values()]
        raise ValueError(f"{counts} examples: each pair of languages needs one, and there must be a pair")
    for grammar, sentences in examples.items():
        for sentence in sentences:
            length = len(source_words(grammar, sentence))
            if length > context:
                raise ValueError(f"{sentence!r} has {length} words and signs, more than context={context}")
