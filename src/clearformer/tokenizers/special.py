"""Special tokens and malformed text: the checks all tokenizers share."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import regex

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
"""Replaces anything that cannot be represented, as Unicode recommends."""


def well_formed(text: str) -> str:
    r"""Replace every lone surrogate by U+FFFD, and join surrogate pairs.

    A Python string can hold code points that no encoding can write, for example half of a UTF-16 pair.

    Example:
        >>> well_formed("a\ud800b") == "a\N{REPLACEMENT CHARACTER}b"
        True
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, got {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def number_special_tokens(special_tokens: Sequence[str], *, needed: str | None = None) -> dict[str, int]:
    """Return the first ids for special tokens, the needed one before all if it is missing; refuse unusable ones."""
    if isinstance(special_tokens, str):
        raise TypeError(f"special_tokens must be a sequence of str, got the single str {special_tokens!r}")
    tokens = list(special_tokens)
    if needed is not None and needed not in tokens:
        tokens = [needed, *tokens]
    for token in tokens:
        if well_formed(token) != token:
            raise ValueError(f"special token {token!r} holds a lone surrogate")
        if len(token) < 2:
            raise ValueError(f"special token {token!r} has {len(token)} character(s); it needs at least 2")
        if tokens.count(token) > 1:
            raise ValueError(f"special token {token!r} occurs {tokens.count(token)} times")
    return {token: i for i, token in enumerate(tokens)}


def check_ids(vocab: Mapping[str, int], special_tokens: Mapping[str, int]) -> None:
    """Refuse a vocabulary in which two tokens share an id or a spelling, or an id is negative."""
    if clash := vocab.keys() & special_tokens.keys():
        raise ValueError(f"special tokens {sorted(clash)} are spelled like ordinary tokens")
    ids = [*vocab.values(), *special_tokens.values()]
    if len(set(ids)) < len(ids):
        raise ValueError(f"{len(ids)} tokens share {len(set(ids))} ids")
    if min(ids) < 0:
        raise ValueError(f"id {min(ids)} is negative")


def check_allowed(allowed: Collection[str], special: Mapping[str, int]) -> None:
    """Refuse allowed tokens that are not special tokens."""
    if isinstance(allowed, str):
        raise TypeError(f"allowed_special must be a collection of str, got the single str {allowed!r}")
    unknown = [token for token in allowed if token not in special]
    if unknown:
        raise ValueError(f"allowed_special has {unknown}, but the special tokens are {list(special)}")


def split_special(text: str, special: Mapping[str, int], allowed: Collection[str]) -> Iterator[str | int]:
    """Split the text at its allowed special tokens: yields plain text and ids of special tokens.

    Where two special tokens could begin, the longer one is taken.

    Example:
        >>> list(split_special("<eos>a<sos>", {"<sos>": 0, "<eos>": 1}, ["<eos>"]))
        ['', 1, 'a<sos>']
    """
    check_allowed(allowed, special)
    if not allowed:
        return iter([text])
    longest_first = sorted(allowed, key=len, reverse=True)
    parts = regex.split(f"({'|'.join(map(regex.escape, longest_first))})", text)
    return (special[part] if i % 2 else part for i, part in enumerate(parts))
