"""The exercise on one step of a block with a cache: laws that right answers obey, and wrong answers that break them."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close

Weights = Mapping[str, np.ndarray]


N_HEADS, D_MODEL, D_FF = 2, 6, 10


def _draw(rng: Rng) -> dict[str, np.ndarray]:
    shapes = {"w_qkv": (D_MODEL, 3 * D_MODEL), "w_o": (D_MODEL, D_MODEL), "w_in": (D_MODEL, D_FF)}
    return {name: rng.normal(size=shape) / 2 for name, shape in (shapes | {"w_out": (D_FF, D_MODEL)}).items()}


def _empty() -> tuple[np.ndarray, np.ndarray]:
    nothing = np.zeros((N_HEADS, 0, D_MODEL // N_HEADS))
    return nothing, nothing


def _norm(x: Any) -> Any:
    return F.layer_norm(x, np.ones(x.shape[-1]), np.zeros(x.shape[-1]))


def _all_at_once(x: np.ndarray, w: Weights) -> np.ndarray:
    """The block on all positions (T, d_model), with a causal mask and no cache."""
    w_q, w_k, w_v = np.split(w["w_qkv"], 3, axis=-1)
    z = _norm(x)
    x = x + F.multi_head_attention(z, z, w_q, w_k, w_v, w["w_o"], n_heads=N_HEADS, mask=F.causal_mask(len(x)))[0]
    output: np.ndarray = x + F.gelu(_norm(x) @ w["w_in"]) @ w["w_out"]
    return output


def _step(
    x: Any,
    w: Any,
    k: Any,
    v: Any,
    *,
    scale: float | None = None,
    sees_itself: bool = True,
    residual: bool = True,
    normed: bool = True,
) -> Any:
    n_heads, _, d_k = k.shape
    q, new_k, new_v = ((_norm(x) if normed else x) @ w["w_qkv"]).reshape(3, n_heads, 1, d_k)
    longer_k, longer_v = np.concatenate([k, new_k], axis=1), np.concatenate([v, new_v], axis=1)
    seen = (longer_k, longer_v) if sees_itself else (k, v)
    weights = F.softmax(q @ seen[0].swapaxes(-1, -2) / (math.sqrt(d_k) if scale is None else scale))
    found = (weights @ seen[1]).reshape(-1) @ w["w_o"]
    x = x + found if residual else found
    return x + F.gelu(_norm(x) @ w["w_in"]) @ w["w_out"], longer_k, longer_v


def _first(answer: Answer, rng: Rng) -> None:
    x, w = rng.normal(size=D_MODEL), _draw(rng)
    got, k, v = answer(x, w, *_empty())
    expect_close(got, _all_at_once(x[None], w)[0], "a first token, which sees itself alone")
    expect_close(np.shape(k), (N_HEADS, 1, D_MODEL // N_HEADS), "shape of the keys after one token")
    expect_close(v, _step(x, w, *_empty())[2], "values after one token")


def _steps(answer: Answer, rng: Rng) -> None:
    x, w = rng.normal(size=(7, D_MODEL)), _draw(rng)
    k, v = _empty()
    for t, expected in enumerate(_all_at_once(x, w)):
        got, k, v = answer(x[t], w, k, v)
        expect_close(got, expected, f"token {t} of 7, step by step against all at once")


def _cache(answer: Answer, rng: Rng) -> None:
    x, w = rng.normal(size=D_MODEL), _draw(rng)
    k, v = rng.normal(size=(2, N_HEADS, 5, D_MODEL // N_HEADS))
    _, longer_k, longer_v = answer(x, w, k, v)
    _, expected_k, expected_v = _step(x, w, k, v)
    expect_close(longer_k, expected_k, "keys behind five others")
    expect_close(longer_v, expected_v, "values behind five others")


def _one_head(x: Any, w: Any, k: Any, v: Any) -> Any:
    heads, S, d_k = k.shape
    wide = [array.swapaxes(0, 1).reshape(1, S, heads * d_k) for array in (k, v)]
    y, *longer = _step(x, w, *wide)
    return y, *(array.reshape(S + 1, heads, d_k).swapaxes(0, 1) for array in longer)


def _in_front(x: Any, w: Any, k: Any, v: Any) -> Any:
    y, longer_k, longer_v = _step(x, w, k, v)
    return y, np.roll(longer_k, 1, axis=1), np.roll(longer_v, 1, axis=1)


EXERCISE = Write(
    id="language_model.cached_block",
    title="One step of a block",
    difficulty="hard",
    points=6,
    minutes=40,
    may_use="NumPy, `F.gelu`, `F.layer_norm` and `F.softmax`",
    laws=(
        Law("the first token sees itself", _first),
        Law("step by step is what all at once gives", _steps),
        Law("the caches grow at their end", _cache),
    ),
    wrong_answers={
        "does not see itself": lambda x, w, k, v: _step(x, w, k, v, sees_itself=False),
        "forgets the root of d_k": lambda x, w, k, v: _step(x, w, k, v, scale=1.0),
        "divides by the root of d_model": lambda x, w, k, v: _step(x, w, k, v, scale=math.sqrt(len(x))),
        "loses the stream": lambda x, w, k, v: _step(x, w, k, v, residual=False),
        "does not normalize before attention": lambda x, w, k, v: _step(x, w, k, v, normed=False),
        "keeps the old cache": lambda x, w, k, v: (_step(x, w, k, v)[0], k, v),
        "takes all heads as one": _one_head,
        "puts the new position in front": _in_front,
        "uses the values as keys": lambda x, w, k, v: _step(x, w, v, k),
    },
)
