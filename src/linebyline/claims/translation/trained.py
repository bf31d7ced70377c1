"""Claims on what the course's trained translator predicts and writes."""

from collections.abc import Sequence
from functools import cache

import torch
from torch import Tensor

from clearformer.decoding import greedy_search
from clearformer.models import CachedDecoder
from linebyline import translation
from linebyline.claims.declare import claim, corrected, depends, holds
from linebyline.corpora import ENGLISH_SWEDISH, FRENCH_ENGLISH
from linebyline.corpora.translations import Grammar, Pair
from linebyline.translation import END, PAD, Translator

ICE_CREAM, AFRICA = "Dan loves ice cream.", "Jane visite l'Afrique en septembre."


@cache
@torch.inference_mode(False)  # its weights must take gradients, in whatever order the measurements run
def _translator() -> Translator:
    return translation.translator()


def _new_sentences(grammar: Grammar, n: int) -> list[Pair]:
    """Sentences that the translator was not trained on."""
    return translation.sentences(grammar, 0, n).unseen_sentences


@cache
def _new_ids() -> tuple[Tensor, Tensor]:
    """The ids of new sources and targets, a row for each sentence."""
    return translation.rows(_translator().words, FRENCH_ENGLISH, _new_sentences(FRENCH_ENGLISH, 40))


@torch.inference_mode()
def _right(logits: Tensor, targets: Tensor) -> float:
    """The fraction of the targets, padding aside, that have the largest logit."""
    return float((logits.argmax(dim=-1) == targets)[targets != PAD].double().mean())


@torch.inference_mode()
def _p(past: Sequence[str], word: str) -> float:
    """The probability of a word after the first words of the translation of the example."""
    words, model = _translator().words, _translator().model
    source = torch.tensor(words.encode(FRENCH_ENGLISH.source.tokenize(AFRICA)))
    target = torch.tensor([words.start(FRENCH_ENGLISH), *words.encode(past)])
    (number,) = words.encode([word])
    return float(model(source, target)[-1].softmax(dim=-1)[number])


@claim("002", "first-transformer", "Given Jane visits Africa, the network is to predict the hidden words in September.")
@depends("One of them. The next is asked for with the one before it in sight.")
def _given_the_rest() -> str:
    visits = ("Jane", "visits", "Africa")
    first, skipped, second = _p(visits, "in"), _p(visits, "September"), _p((*visits, "in"), "September")
    return f"after Jane visits Africa: in {first:.1f}, September {skipped:.1f}; after in: September {second:.1f}"


@claim("002", "first-transformer", "Pretending that all words so far are right mimics what happens at test time.")
@depends(
    "As long as they are. At test time a word of its own that is wrong stays there, which training has never shown."
)
def _mimics_the_test() -> str:
    """Count the right words after the second, which is right once, and once taken from another sentence."""
    sources, targets = _new_ids()
    inputs, wanted = targets[:, :-1], targets[:, 1:]
    wrong = inputs.clone()
    wrong[:, 2] = inputs.roll(1, dims=0)[:, 2]
    model = _translator().model
    with torch.inference_mode():
        shares = [_right(model(sources, past, mask=sources != PAD)[:, 2:], wanted[:, 2:]) for past in (inputs, wrong)]
    return f"later words that are right: {shares[0]:.2f} after a right past, {shares[1]:.2f} with a wrong second word"


@claim("004", "first-transformer", "The encoder turns a sequence into representations in context (in a hidden draft).")
@holds("The same word at the same place leaves as another vector, by what stands around it.")
@torch.inference_mode()
def _contextual_representation() -> str:
    words, encoder = _translator().words, _translator().model.encoder
    place, vectors = 4, []
    for food in ("cheese", "meat"):
        ids = torch.tensor(words.encode(ENGLISH_SWEDISH.source.tokenize(f"Dan loves {food} because it is good.")))
        vectors.append((encoder.embedding(ids)[place], encoder(ids)[place]))
    before, after = (float(torch.cosine_similarity(one, other, dim=0)) for one, other in zip(*vectors, strict=True))
    return f"it, of cheese and of meat (den, det in Swedish): cosine {before:.2f} going in, {after:.2f} coming out"


@claim("004", "first-transformer")
@holds("It needs both: the source says what to say, the words so far how much of it is said.")
@torch.inference_mode()
def _both_inputs() -> str:
    """The decoder uses the encoder's information and the tokens before (in a hidden draft)."""
    sources, targets = _new_ids()
    inputs, wanted, model = targets[:, :-1], targets[:, 1:], _translator().model
    starts = torch.where(inputs == PAD, PAD, inputs[:, :1])  # every word is the start

    def right(sources: Tensor, inputs: Tensor) -> str:
        return f"{_right(model(sources, inputs, mask=sources != PAD), wanted):.1f}"

    counts = f"{right(sources, inputs)}; another's source {right(sources.roll(1, dims=0), inputs)}"
    return f"next words that are right, with both {counts}; start signs in place of the words {right(sources, starts)}"


@torch.inference_mode()
def _loss(sources: Tensor, targets: Tensor) -> float:
    return translation.loss()(_translator().model, (sources, targets)).item()


