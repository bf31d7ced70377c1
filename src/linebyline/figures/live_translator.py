"""A trained encoder-decoder that runs in the reader's browser."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.models import TransformerConfig, transformer
from linebyline.corpora.translations import Grammar
from linebyline.translation import END, LONGEST, Words, source_words

from .live import LiveModel, packed, quantized, weights_of

MIME_TYPE = "application/vnd.clearformer.live-translator+json"
# The names of BCP 47, so that screen readers pronounce each language as itself.
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
    """A model that translates a reader's sentences and shows how each word is chosen, computed by the browser.

    The weights are those of a `clearformer.models.transformer`, and are `quantized` for the page. The examples are
    sentences for each pair of languages that the model translates; the page begins with the first one and its
    translation. A sentence has at most ``context`` words, its full stop among them.

    Raises:
        ValueError: The weights have other names than those of such a model, or the model cannot read an example.
    """
    n_layers = sum(name.endswith(".cross.w_o") for name in state)
    config = TransformerConfig(1, 1, 2, 1, n_layers, 1)  # names do not depend on the others
    form = "an encoder and a decoder of one depth, with norms behind their layers"
    arrays = weights_of(state, lambda: transformer(config), form)
    del arrays["decoder.embedding.table"]  # the same as that of the encoder
    for grammar, sentences in examples.items():
        for sentence in sentences:
            length = len(source_words(grammar, sentence))
            if length > context:
                raise ValueError(f"{sentence!r} has {length} words and signs, more than context={context}")
    longest, d_model = min(context, LONGEST), arrays["encoder.embedding.table"].shape[1]
    sizes = {"context": context, "d_model": d_model, "longest": longest, "n_heads": n_heads, "n_layers": n_layers}
    sources = [
        {"name": each.name, "source": each.source.name, "vocabulary": words.encode(each.source.vocabulary)}
        | {"start": words.start(each)}
        for each in examples
    ]
    model = {"sizes": sizes, "tokens": words.tokens, "directions": sources, **packed(arrays)}
    directions = [
        {"name": each.name, "tags": [TAGS[each.source.name], TAGS[each.target.name]], "examples": list(sentences)}
        for each, sentences in examples.items()
    ]
    grammar, (first, *_) = next(iter(examples.items()))
    opening = _opening(quantized(arrays), words, grammar, first, n_heads=n_heads, longest=longest)
    page = {"description": description.strip(), "directions": directions}
    return LiveModel(MIME_TYPE, page, {"model": model, "opening": opening})


def _opening(
    weights: Mapping[str, np.ndarray], words: Words, grammar: Grammar, text: str, *, n_heads: int, longest: int
) -> dict[str, Any]:
    """What the page shows before the model has started: a greedy translation, computed in float64 as in the page.

    It has the ``text``, its ``translation``, the words of both as ``source`` and ``target``, with the token that ends
    it, and the ``attention`` of the last layer, the mean of its heads: (T, S).
    """
    weights = {name: array.astype(np.float64) for name, array in weights.items()}
    source = source_words(grammar, text)
    ids, written = np.array(words.encode(source)), [words.start(grammar)]
    while len(written) <= longest and written[-1] != END:
        logits, maps = F.encoder_decoder(weights, ids, np.array(written), n_heads=n_heads)
        written.append(int(logits[-1].argmax()))
    *_, cross = maps.values()  # (n_heads, T, S)
    target = [words.tokens[i] for i in written[1:]]
    texts = {"text": text, "translation": grammar.target.detokenize(words.decode(written[1:]))}
    return {**texts, "source": list(source), "target": target, "attention": cross.mean(axis=0).tolist()}
