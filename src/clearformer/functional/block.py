"""Blocks: how layers of attention and feed-forward networks are put together, with a norm and a way around each."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

Function = Callable[[np.ndarray], np.ndarray]


def block(x: Float[np.ndarray, "*batch d_model"], *layers: tuple[Function, Function]) -> Float[np.ndarray, "..."]:
    r"""Add to each row what layer after layer finds in the normalized rows: a pre-norm block.

    .. math::

        X_i = X_{i-1} + f_i(\operatorname{norm}_i(X_{i-1}))

    A decoder block has two layers, self-attention and a feed-forward layer; a block that attends to a source as
    well has three.

    Args:
        x: Token vectors, (..., T, d_model).
        layers: Pairs of a layer and of its norm; each is a function that keeps the shape of what it is given.

    Returns:
        The token vectors after the last layer, (..., T, d_model).

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
    r"""Normalize the sum of the rows and of what each layer finds in them: a post-norm block.

    .. math::

        X_i = \operatorname{norm}_i(X_{i-1} + f_i(X_{i-1}))

    Args:
        x: Token vectors, (..., T, d_model).
        layers: Pairs of a layer and of its norm, as for ``block``.

    Returns:
        The token vectors after the last norm, (..., T, d_model).

    Source: Vaswani et al. (2017), section 3.1.

    Example:
        >>> post_norm_block(np.array([[1.0, 2.0]]), (lambda x: 10 * x, np.negative), (lambda x: x, lambda x: x))
        array([[-22., -44.]])
    """
    for layer, norm in layers:
        x = norm(x + layer(x))  # (..., T, d_model)
    return x
