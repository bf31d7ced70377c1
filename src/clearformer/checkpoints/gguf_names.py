"""What GGUF calls settings and tensors, in the words of Hugging Face: one table a model."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clearformer.checkpoints.gguf_header import TensorInfo
from clearformer.checkpoints.late import Late
from clearformer.models import LlamaConfig, RotaryScaling

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    import clearformer.models.llama as llama
else:
    torch, llama, Tensor = Late("torch"), Late("clearformer.models.llama"), Any

# The one scaling that is published with its effect alone: that of Llama 3.1 to 3.3, which differ in the factor.
LOW, HIGH, CONTEXT = 1.0, 4.0, 8192
ENDS = ("eos", "eot", "eom")


@dataclass(frozen=True)
class Architecture:
    """How the files of a model differ from those of Hugging Face.

    Args:
        block: What the names of a block's tensors begin with there, a place for its number in it.
        inside: Tensors of a block, by GGUF's names.
        outside: The other tensors.
        settings: Settings, by GGUF's names; those that end in ``?`` may be left out.
        turned: Matrices that are (in, out) there, as GGUF never has them.
        fixed: What is true of every file.
    """

    block: str
    inside: Mapping[str, str]
    outside: Mapping[str, str]
    settings: Mapping[str, str]
    turned: frozenset[str] = frozenset()
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def published(self, name: str) -> str:
        """Give the name of a tensor there; one that is not known keeps its own.

        Example:
            >>> ARCHITECTURES["llama"].published("blk.7.attn_q.weight")
            'model.layers.7.self_attn.q_proj.weight'
        """
        stem, _, kind = name.rpartition(".")
        of_block = re.fullmatch(r"blk\.(\d+)\.(\w+)", stem)
        if of_block and of_block[2] in self.inside:
            return f"{self.block.format(of_block[1])}.{self.inside[of_block[2]]}.{kind}"
        return f"{self.outside[stem]}.{kind}" if stem in self.outside else name


ARCHITECTURES: Mapping[str, Architecture] = {
    "llama": Architecture(
        block="model.layers.{}",
        inside={
            "attn_norm": "input_layernorm",
            "attn_q": "self_attn.q_proj",
            "attn_k": "self_attn.k_proj",
            "attn_v": "self_attn.v_proj",
            "attn_output": "self_attn.o_proj",
            "ffn_norm": "post_attention_layernorm",
            "ffn_gate": "mlp.gate_proj",
            "ffn_up": "mlp.up_proj",
            "ffn_down": "mlp.down_proj",
        },
        outside={"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"},
        settings={
            "context_length": "max_position_embeddings",
            "embedding_length": "hidden_size",
            "block_count": "num_hidden_layers",
            "feed_forward_length": "intermediate_size",
            "attention.head_count": "num_attention_heads",
            "attention.head_count_kv?": "num_key_value_heads",
            "attention.key_length?": "head_dim",
            "attention.layer_norm_rms_epsilon": "rms_norm_eps",
        },
        fixed={"architectures": ["LlamaForCausalLM"], "hidden_act": "silu"},
    ),
    "gpt2": Architecture(
        block="transformer.h.{}",
        inside={
            "attn_norm": "ln_1",
            "attn_qkv": "attn.c_attn",
            "attn_output": "attn.c_proj",
            "ffn_norm": "ln_2",
            "ffn_up": "mlp.c_fc",
            "ffn_down": "mlp.c_proj",
        },
        outside={
            "token_embd": "transformer.wte",
            "position_embd": "transformer.wpe",
            "output_norm": "transformer.ln_f",
            "output": "lm_head",
        },
        settings={
            "context_length": "n_positions",
            "embedding_length": "n_embd",
            "block_count": "n_layer",
            "feed_forward_length?": "n_inner",
            "attention.head_count": "n_head",
            "attention.layer_norm_epsilon": "layer_norm_epsilon",
        },
        turned=frozenset({"attn_qkv.weight", "attn_output.weight", "ffn_up.weight", "ffn_down.weight"}),
        fixed={"architectures": ["GPT2LMHeadModel"], "activation_function": "gelu_new"},
    ),
}


def settings(metadata: Mapping[str, Any], tensors: Mapping[str, TensorInfo]) -> dict[str, Any]:
    """Give the settings as ``config.json`` has them, but for the scaling of rotary frequencies.

    Args:
        metadata: The facts of the file.
        tensors: Its tensors, which say how many tokens there are and whether a table is read twice.

    Raises:
        ValueError: the architecture is not known, a setting is missing, or one asks for what no model here has.
    """
    name = metadata.get("general.architecture")
    if not isinstance(name, str) or name not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise ValueError(f"general.architecture={str(name)[:40]!r} is not supported, only {known}")
    found: dict[str, Any] = {"model_type": name, **ARCHITECTURES[name].fixed}
    for key, theirs in ARCHITECTURES[name].settings.items():
        value = metadata.get(f"{name}.{key.removesuffix('?')}")
        if value is not None:
            found[theirs] = value
        elif not key.endswith("?"):
            raise ValueError(f"{name}.{key} is missing")
    if "token_embd.weight" not in tensors:
        raise ValueError("token_embd.weight is missing")
    found["vocab_size"] = tensors["token_embd.weight"].shape[0]
    ends = [metadata.get(f"tokenizer.ggml.{end}_token_id") for end in ENDS]
    found["eos_token_id"] = sorted({end for end in ends if type(end) is int})
    if name == "llama":
        found |= {"tie_word_embeddings": "output.weight" not in tensors, "rope_parameters": _rotation(metadata, found)}
    return found


def _rotation(metadata: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """Give base and kind of the rotary frequencies, and refuse those that no model here has."""
    said = {key.removeprefix("llama.rope."): value for key, value in metadata.items() if key.startswith("llama.rope.")}
    for key, only in (("scaling.type", "none"), ("scaling.factor", 1), ("scale_linear", 1)):
        if said.get(key, only) != only and not (key == "scaling.factor" and said.get("scaling.type") == "none"):
            raise ValueError(f"llama.rope.{key}={str(said[key])[:40]} is not supported, only {only}")
    d_model, n_heads = found["hidden_size"], found["num_attention_heads"]
    if type(d_model) is int and type(n_heads) is int and n_heads > 0:  # if not, they are refused where they are used
        d_k = found.get("head_dim", d_model // n_heads)
        for key in ("llama.rope.dimension_count", "llama.attention.value_length"):
            if metadata.get(key, d_k) != d_k:
                raise ValueError(f"{key}={str(metadata[key])[:40]} is not supported, only {d_k}, the width of a head")
    return {"rope_type": "default", "rope_theta": said.get("freq_base", 10000.0)}


def scaling(factors: Tensor, base: float) -> dict[str, Any]:
    """Find the scaling of Llama 3 by its effect, the factors by which each frequency is divided.

    Args:
        factors: The tensor ``rope_freqs.weight``, (d_k / 2,).
        base: Of the frequencies.

    Returns:
        What ``rope_parameters`` says of it in ``config.json``.

    Raises:
        ValueError: it is another scaling.

    Example:
        >>> scaling(torch.ones(4), 10000.0)["rope_type"]
        'default'
    """
    factor, d_k = float(factors.max()), 2 * len(factors)
    if bool((factors == 1).all()):
        return {"rope_type": "default"}
    if 1 < factor < 1e6 and 0 < base < 1e30:
        plain = LlamaConfig(base=base)
        scaled = LlamaConfig(base=base, scaling=RotaryScaling(factor, LOW, HIGH, CONTEXT))
        expected = llama.rotary_frequencies(plain, d_k) / llama.rotary_frequencies(scaled, d_k)  # (d_k / 2,)
        if torch.allclose(factors.double(), expected, rtol=1e-4):
            sizes = {"low_freq_factor": LOW, "high_freq_factor": HIGH, "original_max_position_embeddings": CONTEXT}
            return {"rope_type": "llama3", "factor": factor, **sizes}
    shown = ", ".join(f"{float(each):.4g}" for each in factors[-3:])
    raise ValueError(f"rope_freqs.weight (..., {shown}) is not the scaling of Llama 3 within {CONTEXT:,} positions")
