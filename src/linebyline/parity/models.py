"""Whole models and their peers on the same inputs and weights, and how far the two are apart."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from clearformer import functional as F
from clearformer import models
from clearformer.models.tensor_names import convert
from clearformer.nn import Block, PostNormBlock
from linebyline.parity import peers
from linebyline.parity.comparison import Compared, Differences, as_arrays, gradients, without_widget_warning, worst


@dataclass(frozen=True)
class ModelSizes:
    """The sizes of the models and of their inputs; all different, so that no axis passes for another.

    Sources have up to ``S`` tokens, with ``S`` up to ``context``; targets have ``T``. ``d_k`` is the width of a head
    where that is not ``d_model / n_heads``.
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

    def of(self, *more: str) -> dict[str, Any]:
        """Return the sizes that every config has, and these."""
        return {name: getattr(self, name) for name in ("vocab_size", "d_model", "n_heads", "n_layers", "d_ff", *more)}


@dataclass(frozen=True)
class Model(Compared):
    """A model with a peer.

    ``make`` makes both with the same weights, in float32; ``ours`` and ``theirs`` compute from each what is compared,
    and ``functional`` computes it in NumPy from the state of our model, where there is such a version.
    """

    make: Callable[[], peers.Pair]
    ours: Callable[[Any], Tensor]
    theirs: Callable[[Any], Tensor]
    functional: Callable[[Mapping[str, np.ndarray]], np.ndarray] | None = None


class Inputs(NamedTuple):
    """What the models read: sources of unequal length, (B, S), with a mask and segments, and targets, (B, T)."""

    ids: Tensor
    mask: Tensor
    segments: Tensor
    targets: Tensor


def all_models(sizes: ModelSizes, *, seed: int = 0) -> tuple[Model, ...]:
    """Return every model with a peer in these sizes, on inputs drawn from a seed."""
    inputs = _inputs(sizes, torch.Generator().manual_seed(seed))
    return *_decoders(sizes, inputs), *_encoders(sizes, inputs), *_encoder_decoders(sizes, inputs)


def measure_model(model: Model, dtype: str) -> Differences:
    """Run both models of a pair, in ``"float32"`` or ``"float64"``; compare outputs and the gradients of all weights.

    A ValueError says that the outputs differ in shape or type, or that a weight of one model has no place in the other.
    """
    with without_widget_warning(), torch.random.fork_rng(devices=[]):  # theirs draws weights that are never used
        pair = model.make()
    if dtype == "float64":
        pair = peers.in_float64(pair)
    got, expected = model.ours(pair.ours), model.theirs(pair.theirs)
    right = as_arrays([expected])
    largest = {"module": worst(model, as_arrays([got]), right)}
    if model.functional is not None:
        weights = {name: tensor.numpy() for name, tensor in pair.ours.state_dict().items()}
        largest["functional"] = worst(model, [model.functional(weights)], right)
    directions = [torch.randn(expected.shape, generator=torch.Generator().manual_seed(0), dtype=expected.dtype)]
    inverses = [replace(rule, factor=1 / rule.factor) for rule in pair.rules]
    theirs = convert(inverses, gradients([expected], directions, dict(pair.theirs.named_parameters())))
    ours = gradients([got], directions, dict(pair.ours.named_parameters()))
    largest["gradients"] = worst(model, as_arrays(ours[name] for name in theirs), as_arrays(theirs.values()))
    return Differences(model, dtype, largest)


def _inputs(sizes: ModelSizes, generator: torch.Generator) -> Inputs:
    def draw(first: int, last: int, length: int) -> Tensor:
        return torch.randint(first, last, (sizes.B, length), generator=generator)

    # From 2 on: the peers' token tables have rows for padding below, whose gradients they leave out.
    ids, targets = (draw(2, sizes.vocab_size, length) for length in (sizes.S, sizes.T))
    lengths = sizes.S - torch.arange(sizes.B) % sizes.S
    return Inputs(ids, torch.arange(sizes.S) < lengths[:, None], draw(0, 2, sizes.S), targets)


