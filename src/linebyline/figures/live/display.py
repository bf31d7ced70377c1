"""A model as an output: it runs in the book's page, and is its description elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LiveModel:
    """A model with its text; it displays itself in the book's page, and as its description elsewhere.

    What differs from machine to machine stands in the metadata of the output, which no comparison of notebooks
    looks at: the weights, and what follows from them.
    """

    mime_type: str
    page: Mapping[str, Any]
    weights: Mapping[str, Any]

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        return {self.mime_type: dict(self.page), "text/plain": repr(self)}, {self.mime_type: dict(self.weights)}

    def __repr__(self) -> str:
        return f"{self.page['description']} It runs in the book's page."
