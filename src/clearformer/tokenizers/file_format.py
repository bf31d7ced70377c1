"""The ``tokenizer.json`` of Hugging Face `tokenizers`, as far as our own tokenizers write it."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

STEPS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
# The options of byte-pair encoding, all off.
BPE_OPTIONS: dict[str, Any] = {
    "dropout": None,
    "unk_token": None,
    "continuing_subword_prefix": None,
    "end_of_word_suffix": None,
    "fuse_unk": False,
    "byte_fallback": False,
    "ignore_merges": False,
}
# What two files of one tokenizer may differ in; offsets are not computed here.
_IGNORED = {"version", "vocab", "merges", "trim_offsets", "normalized"}


def to_json(model: Mapping[str, Any], steps: Mapping[str, Any], special_tokens: Mapping[str, int]) -> str:
    """Return the content of a file with a model, the steps around it that are not None, and special tokens."""
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [{"id": i, "content": token, **flags, "special": True} for token, i in in_order(special_tokens).items()]
    around = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added}
    document = {**around, **{name: steps.get(name) for name in STEPS}, "model": model}
    return json.dumps(document, ensure_ascii=False, indent=2)


def read_json(path: str | os.PathLike[str], model_type: str) -> dict[str, Any]:
    """Read a file; its model has the given type if it names none, as in older files."""
    try:
        document: dict[str, Any] = json.loads(Path(path).read_bytes())
        document["model"] = {"type": model_type, "vocab": document["model"]["vocab"], **document["model"]}
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a tokenizer.json: {error!r}") from error
    if document["model"]["type"] != model_type:
        raise ValueError(f"{path} has a model of type {document['model']['type']!r}, expected {model_type!r}")
    if "ByteLevel" in str(document.get("post_processor")):  # in GPT-2's file; it moves offsets alone
        document["post_processor"] = None
    return document


def require_same(path: object, found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    """Refuse a file that asks for anything but what a tokenizer would write itself."""
    for name in sorted(found.keys() | expected.keys()):
        if name == "model":
            require_same(path, found[name], expected[name])
        elif name not in _IGNORED and _effective(found.get(name)) != _effective(expected.get(name)):
            raise ValueError(
                f"{path}: {name}={str(found.get(name))[:200]} is not supported by this class, "
                f"only {str(expected.get(name))[:200]}; clearformer.tokenizers.load reads any file"
            )


def in_order(*vocabularies: Mapping[str, int]) -> dict[str, int]:
    """Join vocabularies in the order of their ids."""
    items = [item for vocabulary in vocabularies for item in vocabulary.items()]
    return dict(sorted(items, key=lambda item: item[1]))


def _effective(part: Any) -> Any:
    """A part of a file without what is ignored, off, or the default."""
    if isinstance(part, dict):
        items = [item for item in part.items() if item[0] not in _IGNORED and item != ("use_regex", True)]
        return {name: _effective(value) for name, value in items if value}
    return [_effective(each) for each in part] if isinstance(part, list) else part or None
