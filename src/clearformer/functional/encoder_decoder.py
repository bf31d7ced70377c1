"""A whole encoder-decoder in NumPy: the weights of ``clearformer.models.transformer`` in, logits out."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from jaxtyping import Bool, Float, Int

from clearformer.functional.activations import relu
from clearformer.functional.block import Function, post_norm_block
from clearformer.functional.decoder import Weights, norm
from clearformer.functional.embedding import embed
from clearformer.functional.feed_forward import feed_forward
from clearformer.functional.heads import multi_head_attention
from clearformer.functional.masks import causal_mask
from clearformer.functional.position import sinusoidal_encoding

# Name of the layer, queries from (..., T, d_model), keys from (..., S, d_model) and mask in; (..., T, d_model) out.
Attend = Callable[[str, np.ndarray, np.ndarray, np.ndarray | None], np.ndarray]


def encoder_decoder(
    weights: Weights,
    ids: Int[np.ndarray, "*batch S"],
    target_ids: Int[np.ndarray, "*batch T"],
    mask: Bool[np.ndarray, "*batch S"] | None = None,
    *,
    n_heads: int,
    block: Callable[..., np.ndarray] = post_norm_block,
) -> tuple[Float[np.ndarray, "*batch T vocab_size"], dict[str, np.ndarray]]:
    r"""Compute the logits of the next token after each position of the targets, given the sources.

    .. math::

        X = \operatorname{Encoder}\big(\sqrt{d_\text{model}}\,E_{ids} + P\big), \qquad
        Y = \operatorname{Decoder}\big(\sqrt{d_\text{model}}\,E_{target\ ids} + P,\ X\big), \qquad
        \text{logits} = Y E^\top

    A block of the encoder has two layers, self-attention and a feed-forward layer with ReLU. A block of the decoder
    has three: causal self-attention, cross-attention to :math:`X`, and a feed-forward layer. Positions :math:`P` are
    sinusoidal. Norms add 1e-5 to the variance. Ids or a mask that do not fit, an odd width, and one that is not a
    multiple of ``n_heads`` are a ValueError; a missing weight is a KeyError.

    Args:
        weights: The parameters of a ``clearformer.models.transformer``, by the names of its ``state_dict``.
        ids: Token ids of the sources, (..., S).
        target_ids: Token ids of the targets so far, (..., T), beginning with a start token.
        mask: True for tokens of the source and False for padding, (..., S).
        n_heads: Number of heads in each layer.
        block: ``post_norm_block``, or ``block`` for pre-norm, where the weights hold one more norm at the end of
            each stack.

    Returns:
        The logits, (..., T, vocab_size), and the attention weights of every head, (..., n_heads, T, S), by the names
        of the layers, such as ``"decoder.blocks.0.cross"``, in the order of computation.

    Source: Vaswani et al. (2017), figure 1 and section 3.

    Example:
        >>> weights = {"encoder.embedding.table": np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])}
        >>> logits, maps = encoder_decoder(weights, np.array([2, 1]), np.array([0]), n_heads=1)
        >>> logits.round(2), maps  # no block: the first position is (0, 1), and the token scores itself
        (array([[1.41, 1.  , 2.41]]), {})
    """
    _require_batch(ids, target_ids, mask)
    table = weights["encoder.embedding.table"]  # (vocab_size, d_model)
    seen = None if mask is None else np.asarray(mask)[..., None, None, :]  # (..., 1, 1, S)
    maps: dict[str, np.ndarray] = {}

    def attend(name: str, x_q: np.ndarray, x_kv: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
        found, maps[name] = _attention(weights, name, x_q, x_kv, n_heads, mask)
        return found

    x = _embed(table, ids)  # (..., S, d_model)
    for name in _blocks(weights, "encoder"):
        x = block(x, *_layers(weights, name, attend, seen))
    if pre_norm := "encoder.norm.gamma" in weights:
        x = norm(weights, "encoder.norm.", x)

    y = _embed(table, target_ids)  # (..., T, d_model)
    back = causal_mask(target_ids.shape[-1])  # (T, T)
    for name in _blocks(weights, "decoder"):
        y = block(y, *_layers(weights, name, attend, back, (x, seen)))
    if pre_norm:
        y = norm(weights, "decoder.norm.", y)
    return y @ table.T, maps


def _embed(table: np.ndarray, ids: np.ndarray) -> np.ndarray:
    T, d_model = ids.shape[-1], table.shape[-1]
    positions = sinusoidal_encoding(T, d_model).astype(table.dtype)  # (T, d_model)
    vectors: np.ndarray = math.sqrt(d_model) * embed(ids, table) + positions
    return vectors  # (..., T, d_model)


def _blocks(weights: Weights, stack: str) -> list[str]:
    """Return the names of the blocks of a stack."""
    begins, ends = f"{stack}.blocks.", ".feed_forward.w_in"
    n_layers = sum(name.startswith(begins) and name.endswith(ends) for name in weights)
    return [f"{begins}{number}" for number in range(n_layers)]


def _layers(
    weights: Weights,
    name: str,
    attend: Attend,
    mask: np.ndarray | None,
    source: tuple[np.ndarray, np.ndarray | None] | None = None,
) -> list[tuple[Function, Function]]:
    """Return the layers of a block with their norms: attention, cross-attention if there is a source, feed-forward."""
    layers: dict[str, Function] = {"attention": lambda x: attend(f"{name}.attention", x, x, mask)}
    if source is not None:
        states, seen = source
        layers["cross"] = lambda x: attend(f"{name}.cross", x, states, seen)
    w_in, b_in, w_out, b_out = (weights[f"{name}.feed_forward.{part}"] for part in ("w_in", "b_in", "w_out", "b_out"))
    layers["feed_forward"] = lambda x: feed_forward(x, w_in, b_in, w_out, b_out, activation=relu)
    return [(layer, partial(norm, weights, f"{name}.norm_{kind}.")) for kind, layer in layers.items()]


def _attention(
    weights: Weights, name: str, x_q: np.ndarray, x_kv: np.ndarray, n_heads: int, mask: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    w_q, w_k, w_v = np.split(weights[f"{name}.w_qkv"], 3, axis=1)  # (d_model, d_model) each
    b_q, b_k, b_v = np.split(weights[f"{name}.b_qkv"], 3)  # (d_model,) each
    w_o, b_o = weights[f"{name}.w_o"], weights[f"{name}.b_o"]
    return multi_head_attention(
        x_q, x_kv, w_q, w_k, w_v, w_o, n_heads=n_heads, mask=mask, b_q=b_q, b_k=b_k, b_v=b_v, b_o=b_o
    )


def _require_batch(ids: np.ndarray, target_ids: np.ndarray, mask: np.ndarray | None) -> None:
    for name, tokens in (("ids", ids), ("target_ids", target_ids)):
        if not tokens.size:
            raise ValueError(f"{name} must hold at least one token, got shape {tokens.shape}")
    if ids.shape[:-1] != target_ids.shape[:-1]:
        raise ValueError(f"leading axes must agree: ids {ids.shape}, target_ids {target_ids.shape}")
    if mask is not None and np.shape(mask) != ids.shape:
        raise ValueError(f"mask {np.shape(mask)} must have the shape of the ids {ids.shape}")
