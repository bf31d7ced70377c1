"""Fills the cheat sheets with the equations of each chapter, a drawing or two, and what to take away."""

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective


class Sheet(SphinxDirective):
    """The place of a chapter's sheet; its arguments are the chapter and the labels of the figures to show."""

    required_arguments, optional_arguments = 1, 2

    def run(self) -> list[nodes.Node]:
        chapter, *shown = self.arguments
        return [nodes.container("", classes=["sheet", *["sheet-drawn"] * bool(shown)], chapter=chapter, shown=shown)]


class FillSheets(SphinxPostTransform):
    """Copy into each sheet what its chapter says, while references and outputs can still be resolved."""

    default_priority = 1

    def run(self, **_: Any) -> None:
        for sheet in [one for one in self.document.findall(nodes.container) if "chapter" in one]:
            doctree = self.env.get_doctree(f"book/{sheet['chapter']}")
            drawings = [self._copy(figure) for figure in self._figures(doctree, sheet["shown"])]
            boxes = [box for box in doctree.findall(nodes.Admonition) if box[0].astext() == "Take away"]
            words = [self._copy(part) for box in boxes for part in box.children[1:]]
            sheet += [nodes.container("", *drawings)] if drawings else []
            sheet += nodes.container("", *self._equations(doctree))
            sheet += words

    def _figures(self, doctree: nodes.document, labels: list[str]) -> list[nodes.figure]:
        found = {name: figure for figure in doctree.findall(nodes.figure) for name in figure["ids"]}
        missing = [label for label in labels if label not in found]
        if missing:
            raise ValueError(f"a cheat sheet asks for {', '.join(missing)}, which its chapter does not have")
        return [found[label] for label in labels]

    def _equations(self, doctree: nodes.document) -> list[nodes.Node]:
        """The numbered equations before the exercises, each group below the title of its section."""
        parts = list[nodes.Node]()
        for section in doctree.findall(nodes.section):
            title = section[0].astext()
            if title == "Exercises":
                break
            equations = [part for part in section.children if isinstance(part, nodes.math_block) and "label" in part]
            if equations:
                parts += [nodes.paragraph("", title, classes=["sheet-title"]), *map(self._copy, equations)]
        return parts

    def _copy(self, node: nodes.Node) -> nodes.Node:
        copied = node.deepcopy()
        for reference in copied.findall(addnodes.pending_xref):
            reference["refdoc"] = self.env.docname
        return copied
