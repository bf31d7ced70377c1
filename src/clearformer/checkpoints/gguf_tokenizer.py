"""The tokenizer in the facts of a GGUF file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import tokenizers
from gguf import TokenType
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors

from clearformer.tokenizers import PublishedTokenizer

PREFIX = "tokenizer.ggml."
LONGEST = 4096  # letters: the longest published tokens are some hundred blanks
LLAMA_3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
MARK = "▁"


def _bytes(use_regex: bool = True) -> pre_tokenizers.ByteLevel:
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=use_regex)


PRE_TOKENIZERS: dict[str, Callable[[], pre_tokenizers.PreTokenizer]] = {
    "gpt-2": _bytes,
    "llama-bpe": lambda: pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(LLAMA_3_PATTERN), "isolated"), _bytes(use_regex=False)]
    ),
    "smollm": lambda: pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), _bytes()]),
}


@dataclass(frozen=True)
class _Vocabulary:
    """The tokens of a file by their kind: ids of ordinary ones and of special ones, and all that are added."""

    tokens: list[str]
    ordinary: dict[str, int]
    special: dict[str, int]
    added: dict[str, int]


def tokenizer(metadata: Mapping[str, Any]) -> PublishedTokenizer:
    """Make the tokenizer that the facts of a file describe.

    ``gpt2`` is byte-pair encoding on bytes, whose pattern ``tokenizer.ggml.pre`` names. ``llama`` is byte-pair
    encoding on characters as SentencePiece has it: a merge comes the earlier the higher the score of what it makes.

    Args:
        metadata: The facts.

    Raises:
        ValueError: there is no tokenizer, one that is not supported, or one whose lists do not fit together.

    Example:
        >>> tokens = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", "a", "b", "ab", "▁ab"]
        >>> facts = {"model": "llama", "tokens": tokens, "token_type": [2] + [6] * 256 + [1] * 5}
        >>> facts |= {"scores": [0.0] * 260 + [-1.0, -2.0], "add_bos_token": False}
        >>> tokenizer({PREFIX + name: fact for name, fact in facts.items()}).encode("ab a")
        [261, 257, 258]
    """
    kind = _fact(metadata, "model", str)
    if kind not in _MAKERS:
        raise ValueError(f"{PREFIX}model={kind[:40]!r} is not supported, only {', '.join(_MAKERS)}")
    words = _vocabulary(metadata)
    made = _MAKERS[kind](metadata, words)
    made.post_processor = _template(
        metadata, words, begins=kind == "llama" or metadata.get(f"{PREFIX}pre") == "llama-bpe"
    )
    special = [token for token in words.tokens if token in words.special or token in words.added]
    made.add_tokens([AddedToken(token, special=token in words.special, normalized=False) for token in special])
    return PublishedTokenizer(made)


def config(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Give what ``tokenizer_config.json`` would say: ``chat_template``, where there is one, and some tokens.

    Args:
        metadata: The facts.

    Example:
        >>> config({"tokenizer.ggml.tokens": ["<s>", "</s>"], "tokenizer.ggml.eos_token_id": 1})
        {'eos_token': '</s>'}
    """
    tokens, found = _fact(metadata, "tokens", list), dict[str, Any]()
    for name, key in (("bos_token", "bos"), ("eos_token", "eos"), ("unk_token", "unknown"), ("pad_token", "padding")):
        i = metadata.get(f"{PREFIX}{key}_token_id")
        if type(i) is int and i < len(tokens):
            found[name] = tokens[i]
    if isinstance(metadata.get("tokenizer.chat_template"), str):
        found["chat_template"] = metadata["tokenizer.chat_template"]
    return found


def _byte_level(metadata: Mapping[str, Any], words: _Vocabulary) -> tokenizers.Tokenizer:
    pre = _fact(metadata, "pre", str)
    if pre not in PRE_TOKENIZERS:
        raise ValueError(f"{PREFIX}pre={pre[:40]!r} is not supported, only {', '.join(PRE_TOKENIZERS)}")
    made = tokenizers.Tokenizer(models.BPE(words.ordinary, _merges(metadata), ignore_merges=pre == "llama-bpe"))
    made.pre_tokenizer, made.decoder = PRE_TOKENIZERS[pre](), decoders.ByteLevel()
    return made


