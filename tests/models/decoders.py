"""Small decoders in the shapes of GPT-2 and Llama, with random numbers everywhere."""

from functools import partial

import torch

from clearformer.models import Decoder, DecoderConfig
from clearformer.nn import FeedForward, MultiHeadAttention, RMSNorm, RotaryEncoding, SwiGLU

CONFIG = DecoderConfig(vocab_size=23, context=16, d_model=12, n_heads=3, n_layers=2, d_ff=20)
GELU_TANH = partial(torch.nn.functional.gelu, approximate="tanh")
IDS = torch.tensor([[3, 1, 4, 1, 5, 9, 2], [6, 5, 3, 5, 8, 9, 7]])


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def with_numbers(model: torch.nn.Module) -> torch.nn.Module:
    """Every weight drawn anew, so that biases and gains count."""
    draw = generator(7)
    for parameter in model.parameters():
        parameter.data = 0.3 * torch.randn(parameter.shape, generator=draw, dtype=torch.float64)
    return model.eval()


def gpt(feed_forward: type[FeedForward] = FeedForward) -> Decoder:
    parts = {"feed_forward": partial(feed_forward, activation=GELU_TANH)}
    return with_numbers(Decoder(CONFIG, generator=generator(), **parts))


def llama() -> Decoder:
    rotary = RotaryEncoding(16, 4, dtype=torch.float64)
    attention = partial(MultiHeadAttention, n_kv_heads=1, rotary=rotary)
    parts = {"position": torch.nn.Identity(), "attention": attention, "feed_forward": SwiGLU, "norm": RMSNorm}
    return with_numbers(Decoder(CONFIG, generator=generator(), **parts))
