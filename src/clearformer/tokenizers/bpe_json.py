"""The model of byte-level BPE as a ``tokenizer.json`` of Hugging Face `tokenizers` writes it, and back."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from clearformer.tokenizers.byte_alphabet import spell, unspell
from clearformer.tokenizers.hf_json import in_order, refuse_unless
from clearformer.tokenizers.pre_tokenization import DIGIT_BY_DIGIT_PATTERN, GPT2_PATTERN
from clearformer.tokenizers.steps import Step, Steps, unsupported

_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
_DECODER = {**_BYTE_LEVEL, "add_prefix_space": True, "use_regex": True}  # of these it reads the type only
_UNUSED = ("dropout", "continuing_subword_prefix", "end_of_word_suffix")
_OPTIONS = ("unk_token", "fuse_unk", "byte_fallback", "ignore_merges")


def steps_for(pattern: str) -> Steps:
    """The steps that cut text as the pattern does and write bytes in GPT-2's alphabet."""
    pre_tokenizer: dict[str, Any] = {**_BYTE_LEVEL, "use_regex": True}
    if pattern == DIGIT_BY_DIGIT_PATTERN:
        digits = {"type": "Digits", "individual_digits": True}
        pre_tokenizer = {"type": "Sequence", "pretokenizers": [digits, pre_tokenizer]}
    elif pattern != GPT2_PATTERN:
        split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        pre_tokenizer = {"type": "Sequence", "pretokenizers": [split, {**_BYTE_LEVEL, "use_regex": False}]}
    return Steps(pre_tokenizer=pre_tokenizer, decoder=_DECODER)


def pattern_of(step: Step | None) -> str:
    """The pattern of a byte-level ``pre_tokenizer``; undoes `steps_for`.

    Raises:
        ValueError: it does something else.
    """
    match step:
        case {"type": "ByteLevel", "add_prefix_space": False, **rest} if rest.get("use_regex", True):
            return GPT2_PATTERN
        case {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Digits", "individual_digits": True},
                {"type": "ByteLevel", "add_prefix_space": False, **rest},
            ],
        } if rest.get("use_regex", True):
            return DIGIT_BY_DIGIT_PATTERN
        case {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False},
                {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False},
            ],
        }:
            return str(pattern)
    return unsupported("pre_tokenizer", step)


def is_byte_level(steps: Steps) -> bool:
    """Whether the tokens of a BPE file are bytes in GPT-2's alphabet."""
    return "ByteLevel" in str(steps.pre_tokenizer) + str(steps.decoder)


def as_model(
    vocab: Mapping[str, int], merges: Iterable[tuple[str, str]], added: Mapping[str, int], **options: Any
) -> dict[str, Any]:
    """What a file says of the model, besides its type: tokens and merges as text, and the options that are not off."""
    return {
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        **options,
        "vocab": in_order(added, vocab),
        "merges": [[left, right] for left, right in merges],
    }


def options_of(model: Mapping[str, Any], supported: Collection[str]) -> dict[str, Any]:
    """The options of a BPE model that are on.

    Raises:
        ValueError: one that is not supported is on.
    """
    for name in (*_UNUSED, *_OPTIONS):
        refuse_unless(name in supported or not model.get(name), name, model.get(name))
    return {name: model[name] for name in _OPTIONS if model.get(name)}


def pairs_of(model: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The merges as pairs of text; old files join the two halves by a blank."""
    pairs = (merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"])
    return [(left, right) for left, right in pairs]


def bytes_of(model: Mapping[str, Any], added: Collection[str]) -> tuple[dict[bytes, int], list[tuple[bytes, bytes]]]:
    """Vocabulary and merges of a byte-level model."""
    vocab = {unspell(token): i for token, i in model["vocab"].items() if token not in added}
    return vocab, [(unspell(left), unspell(right)) for left, right in pairs_of(model)]


def spelt(
    vocab: Mapping[bytes, int], merges: Iterable[tuple[bytes, bytes]]
) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Undo `bytes_of`."""
    return {spell(token): i for token, i in vocab.items()}, [(spell(left), spell(right)) for left, right in merges]
