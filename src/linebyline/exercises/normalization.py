"""The exercises on normalization, in the order of the chapter."""

from fractions import Fraction

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Chapter, also, expect_close, expect_tuple, finite_differences, spoiling

chapter = Chapter("normalization")


@chapter.predict(
    "A row that hardly varies · easy · 2 points · 5 minutes · may use a pocket calculator",
    "first number",
    right=1 / 11**0.5,
    wrong={
        "Epsilon is added under the root, and here it is ten times the variance.": 1,
        "The number is divided by the root of variance plus epsilon, not by the sum itself.": 0.001 / (1e-6 + 1e-5),
        "The variance is a tenth of epsilon, which is little, but it counts.": 0.001 / np.sqrt(1e-5),
        "This divides the sum of the squares by one feature less than there are.": 0.001 / np.sqrt(2e-6 + 1e-5),
    },
)
def small_row(rng):
    shifted = np.array([0.001, -0.001]) + rng.normal()  # the norm does not see a shift
    return F.layer_norm(shifted, np.ones(2), np.zeros(2), 1e-5)[0]


def _norm(x):
    return F.layer_norm(x, np.ones(x.shape[-1]), np.zeros(x.shape[-1]))


def _draw(rng):
    """Draw tokens (2, 3, 5), a layer that mixes positions, and one that does not."""
    mix, w = rng.normal(size=(3, 3)), rng.normal(size=(5, 5))
    return rng.normal(size=(2, 3, 5)), lambda x: mix @ x, lambda x: np.tanh(x @ w)


@chapter.diagnose(
    "A block that forgets · medium · 3 points · 10 minutes · may use the functions it is given",
    """
def pre_norm_block(x, attention, feed_forward, norm):
    first = norm(x)
?   The norm prepares what attention will read. The stream is still x.
    x = first + attention(first)
!   x = x + attention(first)
?   The layer adds to a normalized copy, and the stream itself is lost. The sum no longer runs straight through the
?   model: every block rescales what the blocks before it have added.
    second = norm(x)
?   The second layer reads the stream as it is by now, through a second norm.
    x = x + feed_forward(second)
?   The feed-forward layer reads the normalized rows, and its output is added to the stream.
    return x
?   Pre-norm returns the stream; the last norm of a model comes after its last block.
""",
    wrong={
        "normalizes the sum": "x = norm(x + attention(x))",
        "shows attention the stream as it is": "x = x + attention(x)",
        "leaves the residual out": "x = attention(first)",
        "adds the normalized copy as well": "x = x + first + attention(first)",
        "normalizes what attention adds": "x = x + norm(attention(first))",
        "reads the first normalized rows twice": also(4, "x = x + feed_forward(first)"),
        "adds to the second normalized copy": also(4, "x = second + feed_forward(second)"),
        "normalizes the result": also(5, "return norm(x)"),
    },
)
class pre_norm:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.array([[20.0]]), lambda x: 3 * x, lambda x: x + 1, lambda x: x / 10)
        expect_close(got, [[29.6]], "x = 20, attention 3 x, feed-forward x + 1, and a norm that divides by 10")

    def layers_that_add_nothing_leave_the_stream_as_it_was(self, answer, rng):
        x, *_ = _draw(rng)
        expect_close(answer(x, np.zeros_like, np.zeros_like, _norm), x, "layers that add nothing")

    def the_equation__for_any_layers(self, answer, rng):
        x, attention, feed_forward = _draw(rng)
        between = x + attention(_norm(x))
        expected = between + feed_forward(_norm(between))
        expect_close(answer(x, attention, feed_forward, _norm), expected, "random layers")

    def without_a_norm(self, answer, rng):
        x, attention, feed_forward = _draw(rng)
        between = x + attention(x)
        got = answer(x, attention, feed_forward, lambda x: x)
        expect_close(got, between + feed_forward(between), "a norm that does nothing")

    def attention_is_given_what_the_norm_makes(self, answer, rng):
        x, attention, feed_forward = _draw(rng)
        seen = []

        def recording(given):
            seen.append(given.copy())
            return attention(given)

        answer(x, recording, feed_forward, _norm)
        expect_close(seen, [_norm(x)], "what attention was given")


