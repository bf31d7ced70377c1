"""Claims on the encoder: what [CLS] is good for, what an encoder is used for, and what it looks at."""

from functools import cache

import torch

from clearformer.models import BertConfig, ClassificationHead, Decoder, Encoder, LinearHead, bert
from linebyline.claims.declare import claim, corrected, depends, holds
from linebyline.encoder import roles
from linebyline.masked_language_model import MaskedLanguageModel, masked_language_model, sequence

_TEXT = "Returns the sum of all elements ."


@cache
def _trained() -> MaskedLanguageModel:
    return masked_language_model()


def _stacks() -> tuple[Encoder, Decoder]:
    config = BertConfig(vocab_size=23, context=16, d_model=12, n_heads=3, n_layers=2, d_ff=24)
    encoder = bert(config, torch.Generator().manual_seed(0)).eval()
    return encoder, Decoder(encoder.embedding, list(encoder.blocks))  # type: ignore[arg-type]


@claim("001", "heads-of-bert", "The CLS token serves all tasks, naming entities among them.")
@corrected("It serves tasks with one answer for the text. Names need an answer for each word, from its own state.")
def _cls_in_all_tasks() -> str:
    known, unseen = (roles.tagged(_trained().tokenizer, n, seed) for n, seed in ((200, 0), (100, 1)))
    right = roles.right(_trained(), known, unseen)
    most = roles.commonest(unseen.roles)
    own, whole = right["the word's own state"], right["the state of [CLS]"]
    place = "near" if abs(whole - most) < 0.1 else "far from"
    return (
        f"roles read right: own state {'above' if own > 0.6 else 'below'} 0.6, "
        f"[CLS] {place} the share of the commonest, {most:.2f}"
    )


@claim("001", "heads-of-bert", "The CLS token represents the entire input.")
@depends("Every token can move its state. What it keeps of them is what it was trained to keep.")
@torch.no_grad()
def _cls_represents_all() -> str:
    trained = _trained()
    ids, _ = sequence(trained.tokenizer, _TEXT, context=128)
    before = trained.model.hidden_states(ids)[0]
    moved = 0
    for t in range(1, len(ids)):
        other = ids.clone()
        other[t] = 100
        moved += int((trained.model.hidden_states(other)[0] - before).norm() > 1e-3)
    return f"another token at one place moves the state of [CLS]: at {moved} of {len(ids) - 1} places"


@claim("001", "heads-of-bert", "BERT puts the CLS token before the sentence.")
@holds("Before the tokens, and [SEP] behind them; both are added to the text, not found in it.")
def _cls_first() -> str:
    ids, _ = sequence(_trained().tokenizer, _TEXT, context=128)
    return f"7 words are read as: {_trained().tokenizer.decode(ids[:3].tolist())} ... {len(ids)} tokens"


@claim("001", "heads-of-bert", "BERT gives a vector for each token, and only that of CLS is used to classify.")
@holds("This is how BERT was published. A mean of all states can be read as well.")
def _cls_alone() -> str:
    head = ClassificationHead(8, 2, generator=torch.Generator().manual_seed(0))
    states = torch.randn(5, 8, generator=torch.Generator().manual_seed(1), requires_grad=True)
    gradient = torch.autograd.grad(head(states).sum(), states)[0]
    return f"5 states come out, {int(gradient.any(dim=1).sum())} of them reaches the classes"


@claim("001", "heads-of-bert", "Encoders are used for classification and regression.")
@depends("Also for tags, for spans and for search. One state for each token comes out; the read-out decides.")
def _encoders_classify() -> str:
    generator, states = torch.Generator().manual_seed(0), torch.zeros(6, 8)
    whole = ClassificationHead(8, 3, generator=generator)(states)
    tags, spans = (LinearHead(8, n, bias=True, generator=generator)(states) for n in (5, 2))
    return f"of 6 states: a text {tuple(whole.shape)}, tags {tuple(tags.shape)}, spans {tuple(spans.shape)}"


@torch.no_grad()
def _moved(stack: Encoder | Decoder, T: int = 6) -> int:
    """Count the pairs of positions in which another token at the first changes the state of the second."""
    ids = torch.arange(5, 5 + T)
    others = ids.repeat(T, 1).fill_diagonal_(20)  # in row t, token t is replaced
    return int(((stack(others) - stack(ids)).abs().amax(dim=-1) > 1e-6).sum())


@claim("002", "reads-whole", "BERT is a bidirectional encoder.")
@holds("It does not read twice: one attention looks to both sides, as no mask keeps it from doing so.")
def _bidirectional() -> str:
    encoder, decoder = _stacks()
    return f"of 36 pairs of positions the first moves the second: encoder {_moved(encoder)}, decoder {_moved(decoder)}"


@claim("004", "reads-whole", "Encoders are used in inference models, such as the BERT family.")
@depends("Inference means to run a trained model, and every model is run. An encoder reads a whole text at once.")
@torch.no_grad()
def _inference_models() -> str:
    counts = []
    for stack in _stacks():
        ids = torch.arange(5, 12)
        counts.append(int(((stack(ids)[:6] - stack(ids[:6])).abs().amax(dim=-1) > 1e-6).sum()))
    return f"a word is added to 6: an encoder's states that change: {counts[0]}, a decoder's: {counts[1]}"
