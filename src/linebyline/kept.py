"""What is kept of a training: the weights in half precision, and the record of how they came to be."""

import json
import os
import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from torch import nn

from clearformer import tensor_files
from linebyline import corpora

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

WEIGHTS = Path(__file__).parent / "weights"
EXACT = 20  # losses that are kept step by step, to compare a training elsewhere with
AnyRecipe = TypeVar("AnyRecipe", bound="DataclassInstance")
Model = TypeVar("Model", bound=nn.Module)


@dataclass(frozen=True)
class Record(Generic[AnyRecipe]):
    """What is known of a training.

    Args:
        recipe: Its recipe.
        text: Hash of the text it read.
        source: Where the text comes from.
        first: Loss of each of the first steps in float32, in nats for a token.
        losses: Mean loss of each run of ``every`` steps.
        every: Steps in a run.
        checks: Now and then the number of steps made, and what was measured on known and on unseen text: of the
            language model, bits for each byte.
    """

    recipe: AnyRecipe
    text: str
    source: str
    first: list[float]
    losses: list[float]
    every: int
    checks: list[tuple[int, float, float]]

    def to_facts(self) -> dict[str, str]:
        """Write it as the metadata of a safetensors file, whose values are strings."""
        return {name: json.dumps(value) for name, value in asdict(self).items()}

    @classmethod
    def from_facts(cls, facts: dict[str, str], kind: type[AnyRecipe]) -> "Record[AnyRecipe]":
        """Read it back; its recipe is of the given kind."""
        values = {name: json.loads(value) for name, value in facts.items()}
        recipe, checks = kind(**values.pop("recipe")), [tuple(check) for check in values.pop("checks")]
        return cls(recipe, checks=checks, **values)


def load_model(
    path: str | os.PathLike[str], kind: type[AnyRecipe], empty: Callable[[AnyRecipe], Model]
) -> tuple[Model, Record[AnyRecipe]]:
    """Load a model that ``save_model`` has written, ready to be asked.

    Args:
        path: The file.
        kind: Its kind of recipe.
        empty: Makes the model of a recipe, without weights.

    Raises:
        ValueError: the file holds no record of a training, or not the weights that the recipe asks for.
    """
    tensors, facts = tensor_files.load_tensors(path)
    if "recipe" not in facts:
        raise ValueError(f"{path} holds no recipe: it was not written by linebyline")
    record = Record.from_facts(facts, kind)
    model = empty(record.recipe)
    tensor_files.require_same(path, model, tensors)
    model.load_state_dict(tensors)
    return model.eval(), record


def save_model(model: nn.Module, record: Record[AnyRecipe], path: str | os.PathLike[str]) -> None:
    """Write the weights of a model in half precision, with the record of its training."""
    weights = deepcopy(model).half().state_dict()  # halved as a whole, a shared table stays one
    tensor_files.save_tensors(path, weights, record.to_facts())


def tokenizer_path(path: str | os.PathLike[str]) -> Path:
    """Name the file of the tokenizer that stands beside one of weights."""
    return Path(path).with_suffix(".tokenizer.json")


def warn_of_other_text(record: Record[AnyRecipe], name: str) -> None:
    """Warn if a model was trained on the docstrings of other versions than those that are installed."""
    if record.source != corpora.docstrings_versions():
        warnings.warn(
            f"the {name} was trained on the docstrings of {record.source}; installed are "
            f"{corpora.docstrings_versions()}, on whose text its losses differ",
            stacklevel=3,
        )
