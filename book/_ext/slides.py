"""Makes a deck of slides of each chapter from its finished page: what a lecturer shows, and no solution."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from urllib.parse import urlsplit

import chapters
from bs4 import BeautifulSoup, Tag

from clearformer.files import write_whole

SHOWN = "div.math[id], figure, table, p.live-net, div[class^=highlight-]"
# What can be folded is long, and cells hold code that runs; a solution is in no deck, whatever the edition.
DROPPED = "a.headerlink, .code-switch, .live-table, details, .cell_input, .solution"
PRINTED = ".cell > .cell_output > .highlight-myst-ansi"
LINES = 25  # of code on a slide, at most
EQUATIONS = 3  # on a slide, at most

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="../_static/favicon.svg">
{styles}
{head}</head>
{body}
</html>
"""
HEAD = """<link rel="stylesheet" href="../libs/reveal/reveal.css">
<link rel="stylesheet" href="deck.css">
<script src="theme.js"></script>
<script defer src="../_static/figures.js"></script>
<script defer src="../libs/reveal/reveal.js"></script>
<script defer src="deck.js"></script>
"""
INDEX = """<link rel="stylesheet" href="deck.css">
<script src="theme.js"></script>
"""
HELP = """<p>Arrow keys turn the slides, <kbd>Esc</kbd> shows all, <kbd>F</kbd> fills the screen,
and <kbd>?</kbd> lists all keys.
A slider that has the focus keeps the arrow keys to itself; <kbd>Tab</kbd> leaves it.
To print a deck, open it with <code>?view=print</code> after its name, and print that.</p>"""


def write_all(folder: Path = chapters.ROOT / "_build" / "html") -> int:
    """Write a deck for each chapter of the built book in `folder`, and the page that lists them.

    Args:
        folder: Where the finished pages are; the decks go into its folder `slides`.

    Returns:
        The exit code of the command, 0.

    Raises:
        OSError: a page cannot be read, or a deck cannot be written.
    """
    decks = []
    for source in chapters.pages():
        page = folder / "book" / f"{source.stem}.html"
        document = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
        article, styles = document.select_one("article"), _styles(document)
        if article and article.select_one(".admonition-in-this-chapter"):
            slides = _slides(article, page.name)
            title = article.h1.decode_contents()
            write_whole(folder / "slides" / page.name, _deck(title, styles, slides))
            decks.append(f'<li><a href="{page.name}">{title}</a>, {len(slides)} slides</li>')
    index = f'<body class="decks"><main><h1>Slides</h1>{HELP}<ol>{"".join(decks)}</ol></main></body>'
    write_whole(folder / "slides" / "index.html", PAGE.format(title="Slides", styles=styles, head=INDEX, body=index))
    print(f"The slides: {folder / 'slides' / 'index.html'}")
    return 0


def _styles(document: BeautifulSoup) -> str:
    """The stylesheets of a page, which lies beside the folder of the slides."""
    return "\n".join(map(str, document.head.select("link[rel~=stylesheet]")))


def _deck(title: str, styles: str, slides: list[str]) -> str:
    """The whole file of a deck."""
    shown = "\n".join(f"<section>{slide}</section>" for slide in slides)
    body = f'<body><main class="reveal"><div class="slides">\n{shown}\n</div></main></body>'
    name = BeautifulSoup(title, "html.parser").get_text()
    return PAGE.format(title=f"{name}: slides", styles=styles, head=HEAD, body=body)


def _slides(article: Tag, page: str) -> list[str]:
    """The slides of a chapter, in the order in which they are shown."""
    _prepare(article, page)
    kinds = (".admonition-in-this-chapter", ".admonition-take-away", ".exercise")
    opening, closing, exercises = ([box.extract() for box in article.select(kind)] for kind in kinds)
    links = f'<p><a href="../book/{page}">The chapter</a> · <a href="index.html">All slides</a></p>'
    goals = f'<div class="shown">{_inner(opening[0])}{links}</div>'
    slides = [f"<h1>{article.h1.decode_contents()}</h1>{goals}"]
    for heading in article.select("section > h2, section > h3"):
        if heading.get_text() == "Exercises":
            break
        slides += [_slide(heading.decode_contents(), body) for body in _bodies(heading.parent)]
    slides += [_slide("Take away", _inner(box)) for box in closing]
    return [*slides, _slide("Exercises", f"<ul>{''.join(map(_exercise, exercises))}</ul>")]


def _prepare(article: Tag, page: str) -> None:
    """Drop what a slide has no use for, and let links and images lead out of the folder of the slides."""
    for part in article.select(DROPPED):
        part.decompose()
    for live in article.select(".live-net"):
        address = f'<p class="live-net"><a href="#{live["id"]}">{live["aria-label"]}, in the chapter</a></p>'
        live.replace_with(BeautifulSoup(address, "html.parser"))
    for attribute in ("href", "src"):
        for element in article.find_all(attrs={attribute: True}):
            address = urlsplit(element[attribute])
            if not address.scheme:
                element[attribute] = f"../book/{address._replace(path=address.path or page).geturl()}"
    for equation in article.find_all("div", class_="math"):
        del equation["tabindex"]  # it is scaled to the slide, so nothing scrolls


def _bodies(section: Tag) -> Iterator[str]:
    """What is shown of a section, slide by slide; its first paragraph where nothing else is."""
    blocks = [block for block in section.select(SHOWN) if block.find_parent("section") is section]
    blocks = [block for block in blocks if not (block.pre and len(block.get_text().splitlines()) > LINES)]
    if not blocks:
        first, printed = section.find("p", recursive=False), section.select_one(PRINTED)
        yield "".join(str(part) for part in (first, printed) if part)
    for is_equation, group in groupby(blocks, lambda block: "math" in block.get("class", ())):
        together, room = list(group), EQUATIONS if is_equation else 1
        for start in range(0, len(together), room):
            yield "".join(map(str, together[start : start + room]))


def _exercise(box: Tag) -> str:
    """A line of the list: the title of an exercise, how hard it is, its points and minutes, and what it numbers."""
    title = box.select_one(".admonition-title").decode_contents()
    equations = "".join(map(str, box.select("div.math[id]")))
    return f"<li>{title}<br>{box.strong.decode_contents()}{equations}</li>"


def _slide(title: str, body: str) -> str:
    return f'<h2>{title}</h2><div class="shown">{body}</div>'


def _inner(box: Tag) -> str:
    """What stands in a box below its title."""
    return "".join(
        str(part) for part in box.find_all(recursive=False) if "admonition-title" not in part.get("class", ())
    )
