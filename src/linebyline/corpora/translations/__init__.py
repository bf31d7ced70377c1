"""Translations made by rule, with the words that belong together: two of languages, and one into the plural."""

from .grammar import ENGLISH_SWEDISH, FRENCH_ENGLISH, Grammar, Pair
from .language import Language
from .plural import ENGLISH_PLURAL
from .roles import ROLES, words_and_roles
from .split import Split, is_held_out, translation_split
