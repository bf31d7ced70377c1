"""The exercises on sizes, and on the names of tensors."""

import re
from functools import partial

import numpy as np
import torch

from clearformer.nn import KeyValueCache
from linebyline.decoder_sizes import DecoderSizes
from linebyline.exercises.core import Chapter, expect_close, expect_equal, expect_raises

chapter = Chapter("llama", np=np)


@chapter.predict(
    "The cache of a large model · easy · 2 points · 10 minutes · may use a calculator",
    ("GiB of cache", "thousands of tokens whose cache is as large as the weights"),
    right=(2 * 80 * 8 * 128 * 2 * 2**17 / 2**30, 35.3e9 / (2 * 80 * 8 * 128 * 2) / 1000),
    wrong={
        "The keys are there. The values are kept as well.": (20, 215.4),
        "That many heads ask. Only those of keys and values are kept.": (320, 13.47),
        "A number of the cache has two bytes; the four bits are those of the weights.": (10, 430.9),
        "This is one block. Each of the 80 keeps keys and values of its own.": (0.5, 8618),
        "The first is right. At four bits a weight two weights share a byte.": (40, 215.5),
        "The first is right. A weight has four bits here, not two bytes.": (40, 430.9),
    },
)
def cache(rng, n_layers=80, n_kv_heads=8, d_k=128, n_tokens=131_072):
    """Make the cache of a token, of shapes only, and count its bytes."""
    k, v = torch.empty(2, n_kv_heads, 1, d_k, dtype=torch.bfloat16, device="meta")
    cache = KeyValueCache(k, v)
    bytes_of_token = n_layers * (cache.k.nbytes + cache.v.nbytes)
    bytes_of_weights = 70.6e9 / 2  # four bits a weight
    return n_tokens * bytes_of_token / 2**30, bytes_of_weights / bytes_of_token / 1000


@chapter.predict(
    "What sharing pays for · easy · 2 points · 10 minutes · may use a calculator",
    "the new width of the feed-forward layers",
    within=0.01,
    right=11_008 + 4096 // 2,
    wrong={
        "Keys shrink, and so do values: both matrices are saved from.": 12_032,
        "A gated layer has three matrices, among which the saved weights are shared.": 14_080,
        "This is all of both matrices. A quarter of each is still there.": 13_739,
        "Queries and output keep their matrices: only keys and values have fewer heads.": 15_104,
        "What is saved has to go somewhere, or the model is smaller.": 11_008,
    },
)
def width(rng, d_model=4096, n_heads=32, n_kv_heads=8, d_ff=11_008):
    """Widen the layer by one until the model has as many parameters as it had."""
    before = DecoderSizes(d_model, 1, n_heads, n_heads, d_ff, 1).parameters
    while DecoderSizes(d_model, 1, n_heads, n_kv_heads, d_ff, 1).parameters < before:
        d_ff += 1
    return d_ff


AROUND = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
WITHIN = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def _names_of_model(n_layers):
    """The new name of each tensor by its old one."""
    names = {f"{old}.weight": f"{new}.weight" for old, new in AROUND.items()}
    for n in range(n_layers):
        names |= {f"model.layers.{n}.{old}.weight": f"blk.{n}.{new}.weight" for old, new in WITHIN.items()}
    return names


NAMES = _names_of_model(100)


def _rename(tensors):
    if unknown := tensors.keys() - NAMES.keys():
        raise ValueError(f"no name for {sorted(unknown)}")
    return {NAMES[name]: tensor for name, tensor in tensors.items()}


def _rename_by_pattern(tensors):
    result = {}
    for name, tensor in tensors.items():
        found = re.fullmatch(r"(model\.layers\.(\d+)\.)?(.+)\.weight", name)
        parts = WITHIN if found and found[1] else AROUND
        if not found or found[3] not in parts:
            raise ValueError(f"no name for {name}")
        result[f"blk.{found[2]}." * bool(found[1]) + f"{parts[found[3]]}.weight"] = tensor
    return result


def _renaming(change):
    """An answer that is right but for a change of the new names."""
    return lambda tensors: {change(name): tensor for name, tensor in _rename(tensors).items()}


def _trusts_the_order(tensors):
    _rename(tensors)  # refuses what it does not know
    n_layers = max((int(name.split(".")[2]) + 1 for name in tensors if "layers" in name), default=1)
    return dict(zip(_names_of_model(n_layers).values(), tensors.values(), strict=False))


def _draw_tensors(rng, n_layers):
    return {name: rng.normal(size=2) for name in rng.permutation(list(_names_of_model(n_layers))).tolist()}


def _expect_renamed(answer, tensors):
    got = answer(tensors)
    expect_equal(sorted(got), sorted(NAMES[name] for name in tensors), f"the names of {len(tensors)} tensors")
    for name, tensor in tensors.items():
        expect_close(got[NAMES[name]], tensor, f"{NAMES[name]}, which was {name}")


@chapter.write(
    "The same tensors by other names · medium · 3 points · 20 minutes · may use Python's standard library",
    right=_rename_by_pattern,
    wrong={
        "leaves out what it does not know": lambda tensors: _rename({n: t for n, t in tensors.items() if n in NAMES}),
        "keeps old names that it does not know": lambda tensors: {NAMES.get(n, n): t for n, t in tensors.items()},
        "loses the number of the first block": _renaming(lambda name: name.replace("blk.0.", "blk.")),
        "reads one digit of a block's number": _renaming(lambda name: re.sub(r"^blk\.(\d)\d*", r"blk.\1", name)),
        "trusts the order of the tensors": _trusts_the_order,
        "swaps gate and up": _renaming(lambda name: re.sub("_up|_gate", lambda n: "_gate_up".replace(n[0], ""), name)),
        "takes the second norm for the first": _renaming(lambda name: name.replace("ffn_norm", "attn_norm")),
    },
)
class rename:
    def all_tensors_of_a_model__in_any_order(self, answer, rng):
        _expect_renamed(answer, _draw_tensors(rng, int(rng.integers(2, 5))))

    def more_than_ten_blocks(self, answer, rng):
        _expect_renamed(answer, _draw_tensors(rng, 23))

    def a_part_of_a_model(self, answer, rng):
        n = int(rng.integers(10, 100))
        _expect_renamed(answer, {f"model.layers.{n}.mlp.down_proj.weight": rng.normal(size=2)})

    def a_tensor_without_a_new_name_is_refused(self, answer, rng):
        names = ["model.layers.0.self_attn.rotary_emb.inv_freq", "model.layers.0.self_attn.q_proj.bias"]
        names += ["input_layernorm.weight", "model.layers.3.lm_head.weight"]  # of a block without it, and inside one
        for name in names:
            tensors = {**_draw_tensors(rng, 1), name: rng.normal(size=2)}
            expect_raises(partial(answer, tensors), ValueError, f"a tensor {name!r}")
