"""The tokenizer in the metadata of a GGUF file."""

from collections.abc import Mapping
from typing import Any

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors

from clearformer.tokenizers import PublishedTokenizer

PREFIX = "tokenizer.ggml."
MARK = "\N{LOWER ONE EIGHTH BLOCK}"
LLAMA_3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
BY_GPT2 = pre_tokenizers.ByteLevel(add_prefix_space=False)
PRE_TOKENIZERS: dict[str, list[pre_tokenizers.PreTokenizer]] = {
    "gpt-2": [BY_GPT2],
    "llama-bpe": [
        pre_tokenizers.Split(Regex(LLAMA_3_PATTERN), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ],
    "smollm": [pre_tokenizers.Digits(individual_digits=True), BY_GPT2],
}
# The kinds of tokens, as gguf.TokenType numbers them; unused tokens, 5, are left out.
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, BYTE = 1, 2, 3, 4, 6


def tokenizer(metadata: Mapping[str, Any]) -> PublishedTokenizer:
    """Return the tokenizer that the metadata of a file describes.

    ``gpt2`` is byte-pair encoding on bytes, and ``tokenizer.ggml.pre`` names its pre-tokenizer. ``llama`` is byte-pair
    encoding on characters as in SentencePiece: the higher the score of a token, the earlier its merge. Any other, and
    lists that do not fit together, are a ValueError.

    Example:
        >>> tokens = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", "a", "b", "ab", "▁ab"]
        >>> facts = {"model": "llama", "tokens": tokens, "token_type": [2] + [6] * 256 + [1] * 5}
        >>> facts |= {"scores": [0.0] * 260 + [-1.0, -2.0], "add_bos_token": False}
        >>> tokenizer({PREFIX + name: fact for name, fact in facts.items()}).encode("ab a")
        [261, 257, 258]
    """
    facts = _Facts({name.removeprefix(PREFIX): value for name, value in metadata.items() if name.startswith(PREFIX)})
    model, tokens = facts["model"], facts["tokens"]
    kinds = facts.get("token_type", [NORMAL] * len(tokens))
    if len(kinds) != len(tokens) or len(set(tokens)) < len(tokens):
        raise ValueError(f"{len(tokens)} tokens have {len(kinds)} kinds and {len(set(tokens))} spellings")
    ids = {token: i for i, token in enumerate(tokens)}
    kind_of = dict(zip(tokens, kinds, strict=True))
    vocab = {token: i for token, i in ids.items() if kind_of[token] in (NORMAL, BYTE)}
    added = {token: i for token, i in ids.items() if kind_of[token] in (UNKNOWN, CONTROL, USER_DEFINED)}
    if model == "gpt2":
        made = _byte_level(facts, vocab | added)
    elif model == "llama":
        made = _sentencepiece(facts, vocab, added)
    else:
        raise ValueError(f"{PREFIX}model={model!r} is not supported, only gpt2, llama")
    begins = model == "llama" or facts.get("pre") == "llama-bpe"
    made.post_processor = _template(facts, {"bos": begins, "eos": False})
    made.add_tokens([AddedToken(t, special=kind_of[t] != USER_DEFINED, normalized=False) for t in added])
    return PublishedTokenizer(made)


def config(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return what ``tokenizer_config.json`` would say: ``chat_template``, where there is one, and some tokens.

    Example:
        >>> config({"tokenizer.ggml.tokens": ["<s>", "</s>"], "tokenizer.ggml.eos_token_id": 1})
        {'eos_token': '</s>'}
    """
    tokens = metadata.get(f"{PREFIX}tokens", [])
    named = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}
    ids = {name: metadata.get(f"{PREFIX}{key}_token_id", len(tokens)) for name, key in named.items()}
    found = {name: tokens[i] for name, i in ids.items() if i < len(tokens)}
    template = metadata.get("tokenizer.chat_template")
    return found if template is None else {**found, "chat_template": template}


class _Facts(dict[str, Any]):
    """The metadata of a tokenizer by their short names."""

    def __missing__(self, name: str) -> Any:
        raise ValueError(f"{PREFIX}{name} is missing")


def _byte_level(facts: _Facts, vocab: dict[str, int]) -> tokenizers.Tokenizer:
    pre = facts["pre"]
    if pre not in PRE_TOKENIZERS:
        raise ValueError(f"{PREFIX}pre={pre!r} is not supported, only {', '.join(PRE_TOKENIZERS)}")
    merges = [tuple(merge.split(" ")) for merge in facts["merges"]]
    try:
        made = tokenizers.Tokenizer(models.BPE(vocab, merges, ignore_merges=pre == "llama-bpe"))
    except Exception as error:  # `tokenizers` raises nothing narrower
        raise ValueError(f"{PREFIX}merges do not fit the tokens: {str(error)[:200]}") from None
    made.pre_tokenizer, made.decoder = pre_tokenizers.Sequence(PRE_TOKENIZERS[pre]), decoders.ByteLevel()
    return made


def _sentencepiece(facts: _Facts, vocab: dict[str, int], added: dict[str, int]) -> tokenizers.Tokenizer:
    scores, tokens = facts["scores"], facts["tokens"]
    if len(scores) != len(tokens):
        raise ValueError(f"{PREFIX}scores must be one number for each of {len(tokens)} tokens, got {len(scores)}")
    cuts = ((token[:cut], token[cut:]) for token in vocab for cut in range(1, len(token)))
    pairs = [(left, right) for left, right in cuts if left in vocab and right in vocab]
    pairs.sort(key=lambda pair: (-scores[vocab[pair[0] + pair[1]]], -len(pair[0]), -len(pair[1])))
    unknown = tokens[facts.get("unknown_token_id", 0)]
    ids = vocab | added | {unknown: tokens.index(unknown)}
    model = models.BPE(ids, pairs, unk_token=unknown, fuse_unk=True, byte_fallback="<0x00>" in vocab)
    made, spaces = tokenizers.Tokenizer(model), normalizers.Replace(" ", MARK)
    after = [decoders.Replace(MARK, " "), decoders.ByteFallback(), decoders.Fuse()]
    made.normalizer, made.decoder = spaces, decoders.Sequence(after)
    if facts.get("add_space_prefix", True):
        made.normalizer = normalizers.Sequence([normalizers.Prepend(MARK), spaces])
        made.decoder = decoders.Sequence([*after, decoders.Strip(" ", 1, 0)])
    return made


def _template(facts: _Facts, added: Mapping[str, bool]) -> processors.TemplateProcessing | None:
    """What precedes and follows a text, if the file wants it; ``added`` tells what to do where it does not say."""
    tokens, single, named = facts["tokens"], ["$A"], {}
    for end, default in added.items():
        i = facts.get(f"{end}_token_id")
        if i is not None and facts.get(f"add_{end}_token", default):
            if i >= len(tokens):
                raise ValueError(f"{PREFIX}{end}_token_id={i} is not one of {len(tokens)} tokens")
            named[tokens[i]] = i
            single.insert(0 if end == "bos" else 2, tokens[i])
    return processors.TemplateProcessing(single=single, special_tokens=[*named.items()]) if named else None
