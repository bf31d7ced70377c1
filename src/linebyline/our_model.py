"""Our model: a GPT in sixty lines, built part by part by the first course."""

import torch
from torch import nn


class Residual(nn.Sequential):
    def forward(self, x):
        return x + super().forward(x)  # put beside x, not in its place


class Head(nn.Module):
    def __init__(self, d_model, d_k, rotate=lambda x: x):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_k, bias=False)
        self.w_k = nn.Linear(d_model, d_k, bias=False)
        self.w_v = nn.Linear(d_model, d_k, bias=False)
        self.rotate = rotate

    def forward(self, x):  # (B, T, d_model)
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)  # (B, T, d_k) each
        scores = self.rotate(q) @ self.rotate(k).mT / q.shape[-1] ** 0.5
        future = torch.ones_like(scores).triu(1).bool()  # (B, T, T)
        return scores.masked_fill(future, -torch.inf).softmax(-1) @ v


class Heads(nn.Module):
    def __init__(self, d_model, n_heads, rotate=lambda x: x):
        super().__init__()
        d_k = d_model // n_heads
        heads = [Head(d_model, d_k, rotate) for _ in range(n_heads)]
        self.heads = nn.ModuleList(heads)
        self.w_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        return self.w_o(torch.cat([head(x) for head in self.heads], dim=-1))


def rotate(x):  # (B, T, d_k): queries or keys
    T, d_k = x.shape[-2:]
    angles = torch.arange(T)[:, None] / 1e4 ** (torch.arange(0, d_k, 2) / d_k)
    cos, sin = angles.cos(), angles.sin()  # (T, d_k / 2) each
    a, b = x[..., ::2], x[..., 1::2]  # (B, T, d_k / 2) each
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)


class FeedForward(nn.Sequential):
    def __init__(self, d_model):
        w_1 = nn.Linear(d_model, 4 * d_model)
        w_2 = nn.Linear(4 * d_model, d_model)
        super().__init__(w_1, nn.ReLU(), w_2)


def gpt(vocab_size, d_model, n_heads, n_layers):
    parts = [nn.Embedding(vocab_size, d_model)]
    for _ in range(n_layers):
        for part in Heads(d_model, n_heads, rotate), FeedForward(d_model):
            parts.append(Residual(nn.LayerNorm(d_model), part))
    parts += nn.LayerNorm(d_model), nn.Linear(d_model, vocab_size)
    return nn.Sequential(*parts)
