"""training.decay: a step of AdamW (theta, g, m, v, n, lr, beta_1, beta_2, eps, decay); one line is at fault."""

from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close

RATES = (0.01, 0.9, 0.97, 1e-8)  # lr, beta_1, beta_2, eps
NAMES = ("the parameter", "m", "v")


def _expected(drawn: Any, n: int, decay: float) -> Any:
    (theta, g, m, v), (lr, beta_1, beta_2, eps) = drawn, RATES
    return F.adamw_step(theta, g, m, v, n, lr=lr, beta_1=beta_1, beta_2=beta_2, eps=eps, weight_decay=decay)


def _draw(rng: Rng) -> tuple[Any, Any, Any, Any]:
    theta, g, m = rng.normal(size=(3, 5))
    return theta, g, m, rng.random(size=5) + 0.1


def _compare(answer: Answer, drawn: Any, n: int, decay: float, what: str) -> None:
    for got, value, name in zip(answer(*drawn, n, *RATES, decay), _expected(drawn, n, decay), NAMES, strict=True):
        expect_close(got, value, f"{name}, {what}")


def _by_hand(answer: Answer, rng: Rng) -> None:
    theta, zero = np.array([10.0]), np.zeros(1)
    got = answer(theta, np.array([4.0]), zero, zero, 1, 0.5, 0.75, 0.75, 0.0, 0.1)
    expect_close(got[0], [9.0], "parameter 10, gradient 4, rate 0.5, decay 0.1: 0.5 by Adam and 0.5 by decay")


def _undecayed(answer: Answer, rng: Rng) -> None:
    _compare(answer, _draw(rng), int(rng.integers(1, 50)), 0.0, "without decay")


def _decayed(answer: Answer, rng: Rng) -> None:
    _compare(answer, _draw(rng), int(rng.integers(1, 50)), 0.3, "decay 0.3")


def _any_gradient(answer: Answer, rng: Rng) -> None:
    """What decay takes is the same under a large gradient as under a small one."""
    theta, g, zero = np.ones(2), np.array([1e-3, 1e3]), np.zeros(2)
    with_decay, without = (np.asarray(answer(theta, g, zero, zero, 1, *RATES, decay)[0]) for decay in (0.5, 0.0))
    expect_close(without - with_decay, [0.005, 0.005], "what decay takes, gradients 0.001 and 1000", atol=1e-9)


def _means(answer: Answer, rng: Rng) -> None:
    drawn = _draw(rng)
    for got, value, name in zip(
        answer(*drawn, 3, *RATES, 0.7)[1:], answer(*drawn, 3, *RATES, 0.0)[1:], NAMES[1:], strict=True
    ):
        expect_close(got, value, f"{name} with decay, which is no gradient")


_M = "m = beta_1 * m + (1 - beta_1) * g"
_V = "v = beta_2 * v + (1 - beta_2) * g**2"
_M_HAT = "m_hat = m / (1 - beta_1**n)"
_SIZE = "size = np.sqrt(v / (1 - beta_2**n)) + eps"
_FAULT = "change = (m_hat + decay * theta) / size"
_RETURN = "return theta - lr * change, m, v"
_BROKEN = Code(
    """
def adamw(theta, g, m, v, n, lr, beta_1, beta_2, eps, decay):
    m = beta_1 * m + (1 - beta_1) * g
    v = beta_2 * v + (1 - beta_2) * g**2
    m_hat = m / (1 - beta_1**n)
    size = np.sqrt(v / (1 - beta_2**n)) + eps
    change = (m_hat + decay * theta) / size
    return theta - lr * change, m, v
""",
    np=np,
)
_FIXED = _BROKEN.replace_line(_FAULT, "change = m_hat / size + decay * theta")

EXERCISE = Diagnose(
    id="training.decay",
    title="Weights that do not decay",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("without decay it is Adam", _undecayed),
        Law("random parameters, gradients and means", _decayed),
        Law("decay takes the same under any gradient", _any_gradient),
        Law("the means know nothing of decay", _means),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "Decay is divided by the size of the gradient here. Where gradients are large it hardly pulls, and where they "
        "are small it pulls too much: nothing shows but that weights grow as if there were none."
    ),
    innocent={
        _M: "The mean of the gradients keeps a share beta_1. Decay has no business here, and is not here.",
        _V: "The mean of the squares, of gradients alone.",
        _M_HAT: "What the start at 0 took from the mean comes back.",
        _SIZE: "The root of the corrected mean of squares; eps comes after the root.",
        _RETURN: "Adam's part and the decay, both times the rate.",
    },
    wrong_answers={
        "adds decay to the mean of gradients": _BROKEN.replace_line(
            _M, "m = beta_1 * m + (1 - beta_1) * (g + decay * theta)"
        ),
        "leaves decay out": _BROKEN.replace_line(_FAULT, "change = m_hat / size"),
        "pushes in place of pulling": _BROKEN.replace_line(_FAULT, "change = m_hat / size - decay * theta"),
        "pulls by the parameter's sign": _BROKEN.replace_line(_FAULT, "change = m_hat / size + decay * np.sign(theta)"),
        "multiplies by the size": _BROKEN.replace_line(_FAULT, "change = m_hat / size + decay * size * theta"),
        "counts the rate twice": _BROKEN.replace_line(_FAULT, "change = m_hat / size + lr * decay * theta"),
        "takes the size away altogether": _BROKEN.replace_line(_FAULT, "change = m_hat + decay * theta"),
        "forgets the start of the squares": _FIXED.replace_line(_SIZE, "size = np.sqrt(v) + eps"),
    },
)
