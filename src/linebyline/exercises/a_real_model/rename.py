"""a_real_model.rename: (the tensors of a block of BERT) -> the parameters of a block, by the package's names."""

from functools import partial
from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close, expect_equal, expect_raises

Tensors = dict[str, np.ndarray]
NORMS = {"attention.output.LayerNorm": "norm_attention", "output.LayerNorm": "norm_feed_forward"}
LAYERS = {
    "attention.output.dense": ("attention.w_o", "attention.b_o"),
    "intermediate.dense": ("feed_forward.w_in", "feed_forward.b_in"),
    "output.dense": ("feed_forward.w_out", "feed_forward.b_out"),
}
PARTS = ("query", "key", "value")


def _draw(rng: Rng, n: int, d: int, d_ff: int) -> Tensors:
    sizes = {f"attention.self.{part}": (d, d) for part in PARTS}
    sizes |= {"attention.output.dense": (d, d), "intermediate.dense": (d_ff, d), "output.dense": (d, d_ff)}
    shapes: dict[str, tuple[int, ...]] = {f"{name}.weight": shape for name, shape in sizes.items()}
    shapes |= {f"{name}.bias": shape[:1] for name, shape in sizes.items()}
    shapes |= {f"{name}.{part}": (d,) for name in NORMS for part in ("weight", "bias")}
    names = rng.permutation(list(shapes)).tolist()
    return {f"bert.encoder.layer.{n}.{name}": rng.normal(size=shapes[name]) for name in names}


def _convert(tensors: Tensors) -> Tensors:
    """The right answer, as the laws see it."""
    n = next(iter(tensors)).split(".")[3]
    block, rest = f"blocks.{n}", {name.split(".", 4)[4]: tensor for name, tensor in tensors.items()}
    found: Tensors = {}
    for ours, what in (("w", "weight"), ("b", "bias")):
        parts = [rest.pop(f"attention.self.{part}.{what}").T for part in PARTS]
        found[f"{block}.attention.{ours}_qkv"] = np.concatenate(parts, axis=-1)
    for theirs, (w, b) in LAYERS.items():
        found[f"{block}.{w}"], found[f"{block}.{b}"] = rest.pop(f"{theirs}.weight").T, rest.pop(f"{theirs}.bias")
    for theirs, name in NORMS.items():
        found[f"{block}.{name}.gamma"] = rest.pop(f"{theirs}.weight")
        found[f"{block}.{name}.beta"] = rest.pop(f"{theirs}.bias")
    if rest:
        raise ValueError(f"no place for {sorted(rest)}")
    return found


def _same(got: Any, tensors: Tensors) -> None:
    expected = _convert(tensors)
    expect_equal(sorted(got), sorted(expected), "the names of the parameters")
    for name, tensor in expected.items():
        expect_close(got[name], tensor, name)


def _first(answer: Answer, rng: Rng) -> None:
    tensors = _draw(rng, 0, 3, 5)
    _same(answer(dict(tensors)), tensors)


def _later(answer: Answer, rng: Rng) -> None:
    tensors = _draw(rng, int(rng.integers(10, 40)), 2, 7)
    _same(answer(dict(tensors)), tensors)


def _layer_computes(answer: Answer, rng: Rng) -> None:
    tensors, x = _draw(rng, 1, 4, 6), rng.normal(size=(3, 4))
    got = answer(dict(tensors))
    dense = "bert.encoder.layer.1.intermediate.dense"
    expected = np.einsum("ti,oi->to", x, tensors[f"{dense}.weight"]) + tensors[f"{dense}.bias"]
    made = x @ got["blocks.1.feed_forward.w_in"] + got["blocks.1.feed_forward.b_in"]
    expect_close(made, expected, "what the first matrix of the feed-forward layer makes of 3 rows")


def _strange(answer: Answer, rng: Rng) -> None:
    tensors = _draw(rng, 0, 2, 3)
    tensors["bert.encoder.layer.0.attention.self.distance.weight"] = rng.normal(size=2)
    expect_raises(partial(answer, tensors), ValueError, "a tensor that has no place")


def _order_of_the_file(tensors: Tensors) -> Tensors:
    found = _convert(tensors)
    n = next(iter(tensors)).split(".")[3]
    for ours, what in (("w", "weight"), ("b", "bias")):
        parts = [t.T for name, t in tensors.items() if ".self." in name and name.endswith(what)]
        found[f"blocks.{n}.attention.{ours}_qkv"] = np.concatenate(parts, axis=-1)
    return found


def _not_turned(tensors: Tensors) -> Tensors:
    return {name: t.T if t.ndim > 1 and "qkv" not in name else t for name, t in _convert(tensors).items()}


def _silent(tensors: Tensors) -> Tensors:
    return _convert({name: tensor for name, tensor in tensors.items() if "distance" not in name})


EXERCISE = Write(
    id="a_real_model.rename",
    title="A block of BERT moves in",
    difficulty="medium",
    points=3,
    minutes=25,
    may_use="NumPy",
    laws=(
        Law("the first block, in any order", _first),
        Law("a block far behind", _later),
        Law("a layer computes the same", _layer_computes),
        Law("a tensor without a place is refused", _strange),
    ),
    wrong_answers={
        "joins queries, keys and values in the order of the file": _order_of_the_file,
        "leaves matrices as they lie in the file": _not_turned,
        "drops what it does not know": _silent,
        "swaps the two norms": lambda tensors: {
            name.replace("_attention.", "_?.")
            .replace("norm_feed_forward", "norm_attention")
            .replace("norm_?", "norm_feed_forward"): t
            for name, t in _convert(tensors).items()
        },
        "loses the number of the block": lambda tensors: {
            "blocks.0." + name.split(".", 2)[2]: t for name, t in _convert(tensors).items()
        },
    },
)
