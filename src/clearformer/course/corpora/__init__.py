"""Text that every machine with this package already has."""

from clearformer.course.corpora.docstrings import (
    docstrings,
    docstrings_split,
    docstrings_versions,
    text_hash,
)
from clearformer.course.corpora.python import pydoc_topics, standard_library_source

__all__ = [
    "docstrings",
    "docstrings_split",
    "docstrings_versions",
    "pydoc_topics",
    "standard_library_source",
    "text_hash",
]
