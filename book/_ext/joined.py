"""The pages of the book as one document for paper: title page, contents, chapters, solutions and index of terms."""

import copy
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lxml import html
from lxml.html import HtmlElement, builder
from printed import article, number_of

STYLE = Path(__file__).with_name("paper.css")
SUBTITLE = "A course in which every equation is followed by the line of code that computes it"
STYLESHEETS = ("../libs/katex/katex.min.css", "../_static/pygments.css")
PLACE = re.compile(r'<span class="(paper-\w+)" data-of="([^"]*)"></span>')
DIGITS = 3  # as many as the last page's number has, so that a number which is not known yet takes the same room


class Joined:
    """Some pages of a built book as one document; names are made unique by the page that they come from."""

    def __init__(self, folder: Path, parts: Mapping[str, Sequence[str]], config: Mapping[str, Any]) -> None:
        names = [name for part in parts.values() for name in part]
        self.parts, self.config = parts, config
        self.articles = {name: article(folder / "book" / f"{name}.html", names) for name in names}
        self.solutions = {name: solved for name, page in self.articles.items() if (solved := _taken_out(page))}
        self.uses = _terms(self.articles)
        pieces = [self._title(), self._contents(), *self.articles.values(), *self._appendix(), *self._index()]
        self._body = "\n".join(html.tostring(piece, encoding="unicode") for piece in pieces)

    def document(self, numbers: Mapping[str, int]) -> str:
        """The whole as HTML, with the numbers of pages that are known."""
        links = "".join(f'<link rel="stylesheet" href="{name}">' for name in STYLESHEETS)
        return (
            f'<!doctype html>\n<html lang="en" data-theme="light"><head><meta charset="utf-8">'
            f'<title>{self.config["title"]}</title><meta name="author" content="{self.config["author"]}">{links}'
            f"<style>{STYLE.read_text(encoding='utf-8')}</style></head>\n<body><main>"
            f"{PLACE.sub(lambda place: _numbered(place, numbers), self._body)}</main></body></html>\n"
        )

    def _title(self) -> HtmlElement:
        title = builder.P({"class": "paper-name"}, self.config["title"])
        authors = builder.P(f"© {self.config['copyright']} {self.config['author']}")
        return builder.DIV({"class": "paper-title"}, title, builder.P(SUBTITLE), authors)

    def _contents(self) -> HtmlElement:
        contents = builder.DIV({"class": "paper-contents"}, builder.H1("Contents"))
        for caption, names in self.parts.items():
            lines = [_entry(name, self.articles[name]) for name in names]
            contents.extend([builder.P({"class": "paper-part"}, caption)] if caption else [])
            contents.append(builder.OL(*lines))
        ends = {"solutions": "Solutions"} if self.solutions else {}
        ends |= {"terms": "Index of terms"} if self.uses else {}
        lines = [builder.LI(_line(place, words)) for place, words in ends.items()]
        contents.extend([builder.OL(*lines)] if lines else [])
        return contents

    def _appendix(self) -> list[HtmlElement]:
        if not self.solutions:
            return []
        appendix = builder.E.article(builder.H1("Solutions"), id="solutions")
        for name, solved in self.solutions.items():
            appendix.extend([builder.H2(*_words(self.articles[name].find(".//h1"))), *solved])
        return [appendix]

    def _index(self) -> list[HtmlElement]:
        if not self.uses:
            return []
        lines = []
        for term, places in sorted(self.uses.items(), key=lambda entry: entry[0].casefold()):
            line = builder.LI(term)
            for place in places:
                line.extend([builder.SPAN(", "), builder.A(number_of(place), href=f"#{place}")])
            lines.append(line)
        words = builder.P("The first number leads to the definition, the others to the first mention in a chapter.")
        return [builder.E.article(builder.H1("Index of terms"), words, builder.UL(*lines), id="terms")]


def _numbered(place: re.Match[str], numbers: Mapping[str, int]) -> str:
    kind, anchor = place.groups()
    number = str(numbers.get(anchor, "0" * DIGITS))
    words = f" (p. {number})" if kind == "paper-on" else number
    # Two digits are given the room of three: the numbers may not move what they count.
    return f'<span class="{kind}" style="padding-left:{DIGITS - len(number)}ch">{words}</span>'


def _taken_out(page: HtmlElement) -> list[HtmlElement]:
    """Take the solutions out of a page, and let each exercise and its solution lead to each other."""
    exercises = {exercise.find("./p").get("id"): exercise for exercise in page.find_class("exercise")}
    solutions = page.find_class("solution")
    for solution in solutions:
        solution.drop_tree()
        back = solution.xpath("./p[1]/a/@href")[0].removeprefix("#")
        solution.append(_leading("The exercise", back))
        exercises[back].append(_leading("Solution", solution.find("./p").get("id")))
    return solutions


def _leading(words: str, place: str) -> HtmlElement:
    return builder.P({"class": "paper-refer"}, builder.A(words, href=f"#{place}"), number_of(place, "paper-on"))


def _terms(articles: Mapping[str, HtmlElement]) -> dict[str, list[str]]:
    """The terms of the glossary, each with the places of its definition and of the mentions that lead there."""
    if "glossary" not in articles:
        return {}
    defined = articles["glossary"].xpath(".//dt[starts-with(@id, 'glossary--term-')]")
    places = {term.get("id"): [term.get("id")] for term in defined}
    for name, page in articles.items():
        for link in page.find_class("term"):
            term = link.get("href").removeprefix("#")
            if name != "glossary" and term in places:
                link.set("id", f"{name}--use-of-{term}")
                places[term].append(link.get("id"))
    return {" ".join(term.text_content().split()): places[term.get("id")] for term in defined}


def _entry(name: str, page: HtmlElement) -> HtmlElement:
    sections = [
        builder.LI(_line(heading.get("id"), *_words(heading))) for heading in page.xpath("./section/section/h2")
    ]
    entry = builder.LI(_line(name, *_words(page.find(".//h1"))))
    entry.extend([builder.OL(*sections)] if sections else [])
    return entry


def _line(place: str, *words: str | HtmlElement) -> HtmlElement:
    link = builder.A({"href": f"#{place}"}, *words)
    return builder.DIV({"class": "paper-line"}, link, number_of(place))


def _words(heading: HtmlElement) -> list[str | HtmlElement]:
    """What stands in a heading, once more."""
    again = copy.deepcopy(heading)
    for part in again.xpath(".//*[@id]"):
        del part.attrib["id"]
    return [again.text or "", *again]
