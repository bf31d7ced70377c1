"""The parts of a ``tokenizer.json`` of Hugging Face `tokenizers` that all our tokenizers share."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clearformer.files import write_whole
from clearformer.tokenizers.steps import STEPS, Steps

# What only one type of model has; files of old versions do not name the type.
_TELLING = {"merges": "BPE", "continuing_subword_prefix": "WordPiece", "unk_id": "Unigram"}


def write_json(path: str | os.PathLike[str], steps: Steps, model: Mapping[str, Any]) -> None:
    """Write a tokenizer file: to a temporary file first, so that a crash leaves the old one whole.

    Args:
        path: where to.
        steps: what stands around the model.
        model: its type, its options and its vocabulary.
    """
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": list(steps.added_tokens),
        **{name: getattr(steps, name) for name in STEPS},
        "model": model,
    }
    write_whole(Path(path), json.dumps(document, ensure_ascii=False, indent=2))


def read_json(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Steps]:
    """Read a tokenizer file: the model, with its ``type``, and the steps around it.

    Raises:
        ValueError: not a tokenizer file, or it cuts or pads what it encodes.
    """
    try:
        document: dict[str, Any] = json.loads(Path(path).read_bytes())
        model: dict[str, Any] = {"type": _type_of(document["model"]), **document["model"]}
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a tokenizer.json: {error!r}") from error
    for step in ("truncation", "padding"):
        refuse_unless(not document.get(step), step, document.get(step), path)
    added = tuple(document.get("added_tokens") or ())
    return model, Steps(**{name: document.get(name) for name in STEPS}, added_tokens=added)


@contextmanager
def reading(path: str | os.PathLike[str], model: Mapping[str, Any], model_type: str) -> Iterator[None]:
    """Name the file in whatever is refused inside, another type of model first of all.

    Raises:
        ValueError: with the path and what was refused.
    """
    if model["type"] != model_type:
        raise ValueError(f"{path} holds a {model['type']!r} model, expected {model_type!r}")
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    except KeyError as error:
        raise ValueError(f"{path}: {error} is missing") from error


def refuse_unless(supported: bool, name: str, found: object, path: str | os.PathLike[str] | None = None) -> None:
    """Raise a ``ValueError`` that names the unsupported part of the file."""
    if not supported:
        raise ValueError(f"{path}: {name} {found!r} is not supported" if path else f"{name} {found!r} is not supported")


def special_tokens_of(steps: Steps) -> dict[str, int]:
    """The special ones of the added tokens of a file: content -> id."""
    return {token["content"]: token["id"] for token in steps.added_tokens if token.get("special")}


def in_order(*vocabularies: Mapping[str, int]) -> dict[str, int]:
    """Several vocabularies as one, in the order of ids.

    Example:
        >>> in_order({"a": 1}, {"<eos>": 0})
        {'<eos>': 0, 'a': 1}
    """
    items = [item for vocabulary in vocabularies for item in vocabulary.items()]
    return dict(sorted(items, key=lambda item: item[1]))


def _type_of(model: Mapping[str, Any]) -> str:
    """The type that the file names, or the one that its options tell."""
    told = (name for key, name in _TELLING.items() if key in model)
    return str(model["type"]) if "type" in model else next(told, "WordLevel")
