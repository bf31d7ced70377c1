"""The exercises on Adam, its weight decay and its first steps."""

from functools import partial

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import also, expect_close, instead
from linebyline.exercises.training.descent import chapter

NAMES = ("the parameter", "m", "v")
RATES = (0.01, 0.9, 0.97, 1e-8)  # lr, beta_1, beta_2, eps


def _adamw(theta, g, m, v, n, lr, beta_1, beta_2, eps, decay):
    return F.adamw_step(theta, g, m, v, n, lr=lr, beta_1=beta_1, beta_2=beta_2, eps=eps, weight_decay=decay)


def _draw_step(rng):
    """Draw a parameter, its gradient and both means."""
    theta, g, m = rng.normal(size=(3, 5))
    return theta, g, m, rng.random(size=5) + 0.1


def _expect_step(got, expected, what, names=NAMES):
    for part, right, name in zip(got, expected, names, strict=True):
        expect_close(part, right, f"{name}{what}")


@chapter.diagnose(
    "Weights that do not decay · medium · 3 points · 15 minutes · may use NumPy",
    """
def adamw(theta, g, m, v, n, lr, beta_1, beta_2, eps, decay):
    m = beta_1 * m + (1 - beta_1) * g
?   The mean of the gradients keeps a share beta_1. Decay has no business here, and is not here.
    v = beta_2 * v + (1 - beta_2) * g**2
?   The mean of the squares, of gradients alone.
    m_hat = m / (1 - beta_1**n)
?   What the start at 0 took from the mean comes back.
    size = np.sqrt(v / (1 - beta_2**n)) + eps
?   The root of the corrected mean of squares; eps comes after the root.
    change = (m_hat + decay * theta) / size
!   change = m_hat / size + decay * theta
?   Decay is divided by the size of the gradient here. Where gradients are large it hardly pulls, and where they
?   are small it pulls too much: nothing shows but that weights grow as if there were none.
    return theta - lr * change, m, v
?   Adam's part and the decay, both times the rate.
""",
    wrong={
        "adds decay to the mean of gradients": instead(1, "m = beta_1 * m + (1 - beta_1) * (g + decay * theta)"),
        "leaves decay out": "change = m_hat / size",
        "pushes in place of pulling": "change = m_hat / size - decay * theta",
        "pulls by the parameter's sign": "change = m_hat / size + decay * np.sign(theta)",
        "multiplies by the size": "change = m_hat / size + decay * size * theta",
        "counts the rate twice": "change = m_hat / size + lr * decay * theta",
        "takes the size away altogether": "change = m_hat + decay * theta",
        "forgets the start of the squares": also(4, "size = np.sqrt(v) + eps"),
    },
)
class decay:
    def a_case_worked_by_hand(self, answer, rng):
        zero = np.zeros(1)
        got = answer(np.array([10.0]), np.array([4.0]), zero, zero, 1, 0.5, 0.75, 0.75, 0.0, 0.1)
        expect_close(got[0], [9.0], "parameter 10, gradient 4, rate 0.5, decay 0.1: 0.5 by Adam and 0.5 by decay")

    def without_decay_it_is_Adam(self, answer, rng):
        case = *_draw_step(rng), int(rng.integers(1, 50)), *RATES, 0.0
        _expect_step(answer(*case), _adamw(*case), ", without decay")

    def random_parameters__gradients_and_means(self, answer, rng):
        case = *_draw_step(rng), int(rng.integers(1, 50)), *RATES, 0.3
        _expect_step(answer(*case), _adamw(*case), ", decay 0.3")

    def decay_takes_the_same_under_any_gradient(self, answer, rng):
        theta, g, zero = np.ones(2), np.array([1e-3, 1e3]), np.zeros(2)
        with_decay, without = (np.asarray(answer(theta, g, zero, zero, 1, *RATES, decay)[0]) for decay in (0.5, 0.0))
        expect_close(without - with_decay, [0.005, 0.005], "what decay takes, gradients 0.001 and 1000", atol=1e-9)

    def the_means_know_nothing_of_decay(self, answer, rng):
        drawn = _draw_step(rng)
        with_decay, without = (answer(*drawn, 3, *RATES, decay)[1:] for decay in (0.7, 0.0))
        _expect_step(with_decay, without, " with decay, which is no gradient", NAMES[1:])


def _factor(rho, rho_in_the_end):
    last = rho_in_the_end
    return np.sqrt((rho - 4) * (rho - 2) * last / ((last - 4) * (last - 2) * rho))


