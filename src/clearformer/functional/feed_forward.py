"""Feed-forward layers: each position is transformed separately, after attention has mixed positions.

An array that does not hold floats is a TypeError, shapes that do not fit together are a ValueError.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from clearformer.functional._checks import bias_or_zeros, require_float
from clearformer.functional.activations import gelu, silu

Activation = Callable[[np.ndarray], np.ndarray]


def feed_forward(
    x: Float[np.ndarray, "*batch d_model"],
    w_in: Float[np.ndarray, "d_model d_ff"],
    b_in: Float[np.ndarray, " d_ff"] | None,
    w_out: Float[np.ndarray, "d_ff d_output"],
    b_out: Float[np.ndarray, " d_output"] | None,
    *,
    activation: Activation = gelu,
) -> Float[np.ndarray, "*batch d_output"]:
    r"""Compute two linear maps with an activation function between them, for each row separately.

    .. math::

        \operatorname{FFN}(X) = \varphi(XW_1 + b_1)\,W_2 + b_2

    A layer without biases, such as T5's, has None for them.

    Source: Vaswani et al. (2017), eq. 2, there with ReLU.

    Example:
        >>> x, up, down = np.array([[3.0], [-3.0]]), np.array([[1.0, -1.0]]), np.array([[1.0], [1.0]])
        >>> feed_forward(x, up, np.zeros(2), down, np.zeros(1), activation=np.abs)
        array([[6.],
               [6.]])
    """
    require_float(x=x, w_in=w_in, w_out=w_out)
    _require_matrix("w_in", w_in, "x", x)
    _require_matrix("w_out", w_out, "w_in", w_in)
    b_in, b_out = bias_or_zeros("b_in", b_in, w_in), bias_or_zeros("b_out", b_out, w_out)
    hidden = activation(x @ w_in + b_in)  # (..., d_ff)
    output: np.ndarray = hidden @ w_out + b_out  # (..., d_output)
    return output


def gated_feed_forward(
    x: Float[np.ndarray, "*batch d_model"],
    w_gate: Float[np.ndarray, "d_model d_ff"],
    w_up: Float[np.ndarray, "d_model d_ff"],
    w_down: Float[np.ndarray, "d_ff d_output"],
    *,
    activation: Activation = silu,
) -> Float[np.ndarray, "*batch d_output"]:
    r"""Multiply one projection of each row by an activated other one, and project the product.

    .. math::

        \operatorname{GatedFFN}(X) = \big(\varphi(XW_\text{gate}) \odot XW_\text{up}\big)\,W_\text{down}

    With ``silu`` this is SwiGLU, Llama's layer; with ``gelu_tanh`` it is T5's since version 1.1.

    Source: Shazeer (2020), eqs. 5 and 6.

    Example:
        >>> same = np.eye(2)
        >>> gated_feed_forward(np.array([[0.0, 100.0]]), same, same, same)
        array([[    0., 10000.]])
    """
    require_float(x=x, w_gate=w_gate, w_up=w_up, w_down=w_down)
    _require_matrix("w_gate", w_gate, "x", x)
    if w_up.shape != w_gate.shape:
        raise ValueError(f"w_up {w_up.shape} must have the shape of w_gate {w_gate.shape}")
    _require_matrix("w_down", w_down, "w_up", w_up)
    gated = activation(x @ w_gate) * (x @ w_up)  # (..., d_ff)
    output: np.ndarray = gated @ w_down  # (..., d_output)
    return output


def _require_matrix(name: str, w: np.ndarray, source: str, x: np.ndarray) -> None:
    """Refuse weights that do not fit their input."""
    if x.ndim == 0 or w.ndim != 2 or w.shape[0] != x.shape[-1]:
        raise ValueError(f"{name} {w.shape} must be a matrix with a row for each column of {source} {x.shape}")
