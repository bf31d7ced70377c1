"""Claims on residual connections and normalization, and on what depth does with signals and gradients."""

import math
from functools import cache
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from clearformer import functional as F
from linebyline.claims.declare import claim, corrected, depends, difference, draw, holds

# The worked example of document 001: Dan, loves, ice, cream, four features each.
FOUR = np.arange(1, 17).reshape(4, 4) / 10
ONES, ZEROS = np.ones(4), np.zeros(4)
MOVED = np.where(np.arange(4)[:, None] == 2, [9, -5, 2, 7], FOUR)  # with another row for ice


def _batch(x: np.ndarray) -> np.ndarray:
    return F.batch_norm_training(x, ONES, ZEROS, ZEROS, ONES)[0]


def _numbers(values: np.ndarray) -> str:
    return ", ".join(f"{value:.4f}" for value in values)


@claim("000", "layer-norm", "Layer normalization is (x-μ)/σ.")
@depends("Where the row varies; code adds ε to the variance, and a learned gain and bias follow.")
def _no_eps() -> str:
    flat = np.full((1, 4), 0.5)
    top, bottom = np.ptp(flat - flat.mean()), flat.var()
    return f"four equal numbers: {top:.0f}/{bottom:.0f} without ε, {F.layer_norm(flat, ONES, ZEROS).max():.0f} with it"


@claim("001", "residual", "Add & Norm takes a copy of the value matrix: V + MHA.")
@depends("On the name: its Value is the input before W^v, so this is X + MHA(X); with V = X W_V it is wrong.")
def _residual_of_values() -> str:
    rng = np.random.default_rng(0)
    x, w_v = rng.normal(size=(4, 512)), rng.normal(size=(512, 512)) / math.sqrt(512)
    copy, projected = (np.linalg.norm(v - x) / np.linalg.norm(x) for v in (x.copy(), x @ w_v))
    return f"distance from X, 4 x 512: its Value, a copy, {copy:.1f}; V = X W_V, random W_V, {projected:.1f}"


@claim("001", "layer-norm", "The first row has mean 0.25 and variance 0.0125.")
@holds("With the sum divided by D, the number of features.")
def _mean_and_variance() -> str:
    return f"row Dan: mean {FOUR[0].mean():.2f}, variance {FOUR[0].var():.4f}"


@claim("001", "layer-norm", "The first number becomes (0.1-0.25)/√0.0125 = -1.3411.")
@corrected("It is -1.3416. What is printed has ε = 1e-5 added to the variance: right numbers, another formula.")
def _printed_layer_norm() -> str:
    plain, used = (F.layer_norm(FOUR, ONES, ZEROS, eps)[0, :2] for eps in (0.0, 1e-5))
    return f"ε=0: {_numbers(plain)}; ε=1e-5: {_numbers(used)}"


@claim("001", "layer-norm", "All rows come out the same because of the dummy values.")
@holds("The rows differ by a shift, which layer normalization takes away.")
def _rows_come_out_the_same() -> str:
    rows = F.layer_norm(FOUR, ONES, ZEROS)
    other = F.layer_norm(FOUR * np.array([[1], [2], [3], [4]]) ** 2 * [1, 3, 1, 2], ONES, ZEROS)
    same, apart = (np.ptp(x, axis=0).max() for x in (rows, other))
    return f"rows of the example: {difference(same)}; of other numbers: {apart:.1f}"


@claim("001", "layer-norm", "Layer normalization handles each token by itself.")
@holds("To the last bit.")
def _layer_norm_is_per_token() -> str:
    change = np.abs(F.layer_norm(MOVED, ONES, ZEROS) - F.layer_norm(FOUR, ONES, ZEROS)).max(axis=-1)
    return f"row ice replaced: {(change > 1e-9).sum()} of 4 rows change"


@claim("001", "batch-norm", "The first column becomes -1.3416, -0.4472, 0.4472, 1.3416.")
@holds("With and without ε: beside a variance of 0.2 it does not show.")
def _printed_batch_norm() -> str:
    column = FOUR[:, 0]
    return f"column 0: mean {column.mean():.1f}, variance {column.var():.1f}, values {_numbers(_batch(FOUR)[:, 0])}"


