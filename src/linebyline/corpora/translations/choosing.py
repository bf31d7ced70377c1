"""Which sentences there are: one choice after another, from the subject of the first clause to the last predicate.

Each choice is made in the order of the sentence, so that it may depend on the sentence so far.
"""

import random
from collections.abc import Sequence
from typing import TypeVar

from . import lexicon
from .lexicon import CONTRARY, FEELINGS, FITTING, NOUNS, OF_PEOPLE, PRONOUNS, THINGS, TIMES, VERBS, Noun
from .parts import Clause, NounPhrase, Sentence

Option = TypeVar("Option")
Chosen = TypeVar("Chosen", bound=lexicon.Entry)


class Choices:
    """Choices by chance. Of a generator only ``random`` is used: it gives the same numbers in every Python."""

    def __init__(self, generator: random.Random) -> None:
        self._random = generator.random

    def among(self, options: Sequence[Option]) -> Option:
        """Return one of the options."""
        return options[int(self._random() * len(options))]

    def entry(self, entries: Sequence[Chosen]) -> Chosen:
        """Return one entry of the lexicon."""
        return self.among(entries)

    def whether(self, probability: float) -> bool:
        """Return True with this probability."""
        return self._random() < probability

    def so_far(self, before: Sentence, clause: Clause) -> Clause:
        """Return the clause so far, after the sentence before it; chance rules none out."""
        return clause


_WITHOUT_EMOTION = tuple(verb for verb in VERBS if not verb.is_emotion)
_SUBJECTS = NOUNS["person"] + NOUNS["child"] + NOUNS["relative"] + NOUNS["name"] * 2 + PRONOUNS * 2
_PLACES = NOUNS["country"] + NOUNS["town"] + NOUNS["place"] * 2 + NOUNS["house"]
_DESCRIBED = tuple(
    noun for kind in FITTING if kind not in {"person", "child", "relative", "country"} for noun in NOUNS[kind]
)
# Verbs without a companion.
_ALONE = frozenset({"love", "hate", "wear", "sleep"})
_PLACE_KINDS = frozenset(noun.kind for noun in _PLACES)
_PEOPLE = ("person", "child", "relative", "name")
_COMPANIONS = tuple(noun for kind in _PEOPLE for noun in NOUNS[kind])
_CONTRARY = {adjective: group for group in CONTRARY for adjective in group}


def sentence(choices: Choices) -> Sentence:
    """Return a sentence, as the choices decide."""
    tense = choices.among(("present", "present", "present", "past", "future"))
    first = _main(choices, Sentence(()), tense)
    link = choices.among(("", "", "", "and", "but", "because", "because"))
    if not link:
        return Sentence((first,))
    if link == "because":
        return _because(choices, first)
    return Sentence((first, _main(choices, Sentence((first,), link), tense, second=True)), link)


def _main(choices: Choices, before: Sentence, tense: str, second: bool = False) -> Clause:
    """A main clause. A second one has the tense of the first, and needs no time to show it."""
    if tense == "present" and choices.whether(0.1):
        return _description(choices, before)
    # A form like "read" does not show its tense; if it is not the present, a time must.
    timed = choices.whether(0.1) if second else tense != "present" or choices.whether(0.4)
    time = choices.entry(TIMES[tense]) if timed else None
    return _action(choices, before, tense, time)


def _action(choices: Choices, before: Sentence, tense: str, time: lexicon.Phrase | None) -> Clause:
    first = time is not None and choices.whether(0.4)
    free = tense == "present" and not time
    adverb = choices.among(("", "", "", "", "", "not", "not", "never", "often", "always")) if free else _not(choices)
    subject = _subject(choices)
    verb = choices.entry(_WITHOUT_EMOTION if tense != "present" else VERBS)
    clause = Clause(subject, tense, verb, adverb, time=time if first else None, time_first=first)
    choices.so_far(before, clause)
    if verb.objects:
        clause = choices.so_far(before, clause._replace(object=_object(choices, verb, subject)))
    if verb.english[0] not in _ALONE and choices.whether(0.15):
        taken = subject.names + (clause.object.names if clause.object else ())
        companion = choices.entry([noun for noun in _COMPANIONS if noun not in taken])
        clause = choices.so_far(before, clause._replace(companion=_person(choices, companion)))
    is_there = clause.object is not None and clause.object.noun.kind in _PLACE_KINDS
    if not (verb.is_emotion or is_there) and choices.whether(0.25):
        place = _noun_phrase(choices, choices.entry(_PLACES), ("the", "the", "a", "this", "our"))
        clause = choices.so_far(before, clause._replace(place=place))
    return choices.so_far(before, clause._replace(time=time)) if time and not first else clause


