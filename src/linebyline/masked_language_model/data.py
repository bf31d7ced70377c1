"""The data of the masked language model: framed texts, windows with masked tokens, and the loss on those."""

import re
from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from clearformer import training
from clearformer.models import Encoder
from clearformer.tokenizers import WordPieceTokenizer
from clearformer.training import IGNORE_INDEX

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")  # in the order of their ids
PAD, UNKNOWN, CLS, SEP, MASK = range(len(SPECIAL))
MEASURED = 128  # windows of a text on which the loss is measured


def tokenizer_of(text: str, vocab_size: int) -> WordPieceTokenizer:
    """Learn pieces from a text; the special tokens have the first ids."""
    return WordPieceTokenizer.train(text, vocab_size, special_tokens=SPECIAL)


def sequence(
    tokenizer: WordPieceTokenizer, text: str, other: str | None = None, *, context: int
) -> tuple[Int[Tensor, " T"], Int[Tensor, " T"]]:
    """Frame a text, or a pair of them, as BERT reads it: ``[CLS] text [SEP]`` or ``[CLS] text [SEP] other [SEP]``.

    Returns the ids and their segments, (T,) each: 0 up to the first ``[SEP]``, and 1 after it. ``[MASK]`` is a token of
    the texts.

    Raises:
        ValueError: a text is empty, or the sequence is longer than the context.

    Example:
        >>> tokenizer = WordPieceTokenizer({"Dan": 5, "sings": 6}, {name: i for i, name in enumerate(SPECIAL)})
        >>> ids, segments = sequence(tokenizer, "Dan [MASK]", "Dan sings", context=8)
        >>> ids.tolist(), segments.tolist()
        ([2, 5, 4, 3, 5, 6, 3], [0, 0, 0, 0, 1, 1, 1])
    """
    ids, segments = [CLS], [0]
    for number, part in enumerate([text] if other is None else [text, other]):
        tokens = tokenizer.encode(part, allowed_special=["[MASK]"])
        if not tokens:
            raise ValueError(f"text {number + 1} has no words: {part!r}")
        ids += [*tokens, SEP]
        segments += [number] * (len(tokens) + 1)
    if len(ids) > context:
        raise ValueError(f"{len(ids)} tokens, [CLS] and [SEP] among them, are more than the context={context} holds")
    return torch.tensor(ids), torch.tensor(segments)


def passages(tokenizer: WordPieceTokenizer, text: str) -> tuple[Int[Tensor, " n"], Int[Tensor, " n_lines"]]:
    r"""Tokenize a text, with ``[SEP]`` after each paragraph, and record where its lines begin.

    Example:
        >>> tokenizer = WordPieceTokenizer({"a": 5, "b": 6}, {name: i for i, name in enumerate(SPECIAL)})
        >>> ids, starts = passages(tokenizer, "a b\nb\n\na\n")
        >>> ids.tolist(), starts.tolist()
        ([5, 6, 6, 3, 5, 3], [0, 2, 4])
    """
    ids: list[int] = []
    starts: list[int] = []
    for paragraph in re.split(r"\n\n+", text.strip()):
        for line in paragraph.splitlines():
            starts.append(len(ids))
            ids += tokenizer.encode(line)
        ids.append(SEP)
    return torch.tensor(ids), torch.tensor(starts)


mask_tokens = partial(training.mask_tokens, special_ids=range(len(SPECIAL)), mask_id=MASK)


def batches(
    ids: Int[Tensor, " n"],
    starts: Int[Tensor, " n_lines"],
    vocab_size: int,
    *,
    shortest: int,
    longest: int,
    tokens: int,
    rate: float,
) -> training.Batches:
    """Draw windows that begin with a line, all of one random length, and mask tokens of each at random.

    ``starts`` says where the lines of the text begin. A batch has about ``tokens`` tokens, of which a fraction of
    ``rate`` is masked; the lengths, from ``shortest`` to ``longest``, include ``[CLS]`` and ``[SEP]``.
    """
    usable = starts[starts <= len(ids) - longest]

    def draw(generator: torch.Generator) -> training.Batch:
        T = int(torch.randint(shortest, longest + 1, (), generator=generator))
        chosen = usable[torch.randint(len(usable), (max(1, tokens // T),), generator=generator)]  # (B,)
        rows = windows(ids, chosen, T)  # (B, T)
        return mask_tokens(rows, vocab_size, rate=rate, generator=generator)

    return draw


def windows(ids: Int[Tensor, " n"], starts: Int[Tensor, " B"], length: int) -> Int[Tensor, "B length"]:
    """Cut windows out of a text, and frame each.

    Example:
        >>> windows(torch.arange(10, 20), torch.tensor([0, 4]), 5).tolist()
        [[2, 10, 11, 12, 3], [2, 14, 15, 16, 3]]
    """
    rows = ids[starts[:, None] + torch.arange(length - 2)]  # (B, length - 2)
    first, last = (rows.new_full((len(rows), 1), token) for token in (CLS, SEP))
    return torch.cat([first, rows, last], dim=1)


def loss(model: nn.Module, batch: training.Batch) -> Float[Tensor, ""]:
    """Compute the mean cross-entropy of the hidden tokens; the head reads only their states, which saves most work."""
    assert isinstance(model, Encoder)
    inputs, targets = batch
    is_target = targets != IGNORE_INDEX  # (B, T)
    states = model.hidden_states(inputs)[is_target]  # (n, d_model)
    return training.cross_entropy(model.head(states), targets[is_target])


def n_targets(batch: training.Batch) -> Int[Tensor, ""]:
    """Count the hidden tokens, over which the loss is a mean."""
    return (batch[1] != IGNORE_INDEX).sum()


@torch.no_grad()
def surprise(
    model: Encoder, ids: Int[Tensor, " n"], starts: Int[Tensor, " n_lines"], vocab_size: int, *, length: int
) -> tuple[float, float]:
    """Measure how well hidden tokens are predicted, in evenly spaced windows with 15 % of the tokens masked.

    Returns the mean loss at a hidden token in nats, and the fraction of them that is predicted right.
    """
    usable = starts[starts <= len(ids) - length]
    rows = windows(ids, usable[torch.linspace(0, len(usable) - 1, MEASURED).long()], length)  # (n, length)
    generator = torch.Generator().manual_seed(0)
    inputs, targets = mask_tokens(rows, vocab_size, mask_fraction=1.0, random_fraction=0.0, generator=generator)
    device, losses, right = next(model.parameters()).device, [], []
    for read, true in zip(torch.split(inputs.to(device), 16), torch.split(targets.to(device), 16), strict=True):
        hidden = true != IGNORE_INDEX
        logits = model.head(model.hidden_states(read)[hidden])  # (n_hidden, vocab_size)
        losses.append(nn.functional.cross_entropy(logits, true[hidden], reduction="none"))
        right.append(logits.argmax(dim=-1) == true[hidden])
    return torch.cat(losses).mean().item(), torch.cat(right).float().mean().item()
