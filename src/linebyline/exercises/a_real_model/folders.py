"""The exercises on what a folder holds, and on heads that know nothing."""

import json
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from clearformer.checkpoints import load_model, save
from clearformer.models import BertConfig, GPT2Config, gpt2
from clearformer.models.bert import bert_rules
from clearformer.models.tensor_names import convert
from linebyline.exercises.core import Chapter, expect_close, expect_equal, expect_raises

chapter = Chapter("a_real_model", np=np, json=json)

CONFIG = GPT2Config(vocab_size=11, context=16, d_model=8, n_heads=4, n_layers=2, d_ff=32)
MISSING, HEADS, VOCABULARY, NAN = OPTIONS = (
    "a tensor is left out",
    "n_head is 2, not 4",
    "vocab_size is one less",
    "one number is NaN",
)


def _change_config(folder, **changes):
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def _change_tensors(folder, change):
    file = folder / "model.safetensors"
    tensors = {name: tensor.clone() for name, tensor in load_file(file).items()}
    change(tensors)
    save_file(tensors, file)


CHANGES = {
    MISSING: lambda folder: _change_tensors(folder, lambda tensors: tensors.pop("transformer.ln_f.bias")),
    HEADS: lambda folder: _change_config(folder, n_head=2),
    VOCABULARY: lambda folder: _change_config(folder, vocab_size=CONFIG.vocab_size - 1),
    NAN: lambda folder: _change_tensors(folder, lambda tensors: tensors["transformer.ln_f.bias"].fill_(torch.nan)),
}


def _loads(model, option):
    with tempfile.TemporaryDirectory() as name:
        save(name, model, CONFIG)
        CHANGES[option](Path(name))
        try:
            load_model(name)
        except ValueError:
            return False
        return True


@chapter.pick(
    "A change that goes unnoticed · easy · 2 points · 5 minutes · may use pen and paper",
    "the change with which the folder still loads",
    OPTIONS,
    right=HEADS,
    wrong={
        "Every parameter must be filled, so a missing tensor is found. Which setting is in no tensor's shape?": MISSING,
        "The table has a row for each token, so its shape tells. Which setting is in no shape?": VOCABULARY,
        "Each tensor is searched for its least and greatest number, and NaN is found. Look at the settings.": NAN,
    },
)
def unnoticed(rng):
    """Make each change to a folder of random weights, and see what is loaded."""
    model = gpt2(CONFIG, torch.Generator().manual_seed(int(rng.integers(2**31))))
    (accepted,) = (option for option in OPTIONS if _loads(model, option))
    return accepted


@chapter.predict(
    "A head that knows nothing · easy · 2 points · 10 minutes · may use a calculator",
    ("the induction score of the head", "nats saved"),
    within=0.03,
    right=(sum(1 / seen for seen in range(26, 51)) / 25, np.log(512)),
    wrong={
        "Only the last row sees 50 tokens. The second copy's rows see 26 to 50: the score is their mean.": (0.02, 6.24),
        "A row of the second copy sees the whole first copy and its own part: more than 25 tokens.": (0.04, 6.24),
        "The first is right. The gain is over a blind guess, which costs the logarithm of 1,024.": (0.02708, 0.693),
        "The first is right. Nats are natural logarithms; these are bits.": (0.02708, 9.0),
    },
)
def even_head(rng, length=25, vocab_size=1024):
    """Spread the weights of each row evenly over what it sees, and draw what a copying model would be asked."""
    weights = np.tril(np.ones((2 * length, 2 * length)))
    weights /= weights.sum(axis=1, keepdims=True)  # (T, T)
    rows = np.arange(length, 2 * length)
    p, next_token = np.full(vocab_size, 0.5 / (vocab_size - 1)), rng.integers(vocab_size)
    p[next_token] = 0.5
    return weights[rows, rows - length + 1].mean(), np.log(p[next_token] * vocab_size)


NORMS = {"attention.output.LayerNorm": "norm_attention", "output.LayerNorm": "norm_feed_forward"}
LAYERS = {
    "attention.output.dense": ("attention.w_o", "attention.b_o"),
    "intermediate.dense": ("feed_forward.w_in", "feed_forward.b_in"),
    "output.dense": ("feed_forward.w_out", "feed_forward.b_out"),
}
PARTS = ("query", "key", "value")


def _draw_block(rng, n, d, d_ff):
    """Draw the tensors of block n, in any order."""
    sizes = {f"attention.self.{part}": (d, d) for part in PARTS}
    sizes |= {"attention.output.dense": (d, d), "intermediate.dense": (d_ff, d), "output.dense": (d, d_ff)}
    shapes: dict[str, tuple[int, ...]] = {f"{name}.weight": shape for name, shape in sizes.items()}
    shapes |= {f"{name}.bias": shape[:1] for name, shape in sizes.items()}
    shapes |= {f"{name}.{part}": (d,) for name in NORMS for part in ("weight", "bias")}
    names = rng.permutation(list(shapes)).tolist()
    return {f"bert.encoder.layer.{n}.{name}": rng.normal(size=shapes[name]) for name in names}


