"""Two translations made by rule, English to Swedish and French to English, with the words that belong together."""

from clearformer.course.corpora.translations.grammar import ENGLISH_SWEDISH, FRENCH_ENGLISH, Grammar, Pair
from clearformer.course.corpora.translations.language import Language
from clearformer.course.corpora.translations.split import Split, is_held_out, translation_split

__all__ = [
    "ENGLISH_SWEDISH",
    "FRENCH_ENGLISH",
    "Grammar",
    "Language",
    "Pair",
    "Split",
    "is_held_out",
    "translation_split",
]