@claim("001", "batch-norm", "The mean of a column is its sum divided by D.")
@corrected("By N, the number of rows. Both are 4 in the example.")
def _batch_norm_over_d() -> str:
    three = FOUR[:3]
    return f"without cream: sum / N = {three[:, 0].sum() / 3:.3f}, sum / D = {three[:, 0].sum() / 4:.3f}"


@claim("001", "batch-norm", "In batch normalization tokens influence each other.")
@depends("In training. In use the statistics are fixed, and no row sees another.")
def _batch_norm_mixes_tokens() -> str:
    training = np.abs(_batch(MOVED) - _batch(FOUR)).max(axis=-1) > 1e-9
    before, after = (F.batch_norm(x, ONES, ZEROS, FOUR.mean(axis=0), FOUR.var(axis=0)) for x in (FOUR, MOVED))
    in_use = np.abs(after - before).max(axis=-1) > 1e-9
    return f"row ice replaced: {training.sum()} of 4 rows change in training, {in_use.sum()} in use"


@claim("002", "batch-norm", "Add & Norm uses a layer similar to batch normalization.")
@corrected("Layer normalization: over the features of one token, with no memory of other batches.")
def _like_batch_norm() -> str:
    apart = np.abs(F.layer_norm(FOUR, ONES, ZEROS) - _batch(FOUR)).max()
    return f"the 4 x 4 example: numbers up to {apart:.1f} apart"


@claim("002", "residual", "Residual connections are there to carry positions through.")
@depends("They carry whatever is in the stream, tokens as much as positions, and gradients back.")
def _residual_carries_position() -> str:
    rng = np.random.default_rng(0)
    tokens = rng.normal(size=(4, 512))
    positions = F.sinusoidal_encoding(4, 512)
    stream = tokens + positions + rng.normal(size=(4, 512))  # the output of a layer, unrelated to both
    basis = np.stack([tokens.ravel(), positions.ravel()], axis=-1)  # (T d, 2)
    x, p = np.linalg.lstsq(basis, stream.ravel(), rcond=None)[0]
    return f"least squares after adding noise: {x:.1f} times the token's vector, {p:.1f} times the position's"


@claim("003", "layer-norm", "Layer normalization is γ(x-μ)/σ + β, with γ and β learned.")
@holds("One number of each kind for each feature; ε is left out.")
def _gain_and_bias() -> str:
    gamma, beta = np.array([2.0, -1.0, 0.5, 1.0]), np.array([0.0, 3.0, 1.0, -1.0])
    error = np.abs(gamma * F.layer_norm(FOUR, ONES, ZEROS) + beta - F.layer_norm(FOUR, gamma, beta)).max()
    return f"γ x̂ + β against the package: {difference(error)}"


@claim("003", "pre-post", "The block computes t¹ = LayerNorm(x), then t² = MHA(x).")
@corrected("MHA(t¹), or the norm has no effect.")
def _norm_not_used() -> str:
    x, w = draw((4, 4), (3, 4, 4))

    def attend(x: np.ndarray) -> np.ndarray:
        return F.scaled_dot_product_attention(x @ w[0], x @ w[1], x @ w[2])[0]

    as_written, repaired = (
        np.abs(attend(norm(10 * x)) - attend(norm(x))).max()
        for norm in (lambda x: x, lambda x: F.layer_norm(x, ONES, ZEROS))
    )
    return f"x times 10 changes MHA(x) by {as_written:.0f}, MHA(LayerNorm(x)) by {repaired:.1f}"


