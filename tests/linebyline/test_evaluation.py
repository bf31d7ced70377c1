"""Bits per byte and losses by context, on models whose losses are known."""

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from clearformer.tokenizers import BPETokenizer
from linebyline import evaluation
from linebyline.pretrained import LanguageModel, Recipe
from linebyline.training_run import Record

RECIPE = Recipe(vocab_size=256, context=8)


class Even(nn.Module):
    """Thinks every token alike."""

    def __init__(self, vocab_size: int = 256) -> None:
        super().__init__()
        self.vocab_size, self.place = vocab_size, nn.Parameter(torch.zeros(()))

    def forward(self, ids: Tensor) -> Tensor:
        return torch.zeros(*ids.shape, self.vocab_size)


class Echo(Even):
    """Is sure of the token that came some places before the next one, and knows nothing until then."""

    def __init__(self, back: int) -> None:
        super().__init__()
        self.back = back

    def forward(self, ids: Tensor) -> Tensor:
        logits = super().forward(ids)
        seen = ids[:, : ids.shape[1] - self.back + 1]
        logits[:, self.back - 1 :] = 50 * nn.functional.one_hot(seen, self.vocab_size).float()
        return logits


def knowing(model: nn.Module, tokenizer: BPETokenizer | None = None, vocab_size: int = 256) -> LanguageModel:
    recipe = replace(RECIPE, vocab_size=vocab_size)
    return LanguageModel(model, tokenizer or BPETokenizer.train("", 256), Record(recipe))


def test_tokens_that_are_all_alike_cost_the_logarithm_of_their_number() -> None:
    assert evaluation.bits_per_byte(knowing(Even()), "any text at all" * 9) == pytest.approx(8)
    # A window that ends within a character counts the bytes it holds.
    assert evaluation.bits_per_byte(knowing(Even()), "你好" * 50) == pytest.approx(8)
    text = "the man and the other man " * 40
    tokenizer = BPETokenizer.train(text, 270)
    per_token = len(text) / len(tokenizer.encode(text))
    cost = evaluation.bits_per_byte(knowing(Even(270), tokenizer, 270), text)
    assert cost == pytest.approx(math.log2(270) / per_token, rel=0.02)


def test_only_the_first_tokens_of_a_window_cost_a_model_that_knows_the_others() -> None:
    assert evaluation.bits_per_byte(knowing(Echo(3)), "abc" * 100) == pytest.approx(8 * 2 / 8, abs=1e-3)


def test_loss_by_context_is_that_of_the_same_tokens() -> None:
    losses = evaluation.loss_by_context(knowing(Echo(3)), "abc" * 100, [1, 2, 3, 8], n_targets=50)
    assert losses == pytest.approx({1: math.log(256), 2: math.log(256), 3: 0, 8: 0}, abs=1e-4)


def test_every_token_after_a_whole_context_may_be_asked() -> None:
    text = "abcdefgh" + "x" * 5
    losses = evaluation.loss_by_context(knowing(Echo(1)), text, [1], n_targets=5)
    assert losses[1] == pytest.approx((50 + 4 * 0) / 5, abs=0.1)  # after h comes x, and 4 times x after x
