"""English: *do* with *not*, *a* or *an*, and verbs that change for *he* alone."""

from . import parts
from .parts import Clause, NounPhrase, Sentence, Word

_BE = {"present": ("am", "is", "are", "are"), "past": ("was", "was", "were", "were")}

# The words that are in no table: by what they mean, and the others.
FEATURES = {
    **{word: (word,) for word in ("not", "never", "often", "always", "and", "but", "because", "the", "my", "our")},
    **{"a": ("a", "an"), "this": ("this", "these")},
}
OTHERS = ("will", "do", "does", "did", "with", "in", *_BE["present"], *_BE["past"])


def say(sentence: Sentence, number: int) -> list[Word]:
    """Return a clause of the sentence in English, each word with its parts; a second clause begins with its link."""
    clause = _clause(sentence.clauses[number])
    return parts.linked(sentence, sentence.link, clause) if number else clause


def _clause(clause: Clause) -> list[Word]:
    time = parts.phrase(clause.time.english, clause.time.parts[0]) if clause.time else []
    said = time if clause.time_first else []
    said = said + parts.at(parts.SUBJECT, noun_phrase(clause.subject)) + _predicate(clause)
    if clause.object:
        said += parts.at(parts.OBJECT, noun_phrase(clause.object))
    if clause.companion:
        said += [("with", parts.WITH), *parts.at(parts.COMPANION, noun_phrase(clause.companion))]
    if clause.place:
        said += [("in", parts.INSIDE), *parts.at(parts.PLACE, noun_phrase(clause.place))]
    return said if clause.time_first else said + time


def _predicate(clause: Clause) -> list[Word]:
    adverb = [(clause.adverb, parts.ADVERB)] if clause.adverb else []
    person, tense, verb = clause.subject.person, clause.tense, clause.verb
    if verb is None:
        assert clause.predicate
        finite = (_BE[tense][person], parts.VERB | parts.TENSE)
        return [finite, *adverb, (clause.predicate.english, parts.PREDICATE)]
    infinitive, third, past = verb.english
    if tense == "future":
        return [("will", parts.TENSE), *adverb, *parts.verb(infinitive, parts.VERB)]
    if clause.adverb == "not":
        do = "did" if tense == "past" else "does" if person == 1 else "do"
        return [(do, parts.TENSE | parts.AUXILIARY), *adverb, *parts.verb(infinitive, parts.VERB)]
    form = past if tense == "past" else third if person == 1 else infinitive
    return [*adverb, *parts.verb(form, parts.VERB | parts.TENSE)]


def noun_phrase(phrase: NounPhrase) -> list[Word]:
    """Return the words of a noun phrase, with its parts."""
    noun = phrase.noun
    if phrase.partner:
        return parts.names(noun.english, "and", phrase.partner.english)
    adjectives = [(a.english, part) for a, part in zip(phrase.adjectives, parts.ADJECTIVES, strict=False)]
    # Where English has no article and French has one, the noun alone says both.
    part = parts.NOUN | parts.ARTICLE if phrase.determiner in {"", "any"} else parts.NOUN
    said = adjectives + [(word, part) for word in noun.english[phrase.plural and len(noun.english) > 1].split()]
    if phrase.determiner in {"", "any"}:
        return said
    article = phrase.determiner
    if article == "a" and said[0][0][0] in "aeio":
        article = "an"
    if article == "this" and phrase.plural:
        article = "these"
    return [(article, parts.ARTICLE), *said]
