"""Makes a deck of slides of each chapter from its finished page: what a lecturer shows, and no solution."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from urllib.parse import urlsplit

import chapters
from bs4 import BeautifulSoup, Tag
from markupsafe import Markup

from clearformer.files import write_whole

SHOWN = "div.math[id], figure, table, p.live-net, div[class^=highlight-]"
# What can be folded is long, and cells hold code that runs; a solution is in no deck, whatever the edition.
DROPPED = "a.headerlink, .section-number, .code-switch, .live-table, details, .cell_input, .solution"
PRINTED = ".cell > .cell_output > .highlight-myst-ansi"
LINES = 25  # of code on a slide, at most
EQUATIONS = 3  # on a slide, at most


def write_all(folder: Path = chapters.ROOT / "_build" / "html") -> int:
    """Write a deck for each chapter of the built book in `folder` into its folder `slides`, and the page of all."""
    decks, styles = [], Markup("")
    for source in chapters.pages():
        page = folder / "book" / f"{source.stem}.html"
        document = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
        article = document.select_one("article")
        if article and article.select_one(".admonition-in-this-chapter"):
            styles = Markup("\n").join(Markup(link) for link in document.head.select("link[rel~=stylesheet]"))
            slides = [Markup(slide) for slide in _slides(article, page.name)]
            deck = chapters.render("deck.html", title=article.h1.get_text(), styles=styles, slides=slides)
            write_whole(folder / "slides" / page.name, deck)
            decks.append((page.name, Markup(article.h1.decode_contents()), len(slides)))
    index = chapters.render("deck.html", title="Slides", styles=styles, decks=decks)
    write_whole(folder / "slides" / "index.html", index)
    print(f"The slides: {folder / 'slides' / 'index.html'}")
    return 0


def _slides(article: Tag, page: str) -> list[str]:
    """The slides of a chapter, in the order in which they are shown."""
    _prepare(article, page)
    kinds = (".admonition-in-this-chapter", ".admonition-take-away", ".exercise")
    opening, closing, exercises = ([box.extract() for box in article.select(kind)] for kind in kinds)
    links = f'<p><a href="../book/{page}">The chapter</a> · <a href="index.html">All slides</a></p>'
    goals = f'<div class="shown">{_inner(opening[0])}{links}</div>'
    slides = [f"<h1>{article.h1.decode_contents()}</h1>{goals}"]
    for heading in article.select("section > h2, section > h3"):
        if heading.get_text() in ("Exercises", "Further reading"):
            break
        slides += [_slide(heading.decode_contents(), body) for body in _bodies(heading.parent)]
    slides += [_slide("Take away", _inner(box)) for box in closing]
    if exercises:
        slides.append(_slide("Exercises", f"<ul>{''.join(map(_exercise, exercises))}</ul>"))
    return slides


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
    """A line of the list: the title of an exercise, how hard it is, its points and minutes."""
    return f"<li>{box.select_one('.admonition-title').decode_contents()}<br>{box.strong.decode_contents()}</li>"


def _slide(title: str, body: str) -> str:
    return f'<h2>{title}</h2><div class="shown">{body}</div>'


def _inner(box: Tag) -> str:
    """The content of a box below its title."""
    return "".join(map(str, box.select(":scope > :not(.admonition-title)")))
