"""Right answers to the exercises on Llama."""

import re
from collections.abc import Mapping

import numpy as np

PARTS = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    **{f"self_attn.{part}_proj": f"attn_{part}" for part in "qkv"},
    **{f"mlp.{part}_proj": f"ffn_{part}" for part in ("gate", "up", "down")},
}


def rename(tensors: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """A name is a block, perhaps, a part, and an ending."""
    result = {}
    for name, tensor in tensors.items():
        found = re.fullmatch(r"(?:model\.layers\.(\d+)\.)?(.+)\.weight", name)
        if found is None or found[2] not in PARTS:
            raise ValueError(f"no name for {name}")
        block = "" if found[1] is None else f"blk.{found[1]}."
        result[f"{block}{PARTS[found[2]]}.weight"] = tensor
    return result


def block_weights(tensors: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Join along the outputs first, and turn what was joined."""
    weights = {"w_qkv": np.vstack([tensors[f"{part}_proj"] for part in "qkv"]).T, "w_o": tensors["o_proj"].T}
    return weights | {f"w_{part}": np.swapaxes(tensors[f"{part}_proj"], 0, 1) for part in ("gate", "up", "down")}


def product(x: np.ndarray, packed: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Group by group, even columns and odd ones apart."""
    total = np.zeros((len(x), len(packed)))
    for columns, codes in ((x[:, ::2], packed % 16), (x[:, 1::2], packed // 16)):
        groups = np.split(codes.astype(float) - 8, steps.shape[1], axis=1)
        for group, part, step in zip(groups, np.split(columns, steps.shape[1], axis=1), steps.T, strict=True):
            total += (part @ group.T) * step
    return total


RIGHT_LLAMA = {
    "llama.cache": (2 * 80 * 8 * 128 * 2 * 2**17 / 2**30, 35.3e9 / (2 * 80 * 8 * 128 * 2) / 1000),
    "llama.width": 11_008 + 4096 // 2,
    "llama.rename": rename,
    "llama.transposed": block_weights,
    "llama.int4": product,
}
