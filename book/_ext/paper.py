"""Prints a built edition as one PDF with Chromium: tagged, with an outline, and contents with page numbers."""

import io
import re
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

import chapters
import pikepdf
import yaml
from lxml import html
from lxml.html import HtmlElement, builder
from markupsafe import Markup
from playwright.sync_api import Page, Route, sync_playwright

from clearformer.files import write_whole

NAME = "transformers-line-by-line.pdf"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-sync"]
FLAGS.append("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
FOOT = '<footer class="prev-next-footer'  # of each page
BASE = "http://book.invalid/"  # where the browser finds the pages while it prints
PATIENCE = 600_000  # milliseconds: some five hundred pages take minutes on a busy machine
COLUMN = {"width": 658, "height": 900}  # 174 mm wide; what is wider is made smaller by the script below
FIT = """() => {
  for (const one of document.querySelectorAll("div.math .katex-html, table, .live-view")) {
    const room = one.parentElement.getBoundingClientRect().width, needed = Math.max(one.scrollWidth, one.offsetWidth);
    if (needed > room + 1) one.style.zoom = room / needed;
  }
}"""
# What works on a screen only.
DROPPED = [
    "headerlink",
    "map-told",
    "lm-live",
    "lm-known",
    "in-page-verdict",
    "live-controls",
    "live-table",
    "claims-here",
]
DROPPED_TAGS = ("script", "template", "noscript", "button", "summary")
IDS = re.compile(r'(\s(?:id|for|aria-labelledby|aria-describedby)="|url\(#|xlink:href="#)')
LINK = re.compile(r'(<a\s[^>]*?href=")([^":#]*)(?:#([^"]*))?"')


def write_paper(edition: str = "reader") -> int:
    """Print an edition beside its pages, and link to the PDF from each of them."""
    if CHROMIUM is None:
        raise SystemExit("The PDF is printed by Chromium, and none was found: install chromium, and try again.")
    root = chapters.folder(edition)
    pages = root / "_build" / "html"
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS) as browser:
        write_whole(pages / NAME, printed(browser.new_page(viewport=COLUMN), pages, Paper(root, chapters.parts(root))))
    link_from(pages)
    print(f"The book as a PDF: {pages / NAME}")
    return 0


def printed(page: Page, pages: Path, paper: "Paper") -> bytes:
    """Print twice: the first print says on which pages the second one's contents have to name."""
    page.set_default_timeout(PATIENCE)
    serve(page, pages, paper.document({}))
    numbers = pages_of(page.pdf(prefer_css_page_size=True, outline=True))
    serve(page, pages, paper.document(numbers))
    pdf = page.pdf(prefer_css_page_size=True, print_background=True, tagged=True, outline=True)
    return finished(pdf)


def serve(page: Page, pages: Path, document: str) -> None:
    """Open a document as if it were among the built pages."""

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(BASE).partition("?")[0]
        if path == "book/paper.html":
            route.fulfill(body=document, content_type="text/html")
        else:
            route.fulfill(path=pages / path)

    page.unroute_all()
    page.route(f"{BASE}**", answer)
    page.goto(f"{BASE}book/paper.html")
    page.emulate_media(media="print", color_scheme="light")
    page.evaluate("Promise.all([...document.fonts].map((font) => font.load()))")
    page.evaluate(FIT)


def pages_of(pdf: bytes) -> dict[str, int]:
    """The page, from 1, of each place that something in a PDF links to."""
    with pikepdf.open(io.BytesIO(pdf)) as file:
        numbers = {page.objgen: number for number, page in enumerate(file.pages, start=1)}
        return {name.lstrip("/"): numbers[place[0].objgen] for name, place in file.Root.Dests.items()}


