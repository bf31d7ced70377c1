"""The named models: equal to those of ``transformers`` on the same weights, outputs and every gradient."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from clearformer.checkpoints.rules import convert
from clearformer.course.parity import peers
from clearformer.models import BertConfig, GPT2Config, LlamaConfig, RobertaConfig, RotaryScaling, T5Config
from clearformer.models.gpt2 import GELU_TANH

B, T, S = 2, 5, 7
SIZES = {"vocab_size": 23, "context": 16, "d_model": 12, "n_heads": 3, "n_layers": 2, "d_ff": 20}
T5_SIZES = {"vocab_size": 23, "d_model": 12, "n_heads": 3, "d_k": 5, "n_layers": 2, "d_ff": 20} | {
    "n_buckets": 8,
    "max_distance": 5,
}
DRAW = torch.Generator().manual_seed(3)
# Beyond 1: there the peers' tables of tokens have rows for padding, whose gradients they leave out.
IDS, TARGETS = (torch.randint(2, 23, (B, n), generator=DRAW) for n in (S, T))
THERE = torch.tensor([[True] * S, [True] * 4 + [False] * 3])
SEGMENTS = torch.tensor([[0, 0, 0, 1, 1, 1, 1], [0, 1, 1, 1, 0, 0, 0]])


class Case(NamedTuple):
    """A pair of models, and how each is asked for what is compared."""

    make: Callable[[], peers.Pair]
    ours: Callable[..., Tensor]
    theirs: Callable[..., Tensor]


def decoder(make: Callable[[], peers.Pair]) -> Case:
    return Case(make, lambda model: model(IDS), lambda model: model(IDS).logits)


def encoder(config: BertConfig, peer: str, **options: Tensor) -> Case:
    """What padding itself gives counts nowhere."""

    def there(x: Tensor) -> Tensor:
        return x[THERE] if x.ndim == 3 else x

    asked = {"attention_mask": THERE.long()} | ({"token_type_ids": SEGMENTS} if options else {})
    return Case(
        lambda: peers.bert_pair(config, peer),
        lambda model: there(model(IDS, mask=THERE, **options)),
        lambda model: there(model(IDS, **asked)[0]),
    )


def t5(**changes) -> Case:
    asked = {"input_ids": IDS, "decoder_input_ids": TARGETS, "attention_mask": THERE.long()}
    return Case(
        lambda: peers.t5_pair(T5Config(**T5_SIZES, **changes)),
        lambda model: model(IDS, TARGETS, mask=THERE),
        lambda model: model(**asked).logits,
    )


BERT = BertConfig(**SIZES)
LLAMA_3 = RotaryScaling(8.0, low=1.0, high=4.0, context=8)
CASES = {
    "GPT-2": decoder(lambda: peers.gpt2_pair(GPT2Config(**SIZES))),
    "Llama, grouped, tied": decoder(lambda: peers.llama_pair(LlamaConfig(**SIZES, n_kv_heads=1, tied=True))),
    "Llama 3": decoder(
        lambda: peers.llama_pair(LlamaConfig(**SIZES, n_kv_heads=3, d_k=6, base=100.0, scaling=LLAMA_3))
    ),
    **{
        peer: encoder(BERT, peer, segments=SEGMENTS)
        for peer in ("BertModel", "BertForMaskedLM", "BertForSequenceClassification", "BertForTokenClassification")
    },
    "RoBERTa": encoder(RobertaConfig(**SIZES), "RobertaForMaskedLM"),
    "T5": t5(),
    "T5 1.1": t5(gated=True, tied=False, activation=GELU_TANH),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_outputs_and_every_gradient_equal_transformers(case: Case) -> None:
    compare(case, case.make(), 1e-5)
    compare(case, peers.in_float64(case.make()), 1e-10)


def compare(case: Case, pair: peers.Pair, bound: float) -> None:
    got, expected = case.ours(pair.ours), case.theirs(pair.theirs)
    close("output", got, expected, bound)
    direction = torch.randn(got.shape, generator=torch.Generator().manual_seed(5), dtype=got.dtype)
    ours = gradients(pair.ours, got, direction)
    backwards = [replace(rule, factor=1 / rule.factor) for rule in pair.rules]
    theirs = convert(backwards, gradients(pair.theirs, expected, direction))
    assert ours.keys() == theirs.keys()
    for name, gradient in ours.items():
        close(name, gradient, theirs[name], bound)


def gradients(model: torch.nn.Module, output: Tensor, direction: Tensor) -> dict[str, Tensor]:
    named = dict(model.named_parameters())
    found = torch.autograd.grad(
        (output * direction).sum(), list(named.values()), materialize_grads=True, allow_unused=True
    )
    return dict(zip(named, found, strict=True))


def close(name: str, got: Tensor, expected: Tensor, bound: float) -> None:
    """Close for the size of the whole, as the page of parity measures it."""
    difference, size = (got - expected).abs().max().item(), expected.abs().max().item()
    assert got.dtype == expected.dtype
    assert difference <= bound * size, f"{name}: {difference} of {size}"
