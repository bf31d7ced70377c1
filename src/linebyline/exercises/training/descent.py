"""The exercises on gradient descent, and on gradients that are too long."""

from functools import partial

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Chapter, expect_close, expect_equal, expect_raises

chapter = Chapter("training", np=np)


@chapter.predict(
    "The gradient turns round · easy · 2 points · 10 minutes · may use a calculator",
    ("change at the second step, gradients 4 and -4", "the same, gradients 4 and 4"),
    right=(0.01 * (0.1 - 0.09) / 0.19, -0.01),
    wrong={
        "The numerator is a mean of both gradients, and not the last one.": (0.01, -0.01),
        "They do not quite cancel: of two gradients the later one weighs a little more.": (0.0, -0.01),
        "Both means began at 0, and after two steps that still shows, unless it is made up for.": (0.002237, -0.0425),
        "Right but for the signs: a step goes against the gradient.": (-0.000526, 0.01),
        "The mean of gradients is divided by their size: a step does not know how large they are.": (0.002105, -0.04),
    },
)
def second_step(rng):
    first = rng.uniform(0.1, 100, size=1)  # of any size, as long as it is positive
    zero, step = np.zeros(1), partial(F.adam_step, lr=0.01, beta_1=0.9, beta_2=0.999, eps=0.0)
    theta, m, v = step(zero, first, zero, zero, 1)
    return [step(theta, second, m, v, 2)[0] - theta for second in (-first, first)]


PLAIN, MOMENTUM, PENALTY, ADAM = OPTIONS = "gradient descent", "momentum", "gradient descent with weight decay", "Adam"


def _trained(option, gradient, start, lr=1e-4, decay=0.1):
    """Return the parameters after 20 steps of an optimizer."""
    theta, m, v = start, np.zeros_like(start), np.zeros_like(start)
    for step in range(1, 21):
        g = gradient(theta)
        if option == ADAM:
            theta, m, v = F.adam_step(theta, g, m, v, step, lr=lr, beta_1=0.9, beta_2=0.999, eps=1e-8)
        else:
            decayed = lr * decay * theta if option == PENALTY else 0.0
            theta, m = F.momentum_step(theta, g, m, lr=lr, beta=0.9 if option == MOMENTUM else 0.0)
            theta = theta - decayed
    return theta


@chapter.pick(
    "A loss in other units · easy · 1 point · 5 minutes · may use pen and paper",
    "whose steps stay as they were",
    OPTIONS,
    right=ADAM,
    wrong={
        "Its step is the rate times the gradient, which is a thousand times as long now.": PLAIN,
        "It adds gradients up, and each of them is a thousand times as long now.": MOMENTUM,
        "The decay stays as it was, but the gradient beside it is a thousand times as long now.": PENALTY,
    },
)
def units(rng):
    start, curvature = rng.normal(size=(2, 7))

    def change(option):
        ends = [_trained(option, lambda x, unit=unit: unit * curvature**2 * x, start) for unit in (1, 1000)]
        return np.abs(ends[0] - ends[1]).max()

    return min(OPTIONS, key=change)


@chapter.predict(
    "A bowl askew · medium · 2 points · 5 minutes · may use pen and paper, and the figure of the paths",
    "rate from which descent diverges",
    within=0.03,
    right=2 / 10,
    wrong={
        "This is the limit if one parameter moves alone. But both move, and there is a steeper way down.": 2 / 5.05,
        "With this rate the steep direction is done in one step. It may overshoot, as long as it comes nearer.": 0.1,
        "The flat direction would bear this rate. Which direction fails first?": 20.0,
    },
)
def diverging_rate(rng):
    """Halve the interval of rates by trying each on a bowl of curvatures 0.1 and 10, turned by 45 degrees."""
    axes = np.array([[1, -1], [1, 1]]) / np.sqrt(2)
    hessian = axes.T @ np.diag([0.1, 10.0]) @ axes
    start, low, high = rng.normal(size=2), 0.0, 100.0
    for _ in range(30):
        rate, theta = (low + high) / 2, start
        for _ in range(2000):
            theta = theta - rate * (hessian @ theta)
            if np.abs(theta).max() > 1e6:
                break
        low, high = (rate, high) if np.abs(theta).max() < 1e6 else (low, rate)
    return low


def _length(gradients):
    return np.sqrt(sum((g**2).sum() for g in gradients.values()))


def _clip(gradients, longest):
    norm = np.linalg.norm(np.concatenate([np.ravel(g) for g in gradients.values()]))
    if np.isnan(norm) or np.isinf(norm):
        raise ValueError(f"no direction: {norm}")
    return {name: g / max(norm / longest, 1) for name, g in gradients.items()}


def _scaling(length=_length, factor=lambda length, longest: min(1, longest / (length or 1))):
    """An answer that multiplies all gradients by ``factor(length(gradients), longest)``."""
    return lambda gradients, longest: {name: g * factor(length(gradients), longest) for name, g in gradients.items()}


def _draw_gradients(rng):
    return {"w": rng.normal(size=(3, 5)), "b": rng.normal(size=5), "gain": np.array(rng.normal())}


def _expect_gradients(got, expected, what):
    expect_equal(sorted(got), sorted(expected), f"names, {what}")
    for name, gradient in expected.items():
        expect_close(got[name], gradient, f"{name}, {what}")


@chapter.write(
    "Shortened together · medium · 3 points · 15 minutes · may use NumPy",
    right=_clip,
    wrong={
        "clips each array by itself": lambda g, longest: {name: _clip({name: g[name]}, longest)[name] for name in g},
        "clips each number": lambda g, longest: {name: np.clip(g[name], -longest, longest) for name in g},
        "makes short gradients long": _scaling(factor=lambda length, longest: longest / (length or 1)),
        "adds lengths up in place of squares": _scaling(lambda g: sum(map(np.linalg.norm, g.values()))),
        "takes the square for the length": _scaling(lambda g: _length(g) ** 2),
        "divides zeros by their length": _scaling(factor=lambda length, longest: min(length, longest) / length),
        "lets infinity through": _scaling(factor=lambda length, longest: min(1, longest / length)),
    },
)
class clip:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer({"w": np.array([[3.0], [0.0]]), "b": np.array([4.0])}, 1.0)
        _expect_gradients(got, {"w": [[0.6], [0.0]], "b": [0.8]}, "w of length 3 and b of length 4, longest 1")

    def a_short_gradient_stays_as_it_is(self, answer, rng):
        gradients = _draw_gradients(rng)
        _expect_gradients(answer(gradients, 1.5 * _length(gradients)), gradients, "a gradient that is short enough")

    def a_long_one_keeps_its_direction(self, answer, rng):
        gradients, share = _draw_gradients(rng), rng.uniform(0.1, 0.9)
        expected = {name: share * g for name, g in gradients.items()}
        got = answer(gradients, share * _length(gradients))
        _expect_gradients(got, expected, f"a share of {share:.2f} of its length")

    def a_gradient_of_zeros_stays_one(self, answer, rng):
        zeros = {name: np.zeros_like(g) for name, g in _draw_gradients(rng).items()}
        _expect_gradients(answer(zeros, 1.0), zeros, "a gradient of zeros")

    def what_is_not_finite_is_refused(self, answer, rng):
        for bad in (np.nan, np.inf):
            gradients = _draw_gradients(rng)
            gradients["b"][2] = bad
            expect_raises(partial(answer, gradients, 1.0), ValueError, f"a gradient that holds {bad}")
