"""The exercises on the first model, in the order of the chapter."""

import math

import numpy as np

from linebyline.exercises.core import Chapter, also, expect_close, expect_tuple, finite_differences, instead, spoiling

chapter = Chapter("first_model", np=np)

BITS = 8 / 3  # the mean of 1, 3 and 4


@chapter.predict(
    "Three surprises · easy · 1 point · 5 minutes · may use pen and paper",
    ("loss in bits per character", "loss in nats per character"),
    right=(BITS, BITS * math.log(2)),
    wrong={
        "This is the sum of the surprises; the loss is their mean.": (8, 8 * math.log(2)),
        "Three characters were predicted: the first one was given.": (2, 2 * math.log(2)),
        "This is the surprise at the mean probability. Take the surprises first and their mean then.": (
            -math.log2(11 / 48),
            -math.log(11 / 48),
        ),
        "The bits are right. A nat is more than a bit, so there are fewer of them.": (BITS, BITS / math.log(2)),
        "These are the two units the wrong way round.": (BITS * math.log(2), BITS),
    },
)
def three_surprises(rng):
    p = np.array([1 / 2, 1 / 8, 1 / 16])
    return -np.log2(p).mean(), -np.log(p).mean()


def _distance(lr, steps=100):
    """How far from the minimum of 2 (w - 3)² gradient descent from 0 ends."""
    w = 0.0
    for _ in range(steps):
        w -= lr * 4 * (w - 3)
    return abs(w - 3)


@chapter.predict(
    "Down a parabola · easy · 2 points · 10 minutes · may use pen and paper",
    ("w after one step with a learning rate of 0.1", "smallest learning rate at which w never gets closer"),
    right=(6 / 5, 1 / 2),
    wrong={
        "The first number has the wrong sign: a step goes against the gradient.": (-1.2, 0.5),
        "The derivative of (w - 3)² is 2 (w - 3), and there is a factor of 2 before it.": (0.6, 1),
        "The first number is right. At a rate of 1/4 the very first step reaches the minimum.": (1.2, 0.25),
        "The first number is right. At a rate of 1 a step leads three times as far to the other side.": (1.2, 1),
        "This step is as long as the gradient: multiply it by the learning rate.": (12, 0.5),
    },
)
def parabola(rng):
    low, high = 0.3, 0.9  # the one comes closer, the other does not
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _distance(middle) < 3 else (low, middle)
    return 0.1 * 12, low


def _softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _one_by_one(logits, x, y, lr):
    """One step of gradient descent, a pair of the batch at a time."""
    moved = logits.copy()
    for a, b in zip(x, y, strict=True):
        moved[a] -= lr * (_softmax(logits[a]) - np.eye(logits.shape[1])[b]) / len(x)
    return moved


def _draw_batch(rng, *, V=7, batch=11):
    return rng.normal(size=(V, V)), rng.integers(V, size=batch), rng.integers(V, size=batch)


@chapter.diagnose(
    "A step that lags behind · medium · 3 points · 15 minutes · may use NumPy",
    """
def step(logits, x, y, lr):
    e = np.exp(logits[x])
?   This takes one row of logits for each place of the batch, twice the same row where a character occurs twice.
    p = e / e.sum(axis=-1, keepdims=True)
?   This is the softmax, along each row.
    p[np.arange(len(y)), y] -= 1
?   This subtracts 1 at the actual next character, once in each row: predicted minus actual.
    gradient = np.zeros(logits.shape)
?   The gradient has one number for each logit, and rows that are not in the batch keep their zeros.
    gradient[x] += p / len(x)
!   np.add.at(gradient, x, p / len(x))
?   This reads rows, adds, and writes them back. Where a character occurs twice in x, the second write replaces the
?   first. The contributions must be added one after the other.
    return logits - lr * gradient
?   This is a step against the gradient.
""",
    wrong={
        "replaces instead of adding": "gradient[x] = p / len(x)",
        "divides by the size of the vocabulary": "np.add.at(gradient, x, p / len(logits))",
        "does not divide": "np.add.at(gradient, x, p)",
        "adds to the rows of the next characters": "np.add.at(gradient, y, p / len(x))",
        "adds the mean to every row of the batch": "gradient[x] += p.mean(axis=0)",
        "subtracts twice": "np.subtract.at(gradient, x, p / len(x))",
        "goes uphill": also(6, "return logits + lr * gradient"),
        "subtracts 1 everywhere": also(3, "p -= 1"),
        "sums over the batch": also(2, "p = e / e.sum(axis=0, keepdims=True)"),
        "moves the caller's table": also(6, "logits -= lr * gradient; return logits"),
        "takes a longer step": instead(6, "return logits - 2 * lr * gradient"),
    },
)
class step:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.zeros((2, 2)), np.array([0, 0]), np.array([1, 1]), 1.0)
        expect_close(got, [[-0.5, 0.5], [0, 0]], "zeros, the pair (0, 1) twice, a learning rate of 1")

    def equal_to_adding_pair_by_pair(self, answer, rng):
        logits, x, y = _draw_batch(rng)
        expect_close(answer(logits, x, y, 0.3), _one_by_one(logits, x, y, 0.3), "a batch of 11 pairs of 7 characters")

    def right_where_no_character_comes_twice(self, answer, rng):
        logits, x, y = rng.normal(size=(7, 7)), rng.permutation(7)[:5], rng.integers(7, size=5)
        expect_close(answer(logits, x, y, 0.3), _one_by_one(logits, x, y, 0.3), "five different current characters")

    def the_same_batch_twice_gives_the_same_step(self, answer, rng):
        logits, x, y = _draw_batch(rng)
        twice = answer(logits, np.tile(x, 2), np.tile(y, 2), 0.3)
        expect_close(twice, _one_by_one(logits, x, y, 0.3), "every pair of the batch twice, which leaves its mean")

    def other_rows_stay_as_they_are(self, answer, rng):
        logits, x, y = rng.normal(size=(7, 7)), rng.integers(3, size=11), rng.integers(3, 7, size=11)
        expect_close(np.asarray(answer(logits, x, y, 0.3))[3:], logits[3:], "rows of characters that are not in x")


