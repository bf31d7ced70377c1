"""Whole models in int8: every kind computes and writes nearly as before, and what it costs is bounded."""

import copy
from collections.abc import Callable

import pytest
import torch

from clearformer import decoding
from clearformer.models import BertConfig, CachedDecoder, MaskedLMHead, bert, quantize
from clearformer.nn import LayerNorm
from clearformer.nn.int8 import Int8Matrix
from linebyline.corpora import docstrings_split
from linebyline.evaluation import bits_per_byte
from linebyline.pretrained import language_model
from tests.models import small


@pytest.mark.parametrize("make", [small.gpt, small.llama, small.turned, small.alibi])
def test_decoders(make: Callable[[], torch.nn.Module]) -> None:
    model = make().float()
    before = model(small.IDS)
    after = quantize(model)(small.IDS)
    assert not any(name.split(".")[-1].startswith("w") for name, _ in model.named_parameters())
    assert (after - before).norm() < 0.1 * before.norm()
    assert not torch.equal(after, before)
    n_matrices = sum(isinstance(module, Int8Matrix) for module in model.modules())
    assert n_matrices == 2 * len([m for m in model.blocks[0].modules() if isinstance(m, Int8Matrix)]) + 1
    cached = decoding.greedy_search(CachedDecoder(model), small.IDS[:1], 5)[0]
    with torch.inference_mode():
        assert cached == decoding.greedy_search(lambda ids: model(ids)[:, -1], small.IDS[:1], 5)[0]


@pytest.mark.parametrize("make", [small.t5, small.transformer])
def test_encoder_decoders(make: Callable[[], torch.nn.Module]) -> None:
    model = make().float()
    before = model(small.SOURCE, small.IDS, mask=small.THERE)
    after = quantize(model)(small.SOURCE, small.IDS, mask=small.THERE)
    assert (after - before).norm() < 0.1 * before.norm()


def test_an_encoder_that_guesses() -> None:
    sizes = {**small.SIZES}
    model = small.with_numbers(bert(BertConfig(**sizes))).float()
    model.head = MaskedLMHead(model.embedding, LayerNorm(12), generator=torch.Generator().manual_seed(0))
    before, after = model(small.IDS), quantize(copy.deepcopy(model))(small.IDS)
    assert (after - before).norm() < 0.1 * before.norm()


def test_the_language_model_loses_little_by_it() -> None:
    trained = language_model()
    text = docstrings_split()[1][:20_000]
    before = bits_per_byte(trained, text)
    quantize(trained.model)
    assert 0 < abs(bits_per_byte(trained, text) - before) < 0.02
