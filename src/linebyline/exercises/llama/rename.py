"""llama.rename: (tensors by the names of one format) -> the same tensors by those of another."""

from functools import cache, partial
from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close, expect_equal, expect_raises

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


@cache
def _pairs(n_layers: int) -> dict[str, str]:
    """All names of a model, by those that it had."""
    pairs = {f"{theirs}.weight": f"{ours}.weight" for theirs, ours in AROUND.items()}
    for n in range(n_layers):
        pairs |= {f"model.layers.{n}.{a}.weight": f"blk.{n}.{b}.weight" for a, b in WITHIN.items()}
    return pairs


def _rename(tensors: Any) -> Any:
    pairs = _pairs(1000)
    if unknown := tensors.keys() - pairs.keys():
        raise ValueError(f"no name for {sorted(unknown)}")
    return {pairs[name]: tensor for name, tensor in tensors.items()}


def _drawn(rng: Rng, names: Any) -> dict[str, np.ndarray]:
    return {name: rng.normal(size=2) for name in rng.permutation(list(names)).tolist()}


def _same(got: Any, tensors: Any) -> None:
    pairs = _pairs(1000)
    expect_equal(sorted(got), sorted(pairs[name] for name in tensors), f"the names of {len(tensors)} tensors")
    for name, tensor in tensors.items():
        expect_close(got[pairs[name]], tensor, f"{pairs[name]}, which was {name}")


def _whole(answer: Answer, rng: Rng) -> None:
    tensors = _drawn(rng, _pairs(int(rng.integers(2, 5))))
    _same(answer(tensors), tensors)


def _many(answer: Answer, rng: Rng) -> None:
    tensors = _drawn(rng, _pairs(23))
    _same(answer(tensors), tensors)


def _one(answer: Answer, rng: Rng) -> None:
    n = int(rng.integers(10, 100))
    tensors = {f"model.layers.{n}.mlp.down_proj.weight": rng.normal(size=2)}
    _same(answer(tensors), tensors)


def _unknown(answer: Answer, rng: Rng) -> None:
    for name in ("model.layers.0.self_attn.rotary_emb.inv_freq", "model.layers.0.self_attn.q_proj.bias"):
        tensors = {**_drawn(rng, _pairs(1)), name: rng.normal(size=2)}
        expect_raises(partial(answer, tensors), ValueError, f"a tensor {name!r}")


def _skips(tensors: Any) -> Any:
    return _rename({name: tensor for name, tensor in tensors.items() if name in _pairs(1000)})


def _one_digit(tensors: Any) -> Any:
    return {
        "blk." + name[4] + name[name.index(".", 4) :] if name.startswith("blk.") else name: t
        for name, t in _rename(tensors).items()
    }


def _in_order(tensors: Any) -> Any:
    _rename(tensors)
    names = list(_pairs(max([int(n.split(".")[2]) for n in tensors if "layers" in n], default=0) + 1).values())
    return dict(zip(names, tensors.values(), strict=False))


EXERCISE = Write(
    id="llama.rename",
    title="The same tensors by other names",
    difficulty="medium",
    points=3,
    minutes=20,
    may_use="Python's standard library",
    laws=(
        Law("all tensors of a model, in any order", _whole),
        Law("more than ten blocks", _many),
        Law("a part of a model", _one),
        Law("a tensor without a new name is refused", _unknown),
    ),
    wrong_answers={
        "leaves out what it does not know": _skips,
        "keeps old names that it does not know": lambda tensors: {
            _pairs(1000).get(name, name): t for name, t in tensors.items()
        },
        "loses the number of the first block": lambda tensors: {
            name.replace("blk.0.", "blk."): t for name, t in _rename(tensors).items()
        },
        "reads one digit of a block's number": _one_digit,
        "trusts the order of the tensors": _in_order,
        "swaps gate and up": lambda tensors: {
            name.replace("_up", "_?").replace("_gate", "_up").replace("_?", "_gate"): t
            for name, t in _rename(tensors).items()
        },
        "takes the second norm for the first": lambda tensors: {
            name.replace("ffn_norm", "attn_norm"): t for name, t in _rename(tensors).items()
        },
    },
)
