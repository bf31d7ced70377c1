"""Added tokens: those that are cut out of a text before the model sees it, special ones only if allowed."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain

import regex

from clearformer.tokenizers.special import check_allowed
from clearformer.tokenizers.steps import Step, unsupported

FLAGS = ("single_word", "lstrip", "rstrip", "normalized")

Part = tuple[str, bool] | int
"""Plain text, normalized, and whether the input begins with it; or the id of an added token."""


def record(token: str, i: int) -> dict[str, object]:
    """A special token as a file lists it, with every option off.

    Example:
        >>> record("<eos>", 3)["content"]
        '<eos>'
    """
    return {"id": i, "content": token, **dict.fromkeys(FLAGS, False), "special": True}


def all_records(listed: Sequence[Step], special_tokens: Mapping[str, int]) -> tuple[Step, ...]:
    """The tokens that a file lists and the special ones it does not, in the order of ids.

    Example:
        >>> [token["content"] for token in all_records([record("<eos>", 3)], {"<eos>": 3, "<pad>": 0})]
        ['<pad>', '<eos>']
    """
    contents = {token["content"] for token in listed}
    others = [record(token, i) for token, i in special_tokens.items() if token not in contents]
    return tuple(sorted([*listed, *others], key=lambda token: token["id"]))


class AddedTokens:
    """Cuts added tokens out of a text; where two could begin, the longer one is taken.

    Tokens marked ``normalized`` are looked for after the normalizer, the others before it. ``lstrip`` and
    ``rstrip`` take the white space on that side with them, as RoBERTa's ``<mask>`` does on its left.

    Args:
        records: the tokens as a file lists them.
        normalize: the tokenizer's normalizer.

    Raises:
        ValueError: a token asks for ``single_word``, which is not supported.

    Example:
        >>> mask = {"id": 4, "content": "<mask>", "lstrip": True, "special": True}
        >>> list(AddedTokens([mask], str).split("a <mask> b", ["<mask>"]))
        [('a', True), 4, (' b', False)]
    """

    def __init__(self, records: Sequence[Step], normalize: Callable[[str], str]) -> None:
        """Look at each token's options."""
        for token in records:
            if token.get("single_word"):
                unsupported("added token", token)
        self._normalize = normalize
        self._special = {str(token["content"]): int(token["id"]) for token in records if token.get("special")}
        self._before = {t["content"]: t for t in records if not t.get("normalized")}
        self._after = {normalize(t["content"]): t for t in records if t.get("normalized")}
        self.texts = {int(token["id"]): text for text, token in (self._before | self._after).items()}
        """What stands for each id in a text that is decoded: normalized tokens in their normalized form."""

    def split(self, text: str, allowed: Collection[str]) -> Iterator[Part]:
        """Yield the parts of the text; special tokens that are not allowed stay in it.

        Args:
            text: any text.
            allowed: the special tokens to recognise. Tokens that are added and not special always are.

        Raises:
            TypeError: ``allowed`` is a single string.
            ValueError: an allowed token is not a special token.
        """
        check_allowed(allowed, self._special)
        before = _wanted(self._before, allowed)
        after = _wanted(self._after, allowed)
        if not (before or after):
            return iter([(self._normalize(text), True)])
        return chain.from_iterable(
            [part] if isinstance(part, int) else _cut(self._normalize(part[0]), after, part[1])
            for part in _cut(text, before, True)
        )


def _wanted(tokens: Mapping[str, Step], allowed: Collection[str]) -> dict[str, Step]:
    return {text: token for text, token in tokens.items() if not token.get("special") or token["content"] in allowed}


def _cut(text: str, tokens: Mapping[str, Step], first: bool) -> Iterator[Part]:
    """Yield what lies between the tokens, and their ids; empty texts are left out."""
    done = 0
    longest_first = "|".join(map(regex.escape, sorted(tokens, key=len, reverse=True)))
    for match in regex.finditer(longest_first, text) if tokens else ():
        token = tokens[match[0]]
        start, end = match.span()
        while token.get("lstrip") and start > done and _is_space(text[start - 1]):
            start -= 1
        while token.get("rstrip") and end < len(text) and _is_space(text[end]):
            end += 1
        if done < start:
            yield (text[done:start], first and not done)
        yield int(token["id"])
        done = end
    if done < len(text):
        yield (text[done:], first and not done)


def _is_space(character: str) -> bool:
    """Unicode's white space, which `str.isspace` widens by four control characters."""
    return character.isspace() and not "\x1c" <= character <= "\x1f"
