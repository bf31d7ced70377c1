"""How much memory a call takes."""

import tracemalloc
from collections.abc import Callable
from typing import Any


def peak_memory(call: Callable[..., Any], *args: Any) -> int:
    """Measure the memory that a call takes at its peak, beyond what was there before, in bytes.

    An answer that runs in another process is measured there: it has a method ``peak_memory`` of its own.
    """
    elsewhere = getattr(call, "peak_memory", None)
    if elsewhere:
        return int(elsewhere(*args))
    outer = tracemalloc.is_tracing()
    if not outer:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        call(*args)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not outer:
            tracemalloc.stop()
