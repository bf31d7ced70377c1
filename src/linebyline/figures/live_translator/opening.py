"""What stands in the page before its translator has started: computed with the book, as the page will compute it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.corpora.translations import Grammar
from linebyline.translation import END, Words, source_words

TABLE = "embedding.table"


def opening(
    weights: Mapping[str, np.ndarray], words: Words, grammar: Grammar, text: str, *, n_heads: int, longest: int
) -> dict[str, Any]:
    """Translate a sentence by greedy search, in float64, as the page computes.

    Args:
        weights: Those of a ``models.transformer``, its table but once.
        words: Its vocabulary.
        grammar: From which language to which.
        text: The sentence.
        n_heads: Heads of each layer.
        longest: Words of the translation at most.

    Returns:
        The ``text``, its ``translation``, the words of both as ``source`` and ``target``, with the token that ends it,
        and the ``attention`` of the last layer, the mean of its heads: (T, S).
    """
    weights = {name: array.astype(np.float64) for name, array in weights.items()}
    source = source_words(grammar, text)
    ids, written = np.array(words.encode(source)), [words.start(grammar)]
    while len(written) <= longest and written[-1] != END:
        logits, maps = F.encoder_decoder(weights, ids, np.array(written), n_heads=n_heads)
        written.append(int(logits[-1].argmax()))
    *_, cross = maps.values()  # (n_heads, T, S)
    target = [words.tokens[i] for i in written[1:]]
    return {
        "text": text,
        "translation": grammar.target.detokenize(words.decode(written[1:])),
        "source": list(source),
        "target": target,
        "attention": cross.mean(axis=0).tolist(),
    }