def _because(choices: Choices, first: Clause) -> Sentence:
    """A reason: how the subject feels, how the object is, or what somebody does."""
    before = Sentence((first,), "because")
    # The reason for the future is in the present.
    tense = "present" if first.tense == "future" else first.tense
    kinds = ["action"]
    if first.verb and not (first.object and first.object.noun.kind == "animal" and _alike(first.object, first.subject)):
        kinds += ["feeling"] * 2
    fitting = _reasons(first)
    if fitting:
        kinds += ["thing"] * 3
    kind = choices.among(kinds)
    if kind == "action":
        return before._replace(clauses=(first, _action(choices, before, tense, None)))
    if kind == "feeling":
        subject, fitting = NounPhrase(person_named(first.subject)), FEELINGS
    else:
        assert first.object
        subject = NounPhrase(thing_named(first.object), plural=first.object.plural)
    clause = Clause(subject, tense, adverb=_not(choices), predicate=choices.entry(fitting))
    return before._replace(clauses=(first, clause))


def _reasons(clause: Clause) -> tuple[lexicon.Adjective, ...]:
    """What the object may be like: neither what was said of it nor the contrary, so that nothing is ambiguous."""
    thing = clause.object
    if thing is None or thing.noun.kind in _PEOPLE or thing.noun.kind not in FITTING or clause.place:
        return ()
    if clause.adverb in {"not", "never"} and thing.determiner in {"a", "any"}:
        return ()
    ruled_out = {adjective for said in thing.adjectives for adjective in (said, *_CONTRARY.get(said, ()))}
    if any(phrase and _alike(thing, phrase) for phrase in (clause.subject, clause.companion)):
        ruled_out.update(OF_PEOPLE)
    return tuple(adjective for adjective in FITTING[thing.noun.kind] if adjective not in ruled_out)


def _alike(thing: NounPhrase, person: NounPhrase) -> bool:
    """Whether French has the same pronoun for both: *il* is "it" and "he"."""
    return thing.person == person.person == 1 and thing.noun.feminine == person.noun.feminine


def _description(choices: Choices, before: Sentence) -> Clause:
    """How a thing is, or how somebody feels."""
    adverb = choices.among(("", "", "not", "never", "often", "always"))
    if choices.whether(0.5):
        subject = _subject(choices)
        predicate = choices.entry(FEELINGS)
    else:
        noun = choices.entry(_DESCRIBED)
        subject = _determined(choices, noun, ("the", "this", "our"))
        predicate = choices.entry(FITTING[noun.kind])
    return choices.so_far(before, Clause(subject, adverb=adverb, predicate=predicate))


def _subject(choices: Choices) -> NounPhrase:
    noun = choices.entry(_SUBJECTS)
    if noun.kind == "name" and choices.whether(0.2):
        partner = choices.entry([name for name in NOUNS["name"] if name != noun])
        return NounPhrase(noun, partner=partner)
    return _person(choices, noun)


def _person(choices: Choices, noun: Noun) -> NounPhrase:
    determiners = ("my", "our") if noun.kind == "relative" else ("the", "the", "a", "this")
    return _noun_phrase(choices, noun, determiners)


def _object(choices: Choices, verb: lexicon.Verb, subject: NounPhrase) -> NounPhrase:
    kind = choices.among(verb.objects)
    noun = choices.entry([noun for noun in NOUNS[kind] if noun not in subject.names])
    if noun.kind in _PEOPLE:
        return _person(choices, noun)
    owner = "our" if noun.kind in {"place", "sight"} else "my"
    if verb.is_emotion:
        return _noun_phrase(choices, noun, ("the", "the", "this", owner, "our"), generic=True)
    return _noun_phrase(choices, noun, ("the", "the", "a", "this", owner, "our"))


def _noun_phrase(choices: Choices, noun: Noun, determiners: Sequence[str], generic: bool = False) -> NounPhrase:
    if noun.kind in {"name", "pronoun", "country", "town"}:
        return NounPhrase(noun)
    phrase, fitting = _determined(choices, noun, determiners, generic), FITTING[noun.kind]
    if not choices.whether(0.35):
        return phrase
    first = choices.entry(fitting)
    # Two are possible if French puts one on each side of the noun.
    others = [second for second in fitting if not second.before] if first.before else []
    if others and choices.whether(0.25):
        return phrase._replace(adjectives=(first, choices.entry(others)))
    return phrase._replace(adjectives=(first,))


def _determined(choices: Choices, noun: Noun, determiners: Sequence[str], generic: bool = False) -> NounPhrase:
    """A noun with its determiner. Plurals and mass nouns have no "a", and in general statements no "the"."""
    plural = len(noun.english) == 2 and choices.whether(0.3)
    if plural or len(noun.english) == 1:
        missing = "the" if generic else "a"
        determiners = ["any" if determiner == missing else determiner for determiner in determiners]
    return NounPhrase(noun, choices.among(determiners), plural)


def _not(choices: Choices) -> str:
    return "not" if choices.whether(0.25) else ""


def person_named(phrase: NounPhrase) -> Noun:
    """Return I, he, she, we or they, for somebody who was named."""
    return next(p for p in PRONOUNS if (p.person, p.feminine) == (phrase.person, phrase.feminine))


def thing_named(phrase: NounPhrase) -> Noun:
    """Return it or they, of the gender of a thing that was named."""
    if phrase.plural:
        return person_named(phrase)
    genders = phrase.noun.neuter, phrase.noun.feminine
    return next(pronoun for pronoun in THINGS if (pronoun.neuter, pronoun.feminine) == genders)