def _merges(metadata: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The merges, whose two halves are separated by a space."""
    merges = _fact(metadata, "merges", list)
    for merge in merges:
        if not isinstance(merge, str) or merge.count(" ") != 1:
            raise ValueError(f"{PREFIX}merges has {str(merge)[:40]!r}, which is not two tokens with a space between")
    return [tuple(merge.split(" ")) for merge in merges]


def _sentencepiece(metadata: Mapping[str, Any], words: _Vocabulary) -> tokenizers.Tokenizer:
    scores = metadata.get(f"{PREFIX}scores")
    if scores is None or len(scores) != len(words.tokens):
        raise ValueError(f"{PREFIX}scores must be one number for each of {len(words.tokens)} tokens")
    merges = _by_score(words.ordinary, [float(score) for score in scores])
    unknown = metadata.get(f"{PREFIX}unknown_token_id", 0)
    token = words.tokens[unknown] if type(unknown) is int and unknown < len(words.tokens) else None
    vocab = words.ordinary | words.special
    model = models.BPE(vocab, merges, unk_token=token, fuse_unk=True, byte_fallback="<0x00>" in vocab)
    made, marks = tokenizers.Tokenizer(model), normalizers.Replace(" ", MARK)
    after = [decoders.Replace(MARK, " "), decoders.ByteFallback(), decoders.Fuse()]
    if metadata.get(f"{PREFIX}add_space_prefix", True):
        made.normalizer = normalizers.Sequence([normalizers.Prepend(MARK), marks])
        made.decoder = decoders.Sequence([*after, decoders.Strip(" ", 1, 0)])
    else:
        made.normalizer, made.decoder = marks, decoders.Sequence(after)
    return made


def _by_score(vocab: Mapping[str, int], scores: list[float]) -> list[tuple[str, str]]:
    """Give every pair of tokens that makes a token: the highest score first, then the longest halves."""
    cuts = ((token[:cut], token[cut:]) for token in vocab for cut in range(1, len(token)))
    pairs = [(left, right) for left, right in cuts if left in vocab and right in vocab]
    return sorted(pairs, key=lambda pair: (-scores[vocab[pair[0] + pair[1]]], -len(pair[0]), -len(pair[1])))


def _vocabulary(metadata: Mapping[str, Any]) -> _Vocabulary:
    """Sort the tokens by their kind; unused ones are left out."""
    tokens = _fact(metadata, "tokens", list)
    kinds = metadata.get(f"{PREFIX}token_type")
    kinds = [TokenType.NORMAL] * len(tokens) if kinds is None else list(kinds)
    if len(kinds) != len(tokens) or not all(isinstance(token, str) for token in tokens):
        raise ValueError(f"{PREFIX}tokens must be texts, and token_type one number for each: {len(kinds)} are there")
    longest = max(map(len, tokens), default=0)
    if longest > LONGEST:
        raise ValueError(f"{PREFIX}tokens has a token of {longest:,} letters, and {LONGEST:,} are possible")
    if len(set(tokens)) < len(tokens):
        raise ValueError(f"{PREFIX}tokens has {len(tokens)} tokens with {len(set(tokens))} spellings")
    by_kind: dict[int, dict[str, int]] = {kind: {} for kind in TokenType}
    for i, (token, kind) in enumerate(zip(tokens, kinds, strict=True)):
        if kind not in by_kind:
            raise ValueError(f"{PREFIX}token_type of {token[:40]!r} is {kind}, which is none of 1 to {max(by_kind)}")
        by_kind[int(kind)][token] = i
    special = by_kind[TokenType.CONTROL] | by_kind[TokenType.UNKNOWN]
    ordinary = by_kind[TokenType.NORMAL] | by_kind[TokenType.BYTE]
    return _Vocabulary(tokens, ordinary, special, by_kind[TokenType.USER_DEFINED])


def _template(metadata: Mapping[str, Any], words: _Vocabulary, *, begins: bool) -> processors.TemplateProcessing | None:
    """What is put before a text and after it, as far as the file asks for it; ``begins`` if it says nothing."""
    ends = {"bos": "", "eos": ""}
    for end, default in (("bos", begins), ("eos", False)):
        i = metadata.get(f"{PREFIX}{end}_token_id")
        if metadata.get(f"{PREFIX}add_{end}_token", default) and i is not None:
            if type(i) is not int or not 0 <= i < len(words.tokens):
                raise ValueError(f"{PREFIX}{end}_token_id={str(i)[:40]} is none of {len(words.tokens)} tokens")
            ends[end] = words.tokens[i]
    named = [(token, words.tokens.index(token)) for token in dict.fromkeys(ends.values()) if token]
    single = [token for token in (ends["bos"], "$A", ends["eos"]) if token]
    return processors.TemplateProcessing(single=single, special_tokens=named) if named else None


def _fact(metadata: Mapping[str, Any], name: str, kind: type) -> Any:
    value = metadata.get(PREFIX + name)
    if not isinstance(value, kind):
        raise ValueError(f"{PREFIX}{name} is {'missing' if value is None else 'no ' + kind.__name__}")
    return value


_MAKERS: dict[str, Callable[[Mapping[str, Any], _Vocabulary], tokenizers.Tokenizer]] = {
    "gpt2": _byte_level,
    "llama": _sentencepiece,
}