def _search(p, u):
    ends = np.cumsum(p)
    return min(int(np.searchsorted(ends, u, side="right")), int(np.flatnonzero(p)[-1]))


def _clipped(p, u):
    return min(int(np.searchsorted(np.cumsum(p), u, side="right")), len(p) - 1)


@chapter.write(
    "Draw the next character · medium · 3 points · 15 minutes · may use NumPy",
    right=_search,
    wrong={
        "takes the most probable": lambda p, u: int(np.argmax(p)),
        "counts the pieces that begin before u": lambda p, u: int((np.cumsum(p) - p < u).sum()) - 1,
        "gives a cut to the piece that ends there": lambda p, u: int(np.argmax(np.cumsum(p) >= u)),
        "falls off the end of the stick": lambda p, u: int(np.searchsorted(np.cumsum(p), u, side="right")),
        "gives what is beyond the end to the last piece, empty or not": _clipped,
        "starts again beyond the end": lambda p, u: int(np.argmax(np.cumsum(p) > u)),
        "cuts pieces of equal length": lambda p, u: int(u * len(p)),
        "compares with the pieces and not with their ends": lambda p, u: int(np.argmax(p > u)),
        "sorts the pieces": lambda p, u: _search(np.sort(p), u),
    },
)
class draw:
    def a_case_worked_by_hand(self, answer, rng):
        p = np.array([0.25, 0.5, 0.25])
        got = [answer(p, u) for u in (0.1, 0.3, 0.7, 0.9)]
        expect_close(got, [0, 1, 1, 2], "pieces of 1/4, 1/2, 1/4 at 0.1, 0.3, 0.7 and 0.9")

    def a_number_on_a_cut_belongs_to_the_piece_that_begins(self, answer, rng):
        p = np.array([0.25, 0.5, 0.25])
        expect_close([answer(p, u) for u in (0.0, 0.25, 0.75)], [0, 1, 2], "the same pieces at 0, 0.25 and 0.75")

    def a_probability_of_0_is_never_drawn(self, answer, rng):
        p = np.array([0.0, 0.5, 0.0, 0.5, 0.0])
        expect_close([answer(p, u) for u in (0.0, 0.5, 0.999)], [1, 3, 3], "0, 1/2, 0, 1/2, 0 at 0, 0.5 and 0.999")

    def rounding_at_the_end_does_no_harm(self, answer, rng):
        p = np.array([0.5, 0.4999, 0.0])
        expect_close(answer(p, 0.99995), 1, "0.5, 0.4999 and 0 at 0.99995, where no piece is left")

    def equal_to_a_walk_along_the_stick(self, answer, rng):
        for _ in range(20):
            p, u = rng.dirichlet(np.full(7, 0.5)), rng.random()
            place, end = 0, p[0]
            while u >= end and place < 6:
                place += 1
                end += p[place]
            expect_close(answer(p, u), place, f"seven random pieces at {u:.3f}")

    def each_comes_as_often_as_it_should(self, answer, rng):
        p = rng.dirichlet(np.ones(3))
        drawn = np.array([answer(p, (i + 0.5) / 3000) for i in range(3000)])
        expect_close([(drawn == i).mean() for i in range(3)], p, "fractions of 3,000 even numbers", atol=1e-3, rtol=0)


