"""Byte-level BPE as a ``tokenizer.json`` of Hugging Face `tokenizers`, and back."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from clearformer.tokenizers.byte_alphabet import spell, unspell
from clearformer.tokenizers.hf_json import read_json, refuse_unless, special_tokens_of, write_json
from clearformer.tokenizers.pre_tokenization import GPT2_PATTERN

_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
_DECODER = {**_BYTE_LEVEL, "add_prefix_space": True, "use_regex": True}  # of these it reads the type only
_UNUSED = (
    "dropout",
    "continuing_subword_prefix",
    "end_of_word_suffix",
    "fuse_unk",
    "byte_fallback",
    "ignore_merges",
)


def write(
    path: str | os.PathLike[str],
    vocab: Mapping[bytes, int],
    merges: Iterable[tuple[bytes, bytes]],
    pattern: str,
    special_tokens: Mapping[str, int],
) -> None:
    """Write the file; arguments as for `BPETokenizer`."""
    spelt = {**special_tokens, **{spell(token): i for token, i in vocab.items()}}
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": dict(sorted(spelt.items(), key=lambda item: item[1])),
        "merges": [[spell(left), spell(right)] for left, right in merges],
    }
    parts = {"pre_tokenizer": _pre_tokenizer(pattern), "decoder": _DECODER, "model": model}
    write_json(path, parts, special_tokens)


def read(
    path: str | os.PathLike[str],
) -> tuple[dict[bytes, int], list[tuple[bytes, bytes]], str, dict[str, int]]:
    """Read the file: the vocabulary, merges, pattern and special tokens of a `BPETokenizer`.

    Raises:
        ValueError: not a byte-level BPE file, or it asks for a step that `BPETokenizer` does not take.
    """
    document = read_json(path, "BPE")
    model = document["model"]
    for name in _UNUSED:
        refuse_unless(not model.get(name), path, name, model.get(name))
    special = special_tokens_of(document)
    vocab = {unspell(token): i for token, i in model["vocab"].items() if token not in special}
    pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"]]
    merges = [(unspell(left), unspell(right)) for left, right in pairs]
    return vocab, merges, _pattern(path, document.get("pre_tokenizer")), special


def _pre_tokenizer(pattern: str) -> dict[str, Any]:
    """The steps that cut text as the pattern does and write bytes in GPT-2's alphabet."""
    if pattern == GPT2_PATTERN:
        return {**_BYTE_LEVEL, "use_regex": True}
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [split, {**_BYTE_LEVEL, "use_regex": False}]}


def _pattern(path: str | os.PathLike[str], pre_tokenizer: Any) -> str:
    """Undo `_pre_tokenizer`."""
    match pre_tokenizer:
        case {"type": "ByteLevel", "add_prefix_space": False} if pre_tokenizer.get("use_regex", True):
            return GPT2_PATTERN
        case {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False},
                {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False},
            ],
        }:
            return str(pattern)
    raise ValueError(f"{path}: pre_tokenizer {pre_tokenizer!r} is not supported")
