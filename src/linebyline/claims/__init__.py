"""The ledger of claims: what the source documents and the papers say, and what this build measures.

The documents have the numbers ``"000"`` to ``"004"``; a paper has its author and year. Each chapter's claims are in the
file that has its name.
"""

import re

from linebyline.chapters import of_each_chapter
from linebyline.claims.declare import DECLARED, Claim

__all__ = ["Claim", "ledger", "markdown_table"]


def ledger(topic: str | None = None) -> list[Claim]:
    """Return the claims on a topic, or all of them, sorted by who makes them.

    Args:
        topic: The name of a chapter, such as ``"attention"``; all topics by default.

    Raises:
        ValueError: There is no such topic.

    Example:
        >>> first, *_ = ledger("attention")
        >>> first.id, first.verdict
        ('000.scale-cancels-width', 'holds')
    """
    chapters = [chapter.__name__.rpartition(".")[2] for chapter in of_each_chapter(__name__)]
    if topic is not None and topic not in chapters:
        raise ValueError(f"no topic {topic!r} in the ledger; there are {', '.join(sorted(chapters))}")
    claims = [claim for chapter in chapters if topic in (None, chapter) for claim in DECLARED[chapter]]
    return sorted(claims, key=lambda claim: claim.document)


def markdown_table(topic: str | None = None) -> str:
    """Measure the claims on a topic, or all of them, and return the results as a Markdown table."""
    rows = [
        ("Document", "Claim", "Verdict", "What we found", "Measured in this build"),
        ("---",) * 5,
        *((c.document, c.statement, f"*{c.verdict}*", c.finding, c.measure()) for c in ledger(topic)),
    ]
    return "\n".join("| " + " | ".join(map(_cell, row)) + " |" for row in rows)


def _cell(text: str) -> str:
    # A bare pipe or a line break would end the cell, and Markdown would take <eos> for an HTML tag.
    return re.sub(r"<(?=[a-zA-Z/!])", r"\\<", " ".join(text.split()).replace("|", r"\|"))
