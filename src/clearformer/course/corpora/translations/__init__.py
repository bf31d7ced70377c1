"""Two translations made by rule, English to Swedish and French to English, with the words that belong together."""

from clearformer.course.corpora.translations.grammar import ENGLISH_SWEDISH, FRENCH_ENGLISH, Grammar, Pair
from clearformer.course.corpora.translations.language import Language
from clearformer.course.corpora.translations.roles import ROLES, words_and_roles
from clearformer.course.corpora.translations.split import Split, is_held_out, translation_split

__all__ = [
    "ENGLISH_SWEDISH",
    "FRENCH_ENGLISH",
    "ROLES",
    "Grammar",
    "Language",
    "Pair",
    "Split",
    "is_held_out",
    "translation_split",
    "words_and_roles",
]
