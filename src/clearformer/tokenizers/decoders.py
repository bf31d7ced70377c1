"""Decoders: how the tokens of a published tokenizer become text again."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby

import regex

from clearformer.tokenizers.pre_tokenizers import MARK, prepend_scheme
from clearformer.tokenizers.special import REPLACEMENT
from clearformer.tokenizers.steps import Step, in_turn, unsupported

Decoder = Callable[[list[str]], list[str]]
"""From tokens to pieces of text that only have to be joined."""

_BYTE = regex.compile(r"<0x[0-9A-Fa-f]{2}>")
_CONTRACTIONS = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're")


def byte_token(byte: int) -> str:
    """The token that stands for one byte where a character is unknown.

    Example:
        >>> byte_token(10)
        '<0x0A>'
    """
    return f"<0x{byte:02X}>"


def byte_ids(vocab: Mapping[str, int]) -> list[int]:
    """The ids of the tokens that stand for the 256 bytes.

    Raises:
        ValueError: one of them is not in the vocabulary.

    Example:
        >>> byte_ids({byte_token(byte): 3 + byte for byte in range(256)})[:3]
        [3, 4, 5]
    """
    tokens = [byte_token(byte) for byte in range(256)]
    if missing := [token for token in tokens if token not in vocab]:
        raise ValueError(f"byte_fallback lacks {len(missing)} of the 256 bytes, the first is {missing[0]!r}")
    return [vocab[token] for token in tokens]


def decoder(step: Step | None) -> Decoder:
    """The function that a file's ``decoder`` describes. Without one, tokens are set apart by blanks.

    Raises:
        ValueError: an unsupported step or option, named in the message.

    Example:
        >>> "".join(decoder({"type": "WordPiece", "prefix": "##", "cleanup": True})(["ice", "##cream", "!"]))
        'icecream!'
    """
    match step:
        case None:
            return _apart
        case {"type": "WordPiece", "prefix": str(prefix), "cleanup": bool(cleanup)}:
            return _wordpiece(prefix, cleanup)
        case {"type": "Metaspace"}:
            return _metaspace(step.get("replacement", MARK), prepend_scheme(step) != "never")
        case {"type": "ByteFallback"}:
            return _bytes_to_text
        case {"type": "Fuse"}:
            return lambda tokens: ["".join(tokens)]
        case {"type": "Strip", "content": str(character), "start": int(start), "stop": int(stop)}:
            return lambda tokens: [_stripped(token, character, start, stop) for token in tokens]
        case {"type": "Replace", "pattern": {"String": str(old)}, "content": str(new)}:
            return lambda tokens: [token.replace(old, new) for token in tokens]
        case {"type": "Sequence", "decoders": [*steps]}:
            return in_turn([decoder(each) for each in steps])
    return unsupported("decoder", step)


def _apart(tokens: list[str]) -> list[str]:
    return [" ".join(tokens)]


def _wordpiece(prefix: str, cleanup: bool) -> Decoder:
    """Glue what carries the prefix to the token before it; with ``cleanup`` marks follow their word closely."""

    def decode(tokens: list[str]) -> list[str]:
        glued = [t.removeprefix(prefix) if t.startswith(prefix) else f" {t}" for t in tokens[1:]]
        pieces = [*tokens[:1], *glued]
        return [_cleaned(piece) for piece in pieces] if cleanup else pieces

    return decode


def _cleaned(piece: str) -> str:
    for mark in _CONTRACTIONS:
        piece = piece.replace(mark, mark.strip())
    return piece


def _metaspace(mark: str, drops_first: bool) -> Decoder:
    def decode(tokens: list[str]) -> list[str]:
        first = [tokens[0].replace(mark, "")] if tokens and drops_first else []
        return first + [token.replace(mark, " ") for token in tokens[len(first) :]]

    return decode


def _bytes_to_text(tokens: list[str]) -> list[str]:
    """Read runs of byte tokens as UTF-8; a run that is none becomes one U+FFFD a byte."""
    runs = groupby(tokens, lambda token: bool(_BYTE.fullmatch(token)))
    return [piece for are_bytes, run in runs for piece in (_read(run) if are_bytes else run)]


def _read(run: Iterable[str]) -> Iterator[str]:
    data = bytes(int(token[3:5], 16) for token in run)
    try:
        yield data.decode()
    except UnicodeDecodeError:
        yield from [REPLACEMENT] * len(data)


def _stripped(token: str, character: str, start: int, stop: int) -> str:
    left = min(start, len(token) - len(token.lstrip(character)))
    token = token[left:]
    right = min(stop, len(token) - len(token.rstrip(character)))
    return token[: len(token) - right]
