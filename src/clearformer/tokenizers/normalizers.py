"""Normalizers: what a published tokenizer changes in a text before it cuts it.

Each is one small function from text to text. `normalizer` makes it from what the file says.
"""

import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Any

import regex

from clearformer.tokenizers.precompiled import Charsmap
from clearformer.tokenizers.steps import Step, in_turn, unsupported

Normalizer = Callable[[str], str]

# The file format's white space is Unicode's, which str.isspace widens by four control characters.
_OUTER_SPACE = {
    (True, True): regex.compile(r"^\p{White_Space}+|\p{White_Space}+$"),
    (True, False): regex.compile(r"^\p{White_Space}+"),
    (False, True): regex.compile(r"\p{White_Space}+$"),
}
_SPACE = regex.compile(r"\p{White_Space}")
_CONTROL = regex.compile(r"[\p{Cc}\p{Cf}\p{Co}\N{REPLACEMENT CHARACTER}--\t\n\r]", regex.VERSION1)
_NONSPACING_MARK = regex.compile(r"\p{Mn}+")
# The blocks of BERT's published code, with the gap that Hugging Face's has before U+2B920.
_CHINESE = regex.compile(
    "([\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b920-\U0002ceaf\uf900-\ufaff\U0002f800-\U0002fa1f])"
)


def lowercase(text: str) -> str:
    """Lower-case each character on its own, so that a last sigma is not special.

    Example:
        >>> lowercase("ΟΔΟΣ"), "ΟΔΟΣ".lower()
        ('οδοσ', 'οδος')
    """
    return text.replace("Σ", "σ").lower()


def clean(text: str) -> str:
    r"""Drop control characters and U+FFFD, and make every white space a blank.

    Example:
        >>> clean("a\tb\0c")
        'a bc'
    """
    if text.isascii() and text.isprintable():
        return text
    return _SPACE.sub(" ", _CONTROL.sub("", text))


def space_chinese(text: str) -> str:
    """Put blanks around every Chinese character, so that each is a word.

    Example:
        >>> space_chinese("日本 and a")
        ' 日  本  and a'
    """
    return text if text.isascii() else _CHINESE.sub(r" \1 ", text)


def strip_accents(text: str) -> str:
    """Take letters and accents apart, and drop the accents.

    Example:
        >>> strip_accents("crème brûlée")
        'creme brulee'
    """
    return text if text.isascii() else _NONSPACING_MARK.sub("", unicodedata.normalize("NFD", text))


def normalizer(step: Step | None) -> Normalizer:
    """The function that a file's ``normalizer`` describes.

    Raises:
        ValueError: an unsupported step or option, named in the message.

    Source: Devlin et al. (2019) for `BertNormalizer`; Kudo and Richardson (2018) for `Precompiled`.

    Example:
        >>> normalizer({"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]})("ＡＢ")
        'ab'
    """
    match step:
        case None:
            return str
        case {"type": "Sequence", "normalizers": steps}:
            return in_turn([normalizer(each) for each in steps])
        case {"type": "BertNormalizer"}:
            return _bert(step)
        case {"type": "NFC" | "NFD" | "NFKC" | "NFKD" as form}:
            return partial(unicodedata.normalize, form)
        case {"type": "Lowercase"}:
            return lowercase
        case {"type": "Strip"}:
            return _strip(bool(step["strip_left"]), bool(step["strip_right"]))
        case {"type": "Prepend", "prepend": str(prefix)}:
            return lambda text: prefix + text if text else text
        case {"type": "Replace", "pattern": {"String": str(old)}, "content": str(new)}:
            return lambda text: text.replace(old, new)
        case {"type": "Replace", "pattern": {"Regex": str(pattern)}, "content": str(new)}:
            compiled = compile_pattern(pattern)
            return lambda text: compiled.sub(lambda _: new, text)
        case {"type": "Precompiled", "precompiled_charsmap": str(charsmap)}:
            return Charsmap.from_base64(charsmap).apply
    return unsupported("normalizer", step)


def compile_pattern(pattern: str) -> "regex.Pattern[str]":
    """Compile a pattern of a file.

    Raises:
        ValueError: it does not compile.
    """
    try:
        return regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"pattern {pattern!r} does not compile: {error}") from error


def _bert(options: Step) -> Normalizer:
    """BERT's four changes, each of which the file can leave out; accents follow the case unless it says more."""
    accents = options.get("strip_accents")
    wanted: dict[Any, Any] = {
        clean: options["clean_text"],
        space_chinese: options["handle_chinese_chars"],
        strip_accents: options["lowercase"] if accents is None else accents,
        lowercase: options["lowercase"],
    }
    return in_turn([function for function, chosen in wanted.items() if chosen])


def _strip(left: bool, right: bool) -> Normalizer:
    space = _OUTER_SPACE.get((left, right))
    return (lambda text: space.sub("", text)) if space else str