@claim("004", "first-transformer", "What the source adds may help to predict the next token.")
@holds("More than help: without the right source there is nothing to translate.")
def _source_may_help() -> str:
    sources, targets = _new_ids()
    own, other = _loss(sources, targets), _loss(sources.roll(1, dims=0), targets)
    return f"nats for a word: {own:.2f} with its source, {other:.1f} with another's"


@claim("004", "first-transformer", "Causal attention applies to the decoder only.")
@depends(
    "An encoder has no need of it, as its input is all there. One that reads forward only still works, for the "
    "decoder sees every word."
)
@torch.inference_mode()
def _only_in_decoder() -> str:
    sources, targets = _new_ids()
    model, real = _translator().model, (sources != PAD)[:, None, None]  # (B, 1, 1, S)
    shares = []
    for seen in (real, real & torch.ones(sources.shape[1], sources.shape[1], dtype=torch.bool).tril()):
        x = model.encoder.embedding(sources)
        for block in model.encoder.blocks:
            x = block(x, mask=seen)
        logits = model.decoder(targets[:, :-1], model.decoder.memory(x, sources != PAD))
        shares.append(f"{_right(logits, targets[:, 1:]):.2f}")
    return f"next words that are right: {shares[0]}; with a causal mask put on the encoder {shares[1]}"


@claim("001", "first-transformer")
@holds("The course's translator was, on sentences of a small grammar.")
def _english_to_swedish() -> str:
    """An encoder-decoder can be trained to predict the Swedish sentence from the English one."""
    translator, sentences = _translator(), _new_sentences(ENGLISH_SWEDISH, 40)
    exact = translation.exact(translation.reader(translator.model), translator.words, ENGLISH_SWEDISH, sentences)
    more = "more" if exact.double().mean() > 0.8 else "less"
    text = translator.translate(ENGLISH_SWEDISH, ICE_CREAM)
    return f"{ICE_CREAM} -> {text} Of 40 new sentences {more} than 8 in 10 are right"


@claim("001", "first-transformer")
@holds("The same parts compute in both.")
def _training_and_use() -> str:
    """One diagram serves training and use: in training weights are updated, in use only loaded."""
    translator = _translator()
    before = [weight.clone() for weight in translator.model.parameters()]
    translator.translate(FRENCH_ENGLISH, AFRICA)
    pairs = [FRENCH_ENGLISH.translate(AFRICA)]
    surprise = translation.loss()(translator.model, translation.rows(translator.words, FRENCH_ENGLISH, pairs))
    slopes = torch.autograd.grad(surprise, list(translator.model.parameters()))
    moved = sum(not torch.equal(a, b) for a, b in zip(before, translator.model.parameters(), strict=True))
    pulled = sum(bool(slope.any()) for slope in slopes)
    return f"of {len(before)} parameters a translation moves {moved}, and a training step would move {pulled}"


@claim("002", "first-transformer", "The example's French sentence becomes Jane visits Africa in September.")
@holds("The course's translator says so, too.")
def _jane() -> str:
    return f"{AFRICA} -> {_translator().translate(FRENCH_ENGLISH, AFRICA)}"


@claim("002", "first-transformer", "The French of the example ends with on steptembre.")
@corrected("With en septembre; on is another French word.")
def _steptembre() -> str:
    text = AFRICA.replace("en septembre", "on steptembre")
    try:
        return _translator().translate(FRENCH_ENGLISH, text)
    except ValueError as refused:
        return f"{text} -> {refused}"


@claim("002", "parallel-training", "The Transformer computes an entire sequence in parallel.")
@depends("When it reads and when it is trained. It writes token by token, as recurrent networks do.")
def _in_parallel() -> str:
    translator, lengths = _translator(), list[int]()
    source = torch.tensor(translator.words.encode(FRENCH_ENGLISH.source.tokenize(AFRICA)))
    with torch.inference_mode():
        next_logits = CachedDecoder(translator.model.decoder, translator.model.encode(source[None]))

    def counted(ids: Tensor) -> Tensor:
        lengths.append(ids.shape[1])
        return next_logits(ids)

    (written,) = greedy_search(counted, [[translator.words.start(FRENCH_ENGLISH)]], 48, stop_ids=[END])
    return f"calls of the decoder for {len(written)} tokens: 1 to train on them, {len(lengths)} to write them"


@claim("004", "first-transformer", "One has to find the most probable output for the input.")
@depends("Where the model is sure, greedy search has it already.")
def _most_probable_output() -> str:
    words, logits = _translator().words, translation.reader(_translator().model)
    start = words.start(FRENCH_ENGLISH)
    likelier, right = 0, {1: 0, 4: 0}
    for pair in _new_sentences(FRENCH_ENGLISH, 12):
        source, best = torch.tensor(words.encode(pair.source)), {}
        for n in right:
            best[n], *_ = translation.beams(logits, source, start, n_beams=n, length_penalty=0.0)
            right[n] += words.decode(best[n].tokens) == pair.target
        likelier += best[4].score > best[1].score + 1e-4
    return f"12 new sentences: 4 beams find a likelier translation for {likelier}; right are {right[1]} and {right[4]}"
