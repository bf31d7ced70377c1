"""Swedish: the verb comes second, the article is an ending, and *inte* moves before the verb of a subclause."""

from . import parts
from .parts import Clause, NounPhrase, Sentence, Word

_LINKS = {"and": "och", "but": "men", "because": "eftersom"}
_ADVERBS = {"not": "inte", "never": "aldrig", "often": "ofta", "always": "alltid"}
# Common, neuter, plural.
_ARTICLES = {
    "the": ("den", "det", "de"),
    "a": ("en", "ett"),
    "no": ("någon", "något"),
    "this": ("den", "det", "de"),
    "my": ("min", "mitt", "mina"),
    "our": ("vår", "vårt", "våra"),
}

# The words that are in no table: by what they mean, and the others.
FEATURES = {**{name: (word,) for name, word in (_LINKS | _ADVERBS).items()}, **_ARTICLES}
OTHERS = ("här", "är", "var", "ska", "med", "i")


def say(sentence: Sentence, number: int) -> list[Word]:
    """Return a clause of the sentence in Swedish, each word with its parts; a second clause begins with its link."""
    clause = _clause(sentence.clauses[number], subordinate=number > 0 and sentence.link == "because")
    return parts.linked(sentence, _LINKS[sentence.link], clause) if number else clause


def _clause(clause: Clause, subordinate: bool) -> list[Word]:
    time = parts.phrase(clause.time.swedish, clause.time.parts[1]) if clause.time else []
    subject = parts.at(parts.SUBJECT, noun_phrase(clause.subject))
    adverb = [(_ADVERBS[clause.adverb], parts.ADVERB)] if clause.adverb else []
    finite, *infinite = _verb(clause)
    if clause.time_first:
        said = [*time, finite, *subject, *adverb, *infinite]
    elif subordinate:
        said = [*subject, *adverb, finite, *infinite]
    else:
        said = [*subject, finite, *adverb, *infinite]
    if clause.object:
        said += parts.at(parts.OBJECT, noun_phrase(clause.object, clause.adverb in {"not", "never"}))
    if clause.companion:
        said += [("med", parts.WITH), *parts.at(parts.COMPANION, noun_phrase(clause.companion))]
    if clause.place:
        said += [("i", parts.INSIDE), *parts.at(parts.PLACE, noun_phrase(clause.place))]
    return said if clause.time_first else said + time


def _verb(clause: Clause) -> list[Word]:
    """The finite verb, and the words that do not change with the tense."""
    both = parts.VERB | parts.TENSE
    if clause.verb is None:
        assert clause.predicate
        plural, neuter = clause.subject.person >= 2, clause.subject.noun.neuter
        how = clause.predicate.swedish[3 if plural else neuter]
        return [("var" if clause.tense == "past" else "är", both), (how, parts.PREDICATE)]
    infinitive, present, past = clause.verb.swedish
    if clause.tense == "future":
        return [("ska", parts.TENSE), *parts.verb(infinitive, parts.VERB)]
    return parts.verb(past if clause.tense == "past" else present, both)


def noun_phrase(phrase: NounPhrase, negated: bool = False) -> list[Word]:
    """Return the words of a noun phrase, with its parts; ``negated`` turns "en bil" into "någon bil"."""
    noun, determiner, plural = phrase.noun, phrase.determiner, phrase.plural
    if phrase.partner:
        return parts.names(noun.swedish, "och", phrase.partner.swedish)
    if not determiner:
        return [(noun.swedish[0], parts.NOUN)]
    ending = determiner in {"the", "this"}
    form = noun.swedish[2 * plural + ending]
    which = 3 if plural else noun.neuter if determiner in {"a", "any"} else 2
    adjectives = [(a.swedish[which], part) for a, part in zip(phrase.adjectives, parts.ADJECTIVES, strict=False)]
    if determiner == "any":
        return [*adjectives, (form, parts.NOUN | parts.ARTICLE)]
    if determiner == "the" and not adjectives:
        return [(form, parts.NOUN | parts.ARTICLE)]
    forms = _ARTICLES["no" if determiner == "a" and negated else determiner]
    said = [(forms[2 if plural else noun.neuter], parts.ARTICLE)]
    if determiner == "this":
        said.append(("här", parts.ARTICLE))
    return [*said, *adjectives, (form, parts.NOUN | parts.ARTICLE if determiner == "the" else parts.NOUN)]
