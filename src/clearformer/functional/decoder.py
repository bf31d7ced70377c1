"""A whole decoder-only language model in NumPy: the weights of ``clearformer.models.Decoder`` in, logits out."""

import math
from collections.abc import Mapping

import numpy as np
from jaxtyping import Float, Int

from clearformer.functional.activations import gelu, softmax
from clearformer.functional.feed_forward import Activation

Cache = tuple[np.ndarray, np.ndarray]  # the keys and the values of a block, (n_heads, S, d_k) each


def lay_out(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Copy the matrices so that each lies in memory along its longer axis; their shapes and values stay.

    A step of a large model takes as long as its weights take to arrive, and they arrive fastest in long runs.

    Args:
        weights: As ``decoder`` takes them.

    Example:
        >>> weights = lay_out({"wide": np.zeros((2, 3)), "tall": np.zeros((3, 2)), "vector": np.zeros(2)})
        >>> {name: array.strides for name, array in weights.items()}
        {'wide': (24, 8), 'tall': (8, 24), 'vector': (8,)}
    """
    tall = {name for name, array in weights.items() if array.ndim == 2 and array.shape[0] > array.shape[1]}
    return {name: np.array(array, order="F" if name in tall else "C") for name, array in weights.items()}


def decoder(
    weights: Mapping[str, np.ndarray],
    ids: Int[np.ndarray, " T"],
    caches: list[Cache] | None = None,
    *,
    n_heads: int,
    activation: Activation = gelu,
) -> tuple[Float[np.ndarray, " vocab_size"], list[Cache]]:
    r"""Score every token as the next one after ``ids``, in the shape of GPT-2.

    .. math::

        X_0 = E_{ids} + P, \qquad
        X_{l+1} = X' + \operatorname{FFN}(\operatorname{LN}(X')), \quad
        X' = X_l + \operatorname{MultiHead}(\operatorname{LN}(X_l)), \qquad
        \text{logits} = \operatorname{LN}(X_L)_T\,E^\top

    A first call reads the prompt, and each later one a single token or some more, with the caches of the
    call before: the keys and values of all positions so far. Caches are never changed, only longer ones given.

    Args:
        weights: As in the state of a ``Decoder``, by the same names; ``lay_out`` makes products with them faster.
        ids: The new tokens, (T,).
        caches: Keys and values of what came before, one pair for each block; nothing when left out.
        n_heads: Heads of each block.
        activation: Of the feed-forward layers.

    Returns:
        The logits after the last token, (vocab_size,), and the caches to hand in with the next ids.

    Raises:
        ValueError: there are no ids, one is not in the vocabulary, or the positions run out.

    Source: Radford et al. (2019).

    Example:
        >>> weights = {"embedding.table": 3 * np.eye(2), "embedding.position.table": np.zeros((5, 2))}
        >>> weights |= {"norm.gamma": np.ones(2), "norm.beta": np.zeros(2)}
        >>> decoder(weights, np.array([1, 0]), n_heads=1)[0].round(2)  # no block: the last token scores itself
        array([ 3., -3.])
    """
    table = weights["embedding.table"]  # (vocab_size, d_model)
    positions = weights["embedding.position.table"]  # (context, d_model)
    first = caches[0][0].shape[-2] if caches else 0
    _require(ids, first, len(table), len(positions))
    x = table[ids] + positions[first : first + len(ids)]  # (T, d_model)
    longer = []
    for number in range(sum(name.endswith(".w_o") for name in weights)):
        block = f"blocks.{number}."
        normed = _norm(weights, block + "norm_attention.", x)  # (T, d_model)
        added, cache = _attention(
            weights, block + "attention.", normed, n_heads, None if caches is None else caches[number]
        )
        x = x + added
        normed = _norm(weights, block + "norm_feed_forward.", x)
        x = x + _feed_forward(weights, block + "feed_forward.", normed, activation)
        longer.append(cache)
    return table @ _norm(weights, "norm.", x[-1]), longer


# The three that follow repeat functions of this package without their checks, which would take a third of a cached
# step of a small model.
def _norm(weights: Mapping[str, np.ndarray], name: str, x: np.ndarray, eps: float = 1e-5) -> np.ndarray:
    centred = x - x.mean(axis=-1, keepdims=True)  # (..., d_model)
    variance = (centred * centred).mean(axis=-1, keepdims=True)  # (..., 1)
    normed: np.ndarray = centred / np.sqrt(variance + eps) * weights[name + "gamma"] + weights[name + "beta"]
    return normed


def _attention(
    weights: Mapping[str, np.ndarray], name: str, x: np.ndarray, n_heads: int, cache: Cache | None
) -> tuple[np.ndarray, Cache]:
    T, d_model = x.shape
    qkv = x @ weights[name + "w_qkv"] + weights[name + "b_qkv"]  # (T, 3 d_model)
    q, k, v = qkv.reshape(T, 3, n_heads, -1).transpose(1, 2, 0, 3)  # (n_heads, T, d_k) each
    if cache is not None:
        k, v = (np.concatenate(pair, axis=1) for pair in zip(cache, (k, v), strict=True))  # (n_heads, S, d_k) each
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(d_model // n_heads)  # (n_heads, T, S)
    if T > 1:
        scores[:, ~np.tri(T, k.shape[1], k.shape[1] - T, dtype=bool)] = -np.inf
    output = (softmax(scores) @ v).swapaxes(0, 1).reshape(T, d_model)  # (T, d_model)
    return output @ weights[name + "w_o"] + weights[name + "b_o"], (k, v)


def _feed_forward(weights: Mapping[str, np.ndarray], name: str, x: np.ndarray, activation: Activation) -> np.ndarray:
    hidden = activation(x @ weights[name + "w_in"] + weights[name + "b_in"])  # (T, d_ff)
    added: np.ndarray = hidden @ weights[name + "w_out"] + weights[name + "b_out"]  # (T, d_model)
    return added


def _require(ids: np.ndarray, first: int, vocab_size: int, context: int) -> None:
    if ids.ndim != 1 or not ids.size:
        raise ValueError(f"ids must be (T,) with a token at least, got shape {ids.shape}")
    if not 0 <= ids.min() <= ids.max() < vocab_size:
        raise ValueError(f"ids {ids.min()} to {ids.max()} must lie between 0 and vocab_size - 1 = {vocab_size - 1}")
    if first + len(ids) > context:
        raise ValueError(f"{first + len(ids)} positions, but the model has context={context}")
