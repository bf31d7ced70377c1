"""From files to a model: every tensor is used, and every parameter is filled."""

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from clearformer.checkpoints.folder import Folder
from clearformer.models import Decoder, Encoder, EncoderDecoder
from clearformer.models.bert import plan_bert
from clearformer.models.gpt2 import plan_gpt2
from clearformer.models.llama import plan_llama
from clearformer.models.roberta import plan_roberta
from clearformer.models.settings import Settings
from clearformer.models.t5 import plan_t5
from clearformer.models.tensor_names import Plan, Rule
from clearformer.tokenizers import PublishedTokenizer

if TYPE_CHECKING:
    from clearformer.checkpoints.gguf_file import GGUFFile

Checkpoint: TypeAlias = "Folder | GGUFFile"
Model = Decoder | Encoder | EncoderDecoder

DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
PLANS: dict[str, Callable[[Settings, Collection[str]], Plan]] = {
    "gpt2": plan_gpt2,
    "llama": plan_llama,
    "bert": plan_bert,
    "roberta": plan_roberta,
    "t5": plan_t5,
}


def load(path: str | os.PathLike[str], *, dtype: torch.dtype | None = None) -> tuple[Model, PublishedTokenizer]:
    """Load a model and its tokenizer: GPT-2, Llama 1 to 3 and models of their form, BERT, RoBERTa, T5 and FLAN-T5.

    Args:
        path: A folder with ``config.json``, ``*.safetensors`` and ``tokenizer.json``, as Hugging Face writes it, or a
            GGUF file of a GPT-2 or a Llama.
        dtype: The type of the parameters; as in the file when left out.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: the architecture or a setting is not supported, a file is damaged, or a tensor is missing, is
            unknown, contains NaN, or has another shape than the settings ask for.

    Example:
        >>> load("nowhere")
        Traceback (most recent call last):
        FileNotFoundError: nowhere is not a folder
    """
    checkpoint = open_checkpoint(path)
    tokenizer = checkpoint.tokenizer()
    return load_model(checkpoint, dtype=dtype), tokenizer


def load_model(path: "str | os.PathLike[str] | Checkpoint", *, dtype: torch.dtype | None = None) -> Model:
    """Load a model without a tokenizer, as `load` does, from a path or from what `open_checkpoint` returned."""
    if dtype is not None and dtype not in DTYPES:
        raise ValueError(f"dtype={dtype} is not one of {', '.join(map(str, DTYPES))}")
    checkpoint = open_checkpoint(path) if isinstance(path, str | os.PathLike) else path
    asked = plan(checkpoint)
    model = _build(checkpoint, asked)
    places = asked.places(checkpoint.entries, str(checkpoint.path))
    _require_shapes(checkpoint, asked, places, model)
    _require_equal_copies(checkpoint, asked, places)
    parameters = {rule.ours: _parameter(checkpoint, rule, places, dtype) for rule in asked.rules}
    for name, parameter in parameters.items():
        owner, _, own_name = name.rpartition(".")
        setattr(model.get_submodule(owner), own_name, nn.Parameter(parameter))
    return model


def open_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Open a folder as Hugging Face writes it, or a GGUF file, which needs the extra ``gguf``; only headers are read.

    Errors of files are those of `load`.

    Example:
        >>> open_checkpoint("nowhere")
        Traceback (most recent call last):
        FileNotFoundError: nowhere is not a folder
    """
    if not Path(path).is_file():
        return Folder(path)
    from clearformer.checkpoints.gguf_file import GGUFFile

    return GGUFFile(path)


def plan(checkpoint: Checkpoint) -> Plan:
    """Return how the settings and tensors of a checkpoint become a model; what is not supported is a ValueError."""
    settings = Settings(checkpoint.config, checkpoint.source)
    make = settings.choice("model_type", PLANS)
    for name in ("num_hidden_layers", "n_layer", "num_layers", "num_decoder_layers"):
        settings.size(name, default=1, most=len(checkpoint.entries))
    try:
        return make(settings, checkpoint.entries.keys())
    except ValueError as error:  # a config refuses sizes without the name of their file
        raise error if str(error).startswith(settings.source) else settings.error(str(error)) from None


class _EmptyParameters(TorchFunctionMode):
    """Creates parameters on the meta device, where they take neither memory nor time; computed tables stay."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Move what creates parameters."""
        place = {"device": "meta"} if func in (torch.randn, torch.ones, torch.zeros) else {}
        return func(*args, **{**(kwargs or {}), **place})


def _build(checkpoint: Checkpoint, asked: Plan) -> Model:
    try:
        with _EmptyParameters():
            return cast(Model, asked.build())
    except (RuntimeError, ValueError) as error:
        raise ValueError(f"{checkpoint.source}: no model can have these sizes: {str(error)[:200]}") from None


def _require_shapes(checkpoint: Checkpoint, asked: Plan, places: Mapping[str, str], model: Model) -> None:
    """Compare the shapes in the files with those of the model before any number is read."""
    for rule in asked.rules:
        entries = {name: checkpoint.entries[places[name]] for name in rule.theirs}
        try:
            with torch.device("meta"):
                shape = rule.apply({name: torch.empty(entry.shape) for name, entry in entries.items()}).shape
        except RuntimeError:
            shape = None
        expected = model.get_parameter(rule.ours).shape
        if shape != expected:
            found = ", ".join(f"{places[name]} {entry.shape} {entry.kind}" for name, entry in entries.items())
            where = checkpoint.place(places[rule.theirs[0]])
            raise ValueError(
                f"{where}: {found} cannot be {rule.ours} {tuple(expected)} of {Path(checkpoint.source).name}"
            )


def _require_equal_copies(checkpoint: Checkpoint, asked: Plan, places: Mapping[str, str]) -> None:
    """Refuse a second copy of a tensor that differs from the first, beyond rounding where the types differ."""
    for copy, first in asked.copies.items():
        if copy in places:
            one, other = (checkpoint.read(places[name]) for name in (copy, first))
            same_kind = checkpoint.entries[places[copy]].kind == checkpoint.entries[places[first]].kind
            if one.shape != other.shape or not (torch.equal if same_kind else _are_near)(one, other):
                raise ValueError(f"{checkpoint.place(places[copy])}: {places[copy]} is not equal to {places[first]}")


def _are_near(one: Tensor, other: Tensor) -> bool:
    """Whether two tensors can be roundings of one: the coarsest type changes less than half of the length."""
    return bool((one.float() - other.float()).norm() < 0.5 * other.float().norm())


def _parameter(checkpoint: Checkpoint, rule: Rule, places: Mapping[str, str], dtype: torch.dtype | None) -> Tensor:
    tensors = {}
    for name in rule.theirs:
        tensor, where = checkpoint.read(places[name]), f"{checkpoint.place(places[name])}: {places[name]}"
        if not tensor.is_floating_point():
            raise ValueError(f"{where} must contain floats, got {tensor.dtype}")
        if tensor.numel() and not all(bound.isfinite() for bound in torch.aminmax(tensor)):
            n = int((~tensor.isfinite()).sum())
            raise ValueError(f"{where}: {n:,} of {tensor.numel():,} numbers are NaN or infinite")
        tensors[name] = tensor if dtype is None else tensor.to(dtype)  # before rules multiply: rounded once, not twice
    return rule.apply(tensors)
