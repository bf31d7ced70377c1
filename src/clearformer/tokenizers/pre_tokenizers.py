"""Pre-tokenizers as files name them: they cut a text into the words that the model sees one by one."""

from collections.abc import Callable, Iterable

import regex

from clearformer.tokenizers.pre_tokenization import (
    DIGIT_BY_DIGIT_PATTERN,
    GPT2_PATTERN,
    splitter,
    words_and_punctuation,
)
from clearformer.tokenizers.steps import Step, unsupported

PreTokenizer = Callable[[str, bool], Iterable[str]]
"""From a piece of text, and whether the input begins with it, to its words; some may be empty.

``ByteLevel`` cuts only: that its words are bytes is the model's affair."""

MARK = "▁"
"""SentencePiece's mark for a blank, U+2581."""

_BLANKS = regex.compile(r"\p{White_Space}+")
_BY_WORD = {"type": "WhitespaceSplit"}


def pre_tokenizer(step: Step | None) -> PreTokenizer:
    """The function that a file's ``pre_tokenizer`` describes.

    Raises:
        ValueError: an unsupported step or option, named in the message.

    Example:
        >>> list(pre_tokenizer({"type": "Metaspace", "replacement": "▁"})("ice cream", True))
        ['▁ice', '▁cream']
    """
    match step:
        case None:
            return lambda text, _: [text]
        case {"type": "BertPreTokenizer"}:
            return lambda text, _: words_and_punctuation(text)
        case {"type": "WhitespaceSplit"}:
            return lambda text, _: _BLANKS.split(text)
        case {"type": "Split", "pattern": {"Regex": str(pattern)}, "behavior": "Isolated"} if not step.get("invert"):
            cut = splitter(pattern)
            return lambda text, _: cut(text)
        case {"type": "ByteLevel", "add_prefix_space": False}:
            gpt2 = splitter(GPT2_PATTERN)
            return (lambda text, _: gpt2(text)) if step.get("use_regex", True) else (lambda text, _: [text])
        case {"type": "Metaspace"}:
            return _metaspace(step)
        case {
            "type": "Sequence",
            "pretokenizers": [{"type": "Digits", "individual_digits": True}, {"type": "ByteLevel", **options}],
        } if not options["add_prefix_space"] and options.get("use_regex", True):
            one_by_one = splitter(DIGIT_BY_DIGIT_PATTERN)
            return lambda text, _: one_by_one(text)
        case {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "Metaspace"} as marks]}:
            return _marked_words(marks)
        case {"type": "Sequence", "pretokenizers": [first, *rest]}:
            return _sequence(first, rest)
    return unsupported("pre_tokenizer", step)


def prepend_scheme(metaspace: Step) -> str:
    """Where a ``Metaspace`` puts a mark before the text: ``always``, ``first`` or ``never``; older files say it so.

    Raises:
        ValueError: another scheme, or a mark of more than one character.
    """
    older = "always" if metaspace.get("add_prefix_space", True) else "never"
    scheme = str(metaspace.get("prepend_scheme", older))
    if scheme not in ("always", "first", "never") or len(metaspace.get("replacement", MARK)) != 1:
        unsupported("Metaspace", metaspace)
    return scheme


def _metaspace(options: Step) -> PreTokenizer:
    """Write blanks as marks, put one before the text, and cut before each mark."""
    mark, scheme = options.get("replacement", MARK), prepend_scheme(options)
    whole = not options.get("split", True)
    # A word runs up to the next mark; the first may begin without one.
    words = regex.compile("{0}[^{0}]*+|[^{0}]++".format(regex.escape(mark)))

    def cut(text: str, first: bool) -> Iterable[str]:
        if not text:
            return ()
        text = text.replace(" ", mark)
        if (scheme == "always" or (scheme == "first" and first)) and not text.startswith(mark):
            text = mark + text
        return [text] if whole else words.findall(text)

    return cut


def _marked_words(options: Step) -> PreTokenizer:
    """T5's way: cut at white space, then put a mark before each word that has none."""
    if prepend_scheme(options) != "always" or not options.get("split", True):
        return _sequence(_BY_WORD, [options])
    mark = options.get("replacement", MARK)
    by_mark = _metaspace({"type": "Metaspace", "replacement": mark})

    def cut(text: str, _: bool) -> Iterable[str]:
        words = [word for word in _BLANKS.split(text) if word]
        if mark in text:  # a rare text, whose words the marks in it cut once more
            return [part for word in words for part in by_mark(word, False)]
        return [mark + word for word in words]

    return cut


def _sequence(first: Step, rest: list[Step]) -> PreTokenizer:
    """One after the other; only the first step knows where the input begins."""
    if any(step.get("type") == "Metaspace" and prepend_scheme(step) == "first" for step in rest):
        unsupported("pre_tokenizer", {"type": "Sequence", "pretokenizers": [first, *rest]})
    steps = [pre_tokenizer(step) for step in (first, *rest)]

    def cut(text: str, begins: bool) -> Iterable[str]:
        pieces: Iterable[str] = steps[0](text, begins)
        for step in steps[1:]:
            pieces = [word for piece in pieces if piece for word in step(piece, False) if word]
        return pieces

    return cut
