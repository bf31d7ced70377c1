"""Small models of every name, in float64, with random numbers everywhere."""

import torch

from clearformer import models, nn
from clearformer.models import GPT2Config, LlamaConfig, T5Config, TransformerConfig
from clearformer.nn import RotaryEncoding
from linebyline.pretrained import rotary_decoder

SIZES = {"vocab_size": 23, "context": 16, "d_model": 12, "n_heads": 3, "n_layers": 2, "d_ff": 20}
IDS = torch.tensor([[3, 1, 4, 1, 5, 9, 2], [6, 5, 3, 5, 8, 9, 7]])
SOURCE = torch.tensor([[2, 7, 1, 8, 2], [8, 1, 8, 0, 0]])
THERE = torch.tensor([[True] * 5, [True, True, True, False, False]])


def with_numbers(model: torch.nn.Module) -> torch.nn.Module:
    """Every weight drawn anew, so that biases and gains count."""
    draw = torch.Generator().manual_seed(7)
    for parameter in model.parameters():
        parameter.data = 0.3 * torch.randn(parameter.shape, generator=draw, dtype=torch.float64)
    return model.eval()


def gpt() -> models.Decoder:
    return with_numbers(models.gpt2(GPT2Config(**SIZES)))


def turning(model: models.Decoder, rotary: RotaryEncoding | None) -> models.Decoder:
    """The same with another part that turns queries and keys."""
    for block in model.blocks:
        block.attention.rotary = rotary
    return model


def turned() -> models.Decoder:
    model = with_numbers(rotary_decoder(GPT2Config(**SIZES)))
    return turning(model, RotaryEncoding(16, 4, dtype=torch.float64))


def llama() -> models.Decoder:
    model = with_numbers(models.llama(LlamaConfig(**SIZES, n_kv_heads=1, tied=True)))
    return turning(model, RotaryEncoding(16, 4, dtype=torch.float64))


def alibi() -> models.Decoder:
    """A decoder that knows positions by distances alone."""
    model = turning(llama(), None)
    model.position_bias = nn.AlibiBias(3)
    return model


def transformer() -> models.EncoderDecoder:
    return with_numbers(models.transformer(TransformerConfig(**SIZES)))


def t5() -> models.EncoderDecoder:
    sizes = {name: size for name, size in SIZES.items() if name != "context"}
    return with_numbers(models.t5(T5Config(**sizes, d_k=5, n_buckets=8, max_distance=5)))


DECODERS = {"GPT-2": gpt, "turned GPT-2": turned, "Llama": llama, "ALiBi": alibi}
ENCODER_DECODERS = {"Transformer": transformer, "T5": t5}
