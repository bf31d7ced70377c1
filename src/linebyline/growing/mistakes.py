"""Our model with one typical mistake: each has the parameters of the right one, under the same names."""

from collections.abc import Callable
from functools import partial
from typing import Any

from torch import Tensor, nn

from linebyline.our_model import FeedForward, Head, Heads, Residual, rotate


class UnmaskedHead(Head):
    """A head that sees the future."""

    def forward(self, x: Tensor) -> Tensor:
        """Average the values of all tokens, (B, T, d_k)."""
        q, k = self.rotate(self.w_q(x)), self.rotate(self.w_k(x))
        found: Tensor = nn.functional.scaled_dot_product_attention(q, k, self.w_v(x))
        return found


def unmasked(d_model: int, n_heads: int) -> nn.Module:
    """Make rotary heads that see the future."""
    heads = Heads(d_model, n_heads)
    each = [UnmaskedHead(d_model, d_model // n_heads, rotate) for _ in range(n_heads)]
    heads.heads = nn.ModuleList(each)
    return heads


ROTARY = partial(Heads, rotate=rotate)
MISTAKES: dict[str, dict[str, Any]] = {
    "no positions": {"heads": Heads},
    "no residual": {"joined": nn.Sequential},
    "no mask": {"heads": unmasked},
}


def decoder(
    vocab_size: int,
    d_model: int,
    n_heads: int,
    n_layers: int,
    *,
    heads: Callable[[int, int], nn.Module] = ROTARY,
    joined: type[nn.Sequential] = Residual,
) -> nn.Module:
    """Make our model with other heads, or with parts that are joined in another way.

    Example:
        >>> from linebyline.our_model import gpt
        >>> list(decoder(5, 4, 2, 1, **MISTAKES["no mask"]).state_dict()) == list(gpt(5, 4, 2, 1).state_dict())
        True
    """
    parts: list[nn.Module] = [nn.Embedding(vocab_size, d_model)]
    for _ in range(n_layers):
        layers = heads(d_model, n_heads), FeedForward(d_model)
        parts += [joined(nn.LayerNorm(d_model), layer) for layer in layers]
    return nn.Sequential(*parts, nn.LayerNorm(d_model), nn.Linear(d_model, vocab_size))
