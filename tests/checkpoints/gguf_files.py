"""GGUF files written by the library of that name, with the weights of small models of ``transformers``."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import transformers

from tests.checkpoints import folders

# What quantized rows need: widths that are whole blocks.
LLAMA = {
    **{"vocab_size": 37, "hidden_size": 256, "num_hidden_layers": 2, "num_attention_heads": 8},
    **{"num_key_value_heads": 2, "intermediate_size": 256, "max_position_embeddings": 48},
}
GPT2 = {"vocab_size": 37, "n_embd": 256, "n_layer": 2, "n_head": 4, "n_positions": 48}


def small_model(architecture: str, **settings: Any) -> Any:
    """Make a model of theirs, none of whose weights is trivial."""
    ends: dict[str, Any] = {"bos_token_id": None, "eos_token_id": None}
    if architecture == "llama":
        model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**{**LLAMA, **ends, **settings}))
    else:
        model = transformers.GPT2LMHeadModel(transformers.GPT2Config(**{**GPT2, **ends, **settings}))
    return folders.perturbed(model).eval()


def tensors_of(model: Any) -> dict[str, np.ndarray]:
    """Return the tensors of a model as GGUF has them: names, (out, in), and the rows of Llama's q and k as pairs."""
    config, found = model.config, dict[str, np.ndarray]()
    architecture = gguf.MODEL_ARCH[config.model_type.upper()]
    names = gguf.get_tensor_name_map(architecture, config.num_hidden_layers)
    for name, tensor in model.state_dict().items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        theirs = names.get_name(name, (".weight", ".bias"))
        array = tensor.numpy()
        if config.model_type == "gpt2" and array.ndim == 2 and ".h." in name:
            array = array.T
        if "q_proj" in name or "k_proj" in name:
            n_heads = config.num_attention_heads if "q_proj" in name else config.num_key_value_heads
            array = array.reshape(n_heads, 2, -1, array.shape[1]).swapaxes(1, 2).reshape(array.shape)
        found[theirs] = np.ascontiguousarray(array)
    return found


def facts_of(model: Any) -> dict[str, Any]:
    """Return the settings of a model under GGUF's keys, without the name of the architecture before them."""
    config = model.config
    if config.model_type == "gpt2":
        return {
            **{"context_length": config.n_positions, "embedding_length": config.n_embd, "block_count": config.n_layer},
            **{"feed_forward_length": 4 * config.n_embd, "attention.head_count": config.n_head},
            "attention.layer_norm_epsilon": config.layer_norm_epsilon,
        }
    return {
        **{"context_length": config.max_position_embeddings, "embedding_length": config.hidden_size},
        **{"block_count": config.num_hidden_layers, "feed_forward_length": config.intermediate_size},
        **{"attention.head_count": config.num_attention_heads, "attention.head_count_kv": config.num_key_value_heads},
        "attention.layer_norm_rms_epsilon": config.rms_norm_eps,
        "rope.freq_base": float(config.rope_parameters["rope_theta"]),
        "rope.dimension_count": config.hidden_size // config.num_attention_heads,
    }


def write(
    path: Path,
    model: Any,
    *,
    kind: str = "F32",
    facts: Mapping[str, Any] = {},
    more: Mapping[str, np.ndarray] = {},
    without: Iterable[str] = (),
) -> dict[str, np.ndarray]:
    """Write a model; give its tensors as a reader should find them, under GGUF's names.

    Args:
        path: The file.
        model: Theirs.
        kind: How matrices are stored; vectors are F32 always.
        facts: Whole keys and their values, over those of the model; None leaves one out.
        more: Further tensors, which are F32 always.
        without: Tensors to leave out.
    """
    architecture, stored = model.config.model_type, gguf.GGMLQuantizationType[kind]
    writer = gguf.GGUFWriter(path, architecture)
    said = {f"{architecture}.{key}": value for key, value in facts_of(model).items()}
    for key, value in {**said, **facts}.items():
        add(writer, key, value)
    found = {}
    for name, array in {**tensors_of(model), **more}.items():
        if name in without:
            continue
        is_plain = array.ndim < 2 or kind == "F32" or name in more
        raw = array.astype(np.float32) if is_plain else quantized(array, stored)
        writer.add_tensor(name, raw, raw_dtype=gguf.GGMLQuantizationType.F32 if is_plain else stored)
        found[name] = raw if is_plain else gguf.dequantize(raw, stored)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return found


def quantized(array: np.ndarray, kind: gguf.GGMLQuantizationType) -> np.ndarray:
    """Store a matrix; where the library only reads a kind, draw bytes with small scales in its place."""
    try:
        return gguf.quantize(array, kind)
    except NotImplementedError:
        block, nbytes = gguf.GGML_QUANT_SIZES[kind]
        rng, shape = np.random.default_rng(len(array)), (len(array), array.shape[1] // block, nbytes)
        raw = rng.integers(0, 256, shape, dtype=np.uint8)
        at = {"Q2_K": (16 + 64, 82), "Q3_K": (108,), "Q6_K": (208,)}.get(kind.name, (0, 2))
        for place in at:  # where the scales of a block are, float16: 0.001
            raw[..., place : place + 2] = np.frombuffer(np.float16(0.001).tobytes(), np.uint8)
        return raw.reshape(len(array), -1)


def add(writer: gguf.GGUFWriter, key: str, value: Any) -> None:
    """Add a fact of whatever type."""
    if value is None:
        return
    if isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    elif isinstance(value, float):
        writer.add_float32(key, value)
    elif isinstance(value, str):
        writer.add_string(key, value)
    else:
        writer.add_array(key, list(value))
