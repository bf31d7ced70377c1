"""Text that every machine with this package has: it came with Python or another package, or it is made by rule."""

from linebyline.corpora.docstrings import (
    docstrings,
    docstrings_split,
    docstrings_versions,
    text_hash,
)
from linebyline.corpora.python import pydoc_topics, standard_library_source
from linebyline.corpora.translations import (
    ENGLISH_PLURAL,
    ENGLISH_SWEDISH,
    FRENCH_ENGLISH,
    ROLES,
    translation_split,
    words_and_roles,
)

__all__ = [
    "ENGLISH_PLURAL",
    "ENGLISH_SWEDISH",
    "FRENCH_ENGLISH",
    "ROLES",
    "docstrings",
    "docstrings_split",
    "docstrings_versions",
    "pydoc_topics",
    "standard_library_source",
    "text_hash",
    "translation_split",
    "words_and_roles",
]
