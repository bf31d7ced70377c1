"""The exercises on the feed-forward layer, in the order of the chapter."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Chapter, also, expect_close, expect_equal, expect_tuple, finite_differences

chapter = Chapter("feed_forward", np=np)


@chapter.predict(
    "Count a block · easy · 2 points · 10 minutes · may use a pocket calculator",
    "millions of parameters",
    within=0.01,
    right=218.1,
    wrong={
        "A gated layer has three matrices, not two.": 159.4,
        "This gives every query head keys and values of its own, but four of them share.": 243.3,
        "This is 12 d² + 13 d, the formula for a plain layer four times as wide as the model.": 201.4,
        "These are the feed-forward matrices alone; attention has four more matrices.": 176.2,
        "Queries and output have a matrix each as large as in any attention; only keys and values shrink.": 193.0,
    },
)
def block_parameters(rng):
    """Add up all tensors of a block of Llama 3 8B, in millions."""
    d_model, d_ff, n_heads, n_kv_heads = 4096, 14_336, 32, 8
    attention = 2 * d_model * d_model + 2 * d_model * (d_model // n_heads * n_kv_heads)
    norms = 2 * d_model
    return (attention + 3 * d_model * d_ff + norms) / 1e6


def _prune(x, w_in, b_in, w_out, *, alive=lambda z: (z > 0).any(axis=0)):
    """``alive`` says which units to keep, given their numbers before ReLU, (T, d_ff)."""
    kept = alive(x @ w_in + b_in)
    return w_in[:, kept], b_in[kept], w_out[kept]


@chapter.write(
    "Units that never fire · medium · 3 points · 15 minutes · may use NumPy",
    right=lambda *case: _prune(*case, alive=lambda z: np.flatnonzero(F.relu(z).sum(axis=0))),
    wrong={
        "keeps what fires on every row": lambda *args: _prune(*args, alive=lambda z: (z > 0).all(axis=0)),
        "forgets the bias": lambda x, w_in, b_in, w_out: _prune(x, w_in, 0 * b_in, w_out),
        "keeps units that stay at 0": lambda *args: _prune(*args, alive=lambda z: (z >= 0).any(axis=0)),
        "judges by the weights": lambda x, w, b, out: _prune(x, w, b, out, alive=lambda z: (w > 0).any(axis=0)),
        "prunes nothing": lambda x, w_in, b_in, w_out: (w_in, b_in, w_out),
        "leaves the second matrix as it is": lambda x, w_in, b_in, w_out: (*_prune(x, w_in, b_in, w_out)[:2], w_out),
    },
)
class prune:
    def a_case_worked_by_hand(self, answer, rng):
        x, w_in = np.array([[1.0], [2.0]]), np.array([[1.0, -1.0, 1.0, -1.0]])
        b_in, w_out = np.array([0.0, 0.0, -1.5, 1.5]), np.array([[1.0], [2.0], [3.0], [4.0]])
        got, expected = expect_tuple(answer(x, w_in, b_in, w_out), 3), ([[1, 1, -1]], [0, -1.5, 1.5], [[1], [3], [4]])
        for name, array, right in zip(("w_in", "b_in", "w_out"), got, expected, strict=True):
            expect_close(array, right, f"four units, of which the second never fires, {name}")

    def the_same_output_with_fewer_units(self, answer, rng):
        x, w_in, w_out = rng.normal(size=(3, 5)), rng.normal(size=(5, 40)), rng.normal(size=(40, 2))
        b_in = rng.normal(size=40) - 2
        w, b, v = expect_tuple(answer(x, w_in, b_in, w_out), 3)
        expect_equal(len(b), len(_prune(x, w_in, b_in, w_out)[1]), "number of units left of 40")
        expect_close(F.relu(x @ w + b) @ v, F.relu(x @ w_in + b_in) @ w_out, "output with the units that are left")

    def with_0_gives_nothing_so(self, answer, rng):
        """0 gives nothing, so a unit that stays at 0 goes too"""
        got = expect_tuple(answer(np.zeros((2, 1)), np.ones((1, 2)), np.array([0.0, 1.0]), np.ones((2, 1))), 3)
        expect_close(got[1], [1], "a unit that only ever sees 0, and one that sees 1: biases left")


NAMES = ("x", "w_in", "b_in", "w_out", "b_out")


def _expect_all(got, expected, what):
    for name, array, right in zip(NAMES, expect_tuple(got, 5), expected, strict=True):
        expect_close(array, right, f"{what}, gradient with respect to {name}", atol=1e-7)


@chapter.diagnose(
    "The layer backwards · medium · 4 points · 20 minutes · may use NumPy",
    """
def feed_forward_backward(d_output, x, w_in, b_in, w_out):
    z = x @ w_in + b_in  # (..., d_ff)
