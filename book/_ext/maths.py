"""Renders formulas with KaTeX when a page is written: the page holds HTML and MathML, and needs no script for them."""

import json
import subprocess
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

SCRIPT = Path(__file__).with_name("katex.mjs")
rendered: dict[tuple[str, bool], str] = {}  # by TeX, and whether it is displayed


def render(formulas: list[tuple[str, bool]]) -> None:
    """Render formulas that are not rendered yet, by one start of Node; one that KaTeX cannot read is a ValueError."""
    missing = [formula for formula in dict.fromkeys(formulas) if formula not in rendered]
    done = subprocess.run(["node", SCRIPT], input=json.dumps(missing), capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"KaTeX refuses a formula: {done.stderr}")
    rendered.update(zip(missing, json.loads(done.stdout), strict=True))


def render_page(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Render the formulas of a page before it is written."""
    if app.builder.format == "html":
        inline, displayed = doctree.findall(nodes.math), doctree.findall(nodes.math_block)
        render([(node.astext(), False) for node in inline] + [(node.astext(), True) for node in displayed])


def visit(self: Any, node: nodes.Element) -> None:
    """Write a formula, with its number if it has one."""
    displayed = isinstance(node, nodes.math_block)
    formula, tag = (node.astext(), displayed), "div" if displayed else "span"
    if formula not in rendered:  # in a heading of another page, for the table of contents
        render([formula])
    # A displayed formula scrolls where it is wider than the page, so the keyboard must reach it.
    self.body.append(self.starttag(node, tag, "", CLASS="math", **({"tabindex": "0"} if displayed else {})))
    if node.get("number"):
        self.body.append(f'<span class="eqno">({node["number"]})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(f"{rendered[formula]}</{tag}>")
    raise nodes.SkipNode
