"""Models in the form that others publish: a small folder of each kind that ``clearformer.load`` reads.

BERT and T5 are models that the course keeps trained; the other three have random weights. The trained language model
has no such form: its positions are turned, as no GPT-2 has them, and its biases and its GELU have no place in a Llama.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import tokenizers
import torch
from tokenizers import decoders, models, pre_tokenizers, processors
from torch import nn

from clearformer.checkpoints import save
from clearformer.files import write_whole
from clearformer.models import GPT2Config, LlamaConfig, RobertaConfig, gpt2, llama, roberta
from clearformer.tokenizers import BPETokenizer, PublishedTokenizer, Tokenizer
from linebyline.kept_models import WEIGHTS, tokenizer_path
from linebyline.masked_language_model import encoder, masked_language_model
from linebyline.text_to_text import START, text_to_text

SIZES: dict[str, Any] = {"context": 64, "d_model": 48, "n_heads": 4, "n_layers": 2, "d_ff": 96}
FRAME = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")  # in the order of RoBERTa's ids


@dataclass(frozen=True)
class Published:
    """A model with its sizes and its tokenizer, and what else its folder says."""

    model: nn.Module
    config: Any
    tokenizer: Tokenizer
    trained: bool  #: Whether it has learned anything
    #: What ``generation_config.json`` says; there is no such file when left out.
    generation: dict[str, int] | None = None


def write(kind: str, folder: str | os.PathLike[str]) -> Published:
    """Write a model of one of the ``KINDS`` as a folder, and return what was written.

    Raises:
        ValueError: there is no such kind.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     made = write("T5", folder)
        ...     sorted(path.name for path in Path(folder).iterdir())
        ['config.json', 'generation_config.json', 'model.safetensors', 'tokenizer.json']
    """
    if kind not in KINDS:
        raise ValueError(f"kind={kind!r} is none of {', '.join(KINDS)}")
    made = KINDS[kind]()
    save(folder, made.model, made.config, made.tokenizer)
    if made.generation is not None:
        write_whole(Path(folder) / "generation_config.json", json.dumps(made.generation, indent=2))
    return made


def _random(build: Callable[..., nn.Module], config_of: Callable[..., Any], **others: int) -> Published:
    """A model with random weights, which reads bytes."""
    tokenizer = _bytes()
    config = config_of(vocab_size=tokenizer.vocab_size, **SIZES, **others)
    return Published(build(config, _generator()), config, tokenizer, trained=False)


def _roberta() -> Published:
    plain = _bytes()
    special = {name: i for i, name in enumerate(FRAME)}
    vocab = {token: i + len(FRAME) for token, i in plain.vocab.items()}
    tokenizer = _framed(BPETokenizer(vocab, plain.merges, special_tokens=special), "<s>", "</s>")
    config = RobertaConfig(vocab_size=tokenizer.vocab_size, **SIZES)
    return Published(encoder(config, _generator(), roberta), config, tokenizer, trained=False)


def _bert() -> Published:
    """The masked language model of the course; the tokenizer frames what it reads."""
    kept = masked_language_model()
    tokenizer = _framed(kept.tokenizer, "[CLS]", "[SEP]")
    return Published(kept.model, kept.record.recipe.config(), tokenizer, trained=True)


def _t5() -> Published:
    """The text-to-text model of the course; each word is a piece, and words stand apart, signs among them."""
    kept = text_to_text()
    special = {token: i for i, token in enumerate(kept.words.tokens) if token.startswith("<")}
    pieces = [(token if token in special else f"▁{token}", -1.0) for token in kept.words.tokens]
    # Its vocabulary is closed: an unknown word becomes the last of the tokens that the model learned nothing about.
    unknown = max(i for token, i in special.items() if token.startswith("<extra_id_"))
    backend = tokenizers.Tokenizer(models.Unigram(pieces, unknown))
    backend.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    backend.decoder = decoders.Metaspace()
    backend.add_special_tokens(list(special))
    tokenizer = PublishedTokenizer(backend)
    generation = {"decoder_start_token_id": special[START], "eos_token_id": special["<end>"], "pad_token_id": 0}
    config = kept.record.recipe.config(len(kept.words))
    return Published(kept.model, config, tokenizer, trained=True, generation=generation)


KINDS: dict[str, Callable[[], Published]] = {
    "GPT-2": partial(_random, gpt2, GPT2Config),
    "Llama": partial(_random, llama, LlamaConfig, n_kv_heads=2),
    "BERT": _bert,
    "RoBERTa": _roberta,
    "T5": _t5,
}


def _bytes() -> BPETokenizer:
    """The tokenizer of the language model."""
    return BPETokenizer.load(tokenizer_path(WEIGHTS / "language_model.safetensors"))


def _framed(tokenizer: Tokenizer, first: str, last: str) -> PublishedTokenizer:
    """The tokenizer with a special token before each text and one after it."""
    backend = tokenizers.Tokenizer.from_str(tokenizer.to_json())
    ids = [(token, tokenizer.special_tokens[token]) for token in (first, last)]
    backend.post_processor = processors.TemplateProcessing(single=f"{first} $A {last}", special_tokens=ids)
    return PublishedTokenizer(backend)


def _generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)
