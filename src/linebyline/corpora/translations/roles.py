"""English sentences with the role of each word: who acts, what is done, to what, with whom, where and when."""

import random

from . import choosing, english, parts

ROLES = ("other", "verb", "adverb", "subject", "object", "companion", "place", "time")
_VERBAL = parts.VERB | parts.TENSE | parts.PARTICLE | parts.AUXILIARY | parts.PREDICATE
_PHRASES = (parts.SUBJECT, parts.OBJECT, parts.COMPANION, parts.PLACE, parts.TIME)


def words_and_roles(generator: random.Random) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Draw a sentence, and return its words and the role of each; a word that links others has the role "other".

    Example:
        >>> words, roles = words_and_roles(random.Random(5))
        >>> list(zip(words, roles))[:4]
        [('he', 'subject'), ('ran', 'verb'), ('with', 'other'), ('our', 'companion')]
    """
    sentence = choosing.sentence(choosing.Choices(generator))
    said = [word for number in range(len(sentence.clauses)) for word in english.say(sentence, number)]
    return tuple([*(word for word, _ in said), "."]), tuple([*(_role(part) for _, part in said), "other"])


def _role(part: int) -> str:
    for role, first in zip(ROLES[3:], _PHRASES, strict=True):
        if part >> first and not part >> first + 6:
            return role
    return "verb" if part & _VERBAL else "adverb" if part & parts.ADVERB else "other"
