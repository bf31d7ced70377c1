"""The drawing kit: one visual language for all drawings of the course, written as SVG with real text.

A token is a box with round ends, a vector is a row of cells, a matrix is a grid with its shape on the edge, and the
residual stream is a thick line that parts read from and add to. Queries, keys, values and weights have one color each.
"""

import html
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WIDTH = 360  # fits a phone: letters of 13 are 10 pixels high there
CELL = 26
STYLE = Path(__file__).with_name("style") / "drawings.css"
SMALL, NORMAL = 13, 15


@dataclass(frozen=True)
class Drawing:
    """An SVG drawing that displays itself in notebooks and in the book."""

    title: str
    description: str
    width: float
    height: float
    body: str

    def svg(self, style: str = "") -> str:
        """Return the drawing as SVG: without a style for a page that has one, with it to stand alone."""
        said = html.escape(f"{self.title}. {self.description}", quote=True)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="drawing" viewBox="0 0 {_n(self.width)} {_n(self.height)}"'
            f' width="{_n(self.width)}" height="{_n(self.height)}" role="{"group" if "<a " in self.body else "img"}"'
            f' aria-label="{said}">{style and f"<style>{style}</style>"}{self.body}</svg>'
        )

    def _repr_mimebundle_(self, **unused: object) -> dict[str, object]:
        return {"image/svg+xml": self.svg(STYLE.read_text(encoding="utf-8")), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"{self.title}: {self.description}"


class Canvas:
    """Collects the parts of a drawing; coordinates are those of SVG, with y growing downward."""

    def __init__(self, height: float, width: float = WIDTH) -> None:
        self.width, self.height = width, height
        self.parts: list[str] = []

    def finish(self, title: str, description: str) -> Drawing:
        """Return the drawing, with a title and a description for readers who cannot see it."""
        return Drawing(title, description, self.width, self.height, "".join(self.parts))

    def add(self, tag: str, content: str = "", **attributes: object) -> None:
        """Add one SVG element; ``class_`` and ``stroke_width`` are written as SVG names them."""
        named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value != ""}
        words = "".join(f' {name}="{_n(value)}"' for name, value in named.items())
        self.parts.append(f"<{tag}{words}>{content}</{tag}>")

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "middle", size: int = NORMAL) -> None:
        """Write words; ``kind`` is any of ``bold``, ``quiet``, ``code``, or a role such as ``query``."""
        small = f' style="font-size:{size}px"' if size != NORMAL else ""
        style = f' class="{kind}"' if kind else ""
        at = f' x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}"'
        self.parts.append(f"<text{at}{style}{small}>{_subscripts(words)}</text>")

    def note(self, x: float, y: float, words: str, kind: str = "quiet", anchor: str = "start") -> None:
        """Write a small remark."""
        self.text(x, y, words, kind, anchor, SMALL)

    def token(self, x: float, y: float, word: str, width: float = 76, kind: str = "") -> None:
        """Draw a token, centered at (x, y): a box with round ends."""
        self.add("rect", x=x - width / 2, y=y - 14, width=width, height=28, rx=14, class_=f"token {kind}".strip())
        self.text(x, y + 5, word, "bold" if "lit" in kind else "")

    def vector(
        self, x: float, y: float, numbers: Sequence[float | str], role: str = "", *, top: float = 0, cell: float = CELL
    ) -> None:
        """Draw a vector, centered at (x, y): a row of cells, darker for a larger number; ``top`` is the darkest."""
        self.matrix(x - len(numbers) * cell / 2, y - CELL / 2, [numbers], role, top=top, cell=cell)

    def matrix(
        self,
        x: float,
        y: float,
        rows: Sequence[Sequence[float | str]],
        role: str = "",
        *,
        top: float = 0,
        cell: float = CELL,
        shape: str = "",
    ) -> None:
        """Draw a matrix with its upper left corner at (x, y) and its shape below; cells may hold words."""
        values = [abs(value) for row in rows for value in row if not isinstance(value, str)]
        top = top or max(values, default=1) or 1
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                strength = 0.08 if isinstance(value, str) else 0.08 + 0.6 * min(1, abs(value) / top)
                place: dict[str, Any] = {"x": x + j * cell, "y": y + i * CELL, "width": cell, "height": CELL}
                self.add("rect", **place, class_=f"cell {role}".strip(), fill_opacity=round(strength, 2))
                middle = x + (j + 0.5) * cell, y + i * CELL + 18
                self.text(*middle, value if isinstance(value, str) else number(value), size=SMALL)
        if shape:
            self.note(x + len(rows[0]) * cell / 2, y + len(rows) * CELL + 16, shape, anchor="middle")

    def bar(self, x: float, y: float, fraction: float, width: float = 76, words: str = "") -> None:
        """Draw a weight as a bar that is filled from the left, centered at (x, y), with its number."""
        self.gauge(x, y, fraction, width)
        self.text(x, y + 5, words or f"{fraction:.2f}", size=SMALL)

    def gauge(self, x: float, y: float, fraction: float, width: float) -> None:
        """Draw a bar that is filled from the left, centered at (x, y), without a number."""
        place: dict[str, Any] = {"x": x - width / 2, "y": y - 13, "height": 26}
        self.add("rect", **place, width=width * fraction, class_="filled weight")
        self.add("rect", **place, width=width, class_="empty weight")

    def box(self, x: float, y: float, width: float, height: float, words: str, *, role: str = "", **more: str) -> None:
        """Draw a part, with its upper left corner at (x, y); the words of a tall one are at its top.

        The rest may be a ``note`` below the words, ``href``, where the box leads, and the name of the ``part``.
        """
        note = more.get("note", "")
        middle, low = x + width / 2, y + (22 if height > 60 else height / 2 + (-2 if note else 5))
        inner = Canvas(0)
        inner.add("rect", x=x, y=y, width=width, height=height, rx=6)
        inner.text(middle, low, words)
        if note:
            inner.note(middle, low + 16, note, anchor="middle")
        about = {"class_": f"part {role}".strip(), "href": more.get("href", ""), "data_part": more.get("part", "")}
        self.add("a" if about["href"] else "g", "".join(inner.parts), **about)

    def line(self, *points: tuple[float, float], kind: str = "", arrow: bool = True, width: float = 0) -> None:
        """Draw a line through points, with an arrowhead at its end; ``kind`` is a role, or ``stream``."""
        path = "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
        self.add("path", d=path, class_=f"line {kind}".strip(), style=f"stroke-width:{_n(width)}" if width else "")
        if arrow:
            (x0, y0), (x, y) = points[-2:]
            length = math.hypot(x - x0, y - y0)
            dx, dy, size = (x - x0) / length, (y - y0) / length, 7 + width
            base, half = (x - size * dx, y - size * dy), size / 2
            corners = [(x + 1.5 * dx, y + 1.5 * dy)]
            corners += [(base[0] + side * dy, base[1] - side * dx) for side in (half, -half)]
            head = "M" + "L".join(f"{_n(a)} {_n(b)}" for a, b in corners) + "z"
            self.add("path", d=head, class_=f"head {kind}".strip())

    def plus(self, x: float, y: float) -> None:
        """Draw the place where a part is added to the stream."""
        self.add("circle", cx=x, cy=y, r=10, class_="plus")
        self.add("path", d=f"M{_n(x - 5)} {_n(y)}h10M{_n(x)} {_n(y - 5)}v10", class_="cross")

    def frame(self, x: float, y: float, width: float, height: float, words: str = "") -> None:
        """Draw a dashed frame around parts that belong together, with words in its lower right corner."""
        self.add("rect", x=x, y=y, width=width, height=height, rx=12, class_="frame")
        if words:
            self.note(x + width - 10, y + height - 10, words, anchor="end")


def number(value: float) -> str:
    """Return a number with at most two decimals, without trailing zeros.

    Example:
        >>> [number(value) for value in (2, 0.5, 2.828, -0.001)]
        ['2', '0.5', '2.83', '0']
    """
    return (f"{value:.2f}".rstrip("0").rstrip(".") or "0").replace("-0", "0", int(abs(value) < 0.005)).replace("-", "−")


def _n(value: object) -> str:
    """Return a coordinate without needless digits, or any other attribute as it is."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else html.escape(str(value), quote=True)


def _subscripts(words: str) -> str:
    """Return words for SVG, with what follows an underscore lowered: ``d_model`` or ``W_Q)``."""
    first, *parts = html.escape(words).split("_")
    for part in parts:
        name = re.split(r"\W", part, maxsplit=1)[0]
        after = part[len(name) :] or "&#8203;"  # something has to carry the way back up
        first += f'<tspan dy="3" font-size="75%">{name}</tspan><tspan dy="-3">{after}</tspan>'
    return first
