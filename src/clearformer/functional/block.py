"""Transformer blocks: attention and feed-forward layers, each with a norm and a residual connection."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

Function = Callable[[np.ndarray], np.ndarray]


def block(x: Float[np.ndarray, "*batch d_model"], *layers: tuple[Function, Function]) -> Float[np.ndarray, "..."]:
    r"""Compute a pre-norm block: each layer reads normalized rows, and its output is added to the rows.

    .. math::

        X_i = X_{i-1} + f_i(\operatorname{norm}_i(X_{i-1}))

    ``layers`` are pairs of a layer and its norm, functions that keep the shape (..., T, d_model). A decoder block has
    two, self-attention and a feed-forward layer; a block with cross-attention has three.

    Source: Radford et al. (2019); Xiong et al. (2020).

    Example:
        >>> block(np.array([[1.0, 2.0]]), (lambda x: 10 * x, np.negative), (lambda x: x, lambda x: x))
        array([[-18., -36.]])
    """
    for layer, norm in layers:
        x = x + layer(norm(x))  # (..., T, d_model)
    return x


def post_norm_block(
    x: Float[np.ndarray, "*batch d_model"], *layers: tuple[Function, Function]
) -> Float[np.ndarray, "..."]:
    r"""Compute a post-norm block: the output of each layer is added to its input, and the sum is normalized.

    .. math::

        X_i = \operatorname{norm}_i(X_{i-1} + f_i(X_{i-1}))

    Arguments as for ``block``.

    Source: Vaswani et al. (2017), section 3.1.

    Example:
        >>> post_norm_block(np.array([[1.0, 2.0]]), (lambda x: 10 * x, np.negative), (lambda x: x, lambda x: x))
        array([[-22., -44.]])
    """
    for layer, norm in layers:
        x = norm(x + layer(x))  # (..., T, d_model)
    return x
