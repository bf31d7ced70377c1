"""The parts of a sentence: what they mean, and the bits that align their words in two languages.

Words are aligned where they share a bit. A word may have several: Swedish *glassen* is the article and the noun of
*the ice cream*.
"""

from typing import NamedTuple

from .lexicon import Adjective, Forms, Noun, Phrase, Verb

Word = tuple[str, int]

# Within a noun phrase, six bits.
ARTICLE, NOUN, AND, PARTNER = 1, 2, 4, 8
ADJECTIVES = (16, 32)

# Within a clause: the verb and the words around it, then the noun phrases, then the words of a time.
VERB, TENSE, PARTICLE, AUXILIARY, ADVERB, PREDICATE, WITH, INSIDE, LINK, COMMA = (1 << i for i in range(10))
SUBJECT, OBJECT, COMPANION, PLACE, TIME = 10, 16, 22, 28, 34


class NounPhrase(NamedTuple):
    """A noun with its determiner and adjectives, or a name, or a pronoun."""

    noun: Noun
    determiner: str = ""  # the, a, this, my, our, any ("books", "ice cream"); empty for a name or a pronoun
    plural: bool = False
    adjectives: tuple[Adjective, ...] = ()
    partner: Noun | None = None  # a second name: "Jane and Dan"

    @property
    def person(self) -> int:
        """The row of a verb's forms: 0 for I, 1 for he, 2 for we, 3 for they."""
        return 3 if self.plural or self.partner else self.noun.person

    @property
    def feminine(self) -> bool:
        """The gender in French: masculine if one of two names is."""
        return self.noun.feminine and (self.partner is None or self.partner.feminine)

    @property
    def names(self) -> tuple[Noun | None, Noun | None]:
        """The nouns in it: one, and a partner or None."""
        return self.noun, self.partner


class Clause(NamedTuple):
    """Who does what to what, or what is how; with whom, where and when."""

    subject: NounPhrase
    tense: str = "present"  # present, past, future
    verb: Verb | None = None  # none: "is"
    adverb: str = ""  # not, never, often, always
    object: NounPhrase | None = None
    predicate: Adjective | None = None
    companion: NounPhrase | None = None
    place: NounPhrase | None = None
    time: Phrase | None = None
    time_first: bool = False


class Sentence(NamedTuple):
    """One clause, or two and the word that links them."""

    clauses: tuple[Clause, ...]
    link: str = ""  # and, but, because

    @property
    def combinations(self) -> tuple[tuple[str, str], ...]:
        """The verb and the object of each clause that has both, in English."""
        return tuple((c.verb.english[0], c.object.noun.english[0]) for c in self.clauses if c.verb and c.object)


def at(place: int, words: list[Word]) -> list[Word]:
    """Return the words of a noun phrase, with their parts in the clause."""
    return [(word, part << place) for word, part in words]


def phrase(words: tuple[str, ...], parts: tuple[int, ...]) -> list[Word]:
    """Return the words of a time, with their parts in the clause."""
    return [(word, 1 << TIME + part) for word, part in zip(words, parts, strict=True)]


def verb(form: str, part: int) -> list[Word]:
    """Return a verb, and its particle if it has one: *looks for*, *letar efter*."""
    first, *particle = form.split()
    return [(first, part), *((word, PARTICLE) for word in particle)]


def linked(sentence: Sentence, link: str, clause: list[Word]) -> list[Word]:
    """Return a second clause after the word that links it, with the comma before *but*."""
    comma = [(",", COMMA)] if sentence.link == "but" else []
    return [*comma, (link, LINK), *clause]


def names(first: Forms, link: str, second: Forms) -> list[Word]:
    """Return two names and the word that links them: *Jane and Dan*."""
    return [(first[0], NOUN), (link, AND), (second[0], PARTNER)]
