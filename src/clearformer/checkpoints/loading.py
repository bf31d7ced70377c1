"""From files to a model: every tensor finds its place, every parameter is filled."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from clearformer import tokenizers
from clearformer.checkpoints.building import Empty, build
from clearformer.checkpoints.opening import Checkpoint, open_checkpoint, plan
from clearformer.checkpoints.plan import Plan
from clearformer.checkpoints.rules import Rule
from clearformer.models import quantize

DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.int8)
# What is done for each of some rules, such as a bar that shows how far loading is.
Progress = Callable[[list[Rule]], Iterable[Rule]]


class Loaded(NamedTuple):
    """A model and its sizes."""

    model: Any
    config: Any


def load(
    path: str | os.PathLike[str], *, dtype: torch.dtype | None = None, progress: Progress = iter
) -> tuple[Any, tokenizers.PublishedTokenizer]:
    """Load a model and its tokenizer: GPT-2, Llama 1 to 3 and models of their form, BERT, RoBERTa, T5 and FLAN-T5.

    Tensors are windows into the files where the model takes them as they are, so memory fills as they are used.

    Args:
        path: A folder with ``config.json``, ``*.safetensors`` and ``tokenizer.json``, as Hugging Face writes it, or a
            GGUF file of a GPT-2 or a Llama.
        dtype: What the parameters shall be; as in the file when left out. With int8, the matrices are rounded by
            ``models.quantize``, and the rest is float32.
        progress: Is handed the rules by which the parameters are filled, and hands them on one by one.

    Returns:
        The model, a ``Decoder``, ``Encoder`` or ``EncoderDecoder``, and the tokenizer.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: the architecture is not known, a setting is not supported, a file is damaged, a tensor is missing,
            has no place or another shape than the settings ask for, or holds NaN.

    Example:
        >>> load("nowhere")
        Traceback (most recent call last):
        FileNotFoundError: nowhere is no folder
    """
    checkpoint = open_checkpoint(path)
    tokenizer = checkpoint.tokenizer()
    return fill(checkpoint, dtype=dtype, progress=progress).model, tokenizer


def load_model(path: str | os.PathLike[str], *, dtype: torch.dtype | None = None) -> Loaded:
    """Load a model without a tokenizer, and give it with its config; see ``load``."""
    return fill(open_checkpoint(path), dtype=dtype)


def empty(checkpoint: Checkpoint, asked: Plan) -> nn.Module:
    """Put the model together that a checkpoint asks for; its parameters take no memory yet.

    Raises:
        ValueError: no model can have these sizes.
    """
    try:
        with Empty():
            return build(asked)
    except RuntimeError as error:
        raise ValueError(f"{checkpoint.source}: no model can have these sizes: {str(error)[:80]}") from None
    except ValueError as error:  # a part refuses sizes without knowing where they come from
        raise ValueError(f"{checkpoint.source}: {error}") from None


def fill(checkpoint: Checkpoint, *, dtype: torch.dtype | None = None, progress: Progress = iter) -> Loaded:
    """Fill the model that a checkpoint asks for; see ``load``."""
    if dtype is not None and dtype not in DTYPES:
        raise ValueError(f"dtype={dtype} is none of {', '.join(map(str, DTYPES))}")
    asked, kept = plan(checkpoint), None if dtype == torch.int8 else dtype
    model = empty(checkpoint, asked)
    places = asked.places(checkpoint.entries, str(checkpoint.path))
    parameters = dict(model.named_parameters())
    _require_shapes(checkpoint, asked, places, parameters)
    _require_copies(checkpoint, asked, places)
    made = {
        rule.ours: _parameter(checkpoint, rule, places, kept, parameters[rule.ours].stride())
        for rule in progress(asked.rules)
    }
    firsts = {id(parameter): name for name, parameter in parameters.items()}
    every = model.named_parameters(remove_duplicate=False)  # a shared table has two names
    model.load_state_dict({name: made[firsts[id(parameter)]] for name, parameter in every}, assign=True)
    if dtype == torch.int8:
        quantize(model).float()
    return Loaded(model, asked.config)


def _require_shapes(
    checkpoint: Checkpoint, asked: Plan, places: dict[str, str], expected: Mapping[str, Tensor]
) -> None:
    """Hold the shapes in the files against the parameters, before a number is read."""
    unfilled = expected.keys() ^ {rule.ours for rule in asked.rules}
    if unfilled:
        raise ValueError(f"{checkpoint.path}: no rule fills {', '.join(sorted(unfilled)[:5])}")
    for rule in asked.rules:
        entries = {name: checkpoint.entries[places[name]] for name in rule.theirs}
        try:
            with torch.device("meta"):
                shape = rule.apply({name: torch.empty(entry.shape) for name, entry in entries.items()}).shape
        except RuntimeError:
            shape = None
        said = ", ".join(f"{places[name]} {entry.shape} {entry.kind}" for name, entry in entries.items())
        if shape != expected[rule.ours].shape:
            where = checkpoint.place(places[rule.theirs[0]])
            ours = f"{rule.ours} {tuple(expected[rule.ours].shape)}"
            raise ValueError(f"{where}: {said} cannot be {ours} of {Path(checkpoint.source).name}")
        if not all("float" in entry.dtype for entry in entries.values()):
            raise ValueError(f"{checkpoint.place(places[rule.theirs[0]])}: {said} must hold floats")


def _require_copies(checkpoint: Checkpoint, asked: Plan, places: dict[str, str]) -> None:
    """Refuse a second copy of a tensor that is another; one of another type may be rounded otherwise."""
    for copy, first in asked.copies.items():
        if copy in places:
            one, other = (checkpoint.read(places[name]) for name in (copy, first))
            kinds = {checkpoint.entries[places[name]].kind for name in (copy, first)}
            if one.shape != other.shape or not (_are_near if len(kinds) > 1 else torch.equal)(one, other):
                raise ValueError(f"{checkpoint.place(places[copy])}: {places[copy]} is not equal to {places[first]}")
            del one
            checkpoint.release(places[copy])


def _are_near(one: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors can be roundings of one: half of its length is more than the coarsest type changes."""
    return bool((one.float() - other.float()).norm() < 0.5 * other.float().norm())


def _parameter(
    checkpoint: Checkpoint, rule: Rule, places: dict[str, str], dtype: torch.dtype | None, stride: tuple[int, ...]
) -> Tensor:
    """Make a parameter, and give back what has been copied on the way."""
    tensors = {name: checkpoint.read(places[name]) for name in rule.theirs}
    for name, tensor in tensors.items():
        _require_numbers(f"{checkpoint.place(places[name])}: {places[name]}", tensor)
    # Before anything is multiplied, or it would be rounded twice.
    made = rule.apply({name: tensor if dtype is None else tensor.to(dtype) for name, tensor in tensors.items()})
    if made.stride() != stride:  # the model says how its matrices lie, and a file may have them the other way
        made = torch.empty_strided(made.shape, stride, dtype=made.dtype).copy_(made)
    place = made.untyped_storage().data_ptr()
    copied = [name for name, tensor in tensors.items() if tensor.untyped_storage().data_ptr() != place]
    tensors.clear()
    for name in copied:
        checkpoint.release(places[name])
    return made


def _require_numbers(name: str, tensor: Tensor) -> None:
    """Refuse NaN and infinities: the least and the greatest number are found in one reading, and NaN is both."""
    if tensor.numel() and not all(bound.isfinite() for bound in torch.aminmax(tensor)):
        odd = int((~tensor.isfinite()).sum())
        raise ValueError(f"{name}: {odd:,} of {tensor.numel():,} numbers are NaN or infinite")
