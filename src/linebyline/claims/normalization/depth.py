"""Claims on what depth does to signals and gradients, measured on stacks of layers at their random start."""

import math
from functools import cache
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from linebyline.claims.declare import claim, corrected, depends, holds

Kind = Literal["post", "pre", "no residual", "no norm"]
B, T, D_MODEL, N_HEADS, VOCAB_SIZE, DRAWS = 8, 16, 64, 4, 32, 16
NORMS: tuple[Kind, ...] = ("post", "pre")


def _norm(x: Tensor) -> Tensor:
    return torch.nn.functional.layer_norm(x, x.shape[-1:])


def _matrix(n_in: int, n_out: int, generator: torch.Generator) -> Tensor:
    std = math.sqrt(2 / (n_in + n_out))  # the start of Glorot and Bengio
    return (std * torch.randn(n_in, n_out, generator=generator, dtype=torch.float64)).requires_grad_()


def _attention(x: Tensor, generator: torch.Generator) -> Tensor:
    w_q, w_k, w_v, w_o = (_matrix(D_MODEL, D_MODEL, generator) for _ in range(4))
    q, k, v = ((x @ w).reshape(B, T, N_HEADS, -1).transpose(1, 2) for w in (w_q, w_k, w_v))
    heads = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)  # (B, n_heads, T, d_k)
    return heads.transpose(1, 2).flatten(-2) @ w_o


def _stack(kind: Kind, depth: int, generator: torch.Generator) -> tuple[Tensor, list[Tensor], Tensor]:
    """Send random rows through layers at their random start; give them, the layers' last matrices, and the output."""
    downs: list[Tensor] = []

    def feed_forward(x: Tensor, generator: torch.Generator) -> Tensor:
        up, down = _matrix(D_MODEL, 4 * D_MODEL, generator), _matrix(4 * D_MODEL, D_MODEL, generator)
        downs.append(down)
        return torch.relu(x @ up) @ down

    start = x = torch.randn(B, T, D_MODEL, generator=generator, dtype=torch.float64)
    for sublayer in (_attention, feed_forward) * depth:
        added = sublayer(_norm(x) if kind in ("pre", "no residual") else x, generator)
        x = added if kind == "no residual" else x + added
        x = _norm(x) if kind == "post" else x
    return start, downs, x


@cache
def _gradients(kind: Kind, depth: int) -> np.ndarray:
    """Give the gradient norms of the first and the last layer's last matrix, for random targets, (draws, 2)."""
    norms = []
    for seed in range(DRAWS):
        generator = torch.Generator().manual_seed(seed)
        _, downs, x = _stack(kind, depth, generator)
        logits = (x if kind == "post" else _norm(x)) @ _matrix(D_MODEL, VOCAB_SIZE, generator)
        targets = torch.randint(VOCAB_SIZE, (B * T,), generator=generator)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets)
        norms.append([gradient.norm().item() for gradient in torch.autograd.grad(loss, [downs[0], downs[-1]])])
    return np.array(norms)


def _random() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@claim("003.gradient-is-lost", "sec-jacobian-norm", "Since ‖x‖ ≫ √D, composed norms slowly lose all gradient.")
@corrected("What made x long has a Jacobian as much larger, and the two cancel: nothing vanishes at the start.")
def _first_layer() -> str:
    ratios = [np.median(_gradients(kind, 24)[:, 0]) / np.median(_gradients(kind, 2)[:, 0]) for kind in NORMS]
    return f"gradient of the first layer, 24 layers over 2: post-norm {ratios[0]:.1f}, pre-norm {ratios[1]:.1f}"


@claim(
    "003.later-layers-count-more", "sec-pre-post", "The output depends far more on later layers than on earlier ones."
)
@depends("At the random start post-norm leans that way a little, in most draws; pre-norm leans the other way.")
def _later_layers() -> str:
    ratios = [np.median(np.divide(*_gradients(kind, 24).T)) for kind in NORMS]
    return f"first over last gradient of 24 layers, median draw: post-norm {ratios[0]:.1f}, pre-norm {ratios[1]:.1f}"


@claim("004.residual-keeps-information", "sec-residual", "The residual connection prevents the loss of information.")
@holds("The input is still there in the sum; without the residual every layer starts over.")
def _information() -> str:
    kept = []
    for kind in ("pre", "no residual"):
        start, _, x = _stack(kind, 12, _random())
        kept.append(torch.nn.functional.cosine_similarity(start, x, dim=-1).abs().mean().item())
    return f"cosine of input and output, 12 layers: {kept[0]:.1f} with, {kept[1]:.1f} without the residual"


@claim("004.norm-is-stable", "sec-pre-post", "Layer normalization makes training more stable and faster.")
@depends("At the random start it keeps sizes in bounds; what that does for training is not measured here.")
def _stability() -> str:
    sizes = [_stack(kind, 24, _random())[2].std().item() for kind in ("post", "pre", "no norm")]
    return (
        f"size after 24 layers at the start: {sizes[0]:.0f} post-norm, {sizes[1]:.0f} pre-norm, {sizes[2]:.0e} without"
    )
