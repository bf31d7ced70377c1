"""Claims settled on trained weights: what heads attend to, which of them matter, and how blocks are stacked."""

from collections.abc import Iterable
from functools import cache
from typing import cast

import torch

from clearformer.models import Decoder
from clearformer.nn import Block
from linebyline import inspection, pretrained
from linebyline.claims.declare import claim, depends

TEXT = "Returns the sum of the array elements over a given axis."


@cache
def _subject() -> inspection.Subject:
    """The language model of the course, and the text of the chapter."""
    trained = pretrained.language_model()
    return inspection.Subject(trained.model, trained.tokenizer, torch.tensor(trained.tokenizer.encode(TEXT)))


def _decoder() -> Decoder:
    return cast(Decoder, _subject().model)


def _blocks() -> list[Block]:
    return list(cast(Iterable[Block], _decoder().blocks))


@claim("001", "maps", "The calculation of each head still uses all the tokens of the input.")
@depends("It computes all weights. In a trained model some heads put nearly all of theirs on one or two tokens.")
def _all_words() -> str:
    weights = torch.stack(list(_subject().attention().values()))  # (n_layers, n_heads, T, T)
    entropy = torch.special.entr(weights[:, :, -1]).sum(dim=-1)  # of the last row, which attends to all
    counts = entropy.exp()
    least, most = counts.min().item(), counts.max().item()
    return f"of {weights.shape[-1]} tokens the last one looks at {least:.0f} to {most:.0f} in effect, by the head"


@claim("002", "logit-lens", "Attention layers are stacked: the output of one is the input of the next.")
@depends(
    "A block adds to what it was given, so the next one sees all before it, and a model with a middle block left out "
    "still says something."
)
def _output_is_input() -> str:
    subject, model, blocks = _subject(), _decoder(), _blocks()

    def cost(blocks: list[Block]) -> float:
        shorter = Decoder(model.embedding, blocks, norm=model.norm, lm_head=model.lm_head).eval()
        return inspection.surprise(subject.with_model(shorter)).mean().item()

    each = ", ".join(f"{loss:.1f}" for loss in [cost([*blocks[:n], *blocks[n + 1 :]]) for n in range(len(blocks))])
    return f"{cost(blocks):.1f} nats a token; without block 0, 1, 2 or 3: {each}; without any: {cost([]):.0f}"


@claim("003", "induction-in-a-model", "A head finds which entries are of most importance to each other.")
@depends("It weighs them. Whether the answer needs what it finds shows only when the head falls silent.")
def _what_matters() -> str:
    model = _decoder()
    ids = inspection.two_copies(1024, 25, 16, torch.Generator().manual_seed(0))  # as in the chapter
    first, second = inspection.loss_by_copy(model, ids)
    scores = inspection.induction_scores(model, ids)
    heads = scores.flatten().topk(2).indices.tolist()
    said = [f"a first copy saves {first - second:.1f} nats a token"]
    for number in heads:
        layer, head = divmod(number, scores.shape[1])
        with inspection.without_head(_blocks()[layer].attention, head):
            first, second = inspection.loss_by_copy(model, ids)
        said.append(f"{first - second:.1f} without the head whose score is {scores[layer, head]:.1f}")
    return ", ".join(said)
