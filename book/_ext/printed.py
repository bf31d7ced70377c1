"""A built page made fit for paper: what works on a screen only is drawn or dropped, and its names are made unique."""

import posixpath
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from lxml import html
from lxml.html import HtmlElement, builder

# What works on a screen only.
DROPPED = ("headerlink", "map-told", "lm-live", "lm-known", "in-page-verdict", "live-controls", "live-table")
DROPPED_TAGS = ("script", "template", "noscript", "button", "summary")
# Parts of code that have no colour of their own: without them a tenth of the time goes into printing.
PLAIN = {"pre", "w", "n", "p"}
RAISED = re.compile(r"(?:^|;)top:([^;]+)")
REFERENCES = ("for", "aria-labelledby", "aria-describedby", "headers")


def article(file: Path, pages: Collection[str]) -> HtmlElement:
    """Read a built page and make its article printable.

    Args:
        file: The page.
        pages: The names of all pages of the document, among which links stay inside.

    Returns:
        The article; its id is the name of the page, and all names within begin with it.
    """
    root = html.parse(str(file), html.HTMLParser(encoding="utf-8")).getroot()
    (result,) = root.find_class("bd-article")
    _refer_to_ledger(result, file.stem)
    _rename(result, file.stem)
    _name_headings(result)
    for link in result.xpath(".//a[@href]"):
        _redirect(link, file.stem, pages)
    for figure in [*result.find_class("live-figure"), *result.find_class("live-net")]:
        _still(figure, file.stem)
    for form in result.find_class("in-page"):
        _draw_answer(form)
    _unfold(result)
    _drop(result)
    _simplify_code(result)
    for formula in result.find_class("katex"):
        _say_formula(formula)
    return result


def number_of(place: str, kind: str = "paper-page") -> HtmlElement:
    """An empty span, for the number of the page on which a place will stand."""
    return builder.SPAN({"class": kind, "data-of": place})


def _refer_to_ledger(page: HtmlElement, name: str) -> None:
    """Put in the place of a chapter's claims a line that leads to the same rows in the chapter on claims."""
    for ledger in page.find_class("tag_ledger") if name != "claims" else ():
        first = ledger.xpath(".//tr/@id")[0]
        words = builder.A("The table of these claims", href=f"claims.html#{first}")
        ledger.getparent().replace(ledger, builder.P(words, " stands with all others in one chapter."))


def _rename(page: HtmlElement, name: str) -> None:
    seen: set[str] = set()
    for part in page.xpath(".//*[@id]"):
        if part.get("id") in seen:  # of the sections inside exercises, which nothing names
            del part.attrib["id"]
            continue
        seen.add(part.get("id"))
        part.set("id", _unique(name, part.get("id")))
    for part in page.iter(html.etree.Element):
        for attribute in REFERENCES:
            if attribute in part.attrib:
                part.set(attribute, " ".join(_unique(name, one) for one in part.get(attribute).split()))
        for attribute, value in part.attrib.items():
            if "url(#" in value:  # of a drawing's own parts
                part.set(attribute, value.replace("url(#", f"url(#{name}--"))
            elif part.tag == "use" and attribute == "xlink:href":
                part.set(attribute, f"#{_unique(name, value[1:])}")
    page.set("id", name)


def _name_headings(page: HtmlElement) -> None:
    """Let headings have the names of what they begin, which may itself begin with nothing on the page before."""
    for heading in page.xpath(".//h1 | .//h2 | .//h3 | .//p[contains(@class, 'admonition-title')]"):
        whole = heading.getparent()
        for name in whole.xpath("./span[@id and not(node())]"):
            heading.insert(0, name)
            heading.text, name.tail = None, heading.text
        if "id" in whole.attrib:
            heading.set("id", whole.attrib.pop("id"))


def _unique(name: str, anchor: str) -> str:
    return f"{name}--{anchor.replace('/', '-')}"


