"""Claims on the encoder: what [CLS] is good for, what an encoder is used for, and what it looks at."""

from functools import cache, partial

import torch

from clearformer.models import BertConfig, ClassReadOut, Decoder, Encoder, LinearReadOut, bert
from linebyline.claims.core import Claim
from linebyline.encoder import roles
from linebyline.masked_language_model import MaskedLanguageModel, masked_language_model, sequence

_claim = partial(Claim, topic="encoder")
_TEXT = "Returns the sum of all elements ."


@cache
def _trained() -> MaskedLanguageModel:
    return masked_language_model()


@torch.no_grad()
def _moved(stack: Encoder | Decoder, T: int = 6) -> int:
    """Count the pairs of positions of which the first, exchanged, moves the state of the second."""
    ids = torch.arange(5, 5 + T)
    others = ids.repeat(T, 1).fill_diagonal_(20)  # in row t, token t is another
    return int(((stack(others) - stack(ids)).abs().amax(dim=-1) > 1e-6).sum())


def _stacks() -> tuple[Encoder, Decoder]:
    config = BertConfig(vocab_size=23, context=16, d_model=12, n_heads=3, n_layers=2, d_ff=24)
    encoder = bert(config, torch.Generator().manual_seed(0)).eval()
    return encoder, Decoder(encoder.embedding, list(encoder.blocks))  # type: ignore[arg-type]


def _both_sides() -> str:
    encoder, decoder = _stacks()
    return f"of 36 pairs of positions the first moves the second: encoder {_moved(encoder)}, decoder {_moved(decoder)}"


def _added_first() -> str:
    ids, _ = sequence(_trained().tokenizer, _TEXT, context=128)
    return f"7 words are read as: {_trained().tokenizer.decode(ids[:3].tolist())} ... {len(ids)} tokens"


def _read_alone() -> str:
    read_out = ClassReadOut(8, 2, generator=torch.Generator().manual_seed(0))
    states = torch.randn(5, 8, generator=torch.Generator().manual_seed(1), requires_grad=True)
    gradient = torch.autograd.grad(read_out(states).sum(), states)[0]
    return f"5 states come out, {int(gradient.any(dim=1).sum())} of them reaches the classes"


def _every_task() -> str:
    known, unseen = (roles.tagged(_trained().tokenizer, n, seed) for n, seed in ((200, 0), (100, 1)))
    right = roles.right(_trained(), known, unseen)
    most = roles.commonest(unseen.roles)
    own, whole = right["its own state"], right["the state of [CLS]"]
    place = "near" if abs(whole - most) < 0.1 else "far from"
    return (
        f"roles read right: own state {'above' if own > 0.6 else 'below'} 0.6, "
        f"[CLS] {place} the share of the commonest, {most:.2f}"
    )


@torch.no_grad()
def _aggregate() -> str:
    trained = _trained()
    ids, _ = sequence(trained.tokenizer, _TEXT, context=128)
    before = trained.model.states(ids)[0]
    moved = 0
    for t in range(1, len(ids)):
        other = ids.clone()
        other[t] = 100
        moved += int((trained.model.states(other)[0] - before).norm() > 1e-3)
    return f"another token at one place moves the state of [CLS]: at {moved} of {len(ids) - 1} places"


def _tasks() -> str:
    generator, states = torch.Generator().manual_seed(0), torch.zeros(6, 8)
    whole = ClassReadOut(8, 3, generator=generator)(states)
    tags, spans = (LinearReadOut(8, n, bias=True, generator=generator)(states) for n in (5, 2))
    return f"of 6 states: a text {tuple(whole.shape)}, tags {tuple(tags.shape)}, spans {tuple(spans.shape)}"


@torch.no_grad()
def _another_word() -> str:
    counts = []
    for stack in _stacks():
        ids = torch.arange(5, 12)
        counts.append(int(((stack(ids)[:6] - stack(ids[:6])).abs().amax(dim=-1) > 1e-6).sum()))
    return f"a word is added to 6: an encoder's states that change: {counts[0]}, a decoder's: {counts[1]}"


CLAIMS = (
    _claim(
        id="001.cls-in-all-tasks",
        document="001",
        section="sec-one-vector",
        statement="The CLS token serves all tasks, naming entities among them.",
        verdict="corrected",
        finding="It serves tasks with one answer for the text. Names need an answer for each word, from its own state.",
        measure=_every_task,
    ),
    _claim(
        id="001.cls-represents-all",
        document="001",
        section="sec-one-vector",
        statement="The CLS token represents the entire input.",
        verdict="depends",
        finding="Every token can move its state. What it keeps of them is what it was trained to keep.",
        measure=_aggregate,
    ),
    _claim(
        id="001.cls-first",
        document="001",
        section="sec-heads-of-bert",
        statement="BERT puts the CLS token before the sentence.",
        verdict="holds",
        finding="Before the tokens, and [SEP] behind them; both are added to the text, not found in it.",
        measure=_added_first,
    ),
    _claim(
        id="001.cls-alone",
        document="001",
        section="sec-heads-of-bert",
        statement="BERT gives a vector for each token, and only that of CLS is used to classify.",
        verdict="holds",
        finding="So it was published. A mean of all states can be read as well.",
        measure=_read_alone,
    ),
    _claim(
        id="001.encoders-classify",
        document="001",
        section="sec-cannot-write",
        statement="Encoders are used for classification and regression.",
        verdict="depends",
        finding="Also for tags, for spans and for search. One state for each token comes out; the read-out decides.",
        measure=_tasks,
    ),
    _claim(
        id="002.bidirectional",
        document="002",
        section="sec-reads-whole",
        statement="BERT is a bidirectional encoder.",
        verdict="holds",
        finding="It does not read twice: one attention looks to both sides, as no mask keeps it from doing so.",
        measure=_both_sides,
    ),
    _claim(
        id="004.inference-models",
        document="004",
        section="sec-cannot-write",
        statement="Encoders stand in inference models, such as the BERT family.",
        verdict="depends",
        finding="Every model infers. An encoder reads a whole text; each word that is added changes all its states.",
        measure=_another_word,
    ),
)
