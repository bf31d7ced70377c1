"""Links that the finished pages get: terms to the glossary, and claims of the ledger to the sections they are about."""

import re
from functools import cache
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from linebyline.chapters import CHAPTERS
from linebyline.claims import Claim, ledger

PAGE, LEDGER = "book/glossary", "book/claims"
VERDICTS = {"holds": "It holds.", "corrected": "Corrected:", "depends": "True under a condition:"}
ATTENTION = [name for name in CHAPTERS if "attention" in name] + ["relative_positions", "padding"]
BLOCK = ["normalization", "norm_gradients", "feed_forward", "language_model"]
BLOCK += ["translation", "attention_weights", "encoder", "text_to_text", "llama", "running_a_model"]
# Words that mean other things, too, and the chapters in which they mean the term.
AT_HOME = {
    **dict.fromkeys(["query", "key", "value", "mask"], ATTENTION),
    "block": BLOCK,
    "embedding": [name for name in CHAPTERS if name != "relative_positions"],  # of rotary position embedding
}
AFTER_THE_TEXT = {"Exercises", "Further reading"}  # sections that follow what a chapter tells
# Where a link would disturb, or be inside another.
CLOSED = nodes.reference | nodes.literal | nodes.title | nodes.math | nodes.Admonition | nodes.caption | nodes.table
CLAIMS_HERE = (
    '<details class="claims-here"><summary>{} about this chapter, checked</summary>'
    "<p>From texts and papers on the subject, with what this chapter found:</p><ul>{}</ul></details>"
)
MARKS = re.compile(r"[\W_]")  # what Markdown and typography change


@cache
def _terms(env: Any) -> dict[str, tuple[str, str]]:
    """The anchor and the definition of each term, by its name in small letters, the longest first."""
    found = {}
    for item in env.get_doctree(PAGE).findall(nodes.definition_list_item):
        term = item.next_node(nodes.term)
        definition = item.next_node(nodes.definition).astext().rpartition(" See ")[0]
        found[term.astext().lower()] = term["ids"][0], definition
    return dict(sorted(found.items(), key=lambda entry: -len(entry[0])))


def link_terms(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Link the first mention of each term in the paragraphs of a chapter."""
    chapter = page.rpartition("/")[2]
    if app.builder.format != "html" or chapter not in CHAPTERS:
        return
    left = {name: target for name, target in _terms(app.env).items() if chapter in AT_HOME.get(name, CHAPTERS)}
    names = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, left))})(s?)(?![\w-])", re.IGNORECASE)
    texts = [text for paragraph in doctree.findall(nodes.paragraph) for text in paragraph.findall(nodes.Text)]
    elements = doctree.findall(nodes.Element)
    outside = [one for one in elements if isinstance(one, CLOSED | nodes.raw) or "exercise" in one["classes"]]
    closed = {id(text) for part in outside for text in part.findall(nodes.Text)}
    for text in [text for text in texts if id(text) not in closed]:
        parts, end = list[nodes.Node](), 0
        for match in names.finditer(text):
            anchor, definition = left.pop(match[1].lower(), (None, ""))
            if anchor is not None:
                address = f"{app.builder.get_relative_uri(page, PAGE)}#{anchor}"
                about = {"refuri": address, "reftitle": definition, "classes": ["term"]}
                parts += [nodes.Text(text[end : match.start()]), nodes.reference("", match[0], internal=True, **about)]
                end = match.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text[end:])])


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


def link_claims(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """End the text of a chapter with a folded list of the claims it settles: what is claimed, and what we found."""
    labels: dict[str, Any] = app.env.domains["std"].labels
    ledger_page = app.builder.get_relative_uri(page, LEDGER)
    here = [claim for claim in ledger() if labels.get(claim.section, ())[:1] == (page,)]
    if not here or app.builder.format != "html":
        return
    chapter = doctree.next_node(nodes.section)
    parts = [part for part in chapter.children if isinstance(part, nodes.section)]
    told = [part for part in parts if part[0].astext() not in AFTER_THE_TEXT] or [chapter]
    rows = "".join(_row(claim, _section(app, page, claim), ledger_page) for claim in here)
    counted = "One claim" if len(here) == 1 else f"{len(here)} claims"
    told[-1] += nodes.raw("", CLAIMS_HERE.format(counted, rows), format="html")


def _row(claim: Claim, section: nodes.reference, ledger_page: str) -> str:
    """HTML of a claim, with links to its row of the ledger and to the section that settles it."""
    anchor = section["refuri"].partition("#")[2]
    return (
        f'<li>“{escape(claim.statement)}” <a class="reference internal" href="{ledger_page}#{claim.anchor}"'
        f' title="How we measured it">{VERDICTS[claim.verdict]}</a> {escape(claim.finding)}'
        f' (<a class="reference internal" href="#{anchor}">{escape(section.astext())}</a>)</li>'
    )


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
