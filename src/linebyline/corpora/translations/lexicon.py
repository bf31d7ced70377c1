"""The words of the two translations: each entry in English, Swedish and French, with the forms that agree."""

import re
import tomllib
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeAlias

Forms: TypeAlias = tuple[str, ...]
_TABLES = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


class Noun(NamedTuple):
    """A noun, a name or a pronoun with its forms, and what each language needs to agree with it."""

    kind: str
    english: Forms  # singular, plural; a mass noun, a name or a pronoun has one form
    swedish: Forms  # indefinite, definite, indefinite plural, definite plural
    french: Forms  # singular, plural
    neuter: bool  # Swedish "ett"
    feminine: bool  # French "une"; of a person also the natural gender
    person: int  # row of a verb's forms: I, he, we, they


class Adjective(NamedTuple):
    """An adjective with its forms."""

    english: str
    swedish: Forms  # common, neuter, definite singular, plural
    french: Forms  # masculine, feminine, both plurals, masculine before a vowel
    before: bool  # in French, before its noun


class Verb(NamedTuple):
    """A verb with its forms, and the kinds of noun it takes as its object."""

    english: Forms  # infinitive, third person, past
    swedish: Forms  # infinitive, present, past
    french: Forms  # present of je, il, nous, ils; participle; stem of the future
    objects: tuple[str, ...]

    @property
    def is_emotion(self) -> bool:
        """Whether French says *la glace* for any ice cream after this verb, which is used in the present only."""
        return self.english[0] in {"love", "hate"}


class Phrase(NamedTuple):
    """Words that are translated together; ``parts`` says which of the words mean the same in each language."""

    english: Forms
    swedish: Forms
    french: Forms
    parts: tuple[tuple[int, ...], ...]


Entry: TypeAlias = Noun | Adjective | Verb | Phrase


def _columns(line: str) -> list[Forms]:
    return [tuple(form.replace("_", " ") for form in column.split()) for column in line.split("|")]


def _noun(kind: str, line: str) -> Noun:
    english, swedish, french = _columns(line)
    person = 1
    if english[0].isdigit():
        person, english = int(english[0]), english[1:]
    return Noun(kind, english, swedish[1:], french[1:], swedish[0] == "ett", french[0] == "f", person)


def _adjective(line: str, before: bool) -> Adjective:
    (english,), swedish, french = _columns(line)
    return Adjective(english, swedish, french if len(french) == 5 else (*french, french[0]), before)


def _phrase(line: str) -> Phrase:
    words, parts = [], []
    for column in line.split("|"):
        marked = [word.partition("/") for word in column.split()]
        words.append(tuple(word for word, _, _ in marked))
        parts.append(tuple(int(part) if part else i for i, (_, _, part) in enumerate(marked)))
    return Phrase(words[0], words[1], words[2], tuple(parts))


def _lines(table: str) -> list[str]:
    """The entries of a table; a line that ends with a bar continues in a deeper line."""
    return re.sub(r"\|\n +", "| ", table).splitlines()


def _named(names: str) -> tuple[Adjective, ...]:
    return tuple(_BY_NAME[name] for name in names.split())


NOUNS = {kind: tuple(_noun(kind, line) for line in _lines(table)) for kind, table in _TABLES["nouns"].items()}
PRONOUNS = tuple(_noun("pronoun", line) for line in _lines(_TABLES["pronouns"]))
THINGS = tuple(_noun("pronoun", line) for line in _lines(_TABLES["things"]))
ADJECTIVES = tuple(_adjective(line, True) for line in _lines(_TABLES["before"]))
ADJECTIVES += tuple(_adjective(line, False) for line in _lines(_TABLES["after"]))
_BY_NAME = {adjective.english: adjective for adjective in ADJECTIVES}
FITTING = {kind: _named(names) for kind, names in _TABLES["fitting"].items()}
FEELINGS = _named(_TABLES["feelings"])
OF_PEOPLE = _named(_TABLES["of_people"])
CONTRARY = tuple(_named(names) for names in _TABLES["contrary"])
VERBS = tuple(Verb(*_columns(line)) for line in _lines(_TABLES["verbs"]))
TIMES = {tense: tuple(_phrase(line) for line in _lines(table)) for tense, table in _TABLES["times"].items()}
_ALL: tuple[tuple[Entry, ...], ...] = (*NOUNS.values(), PRONOUNS, THINGS, ADJECTIVES, VERBS, *TIMES.values())
ENTRIES = tuple(chain.from_iterable(_ALL))
