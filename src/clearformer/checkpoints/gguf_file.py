"""A GGUF file as a checkpoint: settings, tensors and tokenizer in one file, under the names of Hugging Face.

Needs the extra ``gguf``.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from clearformer.checkpoints import gguf_tokenizer
from clearformer.checkpoints.folder import Entry
from clearformer.models import GPT2Config, LlamaConfig, RotaryScaling
from clearformer.models.gpt2 import gpt2_rules
from clearformer.models.llama import llama_rules, rotary_frequencies
from clearformer.models.settings import Settings
from clearformer.models.tensor_names import within
from clearformer.tokenizers import PublishedTokenizer

try:
    import gguf
except ImportError as error:
    raise ImportError("GGUF files need the extra gguf: pip install 'clearformer[gguf]'") from error

# The settings of each architecture: GGUF's name, then that of config.json; those with "?" are optional.
SETTINGS: dict[str, dict[str, str]] = {
    "llama": {
        "context_length": "max_position_embeddings",
        "embedding_length": "hidden_size",
        "block_count": "num_hidden_layers",
        "feed_forward_length": "intermediate_size",
        "attention.head_count": "num_attention_heads",
        "attention.head_count_kv?": "num_key_value_heads",
        "attention.key_length?": "head_dim",
        "attention.layer_norm_rms_epsilon": "rms_norm_eps",
    },
    "gpt2": {
        "context_length": "n_positions",
        "embedding_length": "n_embd",
        "block_count": "n_layer",
        "feed_forward_length?": "n_inner",
        "attention.head_count": "n_head",
        "attention.layer_norm_epsilon": "layer_norm_epsilon",
    },
}
ROTATION = "rope_freqs.weight"
# Llama 3.1 to 3.3 are published with the effect of their scaling alone, and differ in the factor.
LOW, HIGH, CONTEXT = 1.0, 4.0, 8192


class GGUFFile:
    """The tensors of a GGUF file by the names of Hugging Face; quantized ones are dequantized when they are read.

    A damaged file, and an architecture or a setting that is not supported, are a ValueError.

    Example:
        >>> GGUFFile("pyproject.toml")
        Traceback (most recent call last):
        ValueError: pyproject.toml is damaged or not a GGUF file: GGUF magic invalid
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.source = str(self.path)
        try:
            reader = _Reader(path, "c")
            self.metadata: dict[str, Any] = {name: field.contents() for name, field in reader.fields.items()}
        except FileNotFoundError:
            raise
        except Exception as error:  # the reader checks little, so damage shows as errors of many kinds
            raise ValueError(f"{path} is damaged or not a GGUF file: {str(error)[:200]}") from None
        tensors = {tensor.name: tensor for tensor in reader.tensors}
        try:
            self.config = _settings(self.metadata, tensors)
            published = _published_names(self.config, len(tensors))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
        self._tensors = {published.get(name, name): tensor for name, tensor in tensors.items() if name != ROTATION}
        self.entries = {name: _entry(name, tensor) for name, tensor in self._tensors.items()}

    def read(self, name: str) -> Tensor:
        """Return a tensor, float32 if the file has it quantized."""
        tensor = _numbers(self._tensors[name])
        if name.endswith(("q_proj.weight", "k_proj.weight")):  # GGUF orders the rows of a head in pairs, we in halves
            own = "num_attention_heads" if "q_proj" in name else "num_key_value_heads"
            n_heads = self.config.get(own, self.config["num_attention_heads"])
            if len(tensor) % (2 * n_heads):
                raise ValueError(f"{self.path}: {name} has {len(tensor)} rows, which are not pairs of {n_heads} heads")
            pairs = tensor.reshape(n_heads, -1, 2, tensor.shape[-1])  # (n_heads, d_k / 2, 2, d_model)
            return pairs.transpose(1, 2).reshape(tensor.shape)
        return tensor.mT if _is_transposed(name) else tensor

    def place(self, name: str) -> str:
        """Return the path of the file that a tensor is in."""
        return str(self.path)

    def tokenizer(self) -> PublishedTokenizer:
        """Return the tokenizer that the file describes; without one that is supported, there is a ValueError."""
        try:
            return gguf_tokenizer.tokenizer(self.metadata)
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from None

    def tokenizer_config(self) -> dict[str, Any]:
        """Return the chat template, and the special tokens that it may use."""
        return gguf_tokenizer.config(self.metadata)

    def generation(self) -> dict[str, Any]:
        """Return the settings: the tokens that end a text are among them."""
        return self.config


class _Reader(gguf.GGUFReader):
    """A reader that stops at the end of the file, while its base class never returns from a damaged one."""

    def _get(self, offset: int, dtype: Any, count: int = 1, override_order: Any = None) -> Any:
        if offset + np.dtype(dtype).itemsize * int(count) > len(self.data):
            raise ValueError(f"it is cut short: {int(count):,} numbers at byte {offset:,} of {len(self.data):,}")
        return super()._get(offset, dtype, count, override_order)


def _is_transposed(name: str) -> bool:
    """Whether Hugging Face has a matrix as (in, out); GGUF never does."""
    return bool(re.search(r"\.c_(attn|proj|fc)\.weight$", name))


