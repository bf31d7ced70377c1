"""What a claim is, and how a ledger of claims reads as a table."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np


@dataclass(frozen=True)
class Claim:
    """A claim of one of the source documents, in our own words, and the measurement that settles it.

    ``verdict`` is ``"holds"``, ``"corrected"`` (something else holds, and ``finding`` says what) or
    ``"depends"`` (right under a condition, which ``finding`` names). ``measure`` computes the evidence afresh
    and returns it as a short text, rounded so that it is the same on every machine. ``section`` is the label of the
    section of the book that shows it, or measures what it is about.
    """

    id: str
    document: str
    topic: str
    section: str
    statement: str
    verdict: Literal["holds", "corrected", "depends"]
    finding: str
    measure: Callable[[], str]

    @property
    def anchor(self) -> str:
        """The name of its row in a page."""
        return f"claim-{self.id.replace('.', '-')}"


def table(claims: Iterable[Claim]) -> str:
    """Measure every claim and lay the results out as a Markdown table."""
    rows = [
        ("Document", "Claim", "Verdict", "What we found", "Measured in this build"),
        ("---",) * 5,
        *((c.document, c.statement, f"*{c.verdict}*", c.finding, c.measure()) for c in claims),
    ]
    return "\n".join("| " + " | ".join(map(_cell, row)) + " |" for row in rows)


def _cell(text: str) -> str:
    # A bare pipe or a line break would end the cell, and a page takes <eos> for a tag that it does not know.
    return re.sub(r"<(?=[a-zA-Z/!])", r"\\<", " ".join(text.split()).replace("|", r"\|"))


def difference(got: float, bound: float = 1e-12) -> str:
    """Describe a difference of rounding size without its digits, which change from machine to machine."""
    return f"difference below {bound:.0e}" if got < bound else f"difference {got:.1g}"


def product(a: np.ndarray, b: np.ndarray) -> str:
    """Describe the shape of a matrix product, or that there is none."""
    try:
        return f"{a.shape} times {b.shape} gives {(a @ b).shape}"
    except ValueError:
        return f"{a.shape} times {b.shape} has no product"