def _rectified(
    theta, g, m, v, n, lr, beta_1, beta_2, *, factor=_factor, above=4.0, early=lambda m_hat: m_hat, correction=True
):
    """The right answer, or with another factor, another threshold, or another step below it."""
    m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g**2
    m_hat, v_hat = m / (1 - beta_1**n), v / (1 - beta_2**n) if correction else v
    last = 2 / (1 - beta_2) - 1  # how many squares the mean of squares is worth in the end
    rho = last - 2 * n * beta_2**n / (1 - beta_2**n)  # and after n steps
    change = early(m_hat) if rho <= above else factor(rho, last) * m_hat / np.sqrt(v_hat)
    return theta - lr * change, m, v


def _rectified_by_sums(theta, g, m, v, n, lr, beta_1, beta_2):
    """By the differences of the means, and by sums of weights in place of powers."""
    m, v = m + (1 - beta_1) * (g - m), v + (1 - beta_2) * (g * g - v)
    direction, square = (x / ((1 - b) * (b ** np.arange(n)).sum()) for x, b in ((m, beta_1), (v, beta_2)))
    long = (1 + beta_2) / (1 - beta_2)
    rho = long - 2 * n * beta_2**n / (1 - beta_2**n)
    if rho > 4:
        direction = direction * ((1 - 4 / rho) * (rho - 2) / (1 - 4 / long) / (long - 2)) ** 0.5 / square**0.5
    return theta - lr * direction, m, v


@chapter.write(
    "A rectified step · hard · 5 points · 30 minutes · may use NumPy",
    entry="rectified_step",
    right=_rectified_by_sums,
    wrong={
        "leaves the factor out": partial(_rectified, factor=lambda rho, last: 1.0),
        "forgets the root": partial(_rectified, factor=lambda rho, last: _factor(rho, last) ** 2),
        "turns the factor round": partial(_rectified, factor=lambda rho, last: 1 / _factor(rho, last)),
        "begins at 5": partial(_rectified, above=5.0),
        "makes no early step": partial(_rectified, early=lambda m_hat: 0 * m_hat),
        "takes the sign early on": partial(_rectified, early=np.sign),
        "forgets the start of the squares": partial(_rectified, correction=False),
        "counts steps in place of squares": lambda theta, g, m, v, n, *rest: _rectified(
            theta, g, m, v, n, *rest, factor=lambda rho, last: _factor(n, last) if n > 4 else 1.0
        ),
        "returns the old means": lambda theta, g, m, v, *rest: (_rectified(theta, g, m, v, *rest)[0], m, v),
    },
)
class rectified:
    def _expect_rectified(self, answer, rng, n, *rates, what):
        case = *_draw_step(rng), n, *rates
        _expect_step(answer(*case), _rectified(*case), f", {what}")

    def the_first_step__by_hand(self, answer, rng):
        zero = np.zeros(2)
        theta, m, v = answer(zero, np.array([3.0, -0.5]), zero, zero, 1, 0.1, 0.9, 0.999)
        expect_close(theta, [-0.3, 0.05], "the first step, gradients 3 and -0.5, rate 0.1")
        expect_close(m, [0.3, -0.05], "m after gradients 3 and -0.5")
        expect_close(v, [0.009, 0.00025], "v after gradients 3 and -0.5")

    def early_steps_have_no_second_moment(self, answer, rng):
        for n in (2, 4):
            self._expect_rectified(answer, rng, n, 0.1, 0.9, 0.999, what=f"step {n} with beta_2 = 0.999")

    def the_fifth_step_has_one(self, answer, rng):
        self._expect_rectified(answer, rng, 5, 0.1, 0.9, 0.999, what="step 5 with beta_2 = 0.999")

    def random_steps(self, answer, rng):
        n, beta_1, beta_2 = int(rng.integers(6, 60)), rng.uniform(0, 0.95), rng.uniform(0.9, 0.999)
        self._expect_rectified(answer, rng, n, 0.01, beta_1, beta_2, what=f"step {n} with beta_2 = {beta_2:.3f}")

    def late_steps(self, answer, rng):
        self._expect_rectified(answer, rng, 100_000, 0.01, 0.9, 0.999, what="step 100,000")

    def a_short_memory_never_has_one(self, answer, rng):
        self._expect_rectified(answer, rng, 1000, 0.01, 0.9, 0.5, what="step 1,000 with beta_2 = 0.5")
