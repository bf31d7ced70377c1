"""Mixed precision: matrix products in bfloat16 where the hardware supports them."""

from contextlib import AbstractContextManager, nullcontext

import torch

BFLOAT16_CPUS = ("avx512_bf16", "amx_bf16", "bf16")  # Intel and AMD, Intel, ARM


def bfloat16_if_native(device: str | torch.device = "cpu") -> AbstractContextManager[object]:
    """Return an autocast context for bfloat16 if the hardware supports it, and an empty context otherwise.

    PyTorch accepts bfloat16 on any processor, but without instructions for it each product is converted back and
    forth, which is slower than float32.

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
        native = kind == "cpu" and any(torch.cpu.get_capabilities().get(name) for name in BFLOAT16_CPUS)
    return torch.autocast(kind, torch.bfloat16) if native else nullcontext()
