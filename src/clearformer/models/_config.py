"""What the configs of the named models share."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

ActivationName = Literal["gelu", "gelu_tanh", "relu", "silu"]


def require_sizes(config: Mapping[str, Any]) -> None:
    """Refuse sizes that are not positive, and activations that nobody knows."""
    for name, size in config.items():
        if isinstance(size, int) and not isinstance(size, bool) and size < 1:
            raise ValueError(f"{name}={size} must be at least 1")
    activation = config.get("activation", "gelu")
    if activation not in get_args(ActivationName):
        raise ValueError(f"activation={activation!r} is none of {', '.join(get_args(ActivationName))}")
