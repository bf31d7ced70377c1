"""What the masked language model reads: framed texts, pairs of them, and a corpus in lines."""

import re

import torch
from jaxtyping import Int
from torch import Tensor

from clearformer.tokenizers import WordPieceTokenizer

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")  # in the order of their ids
PAD, UNKNOWN, CLS, SEP, MASK = range(len(SPECIAL))


def tokenizer_of(text: str, vocab_size: int) -> WordPieceTokenizer:
    """Learn pieces from a text; the special tokens have the first ids."""
    return WordPieceTokenizer.train(text, vocab_size, special_tokens=SPECIAL)


def sequence(
    tokenizer: WordPieceTokenizer, text: str, other: str | None = None, *, context: int
) -> tuple[Int[Tensor, " T"], Int[Tensor, " T"]]:
    """Frame a text, or a pair of them, as BERT reads it: ``[CLS] text [SEP]`` or ``[CLS] text [SEP] other [SEP]``.

    Args:
        tokenizer: Makes tokens of the texts; ``[MASK]`` is one of them.
        text: The first text.
        other: The second, if there is one.
        context: How many tokens the model can see.

    Returns:
        The ids and their segments, (T,) each: 0 up to the first ``[SEP]``, and 1 behind it.

    Raises:
        ValueError: a text is empty, or all is longer than the context.

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
    r"""Make tokens of a text, with ``[SEP]`` behind each paragraph, and note where its lines begin.

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
