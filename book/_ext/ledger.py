"""Makes the rows of the ledger findable: each has an anchor, a link to itself, and one to the section it is about."""

import re
from functools import cache
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from linebyline.claims import Claim, ledger

MARKS = re.compile(r"[\W_]")  # what Markdown and typography change


@cache
def _claims() -> dict[tuple[str, str], Claim]:
    """Every claim by its document and the letters of its statement."""
    return {(claim.document, MARKS.sub("", claim.statement)): claim for claim in ledger()}


def mark_rows(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Mark every row of a page's ledgers with the claim that stands in it."""
    if app.builder.format != "html":
        return
    for cell in doctree.findall(lambda node: "tag_ledger" in getattr(node, "attributes", {}).get("classes", [])):
        for body in cell.findall(nodes.tbody):
            for row in body.findall(nodes.row):
                document, statement = (entry.astext() for entry in row[:2])
                _mark(app, page, row, _claims()[document, MARKS.sub("", statement)])


def _mark(app: Sphinx, page: str, row: nodes.row, claim: Claim) -> None:
    row["ids"] = [claim.anchor]
    row["classes"] += [f"document-{claim.document}", f"verdict-{claim.verdict}"]
    number = next(iter(row[0].findall(nodes.Text)))
    own = nodes.reference("", claim.document, internal=True, refuri=f"#{claim.anchor}")
    number.parent.replace(number, own)
    row[-1] += nodes.paragraph("", "", _section(app, page, claim), classes=["ledger-section"])


def _section(app: Sphinx, page: str, claim: Claim) -> nodes.reference:
    """Link to the section of a claim, by its title."""
    labels: dict[str, Any] = app.env.domains["std"].labels
    if claim.section not in labels:
        raise ValueError(f"claim {claim.id}: the book has no section with the label {claim.section!r}")
    document, id, _ = labels[claim.section]
    title = _titles(app.env, document)[id]
    address = f"{app.builder.get_relative_uri(page, document)}#{id}"
    return nodes.reference("", "", *(child.deepcopy() for child in title.children), internal=True, refuri=address)


@cache
def _titles(env: BuildEnvironment, document: str) -> dict[str, nodes.title]:
    """The title of each section of a document, by all its names."""
    sections = env.get_doctree(document).findall(nodes.section)
    return {id: section[0] for section in sections for id in section["ids"]}
