"""Claims on the backward pass of attention: the derivation of document 004, step by step."""

import math

import numpy as np

from clearformer import functional as F
from linebyline.claims.declare import claim, depends, difference, draw, holds

STEP, BOUND = 1e-5, 1e-8  # of the finite differences, and of their error


@claim("004", "softmax-backward", "For a softmax, ∂a_i/∂s_j = a_i (δ_ij - a_j).")
@holds("It is symmetric, and its rows and columns sum to zero.")
def _softmax_jacobian() -> str:
    s, step = np.random.default_rng(0).normal(size=5), STEP * np.eye(5)
    a = F.softmax(s)
    measured = (F.softmax(s + step) - F.softmax(s - step)).T / (2 * STEP)  # row i: with respect to every score
    formula = a[:, None] * (np.eye(5) - a)
    return f"5 x 5 entries against finite differences: {difference(np.abs(measured - formula).max(), BOUND)}"


@claim("004", "product-backward", "Step 1: the gradient of V is Aᵀ times that of Y.")
@holds("A value receives from each query what it gave to it.")
def _backward_v() -> str:
    return _against_slopes("V")


@claim("004", "product-backward", "Step 2: the gradient of A is that of Y times Vᵀ.")
@holds("The weights count as free here; that they sum to one enters in the next step.")
def _backward_a() -> str:
    return _against_slopes("A")


@claim("004", "softmax-backward", "Step 3: the gradient of S, row by row, minus a sum that is common to the row.")
@holds("That sum is also the product of the output with its gradient.")
def _backward_s() -> str:
    return _against_slopes("S")


@claim("004", "softmax-backward", "Three lines lead there: a sum, the sum split at k = j, and the sum restored.")
@holds("All three are equal, and the gradients of a row of scores sum to zero.")
def _backward_s_lines() -> str:
    rng = np.random.default_rng(0)
    a, d = F.softmax(rng.normal(size=5)), rng.normal(size=5)
    first = (d[:, None] * a[:, None] * (np.eye(5) - a)).sum(axis=0)
    second = np.array([d[j] * a[j] - a[j] * d[j] * a[j] - a[j] * (np.delete(d * a, j).sum()) for j in range(5)])
    third = d * a - a * (d * a).sum()
    worst = max(np.abs(first - second).max(), np.abs(second - third).max())
    return f"three lines for 5 scores: {difference(worst)}; sum of a row: {difference(abs(third.sum()))}"


class _Pass:
    """A small self-attention, its gradients by the lines of the derivation, and its loss with any part replaced."""

    def __init__(self, mask: np.ndarray | None = None) -> None:
        rng = np.random.default_rng(0)
        self.mask = mask
        self.parts = {"X": rng.normal(size=(4, 5))}
        for name, width in (("W_Q", 3), ("W_K", 3), ("W_V", 2)):
            self.parts[name] = rng.normal(size=(5, width)) / math.sqrt(5)
        self.d_y = rng.normal(size=(4, 2))
        self.loss()  # fills in Q, K, V, S and A

    def loss(self, **given: np.ndarray) -> float:
        """Compute the loss with some of the parts replaced."""
        p = {**self.parts, **given}
        for name in "QKV":
            p[name] = given.get(name, p["X"] @ p[f"W_{name}"])  # (T, d)
        p["S"] = given.get("S", p["Q"] @ p["K"].T / math.sqrt(3))  # (T, T)
        seen = p["S"] if self.mask is None else np.where(self.mask, p["S"], -np.inf)
        p["A"] = given.get("A", F.softmax(seen))  # (T, T)
        if not given:
            self.parts = p
        return float((p["A"] @ p["V"] * self.d_y).sum())

    def gradients(self) -> dict[str, np.ndarray]:
        """Compute all gradients by the six steps."""
        p, g = self.parts, {}
        g["V"], g["A"] = p["A"].T @ self.d_y, self.d_y @ p["V"].T
        g["S"] = p["A"] * g["A"] - p["A"] * (p["A"] * g["A"]).sum(axis=-1, keepdims=True)
        g["Q"], g["K"] = g["S"] @ p["K"] / math.sqrt(3), g["S"].T @ p["Q"] / math.sqrt(3)
        g["X"] = np.zeros_like(p["X"])
        for name in "QKV":
            g[f"W_{name}"] = p["X"].T @ g[name]
            g["X"] += g[name] @ p[f"W_{name}"].T
        return g

    def slopes(self, name: str) -> np.ndarray:
        """Measure the gradient of the loss with respect to one part, entry by entry."""
        part = self.parts[name]
        slopes = np.zeros_like(part)
        for place in np.ndindex(part.shape):
            step = np.zeros_like(part)
            step[place] = STEP
            slopes[place] = (self.loss(**{name: part + step}) - self.loss(**{name: part - step})) / (2 * STEP)
        return slopes


def _against_slopes(*names: str, causal: bool = False) -> str:
    small = _Pass(F.causal_mask(4) if causal else None)
    gradients = small.gradients()
    worst = max(np.abs(gradients[name] - small.slopes(name)).max() for name in names)
    entries = sum(gradients[name].size for name in names)
    return f"{', '.join(names)}, {entries} entries against finite differences: {difference(float(worst), BOUND)}"


@claim("004", "backward-qk")
@holds("The factor on the scores comes back as a factor on the gradients.")
def _backward_qk() -> str:
    """Step 4: the gradients of Q and K are that of S, and its transpose, times K and Q over √d_K."""
    return _against_slopes("Q", "K")


@claim("004", "backward-wx", "Step 5: the gradients of the three matrices are Xᵀ times those of Q, K and V.")
@holds("For one sequence. In a batch, whose sequences share the matrices, the products are summed.")
def _backward_w() -> str:
    x, d_q = draw((2, 4, 5), (2, 4, 3))
    separate, summed = x.swapaxes(-1, -2) @ d_q, np.einsum("bte,bta->ea", x, d_q)
    return f"{_against_slopes('W_Q', 'W_K', 'W_V')}; batch of 2: {separate.shape}, summed {summed.shape}"


@claim("004", "backward-wx", "Step 6: the gradient of X is the sum of three terms, through W_Q, W_K and W_V.")
@holds("X plays three parts, so three gradients arrive.")
def _backward_x() -> str:
    return _against_slopes("X")


@claim("004", "backward-wx", "Cross-attention works as self-attention does, so step 6 should serve it too.")
@depends("The terms do, their sum does not: those of K and V belong to the source, not to X.")
def _backward_x_cross() -> str:
    rng = np.random.default_rng(0)
    x, source = rng.normal(size=(2, 5)), rng.normal(size=(3, 5))
    w_q, w_k, w_v = rng.normal(size=(3, 5, 4))
    gradients = F.scaled_dot_product_attention_backward(np.ones((2, 4)), x @ w_q, source @ w_k, source @ w_v)
    shapes = [str((d @ w.T).shape) for d, w in zip(gradients, (w_q, w_k, w_v), strict=True)]
    return f"2 queries, 3 keys: terms of shape {', '.join(shapes)}, for X {x.shape} and source {source.shape}"


@claim("004", "backward-masks", "The derivation, written without a mask, serves causal attention too.")
@holds("A masked weight is 0 and takes its term along; no other line changes.")
def _backward_causal() -> str:
    return _against_slopes("X", "W_Q", "W_K", "W_V", causal=True)
