"""English sentences in the plural, as if that were another language: *the dog sleeps* becomes *the dogs sleep*."""

from dataclasses import replace

from . import english
from .choosing import person_named, thing_named
from .grammar import Grammar
from .language import ENGLISH
from .lexicon import FEELINGS, PRONOUNS, THINGS
from .parts import Clause, NounPhrase, Sentence


def plural(sentence: Sentence) -> Sentence:
    """Put each noun that has a plural in the plural, and each pronoun that refers to one.

    Names, nouns without a plural, and other pronouns stay as they are.

    Example:
        >>> from linebyline.corpora.translations.plural import ENGLISH_PLURAL
        >>> for text in ("This woman reads a new book because it is interesting.", "Dan eats bread."):
        ...     pair = ENGLISH_PLURAL.translate(text)
        ...     print(ENGLISH_PLURAL.target.detokenize(pair.target))
        These women read new books because they are interesting.
        Dan eats bread.
    """
    clauses = [_plural_clause(clause) for clause in sentence.clauses]
    if sentence.link == "because" and clauses[1].predicate:
        first, reason = clauses
        if reason.predicate in FEELINGS:
            pronoun = person_named(first.subject)
        else:
            assert first.object
            pronoun = thing_named(first.object)
        clauses[1] = reason._replace(subject=reason.subject._replace(noun=pronoun))
    return sentence._replace(clauses=tuple(clauses))


def _plural_clause(clause: Clause) -> Clause:
    return clause._replace(
        subject=_plural_phrase(clause.subject),
        object=clause.object and _plural_phrase(clause.object),
        companion=clause.companion and _plural_phrase(clause.companion),
        place=clause.place and _plural_phrase(clause.place),
    )


def _plural_phrase(phrase: NounPhrase) -> NounPhrase:
    counts = len(phrase.noun.english) == 2 and phrase.noun not in (*PRONOUNS, *THINGS)
    if phrase.plural or not counts:
        return phrase
    return phrase._replace(plural=True, determiner="any" if phrase.determiner == "a" else phrase.determiner)


ENGLISH_PLURAL = Grammar(ENGLISH, replace(ENGLISH, say=lambda sentence, n: english.say(plural(sentence), n)))
