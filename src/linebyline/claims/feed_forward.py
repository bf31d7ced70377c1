"""Claims on the feed-forward layer and the block: what is computed for each token, and where the weights are."""

import numpy as np
import torch

from clearformer import functional as F
from clearformer import nn
from linebyline.claims.declare import claim, corrected, depends, difference, holds, product

# The worked example of document 001: Dan, loves, ice, cream, four features each; eight hidden units.
FOUR = np.arange(1, 17).reshape(4, 4) / 10
MOVED = np.where(np.arange(4)[:, None] == 1, [9, -5, 2, 7], FOUR)  # with another row for loves
N_EMBD, N_FF = 4096, 11_008  # printed in document 001


def _weights(d_model: int = 4, d_ff: int = 8) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape) for shape in ((d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,))]


@claim("000", "ffn", "The feed-forward part is a network of two layers, ReLU(xW₁+b₁)W₂+b₂.")
@depends("As in the first Transformer; BERT and GPT-2 have GELU, and Llama has three matrices.")
def _relu_layer() -> str:
    w_in, b_in, w_out, b_out = map(torch.from_numpy, _weights())
    expected = torch.relu(torch.from_numpy(FOUR) @ w_in + b_in) @ w_out + b_out
    error = np.abs(F.feed_forward(FOUR, *_weights(), activation=F.relu) - expected.numpy()).max()
    return f"against PyTorch: {difference(float(error))}"


@claim("000", "block", "A layer consists of two main components, self-attention and a feed-forward network.")
@holds("And with four times the width inside, two thirds of it are the feed-forward network.")
def _two_parts() -> str:
    block = torch.nn.TransformerEncoderLayer(512, 8, 2048)
    total = sum(p.numel() for p in block.parameters())
    attention = sum(p.numel() for p in block.self_attn.parameters())
    norms = sum(p.numel() for norm in (block.norm1, block.norm2) for p in norm.parameters())
    shares = [100 * n / total for n in (attention, total - attention - norms, norms)]
    return f"d=512: attention {shares[0]:.1f}%, feed-forward network {shares[1]:.1f}%, norms {shares[2]:.1f}%"


@claim("001", "ffn", "A 4x4 matrix times a 4x8 matrix creates an 8x8 matrix.")
@corrected("A 4x8 matrix: a row for each token, as its own drawing has it.")
def _widened_shape() -> str:
    return product(FOUR, np.zeros((4, 8)))


@claim("001", "ffn", "The second matrix brings 4x8 back to 4x4.")
@holds("It is 8x4.")
def _narrowed_shape() -> str:
    return product(np.zeros((4, 8)), np.zeros((8, 4)))


@claim("001", "position-wise", "The activation is applied to each element.")
@holds("Which is why units do not meet there, and rows do not either.")
def _each_element() -> str:
    z = _weights()[0]
    by_number = np.array([F.gelu(np.array([value]))[0] for value in z.ravel()]).reshape(z.shape)
    return f"GELU of 4 x 8 numbers, one by one: {difference(float(np.abs(by_number - F.gelu(z)).max()))}"


@claim("001", "position-wise", "Widening lets the model learn more complex relationships between the tokens.")
@corrected("Within each token: the layer has no access to other rows. Attention has.")
def _between_tokens() -> str:
    layer = [F.feed_forward(x, *_weights()) for x in (FOUR, MOVED)]
    attention = [F.scaled_dot_product_attention(x, x, x)[0] for x in (FOUR, MOVED)]
    rows = [int((np.abs(after - before).max(axis=-1) > 1e-9).sum()) for before, after in (layer, attention)]
    return f"row loves replaced: {rows[0]} of 4 rows change in the layer, {rows[1]} in attention"


@claim("001", "position-wise", "The layer works on one row at a time, and the rows are put together again.")
@holds("In practice all rows go through in one product, which is the same.")
def _one_row() -> str:
    alone = np.concatenate([F.feed_forward(FOUR[t : t + 1], *_weights()) for t in range(4)])
    return f"rows alone and together: {difference(float(np.abs(alone - F.feed_forward(FOUR, *_weights())).max()))}"


@claim("001", "gated", "The tensor called gate is used as the activation function.")
@corrected("It is a third matrix; silu of its product with x multiplies what the up matrix gives.")
def _gate_is_activation() -> str:
    layer = nn.GatedFeedForward(N_EMBD, N_FF, generator=None)
    return f"three matrices: 3 x 4,096 x 11,008 = {sum(p.numel() for p in layer.parameters()):,} weights a layer"


def _norms_of_a_layer() -> str:
    names = [name for name, _ in torch.nn.TransformerEncoderLayer(8, 2, 16).named_children() if "norm" in name]
    return f"PyTorch's encoder layer holds {len(names)} norms: {', '.join(names)}"


@claim("002", "block", "The output of multi-head attention is passed to a feed-forward network.")
@depends("After it was added to its input and normalized.")
def _straight_on() -> str:
    return _norms_of_a_layer()


@claim("004", "block", "An encoder layer is attention, residual, normalization, feed-forward network.")
@corrected("A second residual and a second normalization follow.")
def _encoder_order() -> str:
    return _norms_of_a_layer()


def _block() -> nn.Block:
    generator = torch.Generator().manual_seed(0)
    attention = nn.MultiHeadAttention(8, 2, generator=generator)
    return nn.Block(attention, nn.FeedForward(8, 32, generator=generator), lambda: nn.LayerNorm(8))


@claim("003", "block", "One residual connection spans norm and attention, one norm and network.")
@holds("In the pre-norm block that it writes down; nothing but additions lies on the way through.")
def _two_residuals() -> str:
    block, x = _block(), torch.randn(4, 8, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        block.attention.w_o.zero_()
        block.feed_forward.get_parameter("w_out").zero_()
        change = (block(x) - x).abs().max().item()
    return f"both layers silenced: the block changes its input by {change:.0f}"


@claim("004", "activations", "The feed-forward network captures additional complex patterns.")
@depends("Within one token; of a token alone, attention makes a linear map and nothing else.")
def _complex_patterns() -> str:
    x = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    target = x.prod(axis=-1)
    affine = np.column_stack([x, np.ones(4)])
    line = affine @ np.linalg.lstsq(affine, target, rcond=None)[0]
    w_in = np.array([[1.0, -1.0, 1.0, -1.0], [1.0, -1.0, -1.0, 1.0]])
    layer = F.feed_forward(x, w_in, np.zeros(4), np.array([[1], [1], [-1], [-1]]) / 2, np.zeros(1), activation=F.relu)
    errors = [((y - target) ** 2).mean() for y in (line, layer[:, 0])]
    return f"product of two signs, squared error: best affine map {errors[0]:.0f}, layer of 4 units {errors[1]:.0f}"
