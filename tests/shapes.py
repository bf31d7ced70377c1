"""The checker of shapes, as pyproject.toml names it to jaxtyping."""

from collections.abc import Callable

import jaxtyping
from beartype import beartype


def checked(function: Callable[..., object]) -> Callable[..., object]:
    """Check what a function takes and gives, unless all checking is off.

    A function within a function is made anew in each call, and to prepare its check takes a millisecond.
    """
    return function if jaxtyping.config.jaxtyping_disable else beartype(function)
