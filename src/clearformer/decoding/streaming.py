"""The loop that greedy search and sampling share: compute logits, choose a token, append it."""

from collections.abc import Callable, Collection, Iterator, Sequence

import torch
from jaxtyping import Int
from torch import Tensor

from clearformer.decoding._checks import require_count, require_in_vocabulary, require_logits, stop_set
from clearformer.decoding.processors import Processor

# The tokens so far (B, T) in; logits of the next one (B, vocab_size) out.
NextLogits = Callable[[Tensor], Tensor]
# Logits (n, vocab_size) and the tokens so far (n, T) of some rows in; their next tokens (n,) out.
Sampler = Callable[[Tensor, Tensor], Tensor]
Prompts = Sequence[Sequence[int] | Tensor] | Tensor


def stream(
    next_logits: NextLogits, prompts: Prompts, max_new_tokens: int, *, sampler: Sampler, stop_ids: Collection[int] = ()
) -> Iterator[Int[Tensor, "B"]]:
    """Decode step by step, and yield the new token of each row, (B,): -1 while it is in its prompt or has ended.

    Prompts of different lengths need no padding: decoding starts where the shortest one ends, and a longer prompt
    supplies its own tokens until it is used up, so the result of each row is the same as alone. A row ends after its
    own ``max_new_tokens``, with the first stop token, or where the context of the model ends. It then waits for the
    others, padded with a stop token (0 if there is none), and its logits are ignored.

    Args:
        next_logits: Maps the tokens so far, int64 (B, T), to logits of the next one, (B, vocab_size). It is called in
            inference mode, with T growing by 1, and must not change its argument. If it has an attribute ``context``,
            it is never called with more than that many tokens.
        prompts: Token ids of each row: B sequences, or a tensor (B, T), which also sets the device.
        max_new_tokens: The largest number of new tokens for each row, counted from the end of its own prompt.
        sampler: Chooses tokens, int64 (n,), from logits (n, vocab_size) in at least float32 and the tokens so far
            (n, T), where n rows get a new token; such as ``argmax()`` or ``sampler(generator=...)``.
        stop_ids: Tokens that end a row; the one that did is its last token.

    Raises:
        TypeError: prompts or stop tokens are not integers, or the logits are not floats.
        ValueError: there is no prompt, or one is empty or longer than the context; ``max_new_tokens`` is below 1;
            the logits are not (B, vocab_size), or a row allows no choice; a stop token is not in the vocabulary.

    Source: the loop over unequal prompts is that of Meta's Llama reference code (2023).

    Example:
        >>> def counting(ids):
        ...     return torch.nn.functional.one_hot((ids[:, -1] + 1) % 10, 10).float()
        >>> def best(logits, ids):
        ...     return logits.argmax(dim=-1)
        >>> [step.tolist() for step in stream(counting, [[3], [5, 6]], 2, sampler=best)]
        [[4, -1], [5, 7], [-1, 8]]
    """
    require_count("max_new_tokens", max_new_tokens)
    stops = stop_set(stop_ids)
    ids, starts, ends = prompt_buffer(next_logits, prompts, max_new_tokens, fill=min(stops, default=0))
    return _steps(next_logits, ids, starts, ends, sampler, stops)


def _steps(
    next_logits: NextLogits, ids: Tensor, starts: list[int], ends: list[int], sampler: Sampler, stops: frozenset[int]
) -> Iterator[Tensor]:
    """Take the steps of ``stream``; ``ids`` holds the prompts and receives the new tokens."""
    for t in range(min(starts), max(ends)):
        is_open = [start <= t < end for start, end in zip(starts, ends, strict=True)]
        # The mode ends before the caller gets the tokens, so that its own code runs as usual.
        with torch.inference_mode():
            rows = torch.tensor(is_open, device=ids.device)  # (B,)
            known = ids[:, :t]
            logits = checked_logits(next_logits(known), known, stops, rows)
            tokens = torch.full_like(ids[:, 0], -1)
            if any(is_open):
                new = sampler(logits[rows], known[rows])  # (n,)
                if new.shape != (sum(is_open),) or new.dtype != torch.int64:
                    got = f"{new.dtype} of shape {tuple(new.shape)}"
                    raise ValueError(f"sampler must return int64 tokens of shape ({sum(is_open)},), got {got}")
                tokens[rows] = new
            ids[:, t] = torch.where(rows, tokens, ids[:, t])
        for row, token in enumerate(tokens.tolist()):
            if token in stops:
                ends[row] = t + 1
        yield tokens.clone()
        if max(ends) <= t + 1:
            return


def collect(steps: Iterator[Tensor]) -> list[list[int]]:
    """Gather the steps of ``stream`` into the new tokens of each row."""
    rows = zip(*(step.tolist() for step in steps), strict=True)
    return [[token for token in row if token >= 0] for row in rows]


def prompt_buffer(
    next_logits: NextLogits, prompts: Prompts, max_new_tokens: int, fill: int
) -> tuple[Tensor, list[int], list[int]]:
    """Return ids (B, T) with the prompts and room for new tokens, and where these start and end in each row."""
    rows = [_prompt(row, prompt) for row, prompt in enumerate(prompts)]
    if not rows:
        raise ValueError("prompts must hold at least 1 prompt, got 0")
    starts = [len(row) for row in rows]
    ends = [start + max_new_tokens for start in starts]
    context = getattr(next_logits, "context", None)
    if context is not None:
        if max(starts) > context:
            raise ValueError(f"a prompt has {max(starts)} tokens, and the context of the model is {context}")
        ends = [min(end, context + 1) for end in ends]  # the last token is never read
    ids = torch.full((len(rows), max(ends)), fill, device=rows[0].device)
    for target, row in zip(ids, rows, strict=True):
        target[: len(row)] = row
    return ids, starts, ends


def checked_logits(logits: Tensor, ids: Tensor, stops: frozenset[int], rows: Tensor | None = None) -> Tensor:
    """Return the logits in at least float32, after checks of the rows that count; the others become 0."""
    name = "next_logits(ids)"
    if isinstance(logits, Tensor) and logits.ndim == 2:
        if len(logits) != len(ids):
            raise ValueError(f"{name} gave {len(logits)} rows for ids of shape {tuple(ids.shape)}")
        if rows is not None:
            logits = logits.masked_fill(~rows[:, None], 0)
    require_logits(logits, name)
    if stops:
        require_in_vocabulary(min(stops), max(stops), logits.shape[1], "stop_ids hold")
    # In half precision, rounding would spoil the sums of top-p and of beam search.
    return logits if logits.dtype.itemsize >= 4 else logits.float()


def processed(processor: Processor | None, logits: Tensor, ids: Tensor) -> Tensor:
    """Apply a logits processor, and refuse a result that leaves a row no token."""
    if processor is not None:
        require_logits(logits := processor(logits, ids), "processor(logits, ids)")
    return logits


def _prompt(row: int, prompt: object) -> Tensor:
    """Return one prompt as a tensor (T,) of int64."""
    try:
        ids = torch.as_tensor(prompt)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"prompt {row} must be a sequence of token ids, got {type(prompt).__name__}: {error}") from None
    if ids.ndim != 1 or not ids.numel():
        raise ValueError(f"prompt {row} must be a sequence of at least 1 token, got shape {tuple(ids.shape)}")
    if ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
        raise TypeError(f"prompt {row} must hold integers, got dtype {ids.dtype}")
    if ids.min() < 0:
        raise ValueError(f"prompt {row} holds {int(ids.min())}, and a token id is at least 0")
    return ids.to(torch.int64)
