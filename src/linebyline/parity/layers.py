"""Components that treat every token by itself: activations, embedding, norms, feed-forward layers."""

from functools import partial
from typing import Any

import numpy as np
import torch
import torch.nn.functional as TF
from torch import Tensor

from clearformer import functional as F
from clearformer import nn
from linebyline.parity.comparison import Component, call

D_MODEL, D_FF, VOCAB_SIZE = 6, 10, 7
ROWS, VECTOR = (2, 5, D_MODEL), (D_MODEL,)  # (B, T, d_model)
X = {"x": ROWS}
IDS = np.array([[3, 0, 3, 6], [1, 3, 5, 0]])  # one token three times, and one never
STATISTICS = {"x": (11, D_MODEL), "gamma": VECTOR, "beta": VECTOR, "mean": VECTOR, "spread": VECTOR}
FEED_FORWARD = {"x": ROWS, "w_in": (D_MODEL, D_FF), "b_in": (D_FF,), "w_out": (D_FF, D_MODEL), "b_out": VECTOR}
GATED = {"x": ROWS, "w_gate": (D_MODEL, D_FF), "w_up": (D_MODEL, D_FF), "w_down": (D_FF, D_MODEL)}


def _batch_norm(ours: Any, x: Any, gamma: Any, beta: Any, mean: Any, spread: Any) -> Any:
    """The running variance is the square of ``spread``, which may have any sign."""
    return ours(x, gamma, beta, mean, spread * spread)


def _torch_batch_norm(training: bool, x: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, spread: Tensor) -> Any:
    running = mean.detach().clone(), spread.detach().square()
    output = TF.batch_norm(x, *running, gamma, beta, training=training)
    return (output, *(statistic.requires_grad_() for statistic in running)) if training else output


def _ours(kind: Any, *sizes: int, **options: Any) -> Any:
    return lambda x, **weights: call(partial(kind, *sizes, **options), weights, x)


def _torch_mlp(x: Tensor, w_in: Tensor, b_in: Tensor, w_out: Tensor, b_out: Tensor) -> Tensor:
    return TF.linear(TF.gelu(TF.linear(x, w_in.T, b_in)), w_out.T, b_out)


def _llama_mlp(x: Tensor, w_gate: Tensor, w_up: Tensor, w_down: Tensor) -> Any:
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaMLP

    config = LlamaConfig(hidden_size=D_MODEL, intermediate_size=D_FF, num_attention_heads=1)
    weights = {"gate_proj.weight": w_gate.T, "up_proj.weight": w_up.T, "down_proj.weight": w_down.T}
    return call(lambda: LlamaMLP(config), weights, x)


TRAINING = partial(_batch_norm, F.batch_norm_training), partial(_torch_batch_norm, True)
IN_USE = partial(_batch_norm, F.batch_norm), partial(_torch_batch_norm, False)
MLP = _ours(nn.FeedForward, D_MODEL, D_FF, generator=None)
SWIGLU = _ours(nn.GatedFeedForward, D_MODEL, D_FF, generator=None)

LAYERS = (
    Component(
        "softmax",
        "PyTorch softmax",
        {"z": ROWS},
        F.softmax,
        lambda z: z.softmax(-1),
        backward=lambda d_output, z: (F.softmax_backward(F.softmax(z), d_output),),
    ),
    Component("log-softmax", "PyTorch log_softmax", {"z": ROWS}, F.log_softmax, lambda z: z.log_softmax(-1)),
    Component("ReLU", "PyTorch relu", X, F.relu, lambda x: x.relu()),
    Component("GELU", "PyTorch gelu", X, F.gelu, lambda x: TF.gelu(x)),
    Component("GELU with tanh", "PyTorch gelu(tanh)", X, F.gelu_tanh, lambda x: TF.gelu(x, approximate="tanh")),
    Component("SiLU", "PyTorch silu", X, F.silu, lambda x: TF.silu(x)),
    Component(
        "embedding",
        "PyTorch embedding",
        {"table": (VOCAB_SIZE, D_MODEL)},
        lambda table: F.embed(IDS, table),
        lambda table: TF.embedding(torch.from_numpy(IDS), table),
        backward=lambda d_output, table: (F.embed_backward(d_output, IDS, VOCAB_SIZE),),
    ),
    Component(
        "layer norm",
        "PyTorch layer_norm",
        {"x": ROWS, "gamma": VECTOR, "beta": VECTOR},
        F.layer_norm,
        lambda x, gamma, beta: TF.layer_norm(x, VECTOR, gamma, beta),
        _ours(nn.LayerNorm, D_MODEL),
        lambda d_output, x, gamma, beta: F.layer_norm_backward(d_output, x, gamma),
    ),
    Component(
        "RMS norm",
        "PyTorch rms_norm",
        {"x": ROWS, "gamma": VECTOR},
        F.rms_norm,
        lambda x, gamma: TF.rms_norm(x, VECTOR, gamma, 1e-5),
        _ours(nn.RMSNorm, D_MODEL),
    ),
    Component("batch norm, training", "PyTorch batch_norm", STATISTICS, *TRAINING),
    Component("batch norm, in use", "PyTorch batch_norm", STATISTICS, *IN_USE),
    Component("feed-forward, GELU", "PyTorch linear", FEED_FORWARD, F.feed_forward, _torch_mlp, MLP),
    Component("gated feed-forward, SwiGLU", "transformers LlamaMLP", GATED, F.gated_feed_forward, _llama_mlp, SWIGLU),
)
