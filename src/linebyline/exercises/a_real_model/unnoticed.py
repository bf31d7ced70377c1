"""a_real_model.unnoticed: which change of a folder no loader can notice."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from clearformer.checkpoints import load_model, save
from clearformer.models import GPT2Config, gpt2
from linebyline.exercises.core import Pick, Rng

OPTIONS = ("a tensor is left out", "n_head is 2, not 4", "vocab_size is one less", "one number is NaN")
SIZES = GPT2Config(vocab_size=11, context=16, d_model=8, n_heads=4, n_layers=2, d_ff=32)


def _config(folder: Path, **changes: int) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def _tensors(folder: Path, change: Callable[[dict[str, torch.Tensor]], object]) -> None:
    file = folder / "model.safetensors"
    tensors = {name: tensor.clone() for name, tensor in load_file(file).items()}
    change(tensors)
    save_file(tensors, file)


CHANGES: dict[str, Callable[[Path], None]] = {
    OPTIONS[0]: lambda folder: _tensors(folder, lambda tensors: tensors.pop("transformer.ln_f.bias")),
    OPTIONS[1]: lambda folder: _config(folder, n_head=2),
    OPTIONS[2]: lambda folder: _config(folder, vocab_size=SIZES.vocab_size - 1),
    OPTIONS[3]: lambda folder: _tensors(folder, lambda tensors: tensors["transformer.ln_f.bias"].fill_(torch.nan)),
}


def _loads(model: torch.nn.Module, option: str) -> bool:
    with tempfile.TemporaryDirectory() as name:
        save(name, model, SIZES)
        CHANGES[option](Path(name))
        try:
            load_model(name)
        except ValueError:
            return False
        return True


def _accepted(rng: Rng) -> str:
    """Make each change to a folder of random weights, and see what is loaded."""
    model = gpt2(SIZES, torch.Generator().manual_seed(int(rng.integers(2**31))))
    (found,) = (option for option in OPTIONS if _loads(model, option))
    return found


EXERCISE = Pick(
    id="a_real_model.unnoticed",
    title="A change that goes unnoticed",
    difficulty="easy",
    points=2,
    minutes=5,
    may_use="pen and paper",
    asks="the change with which the folder still loads",
    options=OPTIONS,
    compute=_accepted,
    wrong_answers={
        "Every parameter must be filled, so a missing tensor is found. Which setting is in no tensor's shape?": OPTIONS[
            0
        ],
        "The table has a row for each token, so its shape tells. Which setting is in no shape?": OPTIONS[2],
        "Each tensor is searched for its least and greatest number, and NaN is found. Look at the settings.": OPTIONS[
            3
        ],
    },
)
