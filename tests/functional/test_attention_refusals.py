"""What attention refuses: the exception, and the shapes and dtypes it names."""

import re

import numpy as np
import pytest
from jaxtyping import TypeCheckError

from clearformer import functional as F

Q, K, V = np.ones((2, 5, 2)), np.ones((2, 7, 2)), np.ones((2, 7, 11))


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("q", "k", "v", "message"),
    [
        (Q, V, V, r"^q \(2, 5, 2\) and k \(2, 7, 11\) must share a last axis d_k of at least 1$"),
        (Q[..., :0], K[..., :0], V, r"^q \(2, 5, 0\) and k \(2, 7, 0\) must share"),
        (Q, K, V[:, :6], r"^every key needs one value: k \(2, 7, 2\) and v \(2, 6, 11\) differ in S"),
        (Q, K[0], V[0], r"^leading axes must agree: q \(2, 5, 2\), k \(7, 2\), v \(7, 11\)$"),
        (Q[0, 0], K[0], V[0], r"^q needs two axes or more .*, got shape \(2,\)$"),
    ],
)
def test_refuses_shapes_that_do_not_fit(q, k, v, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        F.scaled_dot_product_attention(q, k, v)


@pytest.mark.usefixtures("unchecked")
def test_refuses_anything_but_floats() -> None:
    with pytest.raises(TypeError, match=r"^k must hold floats, got dtype int64 and shape \(2, 7, 2\)$"):
        F.scaled_dot_product_attention(Q, K.astype(np.int64), V)
    with pytest.raises(TypeError, match=r"^mask must be boolean, .* got dtype int64, mask \(5, 7\) for scores"):
        F.scaled_dot_product_attention(Q, K, V, np.ones((5, 7), dtype=np.int64))
    with pytest.raises(ValueError, match=r"^d_output \(2, 5, 7\) must have .* \(2, 5, 11\)$"):
        F.scaled_dot_product_attention_backward(np.ones((2, 5, 7)), Q, K, V)


@pytest.mark.usefixtures("unchecked")
def test_refuses_a_mask_that_does_not_fit() -> None:
    for shape in ((7, 5), (3, 5, 7), (1, 2, 5, 7)):
        message = re.escape(f"mask {shape} does not broadcast to scores (2, 5, 7)")
        with pytest.raises(ValueError, match=f"^{message}$"):
            F.scaled_dot_product_attention(Q, K, V, np.ones(shape, dtype=bool))
    with pytest.raises(TypeError, match=r"^mask must be a boolean .* for scores \(2, 5, 7\), got list$"):
        F.scaled_dot_product_attention(Q, K, V, [[True]])


@pytest.mark.usefixtures("unchecked")
def test_additive_refuses_weights_that_do_not_fit() -> None:
    w_q, w_k, w_score = np.ones((2, 3)), np.ones((2, 3)), np.ones(3)
    with pytest.raises(ValueError, match=r"^w_k \(3, 2\) must be \(2, 3\) to fit q \(2, 5, 2\), k"):
        F.additive_attention(Q, K, V, w_q, w_k.T, w_score)
    with pytest.raises(TypeError, match=r"^w_score must hold floats, got dtype int64 and shape \(3,\)$"):
        F.additive_attention(Q, K, V, w_q, w_k, np.ones(3, dtype=np.int64))
    with pytest.raises(TypeError, match=r"^mask must be boolean"):
        F.additive_attention(Q, K, V, w_q, w_k, w_score, np.ones((5, 7)))


def test_the_shape_checker_is_on() -> None:
    """The signatures are checked while the tests run: the package's own shapes, not only the arguments'."""
    with pytest.raises(TypeCheckError):
        F.scaled_dot_product_attention(Q, V, V)
