"""A language of the corpus: which words it has, and how text becomes words and words become text."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from linebyline.corpora.translations import english, french, lexicon, swedish
from linebyline.corpora.translations.meaning import Sentence
from linebyline.corpora.translations.parts import Word

_WORD = re.compile(r"[Aa]ujourd'hui|(?:[jnldJNLD]|[Qq]u)'(?=\w)|\w+|[^\w\s]")


@dataclass(frozen=True, eq=False)
class Language:
    """A language: its name, its way to say a clause of a sentence, and the words that belong to its grammar."""

    name: str
    say: Callable[[Sentence, int], list[Word]]
    features: Mapping[str, tuple[str, ...]]  # a determiner, an adverb or a link, and its forms
    others: tuple[str, ...]

    def forms(self, entry: lexicon.Entry) -> tuple[str, ...]:
        """The words in which an entry of the lexicon shows, a dash for a form that no sentence has."""
        column: tuple[str, ...] | str = getattr(entry, self.name.lower())
        forms = (column,) if isinstance(column, str) else column
        if self.name == "French" and isinstance(entry, lexicon.Verb) and forms[5] != "-":
            forms = (*forms[:5], *(forms[5] + ending for ending in french.FUTURE))
        return tuple(word for form in forms for word in form.split())

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Every word of the language, in the order of the alphabet, with "." and ","."""
        entries = (word for entry in lexicon.ENTRIES for word in self.forms(entry))
        features = (word for forms in self.features.values() for word in forms)
        return tuple(sorted({".", ",", *self.others, *features, *entries} - {"-"}))

    def tokenize(self, text: str) -> tuple[str, ...]:
        """Part a text into words: punctuation and an elided article are words of their own.

        The first word of a sentence is written small, unless it is one that always has a capital.

        Example:
            >>> FRENCH.tokenize("Jane n'aime pas l'été.")
            ('Jane', "n'", 'aime', 'pas', "l'", 'été', '.')
            >>> ENGLISH.tokenize("My friend sings. I sleep.")
            ('my', 'friend', 'sings', '.', 'I', 'sleep', '.')
        """
        known = self._capitals
        # A letter and an accent may come as two characters, as some keyboards send them.
        words = _WORD.findall(re.sub("[’ʼ]", "'", unicodedata.normalize("NFC", text)))
        firsts = (i == 0 or words[i - 1] == "." for i in range(len(words)))
        return tuple(_small(w) if first and w not in known else w for w, first in zip(words, firsts, strict=True))

    def detokenize(self, words: Sequence[str]) -> str:
        """Write words as text, each sentence with a capital.

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


def _small(word: str) -> str:
    return word[:1].lower() + word[1:]


ENGLISH = Language("English", english.say, english.FEATURES, english.OTHERS)
SWEDISH = Language("Swedish", swedish.say, swedish.FEATURES, swedish.OTHERS)
FRENCH = Language("French", french.say, french.FEATURES, french.OTHERS)
