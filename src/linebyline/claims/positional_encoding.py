"""Claims on positions that are added, and on the sinusoidal encoding: its formula, its scales, and what it allows."""

import numpy as np
import torch

from clearformer import functional as F
from clearformer import nn
from linebyline.claims.declare import claim, corrected, depends, difference, draw, gap, holds

D, TRAINED, TESTED, BACK = 32, 24, 96, 3


def _learn_to_look_back(encoding: np.ndarray, m: np.ndarray | None = None, steps: int = 300) -> tuple[float, float]:
    """Fit scores PE(t) M PE(s) on the first 24 positions so that each looks 3 back, and test where it looks.

    Only M is fitted, by gradient descent from the start ``m``, or zeros. The loss has no local minima, but many
    maps that fit; which one is learned depends on the start and the number of steps.

    Returns:
        The fraction of positions that look 3 back, among those fitted and among the later ones.
    """
    rows, target = encoding[:TRAINED], np.eye(TRAINED, k=-BACK)
    m = np.zeros((D, D)) if m is None else m
    for _ in range(steps):
        weights = F.softmax(np.where(F.causal_mask(TRAINED), rows @ m @ rows.T, -np.inf))  # (T, S)
        m = m - 0.3 * rows[BACK:].T @ (weights - target)[BACK:] @ rows / (TRAINED - BACK)
    scores = np.where(F.causal_mask(TESTED), encoding @ m @ encoding.T, -np.inf)
    right = scores.argmax(axis=-1) == np.arange(TESTED) - BACK  # (T,)
    return float(right[BACK:TRAINED].mean()), float(right[TRAINED:].mean())


@claim("000", "bag", "The positional encoding is a very important part.")
@holds("Without it a sum over tokens gives a sentence and its reverse the same result.")
def _position_matters() -> str:
    x, w = draw((3, 4), (4, 4))  # Dan, loves, icecream
    both = [F.relu(y @ w).mean(axis=0) for y in (x, x[::-1])]
    marked = [F.relu((y + F.sinusoidal_encoding(3, 4)) @ w).mean(axis=0) for y in (x, x[::-1])]
    apart = np.abs(marked[0] - marked[1]).max()
    return (
        f"three words and their reverse, mean over tokens: {difference(gap(both[0], both[1]))}; with sines {apart:.2f}"
    )


@claim("001", "learned", "The original paper encodes absolute positions.")
@holds("Each position has its own vector. Their dot products know the distance as well.")
def _absolute() -> str:
    encoding = F.sinusoidal_encoding(TESTED, D)
    products = [encoding[p] @ encoding[p + BACK] for p in range(TESTED - BACK)]
    return f"one row for each position; row p times row p + 3, all p: {difference(np.ptp(products), 1e-11)}"


@claim("002", "learned", "The encoding is added to the embeddings.")
@depends("Sinusoidal and learned vectors are. RoPE rotates queries and keys, ALiBi changes scores.")
def _added_to_embeddings() -> str:
    x = np.zeros((4, 8))
    added = np.linalg.norm(x + F.sinusoidal_encoding(4, 8), axis=-1)
    turned = np.linalg.norm(F.rotary_encoding(x, np.arange(4)), axis=-1)
    return f"length of an empty embedding afterwards: sinusoidal {added.max():.0f}, rotary {turned.max():.0f}"


@claim("004", "sinusoidal", "The formula of the sinusoidal encoding.")
@holds("As in the paper and in the package. It takes real positions; tokens have integers.")
def _sinusoidal_formula() -> str:
    slow = np.array([[np.sin(p / 10000 ** (2 * i / 8)) for i in range(4)] for p in range(50)])
    error = np.abs(F.sinusoidal_encoding(50, 8)[:, ::2] - slow).max()
    return f"sines against the package, 50 positions: {difference(error)}"


@claim("004", "sinusoidal", "In it, i is the index of the embedding dimension.")
@corrected("It counts pairs of features, a sine and a cosine.")
def _sinusoidal_index() -> str:
    return f"8 features: i goes from 0 to {F.sinusoidal_encoding(1, 8).size // 2 - 1}; i up to 7 would make 16"


