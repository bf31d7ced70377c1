"""training.rectified: a step of RAdam, (theta, g, m, v, n, lr, beta_1, beta_2) -> the parameter and both means."""

from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close

NAMES = ("the parameter", "m", "v")


def _rho(n: int, beta_2: float) -> tuple[float, float]:
    """How many squares the mean of squares is worth, after n steps and in the end."""
    last = 2 / (1 - beta_2) - 1
    return last - 2 * n * beta_2**n / (1 - beta_2**n), last


def _factor(rho: float, last: float) -> float:
    return float(np.sqrt((rho - 4) * (rho - 2) * last / ((last - 4) * (last - 2) * rho)))


def _rectified(
    theta: Any,
    g: Any,
    m: Any,
    v: Any,
    n: int,
    lr: float,
    beta_1: float,
    beta_2: float,
    *,
    factor: Any = _factor,
    above: float = 4.0,
    first: Any = lambda m_hat: m_hat,
    corrected: bool = True,
) -> Any:
    """The right answer, or with another factor, another threshold, or another step below it."""
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g**2
    m_hat = m / (1 - beta_1**n)
    rho, last = _rho(n, beta_2)
    if rho <= above:
        return theta - lr * first(m_hat), m, v
    v_hat = v / (1 - beta_2**n) if corrected else v
    return theta - lr * factor(rho, last) * m_hat / np.sqrt(v_hat), m, v


def _draw(rng: Rng) -> tuple[Any, Any, Any, Any]:
    theta, g, m = rng.normal(size=(3, 5))
    return theta, g, m, rng.random(size=5) + 0.1


def _compare(answer: Answer, drawn: Any, rest: Any, what: str) -> None:
    for got, value, name in zip(answer(*drawn, *rest), _rectified(*drawn, *rest), NAMES, strict=True):
        expect_close(got, value, f"{name}, {what}")


def _first(answer: Answer, rng: Rng) -> None:
    zero = np.zeros(2)
    theta, m, v = answer(zero, np.array([3.0, -0.5]), zero, zero, 1, 0.1, 0.9, 0.999)
    expect_close(theta, [-0.3, 0.05], "the first step, gradients 3 and -0.5, rate 0.1")
    expect_close(m, [0.3, -0.05], "m after gradients 3 and -0.5")
    expect_close(v, [0.009, 0.00025], "v after gradients 3 and -0.5")


def _early(answer: Answer, rng: Rng) -> None:
    for n in (2, 4):
        _compare(answer, _draw(rng), (n, 0.1, 0.9, 0.999), f"step {n} with beta_2 = 0.999")


def _border(answer: Answer, rng: Rng) -> None:
    _compare(answer, _draw(rng), (5, 0.1, 0.9, 0.999), "step 5 with beta_2 = 0.999")


def _random(answer: Answer, rng: Rng) -> None:
    n, beta_1, beta_2 = int(rng.integers(6, 60)), rng.uniform(0, 0.95), rng.uniform(0.9, 0.999)
    _compare(answer, _draw(rng), (n, 0.01, beta_1, beta_2), f"step {n} with beta_2 = {beta_2:.3f}")


def _late(answer: Answer, rng: Rng) -> None:
    _compare(answer, _draw(rng), (100_000, 0.01, 0.9, 0.999), "step 100,000")


def _never(answer: Answer, rng: Rng) -> None:
    _compare(answer, _draw(rng), (1000, 0.01, 0.9, 0.5), "step 1,000 with beta_2 = 0.5")


def _with(**changes: Any) -> Any:
    return lambda *arguments: _rectified(*arguments, **changes)


EXERCISE = Write(
    id="training.rectified",
    entry="rectified_step",
    title="A rectified step",
    difficulty="hard",
    points=5,
    minutes=30,
    may_use="NumPy",
    laws=(
        Law("the first step, by hand", _first),
        Law("early steps have no second moment", _early),
        Law("the fifth step has one", _border),
        Law("random steps", _random),
        Law("late steps", _late),
        Law("a short memory never has one", _never),
    ),
    wrong_answers={
        "leaves the factor out": _with(factor=lambda rho, last: 1.0),
        "forgets the root": _with(factor=lambda rho, last: _factor(rho, last) ** 2),
        "turns the factor round": _with(factor=lambda rho, last: 1 / _factor(rho, last)),
        "begins at 5": _with(above=5.0),
        "makes no early step": _with(first=lambda m_hat: 0 * m_hat),
        "takes the sign early on": _with(first=np.sign),
        "forgets the start of the squares": _with(corrected=False),
        "counts steps in place of squares": lambda theta, g, m, v, n, lr, beta_1, beta_2: _rectified(
            theta, g, m, v, n, lr, beta_1, beta_2, factor=lambda rho, last: _factor(n, last) if n > 4 else 1.0
        ),
        "returns the old means": lambda theta, g, m, v, *rest: (_rectified(theta, g, m, v, *rest)[0], m, v),
    },
)
