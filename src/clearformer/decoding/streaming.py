"""The loop that all decoding of one token at a time shares: ask for logits, choose, append."""

from collections.abc import Callable, Collection, Iterator, Sequence

import torch
from jaxtyping import Int
from torch import Tensor

from clearformer.decoding._checks import require_count, require_in_vocabulary, require_logits, stop_set
from clearformer.decoding.processors import Processor

# The tokens so far (B, T) in; logits of the next one (B, vocab_size) out.
NextLogits = Callable[[Tensor], Tensor]
# Logits (n, vocab_size) and the tokens so far (n, T) of some rows in; their next tokens (n,) out.
Choice = Callable[[Tensor, Tensor], Tensor]
Prompts = Sequence[Sequence[int] | Tensor] | Tensor
STAYING = 0.75  # while more of the rows than this are open, ended ones wait among them


def stream(
    next_logits: NextLogits,
    prompts: Prompts,
    max_new_tokens: int,
    *,
    choose: Choice,
    stop_ids: Collection[int] = (),
) -> Iterator[Int[Tensor, "B"]]:
    """Decode step by step, and hand out the new tokens of each step as they come.

    Prompts of unequal length need no padding: decoding starts where the shortest one ends, and a longer
    one puts its own next token in place of the chosen one until it is used up. So a row sees only its own
    tokens, and comes out as it would alone. A row ends after its own ``max_new_tokens``, or with the first
    stop token. It then waits for the others, fed a stop token (0 if there is none), and nothing said about it counts.
    If ``next_logits`` has a method ``reorder_cache(rows)``, as for ``beam_search``, ended rows leave as soon as they
    are a quarter of those asked about, and B is the number of those that stay.

    To stop on any other condition, leave the loop over the steps.

    Args:
        next_logits: Takes the tokens so far, int64 (B, T), and gives the logits of the next one,
            (B, vocab_size). It is called in inference mode, with T growing by 1, and must not change its argument.
        prompts: Token ids of each row: B sequences, or a tensor (B, T). The work is done on their device.
        max_new_tokens: How many tokens each row gets at most, counted from the end of its own prompt.
        choose: Takes logits (n, vocab_size), at least float32, and the tokens so far (n, T), of the n rows that
            get a new token, and gives these tokens, int64 (n,); such as ``most_likely()`` or ``drawn(generator=...)``.
        stop_ids: Tokens that end a row; the one that did is its last token.

    Returns:
        An iterator over the steps. Each is a tensor (B,): the new token of each row, or -1 for a row that is
        still in its prompt or has ended.

    Raises:
        TypeError: prompts or stop tokens are not integers, or the logits are not floats.
        ValueError: there is no prompt, or an empty one; ``max_new_tokens`` is below 1; the logits are not
            (B, vocab_size), or a row of them allows no choice; a stop token lies outside the vocabulary.

    Source: the loop over unequal prompts is that of Meta's Llama reference code (2023).

    Example:
        >>> def counting(ids):
        ...     return torch.nn.functional.one_hot((ids[:, -1] + 1) % 10, 10).float()
        >>> def best(logits, ids):
        ...     return logits.argmax(dim=-1)
        >>> [step.tolist() for step in stream(counting, [[3], [5, 6]], 2, choose=best)]
        [[4, -1], [5, 7], [-1, 8]]
    """
    require_count("max_new_tokens", max_new_tokens)
    stops = stop_set(stop_ids)
    ids, lengths = prompt_buffer(prompts, max_new_tokens, fill=min(stops, default=0))
    return _steps(next_logits, ids, lengths, max_new_tokens, choose, stops)


def _steps(
    next_logits: NextLogits,
    ids: Tensor,
    lengths: list[int],
    max_new_tokens: int,
    choose: Choice,
    stops: frozenset[int],
) -> Iterator[Tensor]:
    """Take the steps of ``stream``; ``ids`` (B, longest + max_new_tokens) holds the prompts and receives the rest."""
    ends = [length + max_new_tokens for length in lengths]
    reorder_cache, asked = (
        getattr(next_logits, "reorder_cache", None),
        list(range(len(lengths))),
    )  # the rows still asked about
    for t in range(min(lengths), max(ends)):
        # Not around the loop: while the caller has a step in hand, the mode is the caller's affair.
        with torch.inference_mode():
            left = [place for place, row in enumerate(asked) if t < ends[row]]
            # Leaving costs a copy of what is remembered, so some leave together.
            if reorder_cache is not None and len(left) <= STAYING * len(asked):
                asked = [asked[place] for place in left]
                reorder_cache(torch.tensor(left, device=ids.device))
            is_open = [lengths[row] <= t < ends[row] for row in asked]
            place: slice | list[int] = slice(None) if len(asked) == len(ids) else asked
            tokens, new = _step(next_logits, ids[place, : t + 1], is_open, choose, stops)  # (asked,) each
            ids[place, t] = tokens
            if len(asked) < len(ids):
                new = torch.full_like(ids[:, t], -1).index_copy(0, torch.tensor(asked, device=ids.device), new)
        if stops:
            for row, token, opened in zip(asked, tokens.tolist(), is_open, strict=True):
                if opened and token in stops:
                    ends[row] = t + 1
        yield new.clone()  # made out here, so it is a tensor like any other
        if max(ends) <= t + 1:
            return