def _loss(before, now, text):
    p = _softmax(before[text[:-2]] + now[text[1:-1]])
    return -np.log(p[np.arange(len(text) - 2), text[2:]]).mean()


def _by_autograd(before, now, text):
    import torch

    tables = [torch.from_numpy(table).requires_grad_() for table in (before, now)]
    ids = torch.from_numpy(text)
    loss = torch.nn.functional.cross_entropy(tables[0][ids[:-2]] + tables[1][ids[1:-1]], ids[2:])
    d_before, d_now = torch.autograd.grad(loss, tables)
    return loss.item(), d_before.numpy(), d_now.numpy()


def _with(change):
    """An answer that is wrong in one step: the right parts, and the text, go through a change."""
    return lambda before, now, text: change(_by_autograd(before, now, text), text)


def _assigning(before, now, text):
    p = _softmax(before[text[:-2]] + now[text[1:-1]]) - np.eye(len(now))[text[2:]]
    d_before, d_now = np.zeros(before.shape), np.zeros(now.shape)
    d_before[text[:-2]] += p / len(p)
    d_now[text[1:-1]] += p / len(p)
    return _loss(before, now, text), d_before, d_now


def _predicted_only(before, now, text):
    p = _softmax(before[text[:-2]] + now[text[1:-1]]) / (len(text) - 2)
    d_before, d_now = np.zeros(before.shape), np.zeros(now.shape)
    np.add.at(d_before, text[:-2], p)
    np.add.at(d_now, text[1:-1], p)
    return _loss(before, now, text), d_before, d_now


def _swapped(before, now, text):
    loss, d_now, d_before = _by_autograd(now, before, text)
    return loss, d_before, d_now


@chapter.write(
    "Two tables · medium · 5 points · 25 minutes · may use NumPy",
    right=_by_autograd,
    wrong={
        "sums over the predictions": _with(lambda r, text: tuple((len(text) - 2) * part for part in r)),
        "divides by the length of the text": _with(lambda r, text: tuple((1 - 2 / len(text)) * part for part in r)),
        "splits the gradient between the tables": _with(lambda r, text: (r[0], r[1] / 2, r[2] / 2)),
        "gives both tables the same gradient": _with(lambda r, text: (r[0], r[2], r[2])),
        "returns the gradients in the wrong order": _with(lambda r, text: (r[0], r[2], r[1])),
        "climbs instead of descending": _with(lambda r, text: (r[0], -r[1], -r[2])),
        "gives the loss in bits": _with(lambda r, text: (r[0] / math.log(2), r[1], r[2])),
        "reads the two characters in the wrong order": _swapped,
        "adds with +=, which keeps one of several": _assigning,
        "forgets to subtract the actual character": _predicted_only,
        "moves the caller's tables": spoiling(_by_autograd, 0, 1),
    },
)
class two_tables:
    def a_case_worked_by_hand(self, answer, rng):
        loss, d_before, d_now = expect_tuple(answer(np.zeros((2, 2)), np.zeros((2, 2)), np.array([0, 1, 1])), 3)
        expect_close(loss, math.log(2), "tables of zeros, the text 0, 1, 1: one prediction among two")
        expect_close(d_before, [[0.5, -0.5], [0, 0]], "the gradient of the table for the character before")
        expect_close(d_now, [[0, 0], [0.5, -0.5]], "the gradient of the table for the current character")

    def the_loss_is_the_mean_surprise(self, answer, rng):
        before, now, text = rng.normal(size=(5, 5)), rng.normal(size=(5, 5)), rng.integers(5, size=11)
        got = expect_tuple(answer(before, now, text), 3)[0]
        expect_close(got, _loss(before, now, text), "loss of a random text of 11 characters")

    def equal_to_finite_differences(self, answer, rng):
        before, now, text = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.integers(3, size=13)
        slopes = finite_differences(lambda b, n: _loss(b, n, text), before, now)
        got = expect_tuple(answer(before, now, text), 3)[1:]
        for one, right, name in zip(got, slopes, ("before", "now"), strict=True):
            expect_close(one, right, f"gradient of {name} against finite differences", rtol=1e-6, atol=1e-8)

    def the_rows_of_a_gradient_sum_to_zero(self, answer, rng):
        before, now, text = rng.normal(size=(5, 5)), rng.normal(size=(5, 5)), rng.integers(5, size=11)
        for part in expect_tuple(answer(before, now, text), 3)[1:]:
            expect_close(part.sum(axis=-1), np.zeros(5), "sums of the rows of a gradient")
