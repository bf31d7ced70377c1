"""French: articles that agree and elide, *ne* and *pas* around the verb, and most adjectives after their noun."""

from . import parts
from .parts import Clause, NounPhrase, Sentence, Word

_LINKS = {"and": "et", "but": "mais"}
_ADVERBS = {"not": "pas", "never": "jamais", "often": "souvent", "always": "toujours"}
_BE = {"present": ("suis", "est", "sommes", "sont"), "past": ("étais", "était", "étions", "étaient")}
_HAVE = ("ai", "a", "avons", "ont")
FUTURE = ("ai", "a", "ons", "ont")
# Masculine, feminine, plural, and before a vowel: masculine, feminine.
_ARTICLES = {
    "the": ("le", "la", "les", "l'", "l'"),
    "a": ("un", "une", "", "un", "une"),
    "this": ("ce", "cette", "ces", "cet", "cette"),
    "my": ("mon", "ma", "mes", "mon", "mon"),
    "our": ("notre", "notre", "nos", "notre", "notre"),
}

# The words that are in no table: by what they mean, and the others.
FEATURES = {
    **{name: (word,) for name, word in (_LINKS | _ADVERBS).items()},
    **{"because": ("parce", "que", "qu'"), **_ARTICLES, "a": ("un", "une", "de", "d'")},
}
OTHERS = ("ne", "n'", "du", "des", "avec", "dans", "à", "en", "au", *_BE["present"], *_BE["past"], *_HAVE)


def say(sentence: Sentence, number: int) -> list[Word]:
    """Return a clause of the sentence in French, each word with its parts; a second clause begins with its link."""
    clause = _clause(sentence.clauses[number])
    if number == 0:
        return clause
    if sentence.link == "because":
        return [("parce", parts.LINK), (_elided("que", clause), parts.LINK), *clause]
    return parts.linked(sentence, _LINKS[sentence.link], clause)


def _clause(clause: Clause) -> list[Word]:
    time = parts.phrase(clause.time.french, clause.time.parts[2]) if clause.time else []
    predicate = _predicate(clause)
    subject = noun_phrase(clause.subject)
    if subject[0][0] == "je":
        subject = [(_elided("je", predicate), parts.NOUN)]
    said = time if clause.time_first else []
    said = said + parts.at(parts.SUBJECT, subject) + predicate
    if clause.object:
        negated = clause.adverb in {"not", "never"}
        generic = clause.verb is not None and clause.verb.is_emotion
        said += parts.at(parts.OBJECT, noun_phrase(clause.object, negated, generic))
    if clause.companion:
        said += [("avec", parts.WITH), *parts.at(parts.COMPANION, noun_phrase(clause.companion))]
    if clause.place:
        said += _inside(clause.place)
    return said if clause.time_first else said + time


def _predicate(clause: Clause) -> list[Word]:
    # No French verb has a particle: the verb alone says "looks for".
    person, verb = clause.subject.person, parts.VERB | parts.PARTICLE
    rest: list[Word] = []
    if clause.verb is None:
        assert clause.predicate
        form = clause.predicate.french[2 * (person >= 2) + clause.subject.feminine]
        finite, rest = (_BE[clause.tense][person], verb | parts.TENSE), [(form, parts.PREDICATE)]
    elif clause.tense == "past":
        finite, rest = (_HAVE[person], parts.TENSE), [(clause.verb.french[4], verb)]
    elif clause.tense == "future":
        finite = (clause.verb.french[5] + FUTURE[person], verb | parts.TENSE)
    else:
        finite = (clause.verb.french[person], verb | parts.TENSE)
    adverb = [(_ADVERBS[clause.adverb], parts.ADVERB)] if clause.adverb else []
    said = [finite, *adverb, *rest]
    if clause.adverb in {"not", "never"}:
        # "Ne" announces what English announces by "do".
        return [(_elided("ne", said), parts.ADVERB | parts.AUXILIARY), *said]
    return said


def _inside(place: NounPhrase) -> list[Word]:
    noun = place.noun
    if noun.kind == "town":
        preposition = "à"
    elif noun.kind == "country":
        preposition = "en" if noun.feminine else "au"
    else:
        return [("dans", parts.INSIDE), *parts.at(parts.PLACE, noun_phrase(place))]
    return [(preposition, parts.INSIDE), (noun.french[0], parts.NOUN << parts.PLACE)]


def noun_phrase(phrase: NounPhrase, negated: bool = False, generic: bool = False) -> list[Word]:
    """Return the words of a noun phrase, with its parts.

    ``negated`` turns "un livre" and "des livres" into "de livre" and "de livres"; ``generic``, for books in general,
    turns "des livres" into "les livres".
    """
    noun = phrase.noun
    if phrase.partner:
        return parts.names(noun.french, "et", phrase.partner.french)
    adjectives = [
        (a.french[2 * phrase.plural + noun.feminine], part, a)
        for a, part in zip(phrase.adjectives, parts.ADJECTIVES, strict=False)
    ]
    said = [(noun.french[phrase.plural and len(noun.french) > 1], parts.NOUN)]
    for form, part, adjective in adjectives:
        if not adjective.before:
            said.append((form, part))
        elif noun.feminine or phrase.plural or not _starts_with_vowel(said):
            said.insert(0, (form, part))
        else:
            said.insert(0, (adjective.french[4], part))
    return [*((article, parts.ARTICLE) for article in _article(phrase, said, negated, generic)), *said]


def _article(phrase: NounPhrase, said: list[Word], negated: bool, generic: bool) -> tuple[str, ...]:
    determiner, feminine = phrase.determiner, phrase.noun.feminine
    if not determiner and phrase.noun.kind != "country":
        return ()
    if not determiner or (generic and determiner == "any"):
        determiner = "the"
    if negated and determiner in {"a", "any"}:
        return (_elided("de", said),)
    if determiner != "any":
        vowel = _starts_with_vowel(said)
        return (_ARTICLES[determiner][2 if phrase.plural else 3 * vowel + feminine],)
    if phrase.plural:
        return ("de",) if said[0][1] != parts.NOUN else ("des",)
    if _starts_with_vowel(said):
        return "de", "l'"
    return ("de", "la") if feminine else ("du",)


def _starts_with_vowel(said: list[Word]) -> bool:
    """Whether the word before loses its vowel; no *h* of the lexicon is aspirated."""
    return said[0][0][0].lower() in "aeiouhéêîœ"


def _elided(word: str, following: list[Word]) -> str:
    return word[:-1] + "'" if _starts_with_vowel(following) else word