def _rename(tensors):
    n = next(iter(tensors)).split(".")[3]
    block, rest = f"blocks.{n}", {name.split(".", 4)[4]: tensor for name, tensor in tensors.items()}
    found = {}
    for ours, theirs in (("w", "weight"), ("b", "bias")):
        projections = [rest.pop(f"attention.self.{part}.{theirs}").T for part in PARTS]
        found[f"{block}.attention.{ours}_qkv"] = np.concatenate(projections, axis=-1)
    for theirs, (w, b) in LAYERS.items():
        found[f"{block}.{w}"], found[f"{block}.{b}"] = rest.pop(f"{theirs}.weight").T, rest.pop(f"{theirs}.bias")
    for theirs, norm in NORMS.items():
        found[f"{block}.{norm}.gamma"] = rest.pop(f"{theirs}.weight")
        found[f"{block}.{norm}.beta"] = rest.pop(f"{theirs}.bias")
    if rest:
        raise ValueError(f"no place for {sorted(rest)}")
    return found


def _rename_as_the_loader(tensors):
    """By the rules that the loader has, of the one block that is there."""
    (n,) = {int(name.split(".")[3]) for name in tensors}
    d, d_ff = tensors[f"bert.encoder.layer.{n}.output.dense.weight"].shape
    config = BertConfig(d_model=d, n_heads=1, n_layers=n + 1, d_ff=d_ff)
    wanted = [rule for rule in bert_rules(config) if rule.ours.startswith(f"blocks.{n}.")]
    given = {name.removeprefix("bert."): torch.from_numpy(tensor) for name, tensor in tensors.items()}
    return {name: tensor.numpy() for name, tensor in convert(wanted, given).items()}


def _joins_in_the_order_of_the_file(tensors):
    found, (n,) = _rename(tensors), {name.split(".")[3] for name in tensors}
    for ours, theirs in (("w", "weight"), ("b", "bias")):
        projections = [t.T for name, t in tensors.items() if ".self." in name and name.endswith(theirs)]
        found[f"blocks.{n}.attention.{ours}_qkv"] = np.concatenate(projections, axis=-1)
    return found


def _swap_norms(name):
    return name.replace("_attention.", "_?.").replace("_feed_forward.", "_attention.").replace("_?", "_feed_forward")


@chapter.write(
    "A block of BERT moves in · medium · 3 points · 25 minutes · may use NumPy",
    right=_rename_as_the_loader,
    wrong={
        "joins queries, keys and values in the order of the file": _joins_in_the_order_of_the_file,
        "leaves matrices as they lie in the file": lambda tensors: {
            name: tensor.T if tensor.ndim > 1 and "qkv" not in name else tensor
            for name, tensor in _rename(tensors).items()
        },
        "drops what it does not know": lambda file: _rename({n: t for n, t in file.items() if "distance" not in n}),
        "swaps the two norms": lambda tensors: {_swap_norms(name): tensor for name, tensor in _rename(tensors).items()},
        "loses the number of the block": lambda tensors: {
            "blocks.0." + name.split(".", 2)[2]: tensor for name, tensor in _rename(tensors).items()
        },
    },
)
class rename:
    def _expect_renamed(self, answer, tensors):
        got, expected = answer(tensors), _rename(tensors)
        expect_equal(sorted(got), sorted(expected), "the names of the parameters")
        for name, tensor in expected.items():
            expect_close(got[name], tensor, name)

    def the_first_block__in_any_order(self, answer, rng):
        self._expect_renamed(answer, _draw_block(rng, 0, 3, 5))

    def a_block_far_behind(self, answer, rng):
        self._expect_renamed(answer, _draw_block(rng, int(rng.integers(10, 40)), 2, 7))

    def a_layer_computes_the_same(self, answer, rng):
        tensors, x = _draw_block(rng, 1, 4, 6), rng.normal(size=(3, 4))
        got, dense = answer(tensors), "bert.encoder.layer.1.intermediate.dense"
        expected = np.einsum("ti,oi->to", x, tensors[f"{dense}.weight"]) + tensors[f"{dense}.bias"]
        made = x @ got["blocks.1.feed_forward.w_in"] + got["blocks.1.feed_forward.b_in"]
        expect_close(made, expected, "what the first matrix of the feed-forward layer makes of 3 rows")

    def a_tensor_without_a_place_is_refused(self, answer, rng):
        tensors = _draw_block(rng, 0, 2, 3)
        tensors["bert.encoder.layer.0.attention.self.distance.weight"] = rng.normal(size=2)
        expect_raises(partial(answer, tensors), ValueError, "a tensor that has no place")
