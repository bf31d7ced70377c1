"""The parts of a clause, as bits: words of two languages belong together where they share one.

A word may have several parts: Swedish *glassen* is the article and the noun of *the ice cream*.
"""

from linebyline.corpora.translations.meaning import Sentence

Word = tuple[str, int]

# Within a noun phrase, six bits.
ARTICLE, NOUN, AND, PARTNER = 1, 2, 4, 8
ADJECTIVES = (16, 32)

# Within a clause: the verb and what stands around it, then the noun phrases, then the words of a time.
VERB, TENSE, PARTICLE, AUXILIARY, ADVERB, PREDICATE, WITH, INSIDE, LINK, COMMA = (1 << i for i in range(10))
SUBJECT, OBJECT, COMPANION, PLACE, TIME = 10, 16, 22, 28, 34


def at(place: int, words: list[Word]) -> list[Word]:
    """The words of a phrase, with their parts in the clause."""
    return [(word, part << place) for word, part in words]


def phrase(words: tuple[str, ...], parts: tuple[int, ...]) -> list[Word]:
    """The words of a time."""
    return [(word, 1 << TIME + part) for word, part in zip(words, parts, strict=True)]


def verb(form: str, part: int) -> list[Word]:
    """A verb, with its particle if it has one: *looks for*, *letar efter*."""
    first, *particle = form.split()
    return [(first, part), *((word, PARTICLE) for word in particle)]


def linked(sentence: Sentence, link: str, clause: list[Word]) -> list[Word]:
    """A second clause after the word that links it, with the comma before *but*."""
    comma = [(",", COMMA)] if sentence.link == "but" else []
    return [*comma, (link, LINK), *clause]
