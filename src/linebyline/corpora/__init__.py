"""Text that every machine with this package has: it came with Python or another package, or it is made by rule."""

from .docstrings import docstrings, docstrings_split, docstrings_versions, text_hash
from .python import pydoc_topics, standard_library_source
from .translations import ENGLISH_PLURAL, ENGLISH_SWEDISH, FRENCH_ENGLISH, ROLES, translation_split, words_and_roles
