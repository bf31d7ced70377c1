"""A whole decoder-only language model in NumPy: the weights of ``clearformer.models.Decoder`` in, logits out."""

from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Float, Int

from clearformer.functional.activations import gelu
from clearformer.functional.attention import scaled_dot_product_attention
from clearformer.functional.feed_forward import Activation, feed_forward
from clearformer.functional.heads import merge_heads, split_heads
from clearformer.functional.masks import causal_mask
from clearformer.functional.normalization import layer_norm

Cache = tuple[np.ndarray, np.ndarray]  # the keys and the values of a block, (n_heads, S, d_k) each
# Queries and keys (..., T, d_k) and their positions (T,) in; the same shape out. F.rotary_encoding is one.
Rotary = Callable[[np.ndarray, np.ndarray], np.ndarray]
Weights = Mapping[str, np.ndarray]


def lay_out(weights: Weights) -> dict[str, np.ndarray]:
    """Copy the matrices so that each is contiguous in memory along its longer axis; their shapes and values stay.

    A step of a large model takes as long as its weights take to arrive, and they arrive fastest in long runs.

    Example:
        >>> weights = lay_out({"wide": np.zeros((2, 3)), "tall": np.zeros((3, 2)), "vector": np.zeros(2)})
        >>> {name: array.strides for name, array in weights.items()}
        {'wide': (24, 8), 'tall': (8, 24), 'vector': (8,)}
    """
    tall = {name for name, array in weights.items() if array.ndim == 2 and array.shape[0] > array.shape[1]}
    return {name: np.array(array, order="F" if name in tall else "C") for name, array in weights.items()}


def decoder(
    weights: Weights,
    ids: Int[np.ndarray, " T"],
    caches: list[Cache] | None = None,
    *,
    n_heads: int,
    activation: Activation = gelu,
    rotary: Rotary | None = None,
) -> tuple[Float[np.ndarray, " vocab_size"], list[Cache]]:
    r"""Score every token as the next one after ``ids``, with the pre-norm blocks of GPT-2.

    .. math::

        X_0 = E_{ids} + P, \qquad
        X_{l+1} = X' + \operatorname{FFN}(\operatorname{LN}(X')), \quad
        X' = X_l + \operatorname{MultiHead}(\operatorname{LN}(X_l)), \qquad
        \text{logits} = \operatorname{LN}(X_L)_T\,E^\top

    The positions :math:`P` are added where the weights hold a table of them, as GPT-2's do. ``rotary`` turns queries
    and keys inside ``MultiHead`` by their positions instead; a model may do both.

    A first call reads the prompt, and each later one a single token or some more, with the caches of the
    call before: the keys, turned, and values of all positions so far. Caches are never changed, only longer ones given.

    Args:
        weights: As in the state of a ``Decoder``, by the same names; ``lay_out`` makes products with them faster.
        ids: The new tokens, (T,).
        caches: Keys and values of what came before, one pair for each block; nothing when left out.
        n_heads: Heads of each block.
        activation: Of the feed-forward layers: the weights of GPT-2 need ``gelu_tanh``.
        rotary: Turns queries and keys, (..., T, d_k), by their positions, (T,), such as ``rotary_encoding``.

    Returns:
        The logits after the last token, (vocab_size,), and the caches to hand in with the next ids.

    Raises:
        ValueError: there are no ids, one is not in the vocabulary, or nothing tells positions apart; the table of
            positions ends, or ``rotary`` refuses them. With ``rotary_encoding`` alone, positions do not end.

    Source: Radford et al. (2019); Su et al. (2024) for ``rotary``.

    Example:
        >>> weights = {"embedding.table": 3 * np.eye(2), "embedding.position.table": np.zeros((5, 2))}
        >>> weights |= {"norm.gamma": np.ones(2), "norm.beta": np.zeros(2)}
        >>> decoder(weights, np.array([1, 0]), n_heads=1)[0].round(2)  # no block: the last token scores itself
        array([ 3., -3.])
    """
    table = weights["embedding.table"]  # (vocab_size, d_model)
    added = weights.get("embedding.position.table")  # (context, d_model)
    first = caches[0][0].shape[-2] if caches else 0
    _require(ids, first, len(table), added, rotary)
    positions = np.arange(first, first + len(ids))  # (T,)
    x = table[ids]  # (T, d_model)
    if added is not None:
        x = x + added[positions]

    def turn(qk: np.ndarray) -> np.ndarray:  # (2, n_heads, T, d_k)
        return qk if rotary is None else rotary(qk, positions)

    longer = []
    for number in range(sum(name.endswith(".w_o") for name in weights)):
        block = f"blocks.{number}."
        normed = norm(weights, block + "norm_attention.", x)  # (T, d_model)
        before = None if caches is None else caches[number]
        part = _part(weights, block + "attention.")
        y, cache = _attention(part, normed, n_heads, before, turn)
        x = x + y
        normed = norm(weights, block + "norm_feed_forward.", x)
        part = _part(weights, block + "feed_forward.")
        x = x + feed_forward(normed, **part, activation=activation)
        longer.append(cache)
    return table @ norm(weights, "norm.", x[-1]), longer


def norm(weights: Weights, name: str, x: np.ndarray) -> np.ndarray:
    """Normalize rows with the gain and the bias of some name."""
    return layer_norm(x, weights[name + "gamma"], weights[name + "beta"])


def _part(weights: Weights, prefix: str) -> dict[str, np.ndarray]:
    names = [name for name in weights if name.startswith(prefix)]
    return {name.removeprefix(prefix): weights[name] for name in names}


def _attention(
    part: Weights,
    x: np.ndarray,
    n_heads: int,
    cache: Cache | None,
    turn: Callable[[np.ndarray], np.ndarray],
) -> tuple[np.ndarray, Cache]:
    qkv = x @ part["w_qkv"] + part["b_qkv"]  # (T, 3 d_model)
    q, k, v = (split_heads(z, n_heads) for z in np.split(qkv, 3, axis=-1))
    q, k = turn(np.stack([q, k]))  # (n_heads, T, d_k) each
    if cache is not None:  # its keys are rotated already
        k = np.concatenate([cache[0], k], axis=1)  # (n_heads, S, d_k)
        v = np.concatenate([cache[1], v], axis=1)
    mask = causal_mask(q.shape[1], k.shape[1])
    heads, _ = scaled_dot_product_attention(q, k, v, mask)
    return merge_heads(heads) @ part["w_o"] + part["b_o"], (k, v)


def _require(ids: np.ndarray, first: int, vocab_size: int, added: np.ndarray | None, rotary: Rotary | None) -> None:
    if ids.ndim != 1 or not ids.size:
        raise ValueError(f"ids must be (T,) with a token at least, got shape {ids.shape}")
    if not 0 <= ids.min() <= ids.max() < vocab_size:
        raise ValueError(f"ids {ids.min()} to {ids.max()} must lie between 0 and vocab_size - 1 = {vocab_size - 1}")
    if added is None and rotary is None:
        raise ValueError("the weights hold no embedding.position.table: positions need it, or rotary=rotary_encoding")
    if added is not None and first + len(ids) > len(added):
        raise ValueError(f"{first + len(ids)} positions, but the model has context={len(added)}")
