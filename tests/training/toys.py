"""The smallest things that can be trained, and trainers of them."""

import torch
from torch import Tensor, nn

from clearformer.training import Trainer, token_windows, warmup_cosine

VOCAB_SIZE = 11
TEXT = torch.arange(200) % VOCAB_SIZE


class Tied(nn.Module):
    """A language model that sees one token; its table is read twice, as input and as output."""

    def __init__(self, generator: torch.Generator, *, d_model: int = 5, dropout: float = 0.0) -> None:
        super().__init__()
        self.read = nn.Embedding.from_pretrained(torch.randn(VOCAB_SIZE, d_model, generator=generator), freeze=False)
        # By columns, as the package lays out matrices with more rows than columns: a checkpoint must not mind.
        self.turn = nn.Parameter(torch.randn(d_model, d_model, generator=generator).mT.contiguous().mT)
        self.dropout, self.norm = nn.Dropout(dropout), nn.LayerNorm(d_model)
        self.write = self.read

    def forward(self, ids: Tensor) -> Tensor:
        x = self.norm(self.dropout(self.read(ids) @ self.turn))  # (..., T, d_model)
        return x @ self.write.weight.T


def trainer(seed: int = 0, *, d_model: int = 5, dropout: float = 0.0, batch: int = 4, **options) -> Trainer:
    generator = torch.Generator().manual_seed(seed)
    model = Tied(generator, d_model=d_model, dropout=dropout)
    batches = token_windows(TEXT, batch=batch, length=7)
    return Trainer(model, batches, warmup_cosine(0.03, 3, 20), generator=generator, **options)


def weights(trained: Trainer) -> Tensor:
    return torch.cat([p.detach().flatten() for p in trained.model.parameters()])
