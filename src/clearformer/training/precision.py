"""Precision: in which numbers the products of a step are computed."""

from contextlib import AbstractContextManager, nullcontext

import torch

BFLOAT16_ON_PROCESSORS = ("avx512_bf16", "amx_bf16", "bf16")  # Intel and AMD, Intel, ARM


def bfloat16_if_native(device: str | torch.device = "cpu") -> AbstractContextManager[object]:
    """Compute products in bfloat16 where the hardware does, and everything in the model's own numbers elsewhere.

    PyTorch takes bfloat16 on any processor; on one without instructions for it each product is converted there and
    back, which is slower than float32.

    Args:
        device: Where the model is.

    Returns:
        A context for the forward pass.

    Source: Micikevicius et al. (2018) for mixed precision; Kalamkar et al. (2019) for bfloat16.

    Example:
        >>> with bfloat16_if_native():
        ...     product = torch.ones(2, 3) @ torch.ones(3, 5)
        >>> product.dtype in (torch.bfloat16, torch.float32)
        True
    """
    kind = torch.device(device).type
    if kind == "cuda":
        native = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        native = kind == "cpu" and any(torch.cpu.get_capabilities().get(name) for name in BFLOAT16_ON_PROCESSORS)
    return torch.autocast(kind, torch.bfloat16) if native else nullcontext()
