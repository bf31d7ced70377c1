"""The stages of our model, in the order of the chapters, and the controls that they are compared with.

Each stage is a function from the size of the vocabulary to a model. A chapter that adds a part has one line more.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import nn

from linebyline.our_model import FeedForward, Head, Heads, Residual, gpt, rotate

D_MODEL, N_HEADS, N_LAYERS = 64, 4, 2
WINDOW = 64  # tokens that a model sees at most


class MeanOfPast(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):  # (B, T, d_model)
        counts = torch.arange(1, x.shape[-2] + 1)[:, None]  # (T, 1)
        return self.w_v(x).cumsum(dim=-2) / counts


class Positions(nn.Embedding):
    def forward(self, x):  # (B, T, d_model)
        return self.weight[: x.shape[-2]]  # (T, d_model)


class HeadWithoutMask(Head):
    def forward(self, x):  # (B, T, d_model)
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)  # (B, T, d_k) each
        scores = q @ k.mT / q.shape[-1] ** 0.5  # (B, T, T)
        return scores.softmax(-1) @ v  # the future is not hidden


def bigram(vocab_size):
    return nn.Embedding(vocab_size, vocab_size)


def embeddings(vocab_size):
    return nn.Sequential(
        nn.Embedding(vocab_size, D_MODEL),
        nn.Linear(D_MODEL, vocab_size),
    )


def mean_of_past(vocab_size):
    return nn.Sequential(
        nn.Embedding(vocab_size, D_MODEL),
        Residual(MeanOfPast(D_MODEL)),
        nn.Linear(D_MODEL, vocab_size),
    )


def one_head(vocab_size):
    return nn.Sequential(
        nn.Embedding(vocab_size, D_MODEL),
        Residual(Head(D_MODEL, D_MODEL)),
        nn.Linear(D_MODEL, vocab_size),
    )


def learned_positions(vocab_size):
    return nn.Sequential(
        nn.Embedding(vocab_size, D_MODEL),
        Residual(Positions(WINDOW, D_MODEL)),
        Residual(Head(D_MODEL, D_MODEL)),
        nn.Linear(D_MODEL, vocab_size),
    )


def four_heads(vocab_size):
    return nn.Sequential(
        nn.Embedding(vocab_size, D_MODEL),
        Residual(Positions(WINDOW, D_MODEL)),
        Residual(Heads(D_MODEL, N_HEADS)),
        nn.Linear(D_MODEL, vocab_size),
    )


def rotary_positions(vocab_size):
    return nn.Sequential(
        nn.Embedding(vocab_size, D_MODEL),
        Residual(Heads(D_MODEL, N_HEADS, rotate)),
        nn.Linear(D_MODEL, vocab_size),
    )


def feed_forward(vocab_size):
    return nn.Sequential(
        nn.Embedding(vocab_size, D_MODEL),
        Residual(Heads(D_MODEL, N_HEADS, rotate)),
        Residual(FeedForward(D_MODEL)),
        nn.Linear(D_MODEL, vocab_size),
    )


def two_blocks(vocab_size):
    return gpt(vocab_size, D_MODEL, N_HEADS, N_LAYERS)


# --- controls ---


def no_mask(vocab_size):
    return nn.Sequential(
        nn.Embedding(vocab_size, D_MODEL),
        Residual(HeadWithoutMask(D_MODEL, D_MODEL)),
        nn.Linear(D_MODEL, vocab_size),
    )


def no_mask_with_positions(vocab_size):
    return nn.Sequential(
        nn.Embedding(vocab_size, D_MODEL),
        Residual(Positions(WINDOW, D_MODEL)),
        Residual(HeadWithoutMask(D_MODEL, D_MODEL)),
        nn.Linear(D_MODEL, vocab_size),
    )


def no_residual(vocab_size):
    return nn.Sequential(
        nn.Embedding(vocab_size, D_MODEL),
        Head(D_MODEL, D_MODEL),
        nn.Linear(D_MODEL, vocab_size),
    )


def one_block(vocab_size):
    return gpt(vocab_size, D_MODEL, N_HEADS, n_layers=1)


def two_blocks_without_norm(vocab_size):
    pairs = [(Heads(D_MODEL, N_HEADS, rotate), FeedForward(D_MODEL)) for _ in range(N_LAYERS)]
    parts = [Residual(part) for pair in pairs for part in pair]
    return nn.Sequential(nn.Embedding(vocab_size, D_MODEL), *parts, nn.Linear(D_MODEL, vocab_size))


def norm_without_feed_forward(vocab_size):
    return nn.Sequential(
        nn.Embedding(vocab_size, D_MODEL),
        Residual(nn.LayerNorm(D_MODEL), Heads(D_MODEL, N_HEADS, rotate)),
        nn.LayerNorm(D_MODEL),
        nn.Linear(D_MODEL, vocab_size),
    )


class Stage(NamedTuple):
    """A stage of our model, or a control."""

    chapter: str  #: Name of the chapter that adds the part
    added: str  #: What is new
    make: Callable[[int], nn.Module]  #: Makes the model, from the size of the vocabulary
    steps: int = 1000  #: Length of its training run
    rate: float = 1e-2  #: Highest learning rate


# A row of a bigram table changes only when its token is read, so its numbers take larger steps.
STAGES = {
    "characters": Stage("first_model", "a bigram table of characters", bigram, rate=1e-1),
    "tokens": Stage("tokenization", "tokens in place of characters", bigram, rate=1e-1),
    "embeddings": Stage("embeddings", "a vector for each token", embeddings),
    "mean of the past": Stage("attention", "the mean of all tokens so far", mean_of_past),
    "one head": Stage("attention", "weights that queries and keys choose", one_head),
    "learned positions": Stage("positional_encoding", "a vector for each position", learned_positions),
    "four heads": Stage("multi_head_attention", "four narrow heads in place of a wide one", four_heads),
    "rotary positions": Stage("relative_positions", "rotation in place of learned positions", rotary_positions),
    "feed-forward": Stage("feed_forward", "a feed-forward layer", feed_forward),
    "two blocks": Stage("normalization", "layer norm, and the block twice", two_blocks),
    "trained longer": Stage("language_model", "eight times as many steps", two_blocks, steps=8000),
}
CONTROLS = {
    "no mask": Stage("masks_and_cross_attention", "one head without its mask", no_mask),
    "no mask with positions": Stage("masks_and_cross_attention", "the same with positions", no_mask_with_positions),
    "no residual": Stage("attention", "one head in place of the token", no_residual),
    "one block": Stage("normalization", "layer norm alone", one_block),
    "norm without feed-forward": Stage("normalization", "layer norm, attention alone", norm_without_feed_forward),
    "two blocks without norm": Stage("normalization", "the block twice alone", two_blocks_without_norm),
    "two blocks, fast": Stage("normalization", "twice the rate", two_blocks, rate=2e-2),
    "two blocks without norm, fast": Stage("normalization", "twice the rate", two_blocks_without_norm, rate=2e-2),
}


def build(name: str, vocab_size: int, seed: int = 0) -> nn.Module:
    """Make the model of a stage or a control, with weights that the seed decides.

    Example:
        >>> [build(name, 1024)(torch.tensor([[3, 1, 2]])).shape[-1] for name in ("tokens", "two blocks")]
        [1024, 1024]
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return {**STAGES, **CONTROLS}[name].make(vocab_size)
