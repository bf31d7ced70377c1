"""The words of the two translations: each entry in English, Swedish and French, with the forms that agree."""

from typing import NamedTuple, TypeAlias

from linebyline.corpora.translations import tables


class Noun(NamedTuple):
    """A noun, a name or a pronoun with its forms, and what each language needs to agree with it."""

    kind: str
    english: tuple[str, ...]  # singular, plural; a mass noun, a name or a pronoun has one form
    swedish: tuple[str, ...]  # indefinite, definite, indefinite plural, definite plural
    french: tuple[str, ...]  # singular, plural
    neuter: bool  # Swedish "ett"
    feminine: bool  # French "une"; of a person also the natural gender
    person: int  # row of a verb's forms: I, he, we, they


class Adjective(NamedTuple):
    """An adjective with its forms."""

    english: str
    swedish: tuple[str, str, str, str]  # common, neuter, definite singular, plural
    french: tuple[str, str, str, str, str]  # masculine, feminine, both plurals, masculine before a vowel
    before: bool  # French puts it before its noun


class Verb(NamedTuple):
    """A verb with its forms, and the kinds of noun it takes as its object."""

    english: tuple[str, str, str]  # infinitive, third person, past
    swedish: tuple[str, str, str]  # infinitive, present, past
    french: tuple[str, str, str, str, str, str]  # present of je, il, nous, ils; participle; stem of the future
    objects: tuple[str, ...]

    @property
    def is_emotion(self) -> bool:
        """French says *la glace* for any ice cream after these verbs; they stand in the present only."""
        return self.english[0] in {"love", "hate"}


class Phrase(NamedTuple):
    """Words that are translated together; ``parts`` says which of the words mean the same in each language."""

    english: tuple[str, ...]
    swedish: tuple[str, ...]
    french: tuple[str, ...]
    parts: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


Entry: TypeAlias = Noun | Adjective | Verb | Phrase


def _forms(column: str) -> tuple[str, ...]:
    return tuple(form.replace("_", " ") for form in column.split())


def _noun(kind: str, line: str) -> Noun:
    english, swedish, french = (_forms(column) for column in line.split("|"))
    person = int(english[0]) if english[0].isdigit() else 1
    english = english[1:] if english[0].isdigit() else english
    return Noun(kind, english, swedish[1:], french[1:], swedish[0] == "ett", french[0] == "f", person)


def _adjective(line: str, before: bool) -> Adjective:
    english, swedish, french = (_forms(column) for column in line.split("|"))
    common, neuter, definite, plural = swedish
    masculine, feminine, masculines, feminines, *vowel = french
    forms = (masculine, feminine, masculines, feminines, vowel[0] if vowel else masculine)
    return Adjective(english[0], (common, neuter, definite, plural), forms, before)


def _verb(line: str) -> Verb:
    english, swedish, french, objects = (_forms(column) for column in line.split("|"))
    infinitive, third, past = english
    swedish_infinitive, present, swedish_past = swedish
    je, il, nous, ils, participle, future = french
    swedish_forms = (swedish_infinitive, present, swedish_past)
    return Verb((infinitive, third, past), swedish_forms, (je, il, nous, ils, participle, future), objects)


def _phrase(line: str) -> Phrase:
    words, parts = [], []
    for column in line.split("|"):
        marked = [word.partition("/") for word in column.split()]
        words.append(tuple(word for word, _, _ in marked))
        parts.append(tuple(int(part) if part else i for i, (_, _, part) in enumerate(marked)))
    return Phrase(words[0], words[1], words[2], (parts[0], parts[1], parts[2]))


def _lines(table: str) -> list[str]:
    """The entries of a table; a line that ends with a bar and is followed by a deeper one goes on there."""
    return [line.strip() for line in table.replace("|\n        ", "| ").split("\n") if line.strip()]


def _named(names: str) -> tuple[Adjective, ...]:
    return tuple(_BY_NAME[name] for name in names.split())


NOUNS = {kind: tuple(_noun(kind, line) for line in _lines(table)) for kind, table in tables.NOUNS.items()}
PRONOUNS = tuple(_noun("pronoun", line) for line in _lines(tables.PRONOUNS))
THINGS = tuple(_noun("pronoun", line) for line in _lines(tables.THINGS))
ADJECTIVES = tuple(_adjective(line, True) for line in _lines(tables.BEFORE))
ADJECTIVES += tuple(_adjective(line, False) for line in _lines(tables.AFTER))
_BY_NAME = {adjective.english: adjective for adjective in ADJECTIVES}
FITTING = {kind: _named(names) for kind, names in tables.FITTING.items()}
FEELINGS = _named(tables.FEELINGS)
OF_PEOPLE = _named(tables.OF_PEOPLE)
CONTRARY = tuple(_named(names) for names in tables.CONTRARY)
VERBS = tuple(_verb(line) for line in _lines(tables.VERBS))
TIMES = {tense: tuple(_phrase(line) for line in _lines(table)) for tense, table in tables.TIMES.items()}
ENTRIES: tuple[Entry, ...] = (
    *(noun for nouns in NOUNS.values() for noun in nouns),
    *PRONOUNS,
    *THINGS,
    *ADJECTIVES,
    *VERBS,
    *(time for times in TIMES.values() for time in times),
)