?   The forward pass up to the ReLU, computed once more.
    d_hidden = d_output @ w_out.T  # (..., d_ff)
?   The output is hidden @ w_out, so on the way back the gradient is multiplied by w_out transposed.
    d_z = d_hidden * (d_hidden > 0)
!   d_z = d_hidden * (z > 0)
?   A unit lets a gradient through where it let the number through, whatever the sign of the gradient, because what
?   counts is the slope of the ReLU at z. With the gradient's sign, half of what a layer learns from is thrown away.
    rows = tuple(range(x.ndim - 1))
?   These are all axes but the last: biases serve every row.
    d_w_in = np.tensordot(x, d_z, (rows, rows))
?   A product of input and gradient, summed over all rows.
    d_w_out = np.tensordot(np.maximum(0, z), d_output, (rows, rows))
?   The input of the second product is what came out of the ReLU, and the sum runs over all rows.
    d_b_in, d_b_out = d_z.sum(axis=rows), d_output.sum(axis=rows)
?   A bias is added to every row, so its gradient is the sum over the rows.
    return d_z @ w_in.T, d_w_in, d_b_in, d_w_out, d_b_out
?   Five gradients, in the order that was asked for.
""",
    wrong={
        "lets the gradient through units that are off": "d_z = d_hidden",
        "multiplies by the activation in place of its slope": "d_z = d_hidden * np.maximum(0, z)",
        "asks both signs": "d_z = d_hidden * (d_hidden > 0) * (z > 0)",
        "lets it through where the unit is off": "d_z = d_hidden * (z < 0)",
        "applies the ReLU to the gradient itself": "d_z = np.maximum(0, d_hidden) * np.sign(z)",
        "leaves the bias out of what is off": also(1, "z = x @ w_in"),
        "takes w_out's gradient from before the ReLU": also(6, "d_w_out = np.tensordot(z, d_output, (rows, rows))"),
        "sums over the first axis only": also(4, "rows = (0,)"),
        "takes a mean over the rows": also(7, "d_b_in, d_b_out = d_z.mean(axis=rows), d_output.mean(axis=rows)"),
    },
)
class backward:
    def a_case_worked_by_hand(self, answer, rng):
        x, w_in = np.array([[2.0]]), np.array([[1.0, -1.0]])
        b_in, w_out = np.array([1.0, 1.0]), np.array([[5.0], [7.0]])
        expected = [[5]], [[10, 0]], [5, 0], [[3], [0]], [1]  # hidden: 3, and -1 which is off
        _expect_all(answer(np.ones((1, 1)), x, w_in, b_in, w_out), expected, "one row, two units, of which one is off")

    def equal_to_finite_differences(self, answer, rng):
        x, w_in, b_in = rng.normal(size=(3, 2)), rng.normal(size=(2, 5)), rng.normal(size=5)
        w_out, b_out, d_output = rng.normal(size=(5, 4)), rng.normal(size=4), rng.normal(size=(3, 4))
        got = expect_tuple(answer(d_output, x, w_in, b_in, w_out), 5)

        def loss(*arrays):
            return (d_output * F.feed_forward(*arrays, activation=F.relu)).sum()

        slopes = finite_differences(loss, x, w_in, b_in, w_out, b_out, step=1e-6)
        for name, array, slope in zip(NAMES, got, slopes, strict=True):
            # Rounded, since the last digits of a difference are noise, and a report shows what was expected.
            expect_close(array, slope.round(6), f"against differences, gradient of {name}", rtol=1e-6, atol=1e-6)

    def any_leading_axes(self, answer, rng):
        x, d_output = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 3, 2))
        weights = rng.normal(size=(4, 6)), rng.normal(size=6), rng.normal(size=(6, 2))
        _, *flat = expect_tuple(answer(d_output.reshape(6, 2), x.reshape(6, 4), *weights), 5)
        d_x, *summed = expect_tuple(answer(d_output, x, *weights), 5)
        expect_close(np.shape(d_x), x.shape, "shape of the gradient with respect to x (2, 3, 4)")
        for name, got, expected in zip(NAMES[1:], summed, flat, strict=True):
            expect_close(got, expected, f"x of shape (2, 3, 4) against (6, 4), gradient of {name}", atol=1e-7)

    def what_comes_after_the_relu(self, answer, rng):
        x, d_output = rng.normal(size=(3, 4)), rng.normal(size=(3, 2))
        w_in, b_in, w_out = rng.normal(size=(4, 6)), rng.normal(size=6), rng.normal(size=(6, 2))
        *_, d_w_out, d_b_out = expect_tuple(answer(d_output, x, w_in, b_in, w_out), 5)
        expect_close(d_w_out, np.maximum(0, x @ w_in + b_in).T @ d_output, "gradient with respect to w_out")
        expect_close(d_b_out, d_output.sum(axis=0), "gradient with respect to b_out")