@claim("004", "sinusoidal", "The encoding is continuous and has many scales.")
@holds("Wavelengths form a geometric series.")
def _multi_scale() -> str:
    first = F.sinusoidal_encoding(2, 512)[1]
    waves = 2 * np.pi / np.arctan2(first[::2], first[1::2])  # (d_model / 2,), from the angles of the first step
    return f"wavelengths at d_model=512: {waves[0]:.1f} to {waves[-1]:,.0f} positions"


def _tens(fractions: tuple[float, ...]) -> str:
    return f"{round(min(fractions), 1):.0%} to {round(max(fractions), 1):.0%}"


@claim("004", "beyond", "The sinusoidal encoding generalizes to sequences of any length.")
@corrected("It is defined at any length. Many maps fit short sequences; training may find one that ends there.")
def _any_length() -> str:
    starts = [np.zeros((D, D)), *np.random.default_rng(0).normal(size=(3, D, D))]
    fractions = [_learn_to_look_back(F.sinusoidal_encoding(TESTED, D), m, 1000) for m in starts]
    inside, beyond = zip(*fractions, strict=True)
    # To tens of percent: a single position of the 72 may depend on the last digits of the sums.
    return f"looks 3 back, 4 starts: {min(inside):.0%} of the fitted positions, {_tens(beyond)} of the later ones"


@claim("004", "sinusoidal", "Having no parameters, it costs little.")
@holds("Nothing to learn or to store. Adding learned vectors costs as little time.")
def _low_cost() -> str:
    fixed, learned = nn.SinusoidalEncoding(4096, 512), torch.nn.Embedding(4096, 512, device="meta")
    numbers = sum(weight.numel() for weight in fixed.parameters()) or "none"
    return f"numbers to learn for 4,096 positions of width 512: {numbers}, a table has {learned.weight.numel():,}"


@claim("004", "beyond", "It has done as well as a learned encoding.")
@holds("So the paper reports, and so do we find, on positions seen in training.")
def _as_good_as_learned() -> str:
    tables = F.sinusoidal_encoding(TESTED, D), np.random.default_rng(0).normal(size=(TESTED, D))
    return "looks 3 back on the fitted positions: sinusoidal {:.0%}, random vectors {:.0%}".format(
        *(_learn_to_look_back(table)[0] for table in tables)
    )


@claim("004", "beyond", "Without parameters no positional pattern of a task can be learned.")
@corrected("The vectors are fixed, the matrices that read them are not.")
def _no_task_patterns() -> str:
    inside, _ = _learn_to_look_back(F.sinusoidal_encoding(TESTED, D))
    return f"one learned matrix on fixed sines: {inside:.0%} of the fitted positions look 3 back"


@claim("004", "sinusoidal", "It needs tokens of uniform importance, according to the original paper.")
@corrected("The paper says nothing of the kind. All rows are equally long; attention still chooses.")
def _uniform_importance() -> str:
    encoding = F.sinusoidal_encoding(TESTED, D)
    _, weights = F.scaled_dot_product_attention(8 * encoding, encoding, encoding)
    lengths = np.linalg.norm(encoding, axis=-1)
    smallest = "under 0.001" if weights.min() < 0.001 else f"{weights.min():.3f}"
    return f"rows of length {lengths.min():.2f} to {lengths.max():.2f}; weights from {smallest} to {weights.max():.2f}"


def _shift(k: int) -> np.ndarray:
    angles = k * 10000.0 ** (-np.arange(0, D, 2) / D)
    turn = np.zeros((D, D))
    for i, angle in enumerate(angles):
        turn[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    return turn


@claim("004", "shift", "It cannot capture relative or local relations.")
@corrected("A shift by n is a rotation that does not depend on the position.")
def _no_relative() -> str:
    encoding = F.sinusoidal_encoding(TESTED, D)
    scores = np.where(F.causal_mask(TESTED), encoding @ _shift(-BACK).T @ encoding.T, -np.inf)
    fraction = (scores.argmax(axis=-1) == np.arange(TESTED) - BACK)[BACK:].mean()
    error = np.abs(encoding[:-BACK] @ _shift(BACK).T - encoding[BACK:]).max()
    return f"R_3 PE(p) against PE(p+3): {difference(error)}; scores built with it look 3 back: {fraction:.0%} of 93"