def _decoders(sizes: ModelSizes, inputs: Inputs) -> Iterator[Model]:
    def decoder(name: str, peer: str, make: Callable[..., peers.Pair], *args: Any, **sizes: Any) -> Model:
        ours, theirs = (lambda model: model(inputs.ids)), (lambda model: model(inputs.ids).logits)
        return Model(name, f"transformers {peer}", partial(make, *args, **sizes), ours, theirs)

    gpt2 = models.GPT2Config(**sizes.of("context"))
    llama = models.LlamaConfig(**sizes.of("context", "n_kv_heads", "d_k"), tied=True)
    scaling = models.RotaryScaling(8.0, low=1.0, high=4.0, context=8)
    llama_3 = replace(llama, n_kv_heads=sizes.n_heads, base=100.0, scaling=scaling, tied=False)
    yield decoder("GPT-2", "GPT2LMHeadModel", peers.gpt2_pair, gpt2)
    yield decoder("Llama, grouped heads, tied", "LlamaForCausalLM", peers.llama_pair, llama)
    yield decoder("Llama 3, scaled angles", "LlamaForCausalLM", peers.llama_pair, llama_3)
    for n in (sizes.n_heads, sizes.n_heads + 1):  # one of two neighbors is not a power of two
        bloom = {"vocab_size": sizes.vocab_size, "d_model": n * sizes.d_k, "n_heads": n, "n_layers": sizes.n_layers}
        yield decoder(f"Bloom, {n} heads", "BloomForCausalLM", peers.bloom_pair, **bloom)


def _encoders(sizes: ModelSizes, inputs: Inputs) -> Iterator[Model]:
    def unpadded(x: Tensor) -> Tensor:
        """The outputs of tokens, without those of padding, which mean nothing."""
        return x[inputs.mask] if x.ndim == 3 else x

    def encoder(name: str, peer: str, config: models.BertConfig) -> Model:
        segments = inputs.segments if config.n_segments > 1 else None
        return Model(
            name,
            f"transformers {peer}",
            lambda: peers.bert_pair(config, peer),
            lambda model: unpadded(model(inputs.ids, mask=inputs.mask, segments=segments)),
            lambda model: unpadded(model(inputs.ids, inputs.mask.long(), segments)[0]),
        )

    bert = models.BertConfig(**sizes.of("context"))
    yield encoder("BERT", "BertModel", bert)
    yield encoder("BERT, hidden tokens", "BertForMaskedLM", bert)
    yield encoder("BERT, classes", "BertForSequenceClassification", bert)
    yield encoder("BERT, classes of tokens", "BertForTokenClassification", bert)
    yield encoder("RoBERTa, hidden tokens", "RobertaForMaskedLM", models.RobertaConfig(**sizes.of("context")))


def _encoder_decoders(sizes: ModelSizes, inputs: Inputs) -> Iterator[Model]:
    def ours(model: Any) -> Any:
        return model(inputs.ids, inputs.targets, mask=inputs.mask)

    def theirs(model: Any) -> Any:
        return model(inputs.ids, inputs.mask.long(), decoder_input_ids=inputs.targets).logits

    def t5(name: str, config: models.T5Config) -> Model:
        return Model(name, "transformers T5ForConditionalGeneration", lambda: peers.t5_pair(config), ours, theirs)

    def functional(block: Callable[..., np.ndarray], weights: Mapping[str, np.ndarray]) -> np.ndarray:
        ids, targets, mask = (tensor.numpy() for tensor in (inputs.ids, inputs.targets, inputs.mask))
        return F.encoder_decoder(weights, ids, targets, mask, n_heads=sizes.n_heads, block=block)[0]

    first = models.TransformerConfig(**sizes.of("context"))
    for name, block, arrange in (("post-norm", PostNormBlock, F.post_norm_block), ("pre-norm", Block, F.block)):
        make = partial(peers.transformer_pair, first, block)
        yield Model(f"Transformer, {name}", "PyTorch Transformer", make, ours, ours, partial(functional, arrange))
    yield Model("Marian", "transformers MarianMTModel", lambda: peers.marian_pair(first), ours, theirs)
    relu = models.T5Config(**sizes.of("d_k"), n_buckets=8, max_distance=5)
    yield t5("T5, ReLU, tied", relu)
    yield t5("T5 1.1, gated GELU", replace(relu, gated=True, tied=False, activation="gelu_tanh"))


MODELS = all_models(ModelSizes())
