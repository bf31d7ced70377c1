"""training.clip: (gradients by name, longest) -> the same, shortened together."""

from functools import partial
from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close, expect_equal, expect_raises


def _norm(gradients: Any) -> Any:
    return np.sqrt(sum((g**2).sum() for g in gradients.values()))


def _clip(gradients: Any, longest: float) -> Any:
    norm = _norm(gradients)
    if not np.isfinite(norm):
        raise ValueError(f"gradient of length {norm}")
    return {name: g * min(1.0, longest / norm) if norm else g for name, g in gradients.items()}


def _draw(rng: Rng) -> dict[str, np.ndarray]:
    return {"w": rng.normal(size=(3, 5)), "b": rng.normal(size=5), "gain": np.array(rng.normal())}


def _same(got: Any, expected: Any, what: str) -> None:
    expect_equal(sorted(got), sorted(expected), f"names, {what}")
    for name, gradient in expected.items():
        expect_close(got[name], gradient, f"{name}, {what}")


def _by_hand(answer: Answer, rng: Rng) -> None:
    got = answer({"w": np.array([[3.0], [0.0]]), "b": np.array([4.0])}, 1.0)
    _same(got, {"w": [[0.6], [0.0]], "b": [0.8]}, "w of length 3 and b of length 4, longest 1")


def _short(answer: Answer, rng: Rng) -> None:
    gradients = _draw(rng)
    _same(answer(gradients, 1.5 * float(_norm(gradients))), gradients, "a gradient that is short enough")


def _long(answer: Answer, rng: Rng) -> None:
    gradients, share = _draw(rng), rng.uniform(0.1, 0.9)
    expected = {name: share * g for name, g in gradients.items()}
    _same(answer(gradients, share * float(_norm(gradients))), expected, f"a share of {share:.2f} of its length")


def _zero(answer: Answer, rng: Rng) -> None:
    zeros = {name: np.zeros_like(g) for name, g in _draw(rng).items()}
    _same(answer(zeros, 1.0), zeros, "a gradient of zeros")


def _not_finite(answer: Answer, rng: Rng) -> None:
    for bad in (np.nan, np.inf):
        gradients = _draw(rng)
        gradients["b"][2] = bad
        expect_raises(partial(answer, gradients, 1.0), ValueError, f"a gradient that holds {bad}")


EXERCISE = Write(
    id="training.clip",
    title="Shortened together",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("a short gradient stays as it is", _short),
        Law("a long one keeps its direction", _long),
        Law("a gradient of zeros stays one", _zero),
        Law("what is not finite is refused", _not_finite),
    ),
    wrong_answers={
        "clips each array by itself": lambda gradients, longest: {
            name: _clip({name: g}, longest)[name] for name, g in gradients.items()
        },
        "clips each number": lambda gradients, longest: {
            name: np.clip(g, -longest, longest) for name, g in gradients.items()
        },
        "makes short gradients long": lambda gradients, longest: {
            name: g * longest / (_norm(gradients) or 1) for name, g in gradients.items()
        },
        "adds lengths up in place of squares": lambda gradients, longest: {
            name: g * min(1, longest / (sum(map(np.linalg.norm, gradients.values())) or 1))
            for name, g in gradients.items()
        },
        "takes the square for the length": lambda gradients, longest: {
            name: g * min(1, longest / (_norm(gradients) ** 2 or 1)) for name, g in gradients.items()
        },
        "divides zeros by their length": lambda gradients, longest: {
            name: g / _norm(gradients) * min(_norm(gradients), longest) for name, g in gradients.items()
        },
        "lets infinity through": lambda gradients, longest: {
            name: g * min(1, longest / _norm(gradients)) for name, g in gradients.items()
        },
    },
)
