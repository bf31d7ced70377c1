"""Tensors in safetensors files, written atomically: a reader sees either the old file or the new one."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import safetensors
import safetensors.torch
from torch import Tensor, nn

from clearformer.files import write_whole


def save_tensors(path: str | os.PathLike[str], tensors: Mapping[str, Tensor], facts: Mapping[str, str]) -> None:
    """Write tensors by name, and facts about them; if writing fails, the file stays as it was.

    A tensor with several names, such as a tied embedding table, is written once, under the first name.

    Args:
        path: The file; its folder is made if it is missing.
        tensors: What to write.
        facts: Further text by name, such as the number of steps.

    Example:
        >>> import tempfile, torch
        >>> table = torch.ones(2, 3)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_tensors(f"{folder}/tied.safetensors", {"read": table, "write": table}, {"steps": "5"})
        ...     tensors, facts = load_tensors(f"{folder}/tied.safetensors")
        >>> tensors["write"] is tensors["read"], facts
        (True, {'steps': '5'})
    """
    firsts: dict[object, str] = {}
    names = {name: firsts.setdefault(_place(tensor), name) for name, tensor in tensors.items()}
    once = {name: tensors[name].contiguous() for name in firsts.values()}
    repeated = json.dumps({name: first for name, first in names.items() if name != first})
    write_whole(Path(path), safetensors.torch.save(once, {**facts, "repeated": repeated}))


def load_tensors(path: str | os.PathLike[str]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the tensors and facts of a safetensors file; a tensor with several names is under each of them."""
    with safetensors.safe_open(path, framework="pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        facts = file.metadata() or {}
    repeated = json.loads(facts.pop("repeated", "{}"))
    return tensors | {name: tensors[first] for name, first in repeated.items()}, facts


def load_weights(path: str | os.PathLike[str], model: nn.Module) -> None:
    """Load the weights of a model from a safetensors file; one of another model is a ValueError, before any change."""
    weights, _ = load_tensors(path)
    require_same(path, model, weights)
    model.load_state_dict(weights)


def require_same(path: str | os.PathLike[str], model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Refuse weights whose names or shapes differ from those of a model."""
    expected = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    got = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    if expected != got:
        differing = sorted(name for name in expected.keys() | got.keys() if expected.get(name) != got.get(name))
        first = differing[0]
        raise ValueError(
            f"{path} holds another model: {first} is {got.get(first, 'missing')} there and "
            f"{expected.get(first, 'missing')} here ({len(differing)} tensors differ)"
        )


def _place(tensor: Tensor) -> object:
    """Return a key for the memory of a tensor: a state dict has a new object for each of its names."""
    return tensor.device, tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride()