@chapter.write(
    "Gain and bias, folded away · medium · 3 points · 15 minutes · may use NumPy",
    right=lambda gamma, beta, w, b: (gamma[:, None] * w, b + beta @ w),
    wrong={
        "forgets the bias": lambda gamma, beta, w, b: (gamma[:, None] * w, b),
        "adds the bias unweighted": lambda gamma, beta, w, b: (gamma[:, None] * w, b + beta.sum()),
        "sends the bias through the gain": lambda gamma, beta, w, b: (gamma[:, None] * w, b + beta * gamma @ w),
        "divides by the gain": lambda gamma, beta, w, b: (w / gamma[:, None], b + beta @ w),
        "changes the caller's weights": spoiling(lambda gamma, beta, w, b: (gamma[:, None] * w, b + beta @ w), 2, 3),
    },
)
class fold:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.array([2.0, 3.0]), np.array([1.0, 10.0]), np.array([[1.0], [1.0]]), np.array([5.0]))
        w, b = expect_tuple(got, 2)
        expect_close(w, [[2], [3]], "gain (2, 3) and weights (1, 1)")
        expect_close(b, [16], "bias (1, 10), weights (1, 1) and bias 5")

    def the_same_output__without_gain_and_bias(self, answer, rng):
        x, gamma, beta = rng.normal(size=(3, 5)), rng.normal(size=5), rng.normal(size=5)
        w, b = rng.normal(size=(5, 7)), rng.normal(size=7)
        new_w, new_b = expect_tuple(answer(gamma, beta, w, b), 2)
        got = F.layer_norm(x, np.ones(5), np.zeros(5)) @ new_w + new_b
        expect_close(got, F.layer_norm(x, gamma, beta) @ w + b, "norm without gain and bias, then the new layer")


@chapter.predict(
    "Back through a norm, by hand · easy · 2 points · 10 minutes · may use pen and paper",
    "fourth number of the gradient",
    right=0.52,
    wrong={
        "Only one of the two directions is removed: the shift and the stretch both have to go.": 1.5,
        "The shift has to go, too: subtract the mean of the gradient first.": 1.02,
        "What is left without shift and stretch has to be divided by the spread, 5.": 2.6,
        "The norm divides by the spread, 5, not by the variance, 25.": 0.104,
        "The shift is removed. The stretch has to go, too, and then the spread divides.": 7.5,
        "This is the gradient after the norm. What does the norm not notice?": 10,
    },
)
def back_by_hand(rng, x=(0.0, 6, 8, 14), d_output=(0.0, 0, 0, 10)):
    return F.layer_norm_backward(np.array(d_output), np.array(x), np.ones(4), eps=0.0)[0][3]


@chapter.predict(
    "Five layers with pre-norm · easy · 2 points · 10 minutes · may use pen and paper",
    "squared length of the gradient before layer 3",
    right=1 / 3,
    wrong={
        "That is before layer 4: two layers come before layer 3, so the variance there is 3.": 1 / 4,
        "That is before layer 2: two layers come before layer 3, so the variance there is 3.": 1 / 2,
        "With post-norm it would be 1 everywhere; with pre-norm the stream grows.": 1.0,
        "This is the length; the square was asked for.": 3**-0.5,
        "So much is left just before the last norm; on the way back each layer adds its part.": 1 / 6,
    },
)
def five_layers(rng, n_layers=5, before=3):
    """Go back layer by layer: along the stream, and through the layer behind its norm."""
    squared = Fraction(1, 1 + n_layers)
    for layer in range(n_layers, before - 1, -1):
        squared += squared / layer  # layer l reads where the variance is l
    return float(squared)


