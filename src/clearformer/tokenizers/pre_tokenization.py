r"""Cut text into pre-tokens: the pieces that no merge may cross.

Which characters are letters, numbers or blanks depends on the version of Unicode: two libraries may differ
on characters that only one of them knows.

Source: Radford et al. (2019), GPT-2; the pattern is the one in its published code.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import regex

GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
# SmolLM's: the same on what stands between digits, each of which is a pre-token.
DIGIT_BY_DIGIT_PATTERN = r"\p{N}|'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+"

# GPT-2's pattern for ASCII text, where the standard library's engine is more than twice as fast as `regex`.
# Letters come first because most pre-tokens are words; no other alternative can begin with a letter.
_GPT2_ASCII = re.compile(
    r" ?[A-Za-z]++|'(?:[sdmt]|ll|ve|re)| ?[^A-Za-z0-9 \t\n\r\f\v]++| ?[0-9]++"
    r"|[ \t\n\r\f\v]+(?![^ \t\n\r\f\v])|[ \t\n\r\f\v]++"
)
_GPT2 = regex.compile(GPT2_PATTERN)
_SAFE_CUT = re.compile(r"\S(?=\n)")
# Small blocks, because one curly quote sends its whole block to the slower engine.
_BLOCK = 256

_WORD_OR_PUNCTUATION = regex.compile(r"[^\s\p{P}$+<=>^`|~]+|[\p{P}$+<=>^`|~]")


def splitter(pattern: str) -> Callable[[str], Iterable[str]]:
    r"""Compile a pattern into a function from text to its pre-tokens; joined, they are the text again.

    What the pattern does not match becomes a pre-token of its own, as with Hugging Face's ``Split(...,
    "isolated")``. Empty strings may be among the pre-tokens.

    Args:
        pattern: a pattern for the `regex` module, without capturing groups.

    Raises:
        ValueError: the pattern does not compile or has capturing groups.

    Example:
        >>> list(splitter(GPT2_PATTERN)("It's 3 o'clock."))
        ['It', "'s", ' 3', ' o', "'", 'clock', '.']
    """
    if pattern == GPT2_PATTERN:
        return _split_gpt2
    try:
        compiled = regex.compile(f"({pattern})")
    except regex.error as error:
        raise ValueError(f"pattern {pattern!r} does not compile: {error}") from error
    if compiled.groups > 1:
        raise ValueError(f"pattern {pattern!r} captures {compiled.groups - 1} group(s); write (?:...) instead")
    return compiled.splititer  # with one group around all of it: gap, match, gap, match, ..., gap


def words_and_punctuation(text: str) -> list[str]:
    r"""The words of the text, and each punctuation mark on its own; white space is left out.

    Punctuation is Unicode category P and every other ASCII symbol. (Hugging Face's ``BertPreTokenizer`` has
    the table of Unicode 8 and misses some hundred marks of rare scripts.)

    Source: Devlin et al. (2019), BERT; its basic tokenizer without lower-casing.

    Example:
        >>> words_and_punctuation("Dan loves icecream, doesn't he?")
        ['Dan', 'loves', 'icecream', ',', 'doesn', "'", 't', 'he', '?']
    """
    return _WORD_OR_PUNCTUATION.findall(text)


def _split_gpt2(text: str) -> Iterator[str]:
    """Split block by block, each with the faster engine that can do it."""
    engines = ((_GPT2_ASCII if block.isascii() else _GPT2, block) for block in _blocks(text))
    return chain.from_iterable(engine.findall(block) for engine, block in engines)


def _blocks(text: str, size: int = _BLOCK) -> Iterator[str]:
    r"""Cut the text where GPT-2's pattern has a boundary anyway: between a non-space and a line feed.

    No alternative matches a non-space followed by white space, and none looks behind.
    """
    start = 0
    while start < len(text):
        cut = _SAFE_CUT.search(text, start + size)
        end = cut.end() if cut else len(text)
        yield text[start:end]
        start = end
