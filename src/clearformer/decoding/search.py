"""Greedy search for the most likely next token, and beam search for a likely sequence."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from clearformer.decoding._checks import require_count, require_number, stop_set
from clearformer.decoding.processors import Processor
from clearformer.decoding.streaming import (
    NextLogits,
    Prompts,
    Sampler,
    checked_logits,
    collect,
    processed,
    prompt_buffer,
    stream,
)


def argmax(*, processor: Processor | None = None) -> Sampler:
    """Return a sampler for ``stream`` that takes the token with the highest logit, and of tied ones the lowest id.

    A ``processor`` such as ``pipeline(frequency=0.5)`` changes the logits first.

    Example:
        >>> argmax()(torch.tensor([[0.0, 2.0, 2.0]]), torch.tensor([[0]]))
        tensor([1])
    """

    def choose(logits: Tensor, ids: Tensor) -> Tensor:
        return processed(processor, logits, ids).argmax(dim=-1)  # (B,)

    return choose


def greedy_search(
    next_logits: NextLogits,
    prompts: Prompts,
    max_new_tokens: int,
    *,
    processor: Processor | None = None,
    stop_ids: Collection[int] = (),
) -> list[list[int]]:
    """Continue each prompt with the most likely next token, again and again, and return the new tokens of each.

    Each token is the best one now; the sequence need not be the most likely one. Arguments and errors are those of
    ``stream``, with a ``processor`` that changes the logits before each choice, such as ``pipeline(frequency=0.5)``;
    one that leaves a row no token is a ValueError. A stop token is the last of its row.

    Example:
        >>> def counting(ids):
        ...     return torch.nn.functional.one_hot((ids[:, -1] + 1) % 10, 10).float()
        >>> greedy_search(counting, [[3], [5, 6]], 4, stop_ids=[6])
        [[4, 5, 6], [7, 8, 9, 0]]
    """
    choose = argmax(processor=processor)
    return collect(stream(next_logits, prompts, max_new_tokens, sampler=choose, stop_ids=stop_ids))


class Hypothesis(NamedTuple):
    """A finished sequence of a beam search, and its score."""

    tokens: list[int]
    score: float


@torch.inference_mode()
def beam_search(
    next_logits: NextLogits,
    prompt: Sequence[int] | Tensor,
    max_new_tokens: int,
    *,
    n_beams: int,
    length_penalty: float = 1.0,
    stop_ids: Collection[int] = (),
) -> list[Hypothesis]:
    r"""Search for likely continuations of the prompt, several beams at a time.

    .. math::

        \operatorname{score}(y_1 \dots y_n) = \frac{1}{n^{\lambda}} \sum_{t=1}^{n} \log p(y_t \mid y_{<t})

    At each step every beam is continued by every token, and the ``n_beams`` most likely open continuations become
    the beams of the next step. A continuation that ends in a stop token, and is among the ``n_beams`` most likely
    of all, is finished: it moves to a pool of the ``n_beams`` best scores. At ``max_new_tokens``, or where the
    context of the model ends, open beams are finished too. The search stops early if no open beam can still enter
    a full pool: log-probabilities only fall, so with :math:`\lambda > 0` the best possible score of a beam is its
    present sum divided by the greatest length. This is ``early_stopping="never"`` in transformers, whose default,
    False, divides by the present length and may give up a beam that would have won.

    Args:
        next_logits: Maps the tokens so far, int64 (B, T), to logits of the next one, (B, vocab_size). B is 1 for the
            first step, then at most ``n_beams``. A callable with a key-value cache needs a method
            ``reorder_cache(rows)``, called whenever beams change places or number: row ``rows[i]`` becomes row ``i``.
            An attribute ``context`` is respected as by ``stream``.
        prompt: Token ids of one prompt.
        max_new_tokens: The largest number of tokens in a hypothesis.
        n_beams: The number of open beams, and of hypotheses returned.
        length_penalty: The exponent :math:`\lambda`: 0 scores by the log-probability, 1 by its mean per token.
        stop_ids: Tokens that finish a beam; they count toward the length.

    Returns:
        The finished hypotheses, best first: new tokens with the stop token, if one came, and the score.
        There are ``n_beams`` of them, or fewer where fewer sequences are possible.

    Raises:
        TypeError: as ``stream``.
        ValueError: as ``stream``, or ``n_beams`` is below 1, or ``length_penalty`` is not finite.

    Source: Lowerre (1976); Wu et al. (2016) for the length penalty.

    Example:
        >>> tree = {0: [0.0, 0.6, 0.4], 1: [0.5, 0.3, 0.2], 2: [0.1, 0.1, 0.8]}
        >>> def next_logits(ids):
        ...     return torch.tensor([tree[token] for token in ids[:, -1].tolist()]).log()
        >>> greedy_search(next_logits, [[0]], 2)
        [[1, 0]]
        >>> beam_search(next_logits, [0], 2, n_beams=2)[0].tokens
        [2, 2]
    """
    require_count("max_new_tokens", max_new_tokens)
    require_count("n_beams", n_beams)
    require_number("length_penalty", length_penalty)
    stops = stop_set(stop_ids)
    ids, (start,), (end,) = prompt_buffer(next_logits, [prompt], max_new_tokens, fill=0)  # (1, end)
    max_length = end - start
    log_p = torch.zeros(1, device=ids.device)  # of the open beams, best first
    pool: list[Hypothesis] = []
    reorder_cache = getattr(next_logits, "reorder_cache", None)
    # Each beam has one continuation for each stop token, so this many hold n_beams that are open.
    n_candidates = n_beams * (1 + len(stops))

    for t in range(start, end):
        length = t + 1 - start
        logits = checked_logits(next_logits(ids[:, :t]), ids, stops)
        scores = log_p[:, None] + logits.log_softmax(dim=-1)  # (beams, vocab_size)
        best = scores.flatten().topk(min(n_candidates, scores.numel()))
        values, indices = best.values.tolist(), best.indices.tolist()
        places = [divmod(index, logits.shape[1]) for index in indices]  # beam, token

        still_open = []
        for rank, (beam, token) in enumerate(places):
            if values[rank] == -torch.inf:
                break
            if length < max_length and token not in stops:
                still_open.append(rank)
            elif rank < n_beams:
                tokens = [*ids[beam, start:t].tolist(), token]
                pool.append(Hypothesis(tokens, values[rank] / length**length_penalty))
        pool = sorted(pool, key=lambda hypothesis: -hypothesis.score)[:n_beams]
        still_open = still_open[:n_beams]
        if not still_open:
            break
        best_length = max_length if length_penalty > 0 else length
        bound = values[still_open[0]] / best_length**length_penalty
        if len(pool) == n_beams and bound <= pool[-1].score:
            break

        beams = [places[rank][0] for rank in still_open]
        log_p = best.values[still_open]
        if beams != list(range(len(ids))):
            rows = torch.tensor(beams, device=ids.device)
            ids = ids[rows]
            if reorder_cache is not None:
                reorder_cache(rows)
        ids[:, t] = torch.tensor([places[rank][1] for rank in still_open], device=ids.device)
    return pool
