"""The ledger of the source documents' claims: what each says, and what this build measures.

Documents go by their number, ``"000"`` to ``"004"``.
"""

from linebyline.chapters import of_each_chapter
from linebyline.claims.core import Claim, table

__all__ = ["Claim", "ledger", "markdown_table"]


def ledger(topic: str | None = None) -> list[Claim]:
    """Give the claims on a topic, or all of them, sorted by document.

    Args:
        topic: Such as ``"attention"``; all topics when left out.

    Raises:
        ValueError: there is no such topic.
    """
    chapters = of_each_chapter(__name__)
    claims = sorted((claim for chapter in chapters for claim in chapter.CLAIMS), key=lambda claim: claim.document)
    topics = sorted({claim.topic for claim in claims})
    if topic is not None and topic not in topics:
        raise ValueError(f"no topic {topic!r} in the ledger; there are {', '.join(topics)}")
    return [claim for claim in claims if topic in (None, claim.topic)]


def markdown_table(topic: str | None = None) -> str:
    """Measure the claims on a topic and lay them out as a Markdown table."""
    return table(ledger(topic))
