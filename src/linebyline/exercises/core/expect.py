"""Comparisons for laws: each refuses with what was expected and what came."""

from collections.abc import Callable
from typing import Any

import numpy as np


def expect_close(got: Any, expected: Any, what: str, *, rtol: float = 1e-9, atol: float = 1e-12) -> None:
    """Refuse a result that is not an array of the expected shape and values.

    Raises:
        AssertionError: it is not, with both in the message.
    """
    expected = np.asarray(expected)
    if got is None:
        raise AssertionError(f"{what}: expected {_show(expected)}, got None (is a return missing?)")
    got = np.asarray(got)
    if got.shape != expected.shape:
        raise AssertionError(f"{what}: expected shape {expected.shape}, got shape {got.shape}")
    wrong = ~np.isclose(got, expected, rtol=rtol, atol=atol)
    if not wrong.any():
        return
    if wrong.size <= 8:
        raise AssertionError(f"{what}: expected {_show(expected)}, got {_show(got)}")
    first = tuple(np.argwhere(wrong)[0].tolist())
    raise AssertionError(
        f"{what}: expected {_show(expected[first])} at {first}, got {_show(got[first])} "
        f"({wrong.sum()} of {wrong.size} entries differ)"
    )


def expect_equal(got: Any, expected: Any, what: str) -> None:
    """Refuse a result that is not the expected list or dictionary; a tuple may stand for a list.

    Raises:
        AssertionError: it is not, with both in the message.
    """
    if got is None:
        raise AssertionError(f"{what}: expected {expected}, got None (is a return missing?)")
    plain = list(got) if isinstance(got, tuple) else got
    if type(plain) is not type(expected) or plain != expected:
        raise AssertionError(f"{what}: expected {expected}, got {got!r}")


def expect_raises(call: Callable[[], Any], error: type[Exception], what: str) -> None:
    """Refuse a call that does not raise the expected error.

    Raises:
        AssertionError: it returned, or raised something else.
    """
    try:
        got = call()
    except NotImplementedError:
        raise
    except Exception as raised:
        if isinstance(raised, error):
            return
        raise AssertionError(f"{what}: expected {error.__name__}, got {type(raised).__name__}") from raised
    raise AssertionError(f"{what}: expected {error.__name__}, got {_show(got)}")


def expect_tuple(got: Any, length: int) -> tuple[Any, ...]:
    """Refuse a result that is not a tuple of so many arrays.

    Raises:
        AssertionError: it is not.
    """
    if not isinstance(got, tuple) or len(got) != length:
        number = ("no", "one", "two", "three", "four", "five")[length]
        raise AssertionError(f"expected a tuple of {number} arrays, got {type(got).__name__}")
    return tuple(map(np.asarray, got))


def finite_differences(loss: Callable[..., Any], *arrays: np.ndarray, step: float = 1e-5) -> list[np.ndarray]:
    """Compute the gradient of a loss with respect to each of its arrays from its values nearby.

    Example:
        >>> finite_differences(lambda x, y: (x * y).sum(), np.array([1.0, 2.0]), np.array([3.0, 4.0]))[0].round(6)
        array([3., 4.])
    """
    gradients = [np.zeros_like(array) for array in arrays]
    for number, gradient in enumerate(gradients):
        for place in np.ndindex(*gradient.shape):
            moved = []
            for sign in (1, -1):
                copies = [array.copy() for array in arrays]
                copies[number][place] += sign * step
                moved.append(loss(*copies))
            gradient[place] = (moved[0] - moved[1]) / (2 * step)
    return gradients


def _show(value: Any) -> str:
    text = np.array2string(np.asarray(value), precision=8, suppress_small=True, threshold=12, edgeitems=2)
    return " ".join(text.split())
