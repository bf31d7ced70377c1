"""Whole models and their peers on the same inputs: what is asked of each pair, and how far the two are apart."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from clearformer import functional as F
from clearformer.checkpoints.rules import convert
from clearformer.models import (
    BertConfig,
    GPT2Config,
    LlamaConfig,
    RobertaConfig,
    RotaryScaling,
    T5Config,
    TransformerConfig,
)
from clearformer.nn import Block, PostNormBlock
from linebyline.parity import peers
from linebyline.parity.core import Compared, Differences, quiet, worst


@dataclass(frozen=True)
class Sizes:
    """The sizes of the models and of their inputs; all different, so that no axis passes for another.

    Args:
        B: Sequences in a batch.
        T: Tokens of each target.
        S: Tokens of each source, and of what a single stack reads; up to ``context``.
        vocab_size: Number of tokens.
        context: Number of positions.
        d_model: Width of the token vectors, even.
        n_heads: Heads in each layer, of which ``d_model`` is a multiple.
        n_kv_heads: Heads of the keys and values where they are shared, of which ``n_heads`` is a multiple.
        d_k: Width of a head where it is not ``d_model / n_heads``, even.
        n_layers: Number of blocks.
        d_ff: Width inside the feed-forward layers.
    """

    B: int = 7
    T: int = 5
    S: int = 9
    vocab_size: int = 31
    context: int = 17
    d_model: int = 24
    n_heads: int = 4
    n_kv_heads: int = 2
    d_k: int = 10
    n_layers: int = 3
    d_ff: int = 26


@dataclass(frozen=True)
class Whole(Compared):
    """A model with a peer.

    Args:
        name: As for ``Compared``.
        peer: As for ``Compared``.
        make: Makes the pair, in float32.
        ours: Asks our model for what is compared.
        theirs: Asks theirs for it.
        functional: Computes it in NumPy from the state of our model; None where there is no such version.
    """

    make: Callable[[], peers.Pair]
    ours: Callable[[Any], Tensor]
    theirs: Callable[[Any], Tensor]
    functional: Callable[[Mapping[str, np.ndarray]], np.ndarray] | None = None


class Inputs(NamedTuple):
    """What the models read: sources of unequal length, (B, S), and targets, (B, T)."""

    ids: Tensor
    there: Tensor
    segments: Tensor
    targets: Tensor


def whole_models(sizes: Sizes, *, seed: int = 0) -> tuple[Whole, ...]:
    """Give every model with a peer, in these sizes.

    Args:
        sizes: Of the models and the inputs.
        seed: Of the inputs.
    """
    inputs = _inputs(sizes, torch.Generator().manual_seed(seed))
    return *_decoders(sizes, inputs), *_encoders(sizes, inputs), *_encoder_decoders(sizes, inputs)


def measure_whole(case: Whole, dtype: str) -> Differences:
    """Ask both models of a pair the same, and compare the outputs and the gradients by every weight.

    Args:
        case: What to compare.
        dtype: ``"float32"`` or ``"float64"``.

    Raises:
        ValueError: the outputs differ in shape or type, or a weight of one has no place in the other.
    """
    with quiet(), torch.random.fork_rng(devices=[]):  # theirs draws weights that are never used
        pair = case.make()
    if dtype == "float64":
        pair = peers.in_float64(pair)
    got, expected = case.ours(pair.ours), case.theirs(pair.theirs)
    output = worst(case, [got.detach().numpy()], [expected.detach().numpy()])
    functional = None
    if case.functional is not None:
        arrays = {name: tensor.numpy() for name, tensor in pair.ours.state_dict().items()}
        functional = worst(case, [case.functional(arrays)], [expected.detach().numpy()])
    direction = torch.randn(expected.shape, generator=torch.Generator().manual_seed(0), dtype=expected.dtype)
    backwards = [replace(rule, factor=1 / rule.factor) for rule in pair.rules]
    slopes = convert(backwards, _gradients(pair.theirs, expected, direction))
    ours = _gradients(pair.ours, got, direction)
    gradients = worst(case, (ours[name].numpy() for name in slopes), (slope.numpy() for slope in slopes.values()))
    return Differences(case, dtype, functional, output, gradients, None)


def _gradients(model: torch.nn.Module, output: Tensor, direction: Tensor) -> dict[str, Tensor]:
    named = dict(model.named_parameters())
    found = torch.autograd.grad(
        (output * direction).sum(), list(named.values()), materialize_grads=True, allow_unused=True
    )
    return dict(zip(named, found, strict=True))


def _inputs(sizes: Sizes, generator: torch.Generator) -> Inputs:
    def draw(first: int, last: int, length: int) -> Tensor:
        return torch.randint(first, last, (sizes.B, length), generator=generator)

    # From 2 on: there the peers' tables of tokens have rows for padding, whose gradients they leave out.
    ids, targets = (draw(2, sizes.vocab_size, length) for length in (sizes.S, sizes.T))
    lengths = sizes.S - torch.arange(sizes.B) % sizes.S
    return Inputs(ids, torch.arange(sizes.S) < lengths[:, None], draw(0, 2, sizes.S), targets)


def _sizes(sizes: Sizes, *more: str) -> dict[str, Any]:
    return {name: getattr(sizes, name) for name in ("vocab_size", "d_model", "n_heads", "n_layers", "d_ff", *more)}


def _decoders(sizes: Sizes, inputs: Inputs) -> Iterator[Whole]:
    def decoder(name: str, peer: str, make: Callable[[], peers.Pair]) -> Whole:
        ours, theirs = (lambda model: model(inputs.ids)), (lambda model: model(inputs.ids).logits)
        return Whole(name, f"transformers {peer}", make, ours, theirs)

    gpt2 = GPT2Config(**_sizes(sizes, "context"))
    llama = LlamaConfig(**_sizes(sizes, "context", "n_kv_heads", "d_k"), tied=True)
    scaling = RotaryScaling(8.0, low=1.0, high=4.0, context=8)
    llama_3 = replace(llama, n_kv_heads=sizes.n_heads, base=100.0, scaling=scaling, tied=False)
    yield decoder("GPT-2", "GPT2LMHeadModel", lambda: peers.gpt2_pair(gpt2))
    yield decoder("Llama, grouped heads, tied", "LlamaForCausalLM", lambda: peers.llama_pair(llama))
    yield decoder("Llama 3, scaled angles", "LlamaForCausalLM", lambda: peers.llama_pair(llama_3))
    for n_heads in (sizes.n_heads, sizes.n_heads + 1):  # one of two neighbours is no power of two
        bloom = {"vocab_size": sizes.vocab_size, "n_heads": n_heads, "n_layers": sizes.n_layers}
        make = partial(peers.bloom_pair, **bloom, d_model=n_heads * sizes.d_k)
        yield decoder(f"Bloom, {n_heads} heads", "BloomForCausalLM", make)


def _encoders(sizes: Sizes, inputs: Inputs) -> Iterator[Whole]:
    def there(x: Tensor) -> Tensor:
        """What padding itself gives counts nowhere."""
        return x[inputs.there] if x.ndim == 3 else x

    def encoder(name: str, peer: str, config: BertConfig) -> Whole:
        ours: dict[str, Tensor] = {"mask": inputs.there}
        theirs = {"attention_mask": inputs.there.long()}
        if config.n_segments > 1:
            ours, theirs = ours | {"segments": inputs.segments}, theirs | {"token_type_ids": inputs.segments}
        return Whole(
            name,
            f"transformers {peer}",
            lambda: peers.bert_pair(config, peer),
            lambda model: there(model(inputs.ids, **ours)),
            lambda model: there(model(inputs.ids, **theirs)[0]),
        )

    bert = BertConfig(**_sizes(sizes, "context"))
    yield encoder("BERT", "BertModel", bert)
    yield encoder("BERT, hidden tokens", "BertForMaskedLM", bert)
    yield encoder("BERT, classes", "BertForSequenceClassification", bert)
    yield encoder("BERT, classes of tokens", "BertForTokenClassification", bert)
    yield encoder("RoBERTa, hidden tokens", "RobertaForMaskedLM", RobertaConfig(**_sizes(sizes, "context")))


def _encoder_decoders(sizes: Sizes, inputs: Inputs) -> Iterator[Whole]:
    def ours(model: Any) -> Tensor:
        logits: Tensor = model(inputs.ids, inputs.targets, mask=inputs.there)
        return logits

    def theirs(model: Any) -> Tensor:
        asked = {
            "input_ids": inputs.ids,
            "decoder_input_ids": inputs.targets,
            "attention_mask": inputs.there.long(),
        }
        logits: Tensor = model(**asked).logits
        return logits

    def t5(name: str, config: T5Config) -> Whole:
        return Whole(name, "transformers T5ForConditionalGeneration", lambda: peers.t5_pair(config), ours, theirs)

    def functional(block: Callable[..., np.ndarray], weights: Mapping[str, np.ndarray]) -> np.ndarray:
        ids, targets, there = (tensor.numpy() for tensor in (inputs.ids, inputs.targets, inputs.there))
        return F.encoder_decoder(weights, ids, targets, there, n_heads=sizes.n_heads, block=block)[0]

    first = TransformerConfig(**_sizes(sizes, "context"))
    for name, block, arrange in (("post-norm", PostNormBlock, F.post_norm_block), ("pre-norm", Block, F.block)):
        make = partial(peers.transformer_pair, first, block)
        yield Whole(f"Transformer, {name}", "PyTorch Transformer", make, ours, ours, partial(functional, arrange))
    yield Whole("Marian", "transformers MarianMTModel", lambda: peers.marian_pair(first), ours, theirs)
    relu = T5Config(**_sizes(sizes, "d_k"), n_buckets=8, max_distance=5)
    yield t5("T5, ReLU, tied", relu)
    yield t5("T5 1.1, gated GELU", replace(relu, gated=True, tied=False, activation="gelu_tanh"))


WHOLE = whole_models(Sizes())
