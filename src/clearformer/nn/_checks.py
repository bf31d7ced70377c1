"""Refusals that several layers share."""

from torch import Tensor


def require_width(name: str, x: Tensor, width: int) -> None:
    """Refuse rows of another width; asked only after a kernel has refused, so it costs nothing where all is well."""
    if x.ndim == 0 or x.shape[-1] != width:
        raise ValueError(f"{name} must be (..., d_model={width}), got shape {tuple(x.shape)}") from None
