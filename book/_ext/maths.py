"""Renders formulas with KaTeX when a page is written: the page holds HTML and MathML, and needs no script for them."""

import json
import subprocess
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

SCRIPT = Path(__file__).with_name("katex.mjs")
Formula = tuple[str, bool]  # TeX, and whether it is displayed
rendered: dict[Formula, str] = {}


def render(formulas: list[Formula]) -> None:
    """Render formulas that are not rendered yet, all by one start of Node.

    Raises:
        ValueError: with KaTeX's words, if it cannot read one.
    """
    missing = [formula for formula in dict.fromkeys(formulas) if formula not in rendered]
    if not missing:
        return
    done = subprocess.run(["node", SCRIPT], input=json.dumps(missing), capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"KaTeX refuses a formula: {done.stderr}")
    rendered.update(zip(missing, json.loads(done.stdout), strict=True))


def render_page(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Render the formulas of a page before it is written."""
    if app.builder.format == "html":
        render([_formula(node) for kind in (nodes.math, nodes.math_block) for node in doctree.findall(kind)])


def _formula(node: nodes.Element) -> Formula:
    return node.astext(), isinstance(node, nodes.math_block)


def _visit(self: Any, node: nodes.Element) -> None:
    formula = _formula(node)
    render([formula])  # a heading in the table of contents belongs to another page
    tag = "div" if formula[1] else "span"
    self.body.append(self.starttag(node, tag, "", CLASS="math", **({"tabindex": "0"} if formula[1] else {})))
    if node.get("number"):
        self.body.append(f'<span class="eqno">({node["number"]})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(f"{rendered[formula]}</{tag}>")
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Make this the renderer of formulas named `katex`."""
    app.add_html_math_renderer("katex", inline_renderers=(_visit, None), block_renderers=(_visit, None))
    app.connect("doctree-resolved", render_page)
    app.add_css_file("../libs/katex/katex.min.css")
