"""How a translator writes: many sentences at once by greedy search, or one by a search with beams."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from clearformer.decoding import beam_search, greedy_search
from clearformer.decoding.search import Hypothesis
from clearformer.decoding.streaming import NextLogits
from clearformer.models import CachedDecoder, EncoderDecoder
from linebyline.corpora.translations import Grammar, Pair
from linebyline.recurrent import RecurrentTranslator

from .data import END, PAD, Words, rows

LONGEST = 48  # words that a translation has at most

# Reads sentences, (n, S), filled up with padding, once; what comes back writes from them.
Read = Callable[[Int[Tensor, "n S"]], NextLogits]


def reader(model: EncoderDecoder | RecurrentTranslator) -> Read:
    """Let a model read sentences, so that the functions here can ask it for words."""

    @torch.inference_mode()
    def read(sources: Int[Tensor, "n S"]) -> NextLogits:
        if isinstance(model, RecurrentTranslator):
            return model.next_logits(model.encode(sources, sources != PAD))
        return CachedDecoder(model.decoder, model.encode(sources, sources != PAD))

    return read


def greedy(read: Read, sources: Int[Tensor, "n S"], start: int) -> list[list[int]]:
    """Translate sentences side by side, each word the most likely one; each translation has the id that ends it."""
    return greedy_search(read(sources), [[start]] * len(sources), LONGEST, stop_ids=[END])


def beams(
    read: Read, source: Int[Tensor, " S"], start: int, *, n_beams: int, length_penalty: float = 1.0
) -> list[Hypothesis]:
    """Translate a sentence in as many ways as there are beams, the best first."""
    options = {"n_beams": n_beams, "length_penalty": length_penalty, "stop_ids": [END]}
    return beam_search(read(source[None]), [start], LONGEST, **options)  # type: ignore[arg-type]


def exact(read: Read, words: Words, grammar: Grammar, pairs: Sequence[Pair]) -> Bool[Tensor, " n"]:
    """Return for each pair whether greedy search finds its target, word for word."""
    return finds(read, *rows(words, grammar, pairs))


def finds(read: Read, sources: Int[Tensor, "n S"], targets: Int[Tensor, "n T"]) -> Bool[Tensor, " n"]:
    """Return for each row whether greedy search writes its target, word for word, and ends there."""
    written = greedy(read, sources, int(targets[0, 0]))
    return torch.tensor([ids == row[row != PAD].tolist() for ids, row in zip(written, targets[:, 1:], strict=True)])


def source_words(grammar: Grammar, text: str) -> tuple[str, ...]:
    """Split a text of one sentence into words that a translator can read; its full stop may be left out.

    Raises:
        ValueError: there are no words, or one is not in the vocabulary of the source.
    """
    if not any(map(str.isalpha, text)):
        raise ValueError(f"{text!r} has no words to translate")
    return grammar.source.read(text)


def translate(read: Read, words: Words, grammar: Grammar, text: str, *, n_beams: int = 1) -> str:
    """Translate a text of one sentence; one beam is greedy search.

    Raises:
        ValueError: as ``source_words`` does, or the words are too many for the positions of the model.
    """
    ids, start = torch.tensor(words.encode(source_words(grammar, text))), words.start(grammar)
    if n_beams == 1:
        (written,) = greedy(read, ids[None], start)
    else:
        written = beams(read, ids, start, n_beams=n_beams)[0].tokens
    return grammar.target.detokenize(words.decode(written))
