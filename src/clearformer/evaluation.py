"""Evaluation: scores of options, intervals for what was measured, and near-duplicates in a corpus."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, UInt64
from torch import Tensor

Shingle = tuple[str | int, ...]
_MIXERS = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # of splitmix64


class Interval(NamedTuple):
    """An estimate with the ends of its interval."""

    estimate: float
    low: float
    high: float


def option_log_probs(
    model: Callable[[Tensor], Float[Tensor, "n T V"]], prompt: Sequence[int], options: Sequence[Sequence[int]]
) -> list[float]:
    """Compute the log-probability of each option after a prompt: the sum over the tokens of the option.

    Divide by the number of tokens for a mean, or subtract the log-probability after a neutral prompt. Options may have
    different lengths; an empty prompt, no options or an empty one is a ValueError.

    Example:
        >>> uniform = lambda ids: torch.zeros(*ids.shape, 4)
        >>> [round(each, 2) for each in option_log_probs(uniform, [0], [[1], [2, 3]])]
        [-1.39, -2.77]
    """
    if not len(prompt) or not len(options) or not all(len(option) for option in options):
        raise ValueError(f"prompt {prompt} and options {options}: each needs a token, and one option or more")
    longest = max(map(len, options))
    rows = [[*prompt, *option, *[prompt[0]] * (longest - len(option))] for option in options]
    ids = torch.tensor(rows)  # (n, T): what fills a shorter row comes after its option
    with torch.no_grad():
        logits = model(ids[:, :-1])[:, len(prompt) - 1 :]  # (n, longest, V)
    at_targets = logits.log_softmax(-1).gather(-1, ids[:, len(prompt) :, None])[..., 0]  # (n, longest)
    return [row[: len(option)].sum().item() for row, option in zip(at_targets, options, strict=True)]


def bootstrap_interval(
    values: Sequence[float], *, level: float = 0.95, n_resamples: int = 10_000, seed: int = 0
) -> Interval:
    """Estimate the mean of a measurement over items, with an interval from items drawn again with replacement.

    The interval says how far the mean would move with other items of the same kind. It says nothing of other seeds.
    Fewer than two values, no resamples, or a level outside 0 to 1 is a ValueError.

    Example:
        >>> mean, low, high = bootstrap_interval([1] * 90 + [0] * 10)
        >>> print(f"{mean:.2f}, between {low:.2f} and {high:.2f}")
        0.90, between 0.84 and 0.95
    """
    measured = np.asarray(values, dtype=float)
    if measured.ndim != 1 or len(measured) < 2 or n_resamples < 1 or not 0 < level < 1:
        raise ValueError(f"needs two values or more, got {measured.shape}, {n_resamples=} above 0, {level=} in (0, 1)")
    rng = np.random.default_rng(seed)
    means = [rng.choice(measured, len(measured)).mean() for _ in range(n_resamples)]
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(measured.mean()), float(low), float(high))


def paired_difference(
    first: Sequence[float], second: Sequence[float], *, level: float = 0.95, n_resamples: int = 10_000, seed: int = 0
) -> Interval:
    """Estimate how much better the first of two models is on the same items, with a bootstrap interval.

    An item that is hard for both moves both scores and not their difference, so the interval is narrower than for
    models that were measured on different items. Different numbers of items are a ValueError.

    Example:
        >>> paired_difference([1, 1, 1, 0], [1, 0, 1, 0]).estimate
        0.25
    """
    if len(first) != len(second):
        raise ValueError(f"both models need the same items, got {len(first)} and {len(second)}")
    differences = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    return bootstrap_interval(differences.tolist(), level=level, n_resamples=n_resamples, seed=seed)


def shingles(words: Sequence[str | int], n: int = 5) -> set[Shingle]:
    """Collect the runs of n words of a document; one that is shorter is a single run.

    Example:
        >>> sorted(shingles("the sun shines today".split(), 3))
        [('sun', 'shines', 'today'), ('the', 'sun', 'shines')]
    """
    if n < 1 or not len(words):
        raise ValueError(f"{n=} must be 1 or more, and the document needs a word")
    return {tuple(words[i : i + n]) for i in range(max(1, len(words) - n + 1))}


def jaccard(first: set[Shingle], second: set[Shingle]) -> float:
    """Compute the similarity of two sets: what they share, as a fraction of all that is in either.

    Example:
        >>> jaccard({(1,), (2,), (3,)}, {(2,), (3,), (4,)})
        0.5
    """
    if not first and not second:
        raise ValueError("two empty sets have no similarity")
    return len(first & second) / len(first | second)


def min_hashes(items: Iterable[Shingle], n: int = 128, seed: int = 0) -> UInt64[np.ndarray, " n"]:
    """Return the smallest hash of a set under each of n hash functions.

    Two sets agree in a place with a probability that is their Jaccard similarity, so the fraction of places in which
    they agree estimates it, with a standard error of at most ``0.5 / sqrt(n)``. An empty set is a ValueError.

    Source: Broder (1997).

    Example:
        >>> one, two = min_hashes({(1,), (2,), (3,)}, 1000), min_hashes({(2,), (3,), (4,)}, 1000)
        >>> bool(abs((one == two).mean() - 0.5) < 0.05)
        True
    """
    digests = [hashlib.blake2b(repr(item).encode(), digest_size=8).digest() for item in items]
    if not digests or n < 1:
        raise ValueError(f"needs one item or more, got {len(digests)}, and {n=} above 0")
    hashes = np.frombuffer(b"".join(digests), dtype=np.uint64)  # (items,)
    salts = np.random.default_rng(seed).integers(2**64, size=(n, 1), dtype=np.uint64)
    mixed = hashes ^ salts  # (n, items)
    for shift, factor in zip((30, 27), _MIXERS, strict=True):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    smallest: np.ndarray = (mixed ^ (mixed >> np.uint64(31))).min(axis=1)
    return smallest


def near_duplicates(
    documents: Sequence[Sequence[str | int]],
    *,
    threshold: float = 0.5,
    n: int = 5,
    n_hashes: int = 128,
    n_bands: int = 32,
    seed: int = 0,
) -> list[int]:
    """Find for each document the first one that it is a near-duplicate of, or itself.

    Signatures are cut into bands. Documents that agree in all hashes of a band are compared with the one before them
    in that band, so the cost grows with the number of documents, and not of pairs. Chains are followed: if the second
    resembles the first and the third the second, all three belong together.

    Args:
        documents: Words or ids of each.
        threshold: From which estimated Jaccard similarity on two documents are near-duplicates.
        n: Words of a shingle.
        n_hashes: Of a signature; a multiple of the bands.
        n_bands: More bands find pairs that are less similar.
        seed: Of the hash functions.

    Raises:
        ValueError: a document is empty, or a number does not fit.

    Source: Broder (1997); Lee et al. (2022) for training data.

    Example:
        >>> near_duplicates(["a b c d e f g".split(), "x y z x y z".split(), "a b c d e f h".split()], n=2)
        [0, 1, 0]
    """
    if not 0 < threshold <= 1 or n_bands < 1 or n_hashes % n_bands or n_hashes < n_bands:
        raise ValueError(f"{threshold=} must be in (0, 1], and {n_hashes=} a multiple of {n_bands=}")
    signatures = [min_hashes(shingles(words, n), n_hashes, seed) for words in documents]
    buckets: dict[tuple[int, bytes], list[int]] = defaultdict(list)
    for number, signature in enumerate(signatures):
        for band, part in enumerate(signature.reshape(n_bands, -1)):
            buckets[band, part.tobytes()].append(number)
    first = list(range(len(documents)))

    def root(i: int) -> int:
        while first[i] != i:
            i = first[i]
        return i

    for numbers in buckets.values():
        for i, j in pairwise(numbers):
            a, b = sorted((root(i), root(j)))
            if a != b and (signatures[i] == signatures[j]).mean() >= threshold:
                first[b] = a
    return [root(i) for i in range(len(documents))]
