"""How much memory a call takes."""

from collections.abc import Callable
from tracemalloc import get_traced_memory, is_tracing, reset_peak, start, stop  # before an answer can replace them
from typing import Any


def peak_memory(call: Callable[..., Any], *args: Any) -> int:
    """Measure the memory that a call takes at its peak, beyond what was there before, in bytes.

    An answer that runs in another process is measured there: it has a method ``peak_memory`` of its own.
    """
    elsewhere = getattr(call, "peak_memory", None)
    if elsewhere:
        return int(elsewhere(*args))
    outer = is_tracing()
    if not outer:
        start()
    try:
        reset_peak()
        before, _ = get_traced_memory()
        call(*args)
        return get_traced_memory()[1] - before
    finally:
        if not outer:
            stop()
