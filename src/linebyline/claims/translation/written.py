"""Claims on the translations that come out, held against the translator that is kept with the course."""

from functools import cache

import torch
from torch import Tensor

from clearformer.decoding import greedy_search
from clearformer.models import CachedDecoder
from linebyline import translation
from linebyline.claims.declare import claim, corrected, depends, holds
from linebyline.corpora import ENGLISH_SWEDISH, FRENCH_ENGLISH
from linebyline.corpora.translations import Grammar, Pair
from linebyline.translation import END, Translator

ICE_CREAM, AFRICA = "Dan loves ice cream.", "Jane visite l'Afrique en septembre."


@cache
def _kept() -> Translator:
    return translation.translator()


def _new(grammar: Grammar, n: int) -> list[Pair]:
    """Sentences that the translator has not seen."""
    return translation.sentences(grammar, 0, n).unseen_sentences


@claim(
    "001.english-to-swedish",
    "sec-translation-training",
    "An encoder-decoder can be trained to predict the Swedish sentence from the English one.",
)
@holds("The course's translator was, on sentences of a small grammar.")
def _english_to_swedish() -> str:
    kept = _kept()
    right = (
        translation.exact(translation.reader(kept.model), kept.words, ENGLISH_SWEDISH, _new(ENGLISH_SWEDISH, 40))
        .double()
        .mean()
    )
    share = "more" if right > 0.8 else "less"
    text = kept.translate(ENGLISH_SWEDISH, ICE_CREAM)
    return f"{ICE_CREAM} -> {text} Of 40 new sentences {share} than 8 in 10 are right"


@claim(
    "001.training-and-use",
    "sec-shifted-targets",
    "One diagram serves training and use: in training weights are updated, in use only loaded.",
)
@holds("The same parts compute in both.")
def _weights_in_use() -> str:
    kept = _kept()
    before = [weight.clone() for weight in kept.model.parameters()]
    kept.translate(FRENCH_ENGLISH, AFRICA)
    pairs = [FRENCH_ENGLISH.translate(AFRICA)]
    surprise = translation.loss()(kept.model, translation.rows(kept.words, FRENCH_ENGLISH, pairs))
    slopes = torch.autograd.grad(surprise, list(kept.model.parameters()))
    moved = sum(not torch.equal(a, b) for a, b in zip(before, kept.model.parameters(), strict=True))
    pulled = sum(bool(slope.any()) for slope in slopes)
    return f"of {len(before)} parameters a translation moves {moved}, and a training step would move {pulled}"


@claim("002.jane", "sec-two-grammars", "The example's French sentence becomes Jane visits Africa in September.")
@holds("The course's translator says so, too.")
def _french_to_english() -> str:
    return f"{AFRICA} -> {_kept().translate(FRENCH_ENGLISH, AFRICA)}"


@claim("002.steptembre", "sec-two-grammars", "The French of the example ends with on steptembre.")
@corrected("With en septembre; on is another French word.")
def _spelling() -> str:
    text = AFRICA.replace("en septembre", "on steptembre")
    try:
        return _kept().translate(FRENCH_ENGLISH, text)
    except ValueError as refused:
        return f"{text} -> {refused}"


@claim("002.in-parallel", "sec-before-the-transformer", "The Transformer computes an entire sequence in parallel.")
@depends("When it reads and when it is trained. It writes token by token, as recurrent networks do.")
def _calls() -> str:
    kept, lengths = _kept(), list[int]()
    source = torch.tensor(kept.words.encode(FRENCH_ENGLISH.source.tokenize(AFRICA)))
    with torch.inference_mode():
        next_logits = CachedDecoder(kept.model.decoder, kept.model.encode(source[None]))

    def counted(ids: Tensor) -> Tensor:
        lengths.append(ids.shape[1])
        return next_logits(ids)

    (written,) = greedy_search(counted, [[kept.words.start(FRENCH_ENGLISH)]], 48, stop_ids=[END])
    return f"calls of the decoder for {len(written)} tokens: 1 to train on them, {len(lengths)} to write them"


@claim("004.most-probable-output", "sec-writing", "One has to find the most probable output for the input.")
@depends("Where the model is sure, greedy search has it already.")
def _beams() -> str:
    kept, start = _kept(), _kept().words.start(FRENCH_ENGLISH)
    likelier, right = 0, [0, 0]
    for pair in _new(FRENCH_ENGLISH, 12):
        source = torch.tensor(kept.words.encode(pair.source))
        found = [
            translation.beams(translation.reader(kept.model), source, start, n_beams=n, length_penalty=0.0)[0]
            for n in (1, 4)
        ]
        likelier += found[1].score > found[0].score + 1e-4
        right = [n + (kept.words.decode(one.tokens) == pair.target) for n, one in zip(right, found, strict=True)]
    return f"12 new sentences: 4 beams find a likelier translation for {likelier}; right are {right[0]} and {right[1]}"
