"""Makes the rows of the ledger findable: each has an anchor, a link to itself, and one to the section it is about."""

import re
from functools import cache
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from linebyline.claims import Claim, ledger

MARKS = re.compile(r"[\W_]")  # what Markdown and typography change


@cache
def _claims() -> dict[tuple[str, str], Claim]:
    """Every claim by its document and the letters of its statement."""
    return {(claim.document, MARKS.sub("", claim.statement)): claim for claim in ledger()}


def mark_rows(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Mark every row of a page's ledgers with its claim."""
    cells = doctree.findall(lambda node: "tag_ledger" in getattr(node, "attributes", {}).get("classes", []))
    bodies = [body for cell in cells if app.builder.format == "html" for body in cell.findall(nodes.tbody)]
    for row in [row for body in bodies for row in body.findall(nodes.row)]:
        claim = _claims()[row[0].astext(), MARKS.sub("", row[1].astext())]
        row["ids"] = [claim.anchor]
        row["classes"] += [f"document-{claim.document}", f"verdict-{claim.verdict}"]
        number = next(iter(row[0].findall(nodes.Text)))
        number.parent.replace(number, nodes.reference("", claim.document, internal=True, refuri=f"#{claim.anchor}"))
        row[-1] += nodes.paragraph("", "", _section(app, page, claim), classes=["ledger-section"])


def _section(app: Sphinx, page: str, claim: Claim) -> nodes.reference:
    """Link to the section of a claim, by its title."""
    labels: dict[str, Any] = app.env.domains["std"].labels
    if claim.section not in labels:
        raise ValueError(f"claim {claim.id}: the book has no section with the label {claim.section!r}")
    document, anchor, _ = labels[claim.section]
    address = f"{app.builder.get_relative_uri(page, document)}#{anchor}"
    words = [child.deepcopy() for child in _titles(app.env, document)[anchor].children]
    return nodes.reference("", "", *words, internal=True, refuri=address)


@cache
def _titles(env: Any, document: str) -> dict[str, nodes.title]:
    """The title of each section of a document, by all its names."""
    return {name: part[0] for part in env.get_doctree(document).findall(nodes.section) for name in part["ids"]}