@claim("003", "jacobian-norm", "The Jacobian of layer normalization is O(√D/‖x‖).")
@depends("Its largest singular value is √D/‖x-μ‖ for γ = 1: the same if the mean is near 0.")
def _jacobian_norm() -> str:
    x = np.random.default_rng(0).normal(size=64)
    norms = []
    for row in (x, 10 * x, x + 10):
        jacobian = F.layer_norm_backward(np.eye(64), np.tile(row, (64, 1)), np.ones(64), eps=0.0)[0]
        spectral = np.linalg.norm(jacobian, 2) / 8
        norms.append(f"{spectral * np.linalg.norm(row - row.mean()):.2f} ({spectral * np.linalg.norm(row):.1f})")
    return f"norm times ‖x-μ‖/√D (‖x‖/√D): x {norms[0]}, 10x {norms[1]}, x+10 {norms[2]}"


Kind = Literal["post", "pre", "no residual", "no norm"]
B, T, D_MODEL, N_HEADS, VOCAB_SIZE, DRAWS = 8, 16, 64, 4, 32, 16
NORMS: tuple[Kind, ...] = ("post", "pre")


def _norm(x: Tensor) -> Tensor:
    return torch.nn.functional.layer_norm(x, x.shape[-1:])


def _matrix(n_in: int, n_out: int, generator: torch.Generator) -> Tensor:
    std = math.sqrt(2 / (n_in + n_out))  # Glorot and Bengio's initialization
    return (std * torch.randn(n_in, n_out, generator=generator, dtype=torch.float64)).requires_grad_()


def _attention(x: Tensor, generator: torch.Generator) -> Tensor:
    w_q, w_k, w_v, w_o = (_matrix(D_MODEL, D_MODEL, generator) for _ in range(4))
    q, k, v = ((x @ w).reshape(B, T, N_HEADS, -1).transpose(1, 2) for w in (w_q, w_k, w_v))
    heads = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)  # (B, n_heads, T, d_k)
    return heads.transpose(1, 2).flatten(-2) @ w_o


def _stack(kind: Kind, depth: int, generator: torch.Generator) -> tuple[Tensor, list[Tensor], Tensor]:
    """Random rows, the last matrices of randomly initialized layers, and the rows behind these layers."""
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
    """The gradient norms of the first and the last layer's last matrix, for random targets, (draws, 2)."""
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


@claim("003", "jacobian-norm", "Since ‖x‖ ≫ √D, composed norms slowly lose all gradient.")
@corrected("What made x long has a Jacobian as much larger, and the two cancel: nothing vanishes at the start.")
def _gradient_is_lost() -> str:
    ratios = [np.median(_gradients(kind, 24)[:, 0]) / np.median(_gradients(kind, 2)[:, 0]) for kind in NORMS]
    return f"gradient of the first layer, 24 layers over 2: post-norm {ratios[0]:.1f}, pre-norm {ratios[1]:.1f}"


@claim("003", "pre-post", "The output depends far more on later layers than on earlier ones.")
@depends("At the random start post-norm leans that way a little, in most draws; pre-norm leans the other way.")
def _later_layers_count_more() -> str:
    ratios = [np.median(np.divide(*_gradients(kind, 24).T)) for kind in NORMS]
    return f"first over last gradient of 24 layers, median draw: post-norm {ratios[0]:.1f}, pre-norm {ratios[1]:.1f}"


@claim("004", "residual", "The residual connection prevents the loss of information.")
@depends("With pre-norm the sum keeps the input as it is; with post-norm every norm shrinks it.")
def _residual_keeps_information() -> str:
    cosines = []
    for kind in ("pre", "post", "no residual"):
        start, _, x = _stack(kind, 12, _random())
        cosines.append(torch.nn.functional.cosine_similarity(start, x, dim=-1).abs().mean().item())
    numbers = "{:.1f} pre-norm, {:.1f} post-norm, {:.1f} without the residual".format(*cosines)
    return f"cosine of input and output, 12 blocks: {numbers}"


@claim("004", "pre-post", "Layer normalization makes training more stable and faster.")
@depends("At the random start it keeps sizes in bounds; what that does for training is not measured here.")
def _norm_is_stable() -> str:
    post, pre, without = (_stack(kind, 24, _random())[2].std().item() for kind in ("post", "pre", "no norm"))
    return f"size after 24 layers at the start: {post:.0f} post-norm, {pre:.0f} pre-norm, {without:.0e} without"
