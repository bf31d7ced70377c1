r"""Split text into pre-tokens: the pieces that no merge may cross.

Which characters are letters, numbers or white space depends on the version of Unicode: two libraries may differ
on characters that only one of them knows.

Source: Radford et al. (2019), GPT-2; the pattern is the one in its published code.
"""

from collections.abc import Callable

import regex

GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

_WORD_OR_PUNCTUATION = regex.compile(r"[^\s\p{P}$+<=>^`|~]+|[\p{P}$+<=>^`|~]")


def splitter(pattern: str) -> Callable[[str], list[str]]:
    """Compile a pattern into a function from text to its pre-tokens; joined, they are the text again.

    Text between two matches is a pre-token too, as with Hugging Face's ``Split(..., "isolated")``. A pattern that does
    not compile with `regex`, or has capturing groups, is a ValueError.

    Example:
        >>> splitter(GPT2_PATTERN)("It's 3 o'clock.")
        ['It', "'s", ' 3', ' o', "'", 'clock', '.']
    """
    try:
        compiled = regex.compile(f"({pattern})")
    except regex.error as error:
        raise ValueError(f"pattern {pattern!r} does not compile: {error}") from error
    if compiled.groups > 1:
        raise ValueError(f"pattern {pattern!r} captures {compiled.groups - 1} group(s); write (?:...) instead")
    return lambda text: [piece for piece in compiled.split(text) if piece]


def words_and_punctuation(text: str) -> list[str]:
    r"""Return the words of the text and each punctuation mark on its own, without white space.

    Punctuation is Unicode category P and every other ASCII symbol. (Hugging Face's ``BertPreTokenizer`` has
    the table of Unicode 8 and misses some hundred marks of rare scripts.)

    Source: Devlin et al. (2019), BERT; its basic tokenizer without lower-casing.

    Example:
        >>> words_and_punctuation("Dan loves ice cream, doesn't he?")
        ['Dan', 'loves', 'ice', 'cream', ',', 'doesn', "'", 't', 'he', '?']
    """
    return _WORD_OR_PUNCTUATION.findall(text)
