"""Claims on what a trained translator predicts, held against the one that is kept with the course."""

from collections.abc import Sequence
from functools import cache

import torch
from torch import Tensor

from linebyline import translation
from linebyline.claims.declare import claim, depends, holds
from linebyline.corpora import ENGLISH_SWEDISH, FRENCH_ENGLISH
from linebyline.translation import PAD, Translator

AFRICA = "Jane visite l'Afrique en septembre."


@cache
def _kept() -> Translator:
    return translation.translator()


@cache
def _new() -> tuple[Tensor, Tensor]:
    """Sources and targets of sentences that the translator has not seen."""
    return translation.rows(
        _kept().words, FRENCH_ENGLISH, translation.sentences(FRENCH_ENGLISH, 0, 40).unseen_sentences
    )


@torch.inference_mode()
def _right(logits: Tensor, targets: Tensor) -> float:
    """The share of the targets, padding aside, that have the largest logit."""
    return float((logits.argmax(dim=-1) == targets)[targets != PAD].double().mean())


@torch.inference_mode()
def _p(past: Sequence[str], word: str) -> float:
    """The probability of a word after the first words of the translation of the example."""
    words, model = _kept().words, _kept().model
    source = torch.tensor(words.encode(FRENCH_ENGLISH.source.tokenize(AFRICA)))
    target = torch.tensor([words.start(FRENCH_ENGLISH), *words.encode(past)])
    (number,) = words.encode([word])
    return float(model(source, target)[-1].softmax(dim=-1)[number])


@claim(
    "002.given-the-rest",
    "sec-shifted-targets",
    "Given Jane visits Africa, the network is to predict the hidden words in September.",
)
@depends("One of them. The next is asked for with the one before it in sight.")
def _word_by_word() -> str:
    visits = ("Jane", "visits", "Africa")
    first, skipped, second = _p(visits, "in"), _p(visits, "September"), _p((*visits, "in"), "September")
    return f"after Jane visits Africa: in {first:.1f}, September {skipped:.1f}; after in: September {second:.1f}"


@claim(
    "002.mimics-the-test",
    "sec-exposure",
    "Pretending that all words so far are right mimics what happens at test time.",
)
@depends(
    "As long as they are. At test time a word of its own that is wrong stays there, which training has never shown."
)
def _its_own_past() -> str:
    """Count the right words behind the second, once with that one right, and once with another sentence's."""
    sources, targets = _new()
    inputs, wanted = targets[:, :-1], targets[:, 1:]
    wrong = inputs.clone()
    wrong[:, 2] = inputs.roll(1, dims=0)[:, 2]
    model = _kept().model
    with torch.inference_mode():
        shares = [_right(model(sources, past, mask=sources != PAD)[:, 2:], wanted[:, 2:]) for past in (inputs, wrong)]
    return f"later words that are right: {shares[0]:.2f} after a right past, {shares[1]:.2f} with a wrong second word"


@claim(
    "004.contextual-representation",
    "sec-whole-transformer",
    "The encoder turns a sequence into representations in context (in a hidden draft).",
)
@holds("The same word at the same place leaves as another vector, by what stands around it.")
@torch.inference_mode()
def _in_context() -> str:
    words, encoder = _kept().words, _kept().model.encoder
    place, vectors = 4, []
    for food in ("cheese", "meat"):
        ids = torch.tensor(words.encode(ENGLISH_SWEDISH.source.tokenize(f"Dan loves {food} because it is good.")))
        vectors.append((encoder.embedding(ids)[place], encoder(ids)[place]))
    before, after = (float(torch.cosine_similarity(one, other, dim=0)) for one, other in zip(*vectors, strict=True))
    return f"it, of cheese and of meat (den, det in Swedish): cosine {before:.2f} going in, {after:.2f} coming out"


@claim(
    "004.both-inputs",
    "sec-whole-transformer",
    "The decoder uses the encoder's information and the tokens before (in a hidden draft).",
)
@holds("It needs both: the source says what to say, the words so far how much of it is said.")
@torch.inference_mode()
def _two_inputs() -> str:
    sources, targets = _new()
    inputs, wanted, model = targets[:, :-1], targets[:, 1:], _kept().model
    blind = torch.where(inputs == PAD, PAD, inputs[:, :1])  # every word is the start

    def share(sources: Tensor, inputs: Tensor) -> str:
        return f"{_right(model(sources, inputs, mask=sources != PAD), wanted):.1f}"

    counts = f"{share(sources, inputs)}; another's source {share(sources.roll(1, dims=0), inputs)}"
    return f"next words that are right, with both {counts}; start signs in place of the words {share(sources, blind)}"


@torch.inference_mode()
def _loss(sources: Tensor, targets: Tensor) -> float:
    return translation.loss()(_kept().model, (sources, targets)).item()


@claim("004.source-may-help", "sec-is-attention-alignment", "What the source adds may help to predict the next token.")
@holds("More than help: without the right source there is nothing to translate.")
def _source_helps() -> str:
    sources, targets = _new()
    own, other = _loss(sources, targets), _loss(sources.roll(1, dims=0), targets)
    return f"nats for a word: {own:.2f} with its source, {other:.1f} with another's"


@claim("004.only-in-decoder", "sec-whole-transformer", "Causal attention applies to the decoder only.")
@depends(
    "An encoder has no need of it, as its input is all there. One that reads forward only still works, for the "
    "decoder sees every word."
)
@torch.inference_mode()
def _causal_encoder() -> str:
    sources, targets = _new()
    model, real = _kept().model, (sources != PAD)[:, None, None]  # (B, 1, 1, S)
    shares = []
    for seen in (real, real & torch.ones(sources.shape[1], sources.shape[1], dtype=torch.bool).tril()):
        x = model.encoder.embedding(sources)
        for block in model.encoder.blocks:
            x = block(x, mask=seen)
        logits = model.decoder(targets[:, :-1], model.decoder.sources(x, real))
        shares.append(f"{_right(logits, targets[:, 1:]):.2f}")
    return f"next words that are right: {shares[0]}; with a causal mask put on the encoder {shares[1]}"
