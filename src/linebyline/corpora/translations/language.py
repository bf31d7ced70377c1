"""A language of the corpus: its words, and how text becomes words and words become text."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from . import english, french, lexicon, swedish
from .parts import Sentence, Word

_WORD = re.compile(r"[Aa]ujourd'hui|(?:[jnldJNLD]|[Qq]u)'(?=\w)|\w+|[^\w\s]")


@dataclass(frozen=True, eq=False)
class Language:
    """A language: its name, the function that says a clause of a sentence in it, and the words of its grammar."""

    name: str
    say: Callable[[Sentence, int], list[Word]]
    features: Mapping[str, tuple[str, ...]]  # a determiner, an adverb or a link, and its forms
    others: tuple[str, ...]

    def forms(self, entry: lexicon.Entry) -> tuple[str, ...]:
        """Return the words of an entry of the lexicon, a dash for a form that no sentence has."""
        column: tuple[str, ...] | str = getattr(entry, self.name.lower())
        forms = (column,) if isinstance(column, str) else column
        if self.name == "French" and isinstance(entry, lexicon.Verb) and forms[5] != "-":
            forms = (*forms[:5], *(forms[5] + ending for ending in french.FUTURE))
        return tuple(word for form in forms for word in form.split())

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Every word of the language in alphabetical order, with "." and ","."""
        entries = (word for entry in lexicon.ENTRIES for word in self.forms(entry))
        features = (word for forms in self.features.values() for word in forms)
        return tuple(sorted({".", ",", *self.others, *features, *entries} - {"-"}))

    def tokenize(self, text: str) -> tuple[str, ...]:
        """Split a text into words; punctuation and an elided article are words, too.

        The first word of a sentence loses its capital, unless it always has one.

        Example:
            >>> FRENCH.tokenize("Jane n'aime pas l'été.")
            ('Jane', "n'", 'aime', 'pas', "l'", 'été', '.')
            >>> ENGLISH.tokenize("My friend sings. I sleep.")
            ('my', 'friend', 'sings', '.', 'I', 'sleep', '.')
        """
        known = self._capitals
        # Some keyboards send a letter and its accent as two characters.
        words = _WORD.findall(re.sub("[’ʼ]", "'", unicodedata.normalize("NFC", text)))
        lowered = (w not in known and (i == 0 or words[i - 1] == ".") for i, w in enumerate(words))
        return tuple(w[:1].lower() + w[1:] if small else w for w, small in zip(words, lowered, strict=True))

    def read(self, text: str) -> tuple[str, ...]:
        """Split a text of one sentence into words, all of which are known; the full stop may be left out.

        Raises:
            ValueError: A word is not in the vocabulary.
        """
        words, known = self.tokenize(text), frozenset(self.vocabulary)
        if unknown := [word for word in words if word not in known]:
            raise ValueError(f"the {self.name} vocabulary does not have {', '.join(map(repr, unknown))}")
        return words if words[-1:] == (".",) else (*words, ".")

    def detokenize(self, words: Sequence[str]) -> str:
        """Join words to a text, in which each sentence begins with a capital.

        Example:
            >>> FRENCH.detokenize(["demain", "j'", "achèterai", "de", "l'", "eau", "."])
            "Demain j'achèterai de l'eau."
        """
        text, first, joined = "", True, True
        for word in words:
            text += "" if joined or word in {".", ","} else " "
            text += word[:1].upper() + word[1:] if first else word
            first, joined = word == ".", word.endswith("'")
        return text

    @cached_property
    def _capitals(self) -> frozenset[str]:
        return frozenset(word for word in self.vocabulary if word[0].isupper())


ENGLISH = Language("English", english.say, english.FEATURES, english.OTHERS)
SWEDISH = Language("Swedish", swedish.say, swedish.FEATURES, swedish.OTHERS)
FRENCH = Language("French", french.say, french.FEATURES, french.OTHERS)
