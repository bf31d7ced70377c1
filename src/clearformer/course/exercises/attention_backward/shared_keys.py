"""attention_backward.shared_keys: (d_repeated (..., n_heads, S, d), n_kv_heads) -> (..., n_kv_heads, S, d)."""

from typing import Any

import numpy as np

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _shared_by_hand(answer: Answer, rng: Rng) -> None:
    d_repeated = np.array([1.0, 10.0, 100.0, 1000.0]).reshape(4, 1, 1)
    expect_close(answer(d_repeated, 2), [[[11.0]], [[1100.0]]], "heads 1, 10, 100, 1000 that share two keys")


def _shared_adjoint(answer: Answer, rng: Rng) -> None:
    k, d_repeated = rng.normal(size=(2, 5, 3)), rng.normal(size=(6, 5, 3))
    expected = np.sum(np.repeat(k, 3, axis=0) * d_repeated)
    got = np.sum(k * np.asarray(answer(d_repeated, 2)))
    expect_close(got, expected, "Σ k · answer against Σ repeat(k) · d_repeated, 6 heads on 2")


def _shared_batch(answer: Answer, rng: Rng) -> None:
    d_repeated = rng.normal(size=(2, 4, 5, 3))
    expected = np.stack([d_repeated[:, :2].sum(axis=1), d_repeated[:, 2:].sum(axis=1)], axis=1)
    expect_close(answer(d_repeated, 2), expected, "a batch of two, 4 heads on 2")


def _shared_ends(answer: Answer, rng: Rng) -> None:
    d_repeated = rng.normal(size=(4, 5, 3))
    expect_close(answer(d_repeated, 4), d_repeated, "nothing shared: 4 heads on 4")
    expect_close(answer(d_repeated, 1), d_repeated.sum(axis=0, keepdims=True), "all shared: 4 heads on 1")


def _grouped(d: Any, n_kv_heads: int) -> Any:
    return d.reshape(*d.shape[:-3], n_kv_heads, d.shape[-3] // n_kv_heads, *d.shape[-2:])


EXERCISE = Write(
    id="attention_backward.shared_keys",
    title="Keys that several heads share",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _shared_by_hand),
        Law("the transpose of repeating", _shared_adjoint),
        Law("leading axes are kept", _shared_batch),
        Law("nothing shared, and all shared", _shared_ends),
    ),
    wrong_answers={
        "takes the mean of the group": lambda d, n: _grouped(d, n).mean(axis=-3),
        "takes the first of the group": lambda d, n: _grouped(d, n)[..., 0, :, :],
        "groups every n-th head": lambda d, n: np.stack([d[..., g::n, :, :].sum(axis=-3) for g in range(n)], axis=-3),
        "sums over all heads": lambda d, n: np.repeat(d.sum(axis=-3, keepdims=True), n, axis=-3),
        "leaves the heads as they are": lambda d, n: d,
        "mixes the batch with the heads": lambda d, n: d.reshape(n, -1, *d.shape[-2:]).sum(axis=1),
        "drops the axis when all share": lambda d, n: d.sum(axis=-3) if n == 1 else _grouped(d, n).sum(axis=-3),
    },
)