def _redirect(link: HtmlElement, name: str, pages: Collection[str]) -> None:
    """Let a link to a page of the document lead inside it, and say on which page of paper."""
    path, _, anchor = link.get("href").partition("#")
    page = posixpath.basename(path).removesuffix(".html") or name
    if "://" in path or page not in pages or (path and not path.endswith(".html")):
        return
    place = _unique(page, anchor) if anchor else page
    link.set("href", f"#{place}")
    if page not in (name, "references", "glossary"):
        tail, link.tail = link.tail, None
        on = number_of(place, "paper-on")
        on.tail = tail
        link.addnext(on)


def _still(figure: HtmlElement, name: str) -> None:
    """Say in which state a live figure is drawn, and where the live one is."""
    state = "; ".join(_settings(figure))
    address = f"book/{name}.html#{figure.get('id').removeprefix(f'{name}--')}"
    line = builder.P({"class": "paper-live"}, f"Drawn with {state}. " if state else "", "Live: ")
    line.append(builder.A({"href": f"../{address}", "class": "paper-address"}, address))
    figure.append(line)


def _settings(figure: HtmlElement) -> Iterator[str]:
    if "live-net" in figure.classes:
        return
    for control in figure.find_class("live-control"):
        name = " ".join(control.xpath("string((./label | ./legend)[1])").split())
        value = control.xpath("string((.//output | .//label[input[@checked]])[1])").strip()
        yield f"{name} {value}".strip()


def _draw_answer(form: HtmlElement) -> None:
    """Draw lines to write on in the place of fields, and squares to tick in the place of buttons."""
    for field in form.xpath(".//input"):
        mark = builder.SPAN({"class": "paper-box" if field.get("type") == "radio" else "paper-blank"})
        mark.tail = field.tail
        field.getparent().replace(field, mark)
    for part in form.xpath(".//fieldset | .//label"):
        part.tag = "div"
        part.attrib.pop("for", None)
    for legend in form.xpath(".//legend"):
        legend.tag = "p"
    form.tag = "div"


def _unfold(page: HtmlElement) -> None:
    """Show what a page folds, but for code that an exercise shows a second time, to be ticked."""
    for details in page.xpath(".//details"):
        exercises = (around for around in details.iterancestors() if "exercise" in around.classes)
        if any(exercise.find_class("in-page-code") for exercise in exercises):
            details.drop_tree()
        elif "live-table" not in details.classes:
            details.tag = "div"
            details.classes.discard("admonition")


def _drop(page: HtmlElement) -> None:
    for name in DROPPED:
        for part in page.find_class(name):
            part.drop_tree()
    for part in list(page.iter(*DROPPED_TAGS)):
        part.drop_tree()


def _simplify_code(page: HtmlElement) -> None:
    for part in page.xpath(".//pre//span | .//code//span | .//dt//span"):
        if set(part.classes) <= PLAIN:
            part.drop_tag()


def _say_formula(formula: HtmlElement) -> None:
    """Give a formula its TeX as the words for who cannot see it, and let its parts stand in the text's own order.

    KaTeX raises by relative positions, and these are painted after all else on the page: copied text would end with
    all its formulas. A margin raises as well.
    """
    (tex,) = formula.xpath(".//annotation/text()")
    (drawn,) = formula.find_class("katex-html")
    for spoken in formula.find_class("katex-mathml"):
        spoken.drop_tree()
    del drawn.attrib["aria-hidden"]
    drawn.set("role", "img")
    drawn.set("aria-label", f"Formula: {' '.join(tex.split())}")
    for part in drawn.xpath(".//span[@class='vlist']/span[@style]"):
        raised = RAISED.search(part.get("style"))
        if raised:
            inner = builder.SPAN({"class": "paper-raised", "style": f"margin-top:{raised[1]}"}, *part)
            part.set("style", RAISED.sub("", part.get("style")))
            part.append(inner)
