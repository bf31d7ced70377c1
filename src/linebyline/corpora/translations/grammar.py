"""Two languages side by side: sentences drawn in both, with the words that belong together, or read in one."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from linebyline.corpora.translations import choosing
from linebyline.corpora.translations.choosing import Chosen, Option
from linebyline.corpora.translations.language import ENGLISH, FRENCH, SWEDISH, Language
from linebyline.corpora.translations.lexicon import ENTRIES
from linebyline.corpora.translations.meaning import Clause, Sentence


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence in two languages, and for each word of the target the words of the source that it comes from."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignment: tuple[tuple[int, ...], ...]  # positions in the source, one tuple for each word of the target
    combinations: tuple[tuple[str, str], ...]  # verb and object of each clause that has both, in English


@dataclass(frozen=True)
class Grammar:
    """Sentences that mean the same in two languages, and which word means which.

    Every sentence of the source has one translation. The grammar and its words are the project's own.

    Example:
        >>> pair = FRENCH_ENGLISH.translate("Jane visite l'Afrique en septembre.")
        >>> pair.target
        ('Jane', 'visits', 'Africa', 'in', 'September', '.')
        >>> pair.alignment
        ((0,), (1,), (2, 3), (4,), (5,), (6,))
        >>> pair.combinations
        (('visit', 'Africa'),)
    """

    source: Language
    target: Language

    @property
    def name(self) -> str:
        """The languages, as in "French to English"."""
        return f"{self.source.name} to {self.target.name}"

    def draw(self, generator: random.Random) -> Pair:
        """Draw a sentence: the same one for the same generator, on every machine.

        Example:
            >>> pair = ENGLISH_SWEDISH.draw(random.Random(0))
            >>> len(pair.target) == len(pair.alignment)
            True
        """
        return self._pair(choosing.sentence(Drawn(generator)))

    def translate(self, text: str) -> Pair:
        """Translate a sentence of the source; the full stop may be left out.

        Raises:
            ValueError: A word is not in the vocabulary, or the words make no sentence of this grammar.

        Example:
            >>> ENGLISH_SWEDISH.target.detokenize(ENGLISH_SWEDISH.translate("Dan loves ice cream").target)
            'Dan älskar glass.'
            >>> ENGLISH_SWEDISH.translate("Dan loves robots.")
            Traceback (most recent call last):
            ValueError: the English vocabulary does not have 'robots'
        """
        words = self.source.tokenize(text)
        words = words if words[-1:] == (".",) else (*words, ".")
        unknown = [word for word in words if word not in self._known]
        if unknown:
            raise ValueError(f"the {self.source.name} vocabulary does not have {', '.join(map(repr, unknown))}")
        for pair in self.readings(words):
            return pair
        raise ValueError(f"{text!r} is no sentence of the grammar {self.name}")

    def readings(self, words: Sequence[str]) -> Iterator[Pair]:
        """All translations of a sentence, one for each way to understand it; they differ in nothing.

        Choices are made one by one, and left as soon as what is said so far is not how the words begin.
        """
        shown = _Shown(self.source, words)
        path: list[tuple[int, list[Any]]] = []
        while True:
            choices = _Read(self.source, tuple(words), shown, path)
            try:
                sentence = choosing.sentence(choices)
                choices.finish(sentence)
                yield self._pair(sentence)
            except _DeadEndError:
                pass
            while path and path[-1][0] + 1 == len(path[-1][1]):
                path.pop()
            if not path:
                return
            number, options = path.pop()
            path.append((number + 1, options))

    def _pair(self, sentence: Sentence) -> Pair:
        source: list[str] = []
        target: list[str] = []
        alignment: list[tuple[int, ...]] = []
        for number in range(len(sentence.clauses)):
            said, meant = self.source.say(sentence, number), self.target.say(sentence, number)
            places = [(place, part) for place, (_, part) in enumerate(said, len(source))]
            alignment += [tuple([place for place, part in places if part & wanted]) for _, wanted in meant]
            source += [word for word, _ in said]
            target += [word for word, _ in meant]
        return Pair((*source, "."), (*target, "."), (*alignment, (len(source),)), sentence.combinations)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.source.vocabulary)


class Drawn:
    """Choices by chance. Of a generator only ``random`` is used: it gives the same numbers in every Python."""

    def __init__(self, generator: random.Random) -> None:
        self._random = generator.random

    def among(self, options: Sequence[Option]) -> Option:
        """Draw one of some options."""
        return options[int(self._random() * len(options))]

    def entry(self, entries: Sequence[Chosen]) -> Chosen:
        """Draw an entry of the lexicon."""
        return entries[int(self._random() * len(entries))]

    def whether(self, share: float) -> bool:
        """Say yes in a share of the cases."""
        return self._random() < share

    def so_far(self, before: Sentence, clause: Clause) -> None:
        """What was said so far rules nothing out."""


class _DeadEndError(Exception):
    """What was chosen is not what the words say."""


class _Shown:
    """Which entries of the lexicon and which features have a form among some words."""

    def __init__(self, language: Language, words: Sequence[str]) -> None:
        spoken = set(words)
        # By identity: an entry has dozens of forms to hash.
        self.entries = {id(entry) for entry in ENTRIES if not spoken.isdisjoint(language.forms(entry))}
        self.absent = {name for name, forms in language.features.items() if spoken.isdisjoint(forms)}


class _Read:
    """Choices that follow a path, and go on with the first option where it ends.

    Args:
        language: the language of the words.
        words: what the choices should lead to.
        shown: what there is to choose from.
        path: for each choice the number of the option taken, and the options; lengthened in place. All but its last
            choice were made before in the same way, so nothing is looked up or compared again there.
    """

    def __init__(
        self, language: Language, words: tuple[str, ...], shown: _Shown, path: list[tuple[int, list[Any]]]
    ) -> None:
        self._language, self._words, self._shown = language, words, shown
        self._path, self._given, self._made = path, len(path), 0

    def among(self, options: Sequence[Option]) -> Option:
        if self._made < self._given:
            return self._next(options)
        return self._first([option for option in options if option not in self._shown.absent])

    def entry(self, entries: Sequence[Chosen]) -> Chosen:
        if self._made < self._given:
            return self._next(entries)
        return self._first([entry for entry in entries if id(entry) in self._shown.entries])

    def whether(self, share: float) -> bool:
        return self._next((False, True)) if self._made < self._given else self._first((False, True))

    def _next(self, options: Sequence[Option]) -> Option:
        """What was taken of the options before."""
        number, different = self._path[self._made]
        self._made += 1
        taken: Option = different[number]
        return taken

    def _first(self, options: Sequence[Option]) -> Option:
        different = list(dict.fromkeys(options))
        if not different:
            raise _DeadEndError
        self._path.append((0, different))
        self._made += 1
        return different[0]

    def so_far(self, before: Sentence, clause: Clause) -> None:
        if self._made < self._given:
            return
        sentence = before._replace(clauses=(*before.clauses, clause))
        if self._words[: len(said := self._said(sentence))] != said:
            raise _DeadEndError

    def finish(self, sentence: Sentence) -> None:
        if self._words != (*self._said(sentence), "."):
            raise _DeadEndError

    def _said(self, sentence: Sentence) -> tuple[str, ...]:
        say = self._language.say
        return tuple(word for number in range(len(sentence.clauses)) for word, _ in say(sentence, number))


ENGLISH_SWEDISH = Grammar(ENGLISH, SWEDISH)
FRENCH_ENGLISH = Grammar(FRENCH, ENGLISH)
