"""Models in the form that others publish: a small folder of each kind that ``clearformer.load`` reads.

BERT and T5 are models that the course keeps trained; the other three have random weights. The trained language model
has no such form: its positions are turned, as no GPT-2 has them, and its biases and its GELU have no place in a Llama.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from clearformer.checkpoints import save
from clearformer.files import write_whole
from clearformer.models import (
    GPT2Config,
    LlamaConfig,
    MaskedLMHead,
    RobertaConfig,
    gpt2,
    llama,
    roberta,
)
from clearformer.nn import ACTIVATIONS, Embedding, LayerNorm
from clearformer.tokenizers import BPETokenizer, UnigramTokenizer, WordPieceTokenizer
from clearformer.tokenizers.loading import AnyTokenizer
from linebyline.kept import WEIGHTS, tokenizer_path
from linebyline.masked_language_model import CLS, MASK, SEP, masked_language_model
from linebyline.text_to_text import START, text_to_text

SIZES: dict[str, Any] = {"context": 64, "d_model": 48, "n_heads": 4, "n_layers": 2, "d_ff": 96}
FRAME = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")  # in the order of RoBERTa's ids


@dataclass(frozen=True)
class Published:
    """A model with its sizes and its tokenizer, and what else its folder says.

    Args:
        model: It.
        config: Its sizes.
        tokenizer: Written beside it.
        trained: Whether it has learned anything.
        generation: What ``generation_config.json`` says; there is no such file when left out.
    """

    model: nn.Module
    config: Any
    tokenizer: AnyTokenizer
    trained: bool
    generation: dict[str, int] | None = None


def write(kind: str, folder: str | os.PathLike[str]) -> Published:
    """Write a model as a folder, and give what was written.

    Args:
        kind: One of ``KINDS``.
        folder: It is made if it is missing.

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


def _gpt2() -> Published:
    tokenizer = _bytes()
    config = GPT2Config(vocab_size=_n_tokens(tokenizer), **SIZES)
    return Published(gpt2(config, _generator()), config, tokenizer, trained=False)


def _llama() -> Published:
    tokenizer = _bytes()
    config = LlamaConfig(vocab_size=_n_tokens(tokenizer), n_kv_heads=2, **SIZES)
    return Published(llama(config, _generator()), config, tokenizer, trained=False)


def _roberta() -> Published:
    frame = {"type": "RobertaProcessing", "cls": ["<s>", 0], "sep": ["</s>", 2]}
    plain = _bytes()
    special = {name: i for i, name in enumerate(FRAME)}
    vocab = {token: i + len(FRAME) for token, i in plain.vocab.items()}
    steps = replace(plain.steps, post_processor=frame, added_tokens=())
    tokenizer = BPETokenizer(vocab, plain.merges, special_tokens=special, steps=steps)
    config, generator = RobertaConfig(vocab_size=_n_tokens(tokenizer), **SIZES), _generator()
    model = roberta(config, generator)
    assert isinstance(model.embedding, Embedding)
    norm = LayerNorm(config.d_model, eps=config.eps)
    model.head = MaskedLMHead(model.embedding, norm, activation=ACTIVATIONS[config.activation], generator=generator)
    return Published(model, config, tokenizer, trained=False)


def _bert() -> Published:
    """The masked language model of the course; the tokenizer frames what it reads."""
    kept = masked_language_model()
    frame = {"type": "BertProcessing", "cls": ["[CLS]", CLS], "sep": ["[SEP]", SEP]}
    plain = kept.tokenizer
    assert plain.special_tokens["[MASK]"] == MASK
    tokenizer = WordPieceTokenizer(plain.vocab, plain.special_tokens, steps=replace(plain.steps, post_processor=frame))
    return Published(kept.model, kept.record.recipe.config(), tokenizer, trained=True)


def _t5() -> Published:
    """The text-to-text model of the course; each word is a piece, and words stand apart, signs among them."""
    kept = text_to_text()
    special = {token: i for i, token in enumerate(kept.words.tokens) if token.startswith("<")}
    pieces = [(token if token in special else f"▁{token}", -1.0) for token in kept.words.tokens]
    # Its vocabulary is closed: what it does not know becomes the last of the tokens that nothing was taught about.
    unknown = [token for token in special if token.startswith("<extra_id_")][-1]
    tokenizer = UnigramTokenizer(pieces, special, unknown=unknown)
    generation = {"decoder_start_token_id": special[START], "eos_token_id": special["<end>"], "pad_token_id": 0}
    config = kept.record.recipe.config(len(kept.words))
    return Published(kept.model, config, tokenizer, trained=True, generation=generation)


KINDS: dict[str, Callable[[], Published]] = {
    "GPT-2": _gpt2,
    "Llama": _llama,
    "BERT": _bert,
    "RoBERTa": _roberta,
    "T5": _t5,
}


def _bytes() -> BPETokenizer:
    """The tokenizer of the language model."""
    return BPETokenizer.load(tokenizer_path(WEIGHTS / "language_model.safetensors"))


def _n_tokens(tokenizer: BPETokenizer) -> int:
    return len(tokenizer.vocab) + len(tokenizer.special_tokens)


def _generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)
