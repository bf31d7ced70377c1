"""The parts of a ``tokenizer.json`` of Hugging Face `tokenizers` that all our tokenizers share."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_FLAGS = ("single_word", "lstrip", "rstrip")


def write_json(path: str | os.PathLike[str], parts: Mapping[str, Any], special_tokens: Mapping[str, int]) -> None:
    """Write a tokenizer file: to a temporary file first, so that a crash leaves the old one whole.

    Args:
        path: where to.
        parts: ``pre_tokenizer``, ``decoder`` and ``model``.
        special_tokens: id of every special token.
    """
    added = [
        {"id": i, "content": token, **dict.fromkeys(_FLAGS, False), "normalized": False, "special": True}
        for token, i in sorted(special_tokens.items(), key=lambda item: item[1])
    ]
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": parts["pre_tokenizer"],
        "post_processor": None,
        "decoder": parts["decoder"],
        "model": parts["model"],
    }
    target = Path(path)
    temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(json.dumps(document, ensure_ascii=False, indent=2), encoding="utf-8")
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def read_json(path: str | os.PathLike[str], model_type: str) -> dict[str, Any]:
    """Read a tokenizer file and refuse what none of our tokenizers does.

    Args:
        path: where from.
        model_type: the type the model must have.

    Raises:
        ValueError: not a tokenizer file, another model, or an unsupported step (named in the message).
    """
    try:
        document: dict[str, Any] = json.loads(Path(path).read_bytes())
        found = document["model"]["type"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a tokenizer.json: {error!r}") from error
    if found != model_type:
        raise ValueError(f"{path} holds a {found!r} model, expected {model_type!r}")
    for step in ("normalizer", "truncation", "padding"):
        refuse_unless(not document.get(step), path, step, document.get(step))
    post_processor = document.get("post_processor") or {"type": "ByteLevel"}  # this one touches offsets only
    refuse_unless(post_processor["type"] == "ByteLevel", path, "post_processor", post_processor)
    for token in document.get("added_tokens", []):
        refuse_unless(not any(token.get(flag) for flag in _FLAGS), path, "added token", token)
    return document


def refuse_unless(supported: bool, path: str | os.PathLike[str], name: str, found: object) -> None:
    """Raise a ``ValueError`` that names the unsupported part of the file."""
    if not supported:
        raise ValueError(f"{path}: {name} {found!r} is not supported")


def special_tokens_of(document: Mapping[str, Any]) -> dict[str, int]:
    """The added tokens of a file: content -> id."""
    return {token["content"]: token["id"] for token in document.get("added_tokens", [])}