def _step(
    next_logits: NextLogits, ids: Tensor, is_open: list[bool], choose: Choice, stops: frozenset[int]
) -> tuple[Tensor, Tensor]:
    """Give the last column of ``ids`` (B, T), with the tokens chosen for open rows put in, and these or -1."""
    so_far, given = ids[:, :-1], ids[:, -1]
    logits = next_logits(so_far)  # (B, vocab_size)
    if all(is_open):
        tokens = _choose(choose, checked_logits(logits, so_far, stops), so_far)  # (B,)
        return tokens, tokens
    takes_new = torch.tensor(is_open, device=ids.device)  # (B,)
    # Even NaN must not matter in a row that takes no new token: alone, it would not have been asked.
    logits = checked_logits(logits, so_far, stops, counts=takes_new)
    tokens, new = given.clone(), torch.full_like(given, -1)
    if any(is_open):
        tokens[takes_new] = new[takes_new] = _choose(choose, logits[takes_new], so_far[takes_new])
    return tokens, new


def collect(steps: Iterator[Tensor]) -> list[list[int]]:
    """Gather the steps of ``stream`` into the new tokens of each row."""
    rows = zip(*(step.tolist() for step in steps), strict=True)
    return [[token for token in row if token >= 0] for row in rows]


def prompt_buffer(prompts: Prompts, max_new_tokens: int, fill: int) -> tuple[Tensor, list[int]]:
    """Write the prompts into ids (B, longest + max_new_tokens), the rest ``fill``, and give their lengths.

    Raises:
        TypeError: a prompt is not a sequence of integers.
        ValueError: there is no prompt, or one is empty or holds a negative number.
    """
    rows = [_prompt(row, prompt) for row, prompt in enumerate(prompts)]
    if not rows:
        raise ValueError("prompts must hold at least 1 prompt, got 0")
    lengths = [len(row) for row in rows]
    ids = torch.full((len(rows), max(lengths) + max_new_tokens), fill, device=rows[0].device)
    for target, row in zip(ids, rows, strict=True):
        target[: len(row)] = row
    return ids, lengths


def checked_logits(logits: Tensor, so_far: Tensor, stops: frozenset[int], *, counts: Tensor | None = None) -> Tensor:
    """Give the logits in float32 or wider, with rows that do not count set to 0.

    Raises:
        TypeError: they are not floats.
        ValueError: they are not (B, vocab_size), a row that counts allows no choice, or a stop token lies outside.
    """
    name = "next_logits(ids)"
    if isinstance(logits, Tensor) and logits.ndim == 2:
        if len(logits) != len(so_far):
            raise ValueError(f"{name} gave {len(logits)} rows for ids of shape {tuple(so_far.shape)}")
        if counts is not None:
            logits = logits.masked_fill(~counts[:, None], 0)
    require_logits(logits, name)
    if stops:
        require_in_vocabulary(min(stops), max(stops), logits.shape[1], "stop_ids hold")
    # In half precision the sums of top-p and of beam search would drown in rounding.
    return logits if logits.dtype.itemsize >= 4 else logits.float()


def processed(process: Processor | None, logits: Tensor, ids: Tensor) -> Tensor:
    """Change the logits, and refuse what leaves a row no token.

    Raises:
        TypeError: the processor gave something else than floats.
        ValueError: it gave another shape than (B, vocab_size), or a row that allows no choice.
    """
    if process is None:
        return logits
    logits = process(logits, ids)
    require_logits(logits, "process(logits, ids)")
    return logits


def _choose(choose: Choice, logits: Tensor, so_far: Tensor) -> Tensor:
    """Choose the next tokens, and refuse what is not one integer for each row."""
    tokens = choose(logits, so_far)
    if tokens.shape != logits.shape[:1] or tokens.dtype != torch.int64:
        expected = f"int64 tokens of shape {tuple(logits.shape[:1])}"
        raise ValueError(f"choose must give {expected}, got {tokens.dtype} of shape {tuple(tokens.shape)}")
    return tokens


def _prompt(row: int, prompt: object) -> Tensor:
    """Give one prompt as a tensor (T,) of int64."""
    if isinstance(prompt, int) or (isinstance(prompt, Tensor) and prompt.ndim == 0):
        raise TypeError(f"prompts must be a sequence of prompts, and number {row} is one token; write [prompt]")
    try:
        ids = torch.as_tensor(prompt)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"prompt {row} must be a sequence of token ids, got {type(prompt).__name__}: {error}") from None
    if not ids.numel():
        raise ValueError(f"prompt {row} is empty: the first new token needs at least 1 before it")
    if ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
        raise TypeError(f"prompt {row} must hold integers, got dtype {ids.dtype}")
    if ids.ndim != 1:
        raise ValueError(f"prompt {row} must have one axis, got shape {tuple(ids.shape)}")
    if ids.min() < 0:
        raise ValueError(f"prompt {row} holds {int(ids.min())}, and a token id is at least 0")
    return ids.to(torch.int64)
