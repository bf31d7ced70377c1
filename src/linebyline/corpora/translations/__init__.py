"""Translations made by rule, with the words that belong together: two of languages, and one into the plural."""

from linebyline.corpora.translations.grammar import ENGLISH_SWEDISH, FRENCH_ENGLISH, Grammar, Pair
from linebyline.corpora.translations.language import Language
from linebyline.corpora.translations.plural import ENGLISH_PLURAL
from linebyline.corpora.translations.roles import ROLES, words_and_roles
from linebyline.corpora.translations.split import Split, is_held_out, translation_split

__all__ = [
    "ENGLISH_PLURAL",
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
