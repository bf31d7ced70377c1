"""How our model is trained, measured, and made to write: for every stage in the same way."""

import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from clearformer.tokenizers import CharacterTokenizer
from clearformer.tokenizers.base import Tokenizer
from linebyline import corpora, pretrained

from .stages import WINDOW


class Text(NamedTuple):
    """The course's text in tokens."""

    tokenizer: Tokenizer
    read: Tensor  #: What models are trained on, (n,)
    unseen: Tensor  #: What they are measured on, (n,)

    @property
    def vocab_size(self) -> int:
        """Number of different tokens."""
        return len(self.tokenizer.vocab)


def text(stage: str = "tokens") -> Text:
    """Cut the docstrings of NumPy and SciPy into characters for the first stage, and into tokens for all others."""
    return _characters() if stage == "characters" else _tokens()


def train(
    model: nn.Module, ids: Tensor, n_steps: int, rate: float = 1e-2, *, batch: int = 16, seed: int = 0, shift: int = 1
) -> Iterator[float]:
    """Train a model to predict the next token, and yield the loss of each step, in nats per token.

    Targets are ``shift`` places to the right of what is read; any other number than 1 is a mistake, to be measured.
    """
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(n_steps):
        factor = min((step + 1) / 50, 1 - step / n_steps)  # rises for 50 steps, then falls to 0
        optimizer.param_groups[0]["lr"] = rate * factor
        starts = torch.randint(len(ids) - WINDOW - shift + 1, (batch, 1), generator=generator)
        windows = ids[starts + torch.arange(WINDOW + shift)]  # (batch, WINDOW + shift)
        logits = model(windows[:, :WINDOW])  # (batch, WINDOW, vocab_size)
        loss = F.cross_entropy(logits.flatten(0, 1), windows[:, shift:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


@torch.no_grad()
def bits_per_byte(model: nn.Module, text: Text, *, every: int = 1) -> float:
    """Measure what unseen text costs, in bits per byte, window by window; of long texts, some of them are enough."""
    windows = _windows(text)[::every]
    nats = math.fsum(
        F.cross_entropy(model(part[:, :-1]).flatten(0, 1), part[:, 1:].flatten(), reduction="sum").item()
        for part in windows.split(64)
    )
    return _bits_per_byte(nats, windows, text)


@torch.no_grad()
def bits_in_use(model: nn.Module, text: Text, every: int = 8) -> float:
    """Measure the same of some windows, token by token, when a model is given nothing but what comes before.

    That is how a model is used. If it is causal, the two measurements agree; if it saw the answers, this one shows it.
    """
    windows = _windows(text)[::every]
    nats = math.fsum(
        F.cross_entropy(model(windows[:, :length])[:, -1], windows[:, length], reduction="sum").item()
        for length in range(1, WINDOW + 1)
    )
    return _bits_per_byte(nats, windows, text)


@torch.no_grad()
def sample(model: nn.Module, text: Text, n_characters: int = 200, *, seed: int = 0) -> str:
    """Let a model write: each token is drawn from the probabilities that it gives."""
    generator = torch.Generator().manual_seed(seed)
    ids = text.tokenizer.encode("\n")
    while len(written := text.tokenizer.decode(ids[1:])) < n_characters:
        logits = model(torch.tensor([ids[-WINDOW:]]))[0, -1]  # (vocab_size,)
        ids.append(int(torch.multinomial(logits.softmax(-1), 1, generator=generator)))
    return written[:n_characters]


def _windows(text: Text) -> Tensor:
    """Cut the unseen text into windows, each with the token that begins the next, (n, WINDOW + 1)."""
    return text.unseen.unfold(0, WINDOW + 1, WINDOW)


def _bits_per_byte(nats: float, windows: Tensor, text: Text) -> float:
    read = text.tokenizer.decode(windows[:, 1:].flatten().tolist())
    return nats / math.log(2) / len(read.encode())


@cache  # two seconds
def _characters() -> Text:
    return _cut(CharacterTokenizer.train(corpora.docstrings_split()[0]))


@cache  # three seconds
def _tokens() -> Text:
    return _cut(pretrained.language_model().tokenizer)


def _cut(tokenizer: Tokenizer) -> Text:
    read, unseen = (torch.tensor(tokenizer.encode(part)) for part in corpora.docstrings_split())
    return Text(tokenizer, read, unseen)