def _by_autograd(d_output, x, gamma, eps):
    import torch

    inputs = torch.tensor(x, requires_grad=True), torch.tensor(gamma, requires_grad=True)
    output = torch.nn.functional.rms_norm(inputs[0], gamma.shape, inputs[1], eps)
    return tuple(gradient.numpy() for gradient in torch.autograd.grad(output, inputs, torch.tensor(d_output)))


def _slopes(d_output, x, gamma, eps):
    return finite_differences(lambda x, gamma: (d_output * F.rms_norm(x, gamma, eps)).sum(), x, gamma)


def _backward(d_output, x, gamma, eps, *, along=np.mean, rows=lambda z: z.reshape(-1, z.shape[-1])):
    """``along`` reduces what the gradient has along each row, and ``rows`` makes rows of what is summed for gamma."""
    inverse = 1 / np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps)
    x_hat, g = x * inverse, gamma * d_output
    d_x = inverse * (g - x_hat * along(x_hat * g, axis=-1, keepdims=True))
    return d_x, rows(d_output * x_hat).sum(axis=0)


@chapter.write(
    "Back through RMS normalization · hard · 5 points · 30 minutes · may use NumPy",
    entry="rms_norm_backward",
    right=_by_autograd,
    wrong={
        "takes the root mean square to be constant": lambda *args: _backward(*args, along=lambda z, **_: 0),
        "sums where it should average": lambda *args: _backward(*args, along=np.sum),
        "uses the backward pass of layer normalization": lambda *args: F.layer_norm_backward(*args)[:2],
        "leaves the gain out": lambda d_output, x, gamma, eps: _backward(d_output, x, np.ones_like(gamma), eps),
        "leaves eps out": lambda d_output, x, gamma, eps: _backward(d_output, x, gamma, 0.0),
        "sums the gain's gradient over the first axis only": lambda *args: _backward(*args, rows=lambda z: z),
        "multiplies the caller's gradient": spoiling(_backward, 0),
    },
)
class rms_backward:
    def a_case_worked_by_hand(self, answer, rng):
        d_x, d_gamma = expect_tuple(answer(np.array([[25.0, 0.0]]), np.array([[1.0, 7.0]]), np.ones(2), 0.0), 2)
        expect_close(d_x, [[4.9, -0.7]], "x (1, 7) with root mean square 5, d_output (25, 0)")
        expect_close(d_gamma, [5, 0], "x (1, 7), d_output (25, 0), gradient of gamma")

    def equal_to_finite_differences(self, answer, rng):
        for eps in (1e-5, 1.0):
            x, d_output, gamma = rng.normal(size=(3, 5)), rng.normal(size=(3, 5)), rng.normal(size=5)
            got, expected = expect_tuple(answer(d_output, x, gamma, eps), 2), _slopes(d_output, x, gamma, eps)
            for name, one, other in zip(("x", "gamma"), got, expected, strict=True):
                expect_close(one, other, f"finite differences, eps={eps}, gradient of {name}", rtol=1e-5, atol=1e-7)

    def any_leading_axes(self, answer, rng):
        x, d_output, gamma = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 3, 4)), rng.normal(size=4)
        d_x, d_gamma = expect_tuple(answer(d_output, x, gamma, 1e-5), 2)
        expected = _slopes(d_output, x, gamma, 1e-5)
        expect_close(d_x, expected[0], "x of shape (2, 3, 4), gradient of x", rtol=1e-5, atol=1e-7)
        expect_close(d_gamma, expected[1], "x of shape (2, 3, 4), gradient of gamma", rtol=1e-5, atol=1e-7)

    def no_gradient_along_the_row(self, answer, rng):
        """no gradient along the row itself, for eps = 0"""
        x, d_output, gamma = rng.normal(size=(3, 5)), rng.normal(size=(3, 5)), rng.normal(size=5)
        d_x, _ = expect_tuple(answer(d_output, x, gamma, 0.0), 2)
        expect_close((d_x * x).sum(axis=-1), np.zeros(3), "d_x · x for eps=0", atol=1e-10)
