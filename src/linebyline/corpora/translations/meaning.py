"""What a sentence says, before any language says it."""

from typing import NamedTuple

from linebyline.corpora.translations.lexicon import Adjective, Noun, Phrase, Verb


class NounPhrase(NamedTuple):
    """A noun with what stands before it, or a name, or a pronoun."""

    noun: Noun
    determiner: str = ""  # the, a, this, my, our, any ("books", "ice cream"); empty for a name or a pronoun
    plural: bool = False
    adjectives: tuple[Adjective, ...] = ()
    partner: Noun | None = None  # a second name: "Jane and Dan"

    @property
    def person(self) -> int:
        """Row of a verb's forms: 0 for I, 1 for he, 2 for we, 3 for they."""
        return 3 if self.plural or self.partner else self.noun.person

    @property
    def names(self) -> tuple[Noun | None, Noun | None]:
        """The nouns in it."""
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
    """One clause, or two and what links them."""

    clauses: tuple[Clause, ...]
    link: str = ""  # and, but, because

    @property
    def combinations(self) -> tuple[tuple[str, str], ...]:
        """The verb and the object of each clause that has both, in English."""
        return tuple((c.verb.english[0], c.object.noun.english[0]) for c in self.clauses if c.verb and c.object)