def finished(pdf: bytes) -> bytes:
    """A print made smaller, with links to the pages beside it."""
    with pikepdf.open(io.BytesIO(pdf)) as file:
        for link in [link for page in file.pages for link in page.get("/Annots", [])]:
            if "/URI" in link.get("/A", {}):
                link.A.URI = str(link.A.URI).removeprefix(BASE)
        made = io.BytesIO()
        file.save(made, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return made.getvalue()


def link_from(pages: Path) -> None:
    """Put a link to the PDF at the foot of each page, once."""
    link = f'<p class="paper-link"><a href="../{NAME}">The whole book as a PDF</a></p>\n'
    for file in (pages / "book").glob("*.html"):
        page = file.read_text(encoding="utf-8")
        if NAME not in page:
            write_whole(file, page.replace(FOOT, link + FOOT, 1))


class Paper:
    """Pages of a built book as one document: a title, contents, the pages, and their solutions at the end."""

    def __init__(self, root: Path, parts: Mapping[str, list[str]]) -> None:
        names = [name for part in parts.values() for name in part]
        self.parts = parts
        self.config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
        self.articles = {name: article(root / "_build" / "html" / "book" / f"{name}.html", names) for name in names}
        solutions = [solution for page in self.articles.values() for solution in page.find_class("solution")]
        for solution in solutions:
            solution.drop_tree()
        if solutions:
            self.parts = {**parts, "Answers": ["solutions"]}
            self.articles["solutions"] = builder.E.article(builder.H1("Solutions", id="solutions"), *solutions)

    def document(self, numbers: Mapping[str, int]) -> str:
        contents = [(caption, [self._lines(name) for name in names]) for caption, names in self.parts.items()]
        articles = [Markup(html.tostring(page, encoding="unicode")) for page in self.articles.values()]
        values = {"contents": contents, "articles": articles, "numbers": numbers}
        return chapters.render("paper.html", config=self.config, **values)

    def _lines(self, name: str) -> list[tuple[str, str, str]]:
        headings = self.articles[name].xpath(".//h1 | ./section/section/h2")
        return [(one.tag, one.get("id"), " ".join(one.text_content().split())) for one in headings]


def article(file: Path, pages: Collection[str]) -> HtmlElement:
    """The article of a built page, fit for paper: ids begin with the name of the page, and links stay inside."""

    def inside(link: re.Match[str]) -> str:
        page = Path(link[2]).stem or file.stem
        if page not in pages or not link[2].endswith((".html", "")):
            return link[0]
        return f'{link[1]}#{page}--{link[3]}"' if link[3] else f'{link[1]}#{page}"'

    text = LINK.sub(inside, IDS.sub(rf"\g<1>{file.stem}--", file.read_text(encoding="utf-8")))
    (page,) = html.document_fromstring(text).find_class("bd-article")
    for heading in page.xpath(".//section/h1 | .//section/h2"):  # a section may begin on the page before its heading
        heading.set("id", heading.getparent().attrib.pop("id"))
    for live in [*page.find_class("live-figure"), *page.find_class("live-net")]:
        address = f"book/{file.stem}.html#{live.get('id').removeprefix(f'{file.stem}--')}"
        live.append(builder.P({"class": "paper-live"}, "Live: ", builder.A({"href": f"../{address}"}, address)))
    for field in page.xpath(".//*[contains(@class, 'in-page')]//input"):
        field.tail = ("☐ " if field.get("type") == "radio" else " ________") + (field.tail or "")
        field.drop_tree()
    for part in {*page.iter(*DROPPED_TAGS), *(part for name in DROPPED for part in page.find_class(name))}:
        part.drop_tree()
    for part in list(page.iter("details", "fieldset", "label", "legend")):
        part.tag = "div"
    for formula in page.find_class("katex"):
        tex = " ".join(formula.xpath("string(.//annotation)").split())
        for drawn in formula.find_class("katex-html"):
            drawn.attrib.pop("aria-hidden", None)
            drawn.attrib.update({"role": "img", "aria-label": f"Formula: {tex}"})
        for spoken in formula.find_class("katex-mathml"):
            spoken.drop_tree()
    for repeated in page.xpath(".//*[contains(@id, '--exercise-content') or contains(@id, '--solution-content')]"):
        del repeated.attrib["id"]
    page.set("id", file.stem)
    return page
