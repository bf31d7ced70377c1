"""What the functions refuse: the exception, and the numbers, shapes and dtypes that its message names."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from jaxtyping import TypeCheckError

from clearformer import functional as F


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape)


def ints(*shape: int) -> np.ndarray:
    return np.ones(shape, dtype=np.int64)


Q, K, V, Y = ones(2, 5, 2), ones(2, 7, 2), ones(2, 7, 11), ones(2, 5, 11)
W = ones(5, 7)
X, D3, D4 = ones(2, 3), ones(3), ones(4)
IDS = np.array([[0, 1], [-1, 2]])
HEADS = {"x_q": ones(2, 5, 6), "x_kv": ones(2, 7, 6)} | {f"w_{name}": ones(6, 6) for name in "qkvo"} | {"n_heads": 3}
FFN = {"x": X, "w_in": ones(3, 5), "b_in": ones(5), "w_out": ones(5, 7), "b_out": ones(7)}
GATED = {"x": X, "w_gate": ones(3, 5), "w_up": ones(3, 5), "w_down": ones(5, 7)}
ADAM = {"parameter": D3, "gradient": D3, "m": D3, "v": D3, "step": 1, "lr": 0.1, "weight_decay": 0.0}
ADAM |= {"beta_1": 0.9, "beta_2": 0.97, "eps": 1e-8}
MOMENTUM = {"parameter": D3, "gradient": D3, "velocity": D3, "lr": 0.1, "beta": 0.9}
attention, attention_backward = F.scaled_dot_product_attention, F.scaled_dot_product_attention_backward

TYPES: list[tuple[Callable[[], object], str]] = [
    *((lambda f=f: f(ints(2)), "x must hold floats, got dtype int64") for f in (F.relu, F.gelu, F.gelu_tanh, F.silu)),
    (lambda: F.softmax(ints(2, 3)), "z must hold floats, got dtype int64 and shape (2, 3)"),
    (lambda: F.log_softmax([1.0, 2.0]), "z must be a NumPy array of floats, got list"),
    (lambda: attention(Q, ints(2, 7, 2), V), "k must hold floats, got dtype int64 and shape (2, 7, 2)"),
    (lambda: attention(Q, K, V, ints(5, 7)), "mask must be boolean, True where a position may attend; got dtype int64"),
    (lambda: attention(Q, K, V, [[True]]), "mask must be a boolean NumPy array for scores (2, 5, 7), got list"),
    (lambda: attention(Q, K, V, position_bias=W > 0), "position_bias must hold floats, got dtype bool"),
    (lambda: attention(Q, K, V, position_bias=[[0.0]]), "position_bias must be a NumPy array of floats, got list"),
    (lambda: F.additive_attention(Q, K, V, ones(2, 3), ones(2, 3), ints(3)), "w_score must hold floats"),
    (lambda: F.additive_attention(Q, K, V, ones(2, 3), ones(2, 3), D3, W), "mask must be boolean"),
    (lambda: F.attention_free(Q, K, K, ints(5, 7)), "position_bias must hold floats, got dtype int64"),
    (lambda: F.streaming_attention(Q, K, ints(2, 7, 11)), "v must hold floats, got dtype int64"),
    (lambda: F.streaming_attention(Q, K, V, lambda q, k: q[:, None] - k, chunk=4), "mask must be boolean"),
    (lambda: F.multi_head_attention(**HEADS | {"w_o": ints(6, 6)}), "w_o must hold floats, got dtype int64"),
    (lambda: F.multi_head_attention(**HEADS, mask=W), "mask must be boolean"),
    (lambda: F.embed([0.0, 1.0], X), "ids must hold integers, got dtype float64 and shape (2,)"),
    (lambda: F.embed([0], ints(3, 2)), "table must hold floats, got dtype int64 and shape (3, 2)"),
    (lambda: F.padding_mask(ones(2), 4), "lengths must hold integers, got dtype float64 and shape (2,)"),
    (lambda: F.layer_norm(ints(2, 3), D3, D3), "x must hold floats, got dtype int64 and shape (2, 3)"),
    (lambda: F.batch_norm(X, D3, D3, [0.0] * 3, D3), "mean must be a NumPy array of floats, got list"),
    (lambda: F.adamw_step(**ADAM | {"m": ints(3)}), "m must hold floats, got dtype int64"),
    (lambda: F.momentum_step(**MOMENTUM | {"gradient": ints(3)}), "gradient must hold floats, got dtype int64"),
    (lambda: F.rotary_encoding(ints(3, 4), np.arange(3)), "x must hold floats, got dtype int64"),
    (lambda: F.rotary_encoding(ones(3, 4), D3), "positions must hold integers, got dtype float64 and shape (3,)"),
    (lambda: F.position_bias(ones(3, 2), ones(1, 2)), "buckets must hold integers, got dtype float64 and shape (1, 2)"),
    (lambda: F.position_bias(ints(3, 2), ints(1, 2)), "table must hold floats, got dtype int64"),
    (lambda: F.quantize(ints(2, 2)), "matrix must hold floats, got dtype int64 and shape (2, 2)"),
]

VALUES: list[tuple[Callable[[], object], str]] = [
    (lambda: F.softmax_backward(D3, D4), "d_weights (4,) must have the shape of weights (3,)"),
    (lambda: attention(Q, V, V), "q (2, 5, 2) and k (2, 7, 11) must share a last axis d_k of at least 1"),
    (lambda: attention(Q[..., :0], K[..., :0], V), "q (2, 5, 0) and k (2, 7, 0) must share"),
    (lambda: attention(Q, K, V[:, :6]), "every key needs one value: k (2, 7, 2) and v (2, 6, 11) differ in S"),
    (lambda: attention(Q, K[0], V[0]), "leading axes must agree: q (2, 5, 2), k (7, 2), v (7, 11)"),
    (lambda: attention(Q[0, 0], K[0], V[0]), "q needs two axes or more (positions, features), got shape (2,)"),
    *(
        (lambda m=m: attention(Q, K, V, ones(*m) > 0), f"mask {m} does not broadcast to scores (2, 5, 7)")
        for m in ((7, 5), (3, 5, 7), (1, 2, 5, 7))
    ),
    *(
        (lambda f=f, b=b: f(position_bias=ones(*b)), f"position_bias {b} does not broadcast to scores (2, 5, 7)")
        for b in ((7, 5), (3, 5, 7), (1, 2, 5, 7))
        for f in (lambda **bias: attention(Q, K, V, **bias), lambda **bias: attention_backward(Y, Q, K, V, **bias))
    ),
    (lambda: attention_backward(W, Q, K, V), "d_output (5, 7) must have the shape of the output (2, 5, 11)"),
    (lambda: F.additive_attention(Q, K, V, ones(2, 3), ones(3, 2), D3), "w_k (3, 2) must be (2, 3) to fit q (2, 5, 2)"),
    (lambda: F.attention_free(Q, K, K, W.T), "position_bias (7, 5) must be (T, S) = (5, 7)"),
    (lambda: F.attention_free(Q, K, V, W), "q (2, 5, 2), k (2, 7, 2) and v (2, 7, 11) must share their last axis"),
    (lambda: F.attention_free(Q, K, K, W, W.T > 0), "mask (7, 5) does not broadcast to scores (2, 5, 7)"),
    *((lambda c=c: F.streaming_attention(Q, K, V, chunk=c), f"chunk={c} must be at least 1") for c in (0, -1)),
    (lambda: F.streaming_attention_backward(Y, Q, K, V, chunk=0), "chunk=0 must be at least 1"),
    (lambda: F.streaming_attention(Q, V, V), "q (2, 5, 2) and k (2, 7, 11) must share a last axis"),
    (lambda: F.streaming_attention(Q, K, V[:, :6]), "every key needs one value: k (2, 7, 2) and v (2, 6, 11)"),
    (lambda: F.streaming_attention(Q, K, V, lambda q, k: D3 > 0, chunk=4), "mask (3,) does not broadcast to scores"),
    (lambda: F.streaming_attention_backward(Q, Q, K, V), "d_output (2, 5, 2) must be (2, 5, 11) to fit"),
    (lambda: F.streaming_attention_backward(Y, Q, K, V, kept=(Q, W)), "the output kept (2, 5, 2) must be (2, 5, 11)"),
    (lambda: F.streaming_attention_backward(Y, Q, K, V, kept=(Y, Y)), "the logsumexp kept (2, 5, 11) must be (2, 5)"),
    *(
        (lambda change=change: F.multi_head_attention(**HEADS | change), message)
        for change, message in (
            ({"w_q": ones(6, 7)}, "w_q (6, 7) must have a multiple of n_heads=3 columns"),
            ({"w_k": ones(6, 9)}, "w_k (6, 9) must have n_kv_heads * d_k = 3 * 2 columns"),
            ({"w_v": ones(5, 6)}, "w_v (5, 6) must have as many rows as its input (2, 7, 6) has features"),
            ({"w_o": ones(7, 6)}, "w_o (7, 6) must have n_heads * d_v = 3 * 2 rows"),
            ({"x_q": ones(6)}, "x_q needs two axes or more (positions, features), got shape (6,)"),
            ({"x_q": ones(3, 5, 6)}, "leading axes must agree"),
            ({"n_kv_heads": 2}, "n_heads=3 must be a multiple of n_kv_heads=2"),
            ({"n_heads": 0}, "n_heads=0 and n_kv_heads=0 must be at least 1"),
            ({"b_q": ones(5)}, "b_q (5,) must be (6,), the columns of its matrix (6, 6)"),
            ({"mask": W.T > 0}, "mask (7, 5) does not broadcast to scores"),
        )
    ),
    (lambda: F.split_heads(ones(2, 7), 3), "x (2, 7) must be (..., T, width) with a width that n_heads=3 divides"),
    (lambda: F.merge_heads(ones(2, 7)), "x (2, 7) must be (..., n_heads, T, d_v)"),
    (lambda: F.one_hot(IDS, 3), "ids must lie between 0 and 2 for vocab_size=3, got -1"),
    (lambda: F.embed(IDS, ones(3, 2)), "ids must lie between 0 and 2 for vocab_size=3, got -1"),
    (lambda: F.embed_backward(ones(2, 2, 5), IDS, 3), "ids must lie between 0 and 2 for vocab_size=3, got -1"),
    (lambda: F.embed([0], D3), "table must be (vocab_size, d_model), got shape (3,)"),
    (lambda: F.embed_backward(X, [0, 1, 2], 7), "d_output (2, 3) must have one row for each of the ids (3,)"),
    *(
        (lambda name=name, w=w: F.feed_forward(**FFN | {name: w}), f"{name} {w.shape} must be {rule}")
        for name, w, rule in (
            ("w_in", ones(4, 5), "a matrix with a row for each column of x (2, 3)"),
            ("b_in", ones(4), "(5,), the columns of its matrix (3, 5)"),
            ("w_out", ones(4, 7), "a matrix with a row for each column of w_in (3, 5)"),
            ("b_out", ones(1, 7), "(7,), the columns of its matrix (5, 7)"),
        )
    ),
    (lambda: F.gated_feed_forward(**GATED | {"w_gate": D3}), "w_gate (3,) must be a matrix"),
    (lambda: F.gated_feed_forward(**GATED | {"w_up": ones(3, 4)}), "w_up (3, 4) must have the shape of w_gate (3, 5)"),
    (lambda: F.gated_feed_forward(**GATED | {"w_down": ones(4, 7)}), "w_down (4, 7) must be a matrix with a row for"),
    (lambda: F.causal_mask(3, 2), "T=3 query positions must be the last of S=2 key positions"),
    (lambda: F.causal_blocks(3, 2), "T=3 query positions must be the last of S=2 key positions"),
    (lambda: F.causal_mask(-1), "T=-1 query positions"),
    *((lambda n=n: F.padding_mask([3, n], 4), f"lengths must lie between 0 and S=4, got {n}") for n in (5, -1)),
    (lambda: F.layer_norm(X, D4, D3), "gamma (4,) must have one number for each of the 3 features of x"),
    (lambda: F.layer_norm(X, D3, D3, eps=np.nan), "eps=nan must not be negative"),
    (lambda: F.layer_norm(ones(2, 0), ones(0), ones(0)), "x needs a last axis with at least one feature, got shape"),
    (lambda: F.rms_norm(X, D3, eps=-1.0), "eps=-1.0 must not be negative"),
    (lambda: F.layer_norm_backward(D3, X, D3), "d_output (3,) must have the shape of the output (2, 3)"),
    (lambda: F.batch_norm(X, D3, D3, D4, D3), "mean (4,) must"),
    (lambda: F.batch_norm(X, D3, D3, D3, -D3), "var must not be negative, got -1.0"),
    (lambda: F.batch_norm_training(X, D3, D3, D4, D3), "running_mean (4,) must"),
    (lambda: F.batch_norm_training(X[:1], D3, D3, D3, D3), "a batch needs two rows or more to have a variance"),
    (lambda: F.batch_norm_training(X, D3, D3, D3, D3, momentum=1.5), "momentum=1.5 must lie between 0 and 1"),
    *(
        (lambda change=change: F.adamw_step(**ADAM | change), message)
        for change, message in (
            ({"gradient": ones(2)}, "gradient (2,) must have the shape of its parameter (3,)"),
            ({"step": 0}, "step=0: steps count from 1"),
            ({"lr": 0.0}, "lr=0.0 must be positive and finite"),
            ({"lr": np.nan}, "lr=nan must be positive and finite"),
            ({"beta_1": 1.0}, "beta_1=1.0 must lie between 0 and below 1"),
            ({"beta_2": np.nan}, "beta_2=nan must lie between 0 and below 1"),
            ({"eps": -1e-8}, "eps=-1e-08 must be finite and not negative"),
            ({"weight_decay": -0.1}, "weight_decay=-0.1 must be finite and not negative"),
        )
    ),
    (lambda: F.momentum_step(**MOMENTUM | {"velocity": D4}), "velocity (4,) must have the shape of its parameter (3,)"),
    (lambda: F.momentum_step(**MOMENTUM | {"lr": -1.0}), "lr=-1.0 must be positive and finite"),
    (lambda: F.momentum_step(**MOMENTUM | {"beta": 1.0}), "beta=1.0 must lie between 0 and below 1"),
    (lambda: F.sinusoidal_encoding(3, 7), "d_model=7 must be even and at least 2"),
    (lambda: F.sinusoidal_encoding(-1, 4), "T=-1 positions: need 0 or more"),
    (lambda: F.sinusoidal_encoding(3, 4, base=0.0), "base=0.0 must be a positive number"),
    (lambda: F.rotary_encoding(ones(3, 5), np.arange(3)), "d_k=5 must be even and at least 2"),
    (lambda: F.rotary_encoding(D4, np.arange(3)), "x needs two axes or more (positions, features), got shape (4,)"),
    (lambda: F.rotary_encoding(ones(2, 3, 4), np.arange(5)), "positions (5,) does not broadcast to the rows (2, 3) of"),
    (lambda: F.rotary_encoding(ones(3, 4), np.arange(3), layout="neox"), "layout='neox' is none of 'half'"),
    (lambda: F.alibi_bias(0, 3), "n_heads=0 must be at least 1"),
    (lambda: F.alibi_bias(2, 3, 2), "T=3 query positions must be the last of S=2 key positions"),
    (lambda: F.relative_buckets(3, n_buckets=7, max_distance=9, bidirectional=True), "n_buckets=7 with bidirectional"),
    (lambda: F.relative_buckets(3, n_buckets=8, max_distance=4, bidirectional=False), "max_distance=4 must be more"),
    (lambda: F.position_bias(X, np.array([[0, 3]])), "buckets must lie between 0 and n_buckets - 1 = 1, got 3"),
    (lambda: F.position_bias(D3, np.array([[0]])), "table (3,) must be (n_buckets, n_heads), buckets (1, 1) (T, S)"),
    *(
        (lambda s=s: F.quantize(np.zeros(s)), f"matrix must be (n, d) with a number at least, got shape {s}")
        for s in ((3,), (0, 2))
    ),
    (lambda: F.quantize(np.array([[1.0, np.nan], [np.inf, 0.0]])), "2 of 4 weights are NaN or infinite"),
    (lambda: F.quantize(np.array([[1e42, 1.0]])), "weights up to 1e+42 are too large for a step in float32"),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [(call, TypeError, message) for call, message in TYPES] + [(call, ValueError, message) for call, message in VALUES],
)
def test_refuses(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        call()


def test_the_shape_checker_is_on() -> None:
    """The signatures are checked while the tests run: the package's own shapes, not only the arguments'."""
    with pytest.raises(TypeCheckError):
        attention(Q, V, V)
