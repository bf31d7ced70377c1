"""Pairs of languages: sentences drawn in both with the alignment of their words, or read in one and translated."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from . import choosing
from .choosing import Choices, Chosen, Option
from .language import ENGLISH, FRENCH, SWEDISH, Language
from .lexicon import ENTRIES
from .parts import Clause, Sentence


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence in two languages, and for each word of the target the words of the source that mean the same."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignment: tuple[tuple[int, ...], ...]  # positions in the source, one tuple for each word of the target
    combinations: tuple[tuple[str, str], ...]  # verb and object of each clause that has both, in English


@dataclass(frozen=True)
class Grammar:
    """Sentences that mean the same in two languages, and how their words are aligned.

    Every sentence of the source has one translation. The grammar and its words were written for this course.

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
        """Draw a sentence, the same for the same generator on every machine."""
        return self._pair(choosing.sentence(Choices(generator)))

    def translate(self, text: str) -> Pair:
        """Translate a sentence of the source; the full stop may be left out.

        Raises:
            ValueError: A word is not in the vocabulary, or the words are not a sentence of this grammar.

        Example:
            >>> ENGLISH_SWEDISH.target.detokenize(ENGLISH_SWEDISH.translate("Dan loves ice cream").target)
            'Dan älskar glass.'
            >>> ENGLISH_SWEDISH.translate("Dan loves robots.")
            Traceback (most recent call last):
            ValueError: the English vocabulary does not have 'robots'
        """
        for pair in self.readings(self.source.read(text)):
            return pair
        raise ValueError(f"{text!r} is not a sentence of the grammar {self.name}")

    def readings(self, words: Sequence[str]) -> Iterator[Pair]:
        """Yield the translation of every way to understand a sentence; all of them are equal.

        Choices are made one by one, and abandoned as soon as their words are not those of the sentence.
        """
        path: list[tuple[int, list[Any]]] = []
        choices = _Reading(self.source, tuple(words), path)
        while True:
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
            choices.restart()

    def _pair(self, sentence: Sentence) -> Pair:
        source, target, alignment = list[str](), list[str](), list[tuple[int, ...]]()
        for number in range(len(sentence.clauses)):
            said, meant = self.source.say(sentence, number), self.target.say(sentence, number)
            places = [(place, part) for place, (_, part) in enumerate(said, len(source))]
            alignment += [tuple([place for place, part in places if part & wanted]) for _, wanted in meant]
            source += [word for word, _ in said]
            target += [word for word, _ in meant]
        return Pair((*source, "."), (*target, "."), (*alignment, (len(source),)), sentence.combinations)


class _DeadEndError(Exception):
    """The words of the choices made are not those of the sentence."""


class _Reading(Choices):
    """Choices that follow a path, and take the first option where it ends.

    The path has for each choice the number of the option taken, and the options; it is lengthened in place. All but its
    last choice were made before, and what they say need not be compared again.
    """

    def __init__(self, language: Language, words: tuple[str, ...], path: list[tuple[int, list[Any]]]) -> None:
        self._say, self._words, self._path = language.say, words, path
        spoken = set(words)
        # By identity: an entry has dozens of forms to hash.
        self._entries = {id(entry) for entry in ENTRIES if not spoken.isdisjoint(language.forms(entry))}
        self._absent = {name for name, forms in language.features.items() if spoken.isdisjoint(forms)}
        self.restart()

    def restart(self) -> None:
        self._n_given, self._n_made = len(self._path), 0

    def among(self, options: Sequence[Option]) -> Option:
        return self._choose(options, lambda option: option not in self._absent)

    def entry(self, entries: Sequence[Chosen]) -> Chosen:
        return self._choose(entries, lambda entry: id(entry) in self._entries)

    def whether(self, probability: float) -> bool:
        return self._choose((False, True), lambda _: True)

    def _choose(self, options: Sequence[Option], possible: Callable[[Option], bool]) -> Option:
        if self._n_made == len(self._path):
            different = list(dict.fromkeys(filter(possible, options)))
            if not different:
                raise _DeadEndError
            self._path.append((0, different))
        number, different = self._path[self._n_made]
        self._n_made += 1
        return different[number]

    def so_far(self, before: Sentence, clause: Clause) -> Clause:
        if self._n_made >= self._n_given:
            said = self._said(before._replace(clauses=(*before.clauses, clause)))
            if self._words[: len(said)] != said:
                raise _DeadEndError
        return clause

    def finish(self, sentence: Sentence) -> None:
        if self._words != (*self._said(sentence), "."):
            raise _DeadEndError

    def _said(self, sentence: Sentence) -> tuple[str, ...]:
        return tuple(word for number in range(len(sentence.clauses)) for word, _ in self._say(sentence, number))


ENGLISH_SWEDISH = Grammar(ENGLISH, SWEDISH)
FRENCH_ENGLISH = Grammar(FRENCH, ENGLISH)