def _entry(name: str, tensor: Any) -> Entry:
    shape = tuple(map(int, tensor.shape))  # GGUF names the axis of adjacent numbers first
    return Entry(shape if _is_transposed(name) else shape[::-1], tensor.tensor_type.name)


def _numbers(tensor: Any) -> Tensor:
    """The numbers of a tensor; a damaged scale of a quantized one yields NaN, which loading refuses."""
    if tensor.tensor_type.name in ("F16", "F32", "F64"):
        return torch.from_numpy(tensor.data)
    if tensor.tensor_type.name == "BF16":
        return torch.from_numpy(tensor.data).view(torch.bfloat16)
    with np.errstate(all="ignore"):
        return torch.from_numpy(gguf.dequantize(tensor.data, tensor.tensor_type))


def _settings(metadata: Mapping[str, Any], tensors: Mapping[str, Any]) -> dict[str, Any]:
    """The ``config.json`` of a file."""
    name = metadata.get("general.architecture")
    if name not in SETTINGS:
        raise ValueError(f"general.architecture={name!r} is not supported, only {', '.join(SETTINGS)}")
    found: dict[str, Any] = {"model_type": name}
    for key, theirs in SETTINGS[name].items():
        value = metadata.get(f"{name}.{key.removesuffix('?')}")
        if value is not None:
            found[theirs] = value
        elif not key.endswith("?"):
            raise ValueError(f"{name}.{key} is missing")
    if "token_embd.weight" not in tensors:
        raise ValueError("token_embd.weight is missing")
    found["vocab_size"] = int(tensors["token_embd.weight"].shape[-1])
    ends = [metadata.get(f"tokenizer.ggml.{end}_token_id") for end in ("eos", "eot", "eom")]
    found["eos_token_id"] = sorted({end for end in ends if end is not None})
    if name == "llama":
        found["tie_word_embeddings"] = "output.weight" not in tensors
        found["rope_parameters"] = _rotation(metadata, found, tensors)
    return found


def _published_names(config: Mapping[str, Any], n_tensors: int) -> dict[str, str]:
    """The names of Hugging Face by those of GGUF."""
    n_layers = Settings(config, "the metadata").size("num_hidden_layers", "n_layer", most=n_tensors)
    if config["model_type"] == "llama":
        rules, architecture = llama_rules(LlamaConfig(n_layers=n_layers)), gguf.MODEL_ARCH.LLAMA
    else:
        rules, architecture = gpt2_rules(GPT2Config(n_layers=n_layers)), gguf.MODEL_ARCH.GPT2
        rules = within("transformer.", rules)
    names = gguf.get_tensor_name_map(architecture, n_layers)
    needed = [theirs for rule in rules for theirs in rule.theirs] + ["lm_head.weight"]
    return {names.get_name(theirs, (".weight", ".bias")) or theirs: theirs for theirs in needed}


def _rotation(metadata: Mapping[str, Any], found: Mapping[str, Any], tensors: Mapping[str, Any]) -> dict[str, Any]:
    """Base and scaling of the rotary frequencies; the scaling of Llama 3 is known by the factors it leads to."""
    rope = {key.removeprefix("llama.rope."): value for key, value in metadata.items() if key.startswith("llama.rope.")}
    settings = Settings(found, "the metadata")
    d_k = settings.size("head_dim", default=settings.size("hidden_size") // settings.size("num_attention_heads"))
    for key in ("rope.dimension_count", "attention.value_length"):
        if metadata.get(f"llama.{key}", d_k) != d_k:
            raise ValueError(f"llama.{key}={metadata[f'llama.{key}']} is not supported, only {d_k}, as wide as a head")
    for key, only in (("scaling.type", "none"), ("scaling.factor", 1), ("scale_linear", 1)):
        if rope.get(key, only) != only and not (key == "scaling.factor" and rope.get("scaling.type") == "none"):
            raise ValueError(f"llama.rope.{key}={rope[key]} is not supported, only {only}")
    base = float(rope.get("freq_base", 10000.0))
    plain = {"rope_type": "default", "rope_theta": base}
    if ROTATION not in tensors:
        return plain
    factors = _numbers(tensors[ROTATION]).double()  # (d_k / 2,), what each frequency is divided by
    factor, d_k = float(factors.max()), 2 * len(factors)
    if bool((factors == 1).all()):
        return plain
    scaled = LlamaConfig(base=base, scaling=RotaryScaling(factor, LOW, HIGH, CONTEXT))
    expected = rotary_frequencies(LlamaConfig(base=base), d_k) / rotary_frequencies(scaled, d_k)
    if not torch.allclose(factors, expected, rtol=1e-4):
        raise ValueError(f"{ROTATION} up to {factor:.4g} is not the scaling of Llama 3 within {CONTEXT:,} positions")
    sizes = {"low_freq_factor": LOW, "high_freq_factor": HIGH, "original_max_position_embeddings": CONTEXT}
    return {**plain, "rope_type": "llama3", "factor": factor, **sizes}
