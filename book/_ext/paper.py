"""Joins the built pages into one document and prints it as a PDF with Chromium, tagged and with page numbers."""

import io
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import chapters
import pikepdf
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import Page, sync_playwright

from clearformer.files import write_whole

NAME = "transformers-line-by-line.pdf"
STYLE = Path(__file__).with_name("paper.css")
MADE = "D:20260101000000Z"  # the date of every build, to which the environment sets the clock of Sphinx, too
# What works on a screen only.
LIVE_ONLY = (
    "script, .headerlink, .live-controls, .live-table, .copybtn, .in-page button, .in-page-verdict, .map-told, "
    ".code-switch"
)
FOOTER = '<div style="width:100%;font:9px sans-serif;text-align:center"><span class="pageNumber"></span></div>'


def chromium() -> str:
    """Find the browser that prints.

    Raises:
        SystemExit: there is none.
    """
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise SystemExit("The PDF is printed by Chromium, and none was found: install chromium, and try again.")
    return found


def write_paper(folder: Path, root: Path = chapters.ROOT) -> Path:
    """Print the built book beside its pages, and link to the PDF from each of them.

    Args:
        folder: The built pages.
        root: The book they were built from, whose table of contents gives the order.
    """
    target = folder / NAME
    target.unlink(missing_ok=True)
    print_paper(folder, target, [source.stem for source in chapters.pages(root) if source.stem != "index"])
    link_from(folder)
    return target


def print_paper(folder: Path, target: Path, pages: list[str]) -> None:
    """Print some pages of the built book twice: the first time to learn on which page everything stands."""
    browser_path = chromium()
    book = Joined(folder, pages)
    with tempfile.NamedTemporaryFile(dir=folder / "book", suffix=".part.html") as file, sync_playwright() as playwright:
        joined = Path(file.name)
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        numbers: dict[str, int] = {}
        for _ in range(2):
            joined.write_text(book.document(numbers), encoding="utf-8")
            _print(page, joined, target)
            numbers = pages_of(target)
        browser.close()


def _print(page: Page, source: Path, target: Path) -> None:
    page.goto(source.resolve().as_uri())
    page.evaluate("document.fonts.ready")
    printed = page.pdf(
        format="A4",
        tagged=True,
        outline=True,
        display_header_footer=True,
        header_template="<span></span>",
        footer_template=FOOTER,
        margin={"top": "18mm", "bottom": "18mm", "left": "18mm", "right": "18mm"},
        print_background=True,
    )
    with pikepdf.open(io.BytesIO(printed)) as pdf:
        for name in ("/CreationDate", "/ModDate"):
            pdf.docinfo[name] = MADE
        pdf.docinfo["/Creator"] = "clearformer"  # in place of the browser's version
        made = io.BytesIO()
        pdf.save(made, object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True)
    write_whole(target, made.getvalue())


def pages_of(file: Path) -> dict[str, int]:
    """The page of each place that something in a PDF links to, by its name, from 1."""
    with pikepdf.open(file) as pdf:
        numbers = {page.objgen: number for number, page in enumerate(pdf.pages, start=1)}
        return {name.lstrip("/"): numbers[place[0].objgen] for name, place in pdf.Root.Dests.items()}


def link_from(folder: Path) -> None:
    """Put a link to the PDF beside the other downloads of each page, once."""
    for file in folder.rglob("*.html"):
        page = file.read_text(encoding="utf-8")
        if NAME in page or '<footer class="prev-next-footer' not in page:
            continue
        way = "../" * (len(file.relative_to(folder).parts) - 1)
        link = f'<p class="paper-link"><a href="{way}{NAME}">The whole book as a PDF</a></p>\n'
        write_whole(file, page.replace('<footer class="prev-next-footer', f'{link}<footer class="prev-next-footer', 1))


class Joined:
    """The pages of a book as one document; names are made unique by the page that they come from."""

    def __init__(self, folder: Path, pages: list[str]) -> None:
        self.pages = pages
        self.solutions: list[Tag] = []
        self.articles = {name: self._article(folder / "book" / f"{name}.html", name) for name in pages}

    def document(self, numbers: dict[str, int]) -> str:
        """The whole, with the numbers of pages that are known."""
        title = "Transformers, Line by Line"
        body = [
            f'<header class="paper-title"><h1>{title}</h1><p>A course in which every equation is followed by the line '
            "of code that computes it</p></header>",
            f'<nav class="paper-contents" aria-label="Contents"><h2>Contents</h2>{self._contents(numbers)}</nav>',
            *(str(article) for article in self.articles.values()),
        ]
        if self.solutions:
            solved = "".join(map(str, self.solutions))
            body.append(f'<article id="solutions"><h1>Solutions</h1>{solved}</article>')
        style = "\n".join(f'<link rel="stylesheet" href="{name}">' for name in ("../libs/katex/katex.min.css",))
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n{style}\n'
            f"<style>{STYLE.read_text(encoding='utf-8')}</style></head>\n<body>{''.join(body)}</body></html>\n"
        )

    def _contents(self, numbers: dict[str, int]) -> str:
        lines = []
        for name, article in self.articles.items():
            lines += [_entry(name, article.h1, numbers, "paper-chapter")]
            lines += [_entry(str(part["id"]), part.h2, numbers, "paper-section") for part in _sections(article)]
        if self.solutions:
            number = _number("solutions", numbers)
            lines.append(f'<li class="paper-chapter"><a href="#solutions">Solutions</a>{number}</li>')
        return f"<ol>{''.join(lines)}</ol>"

    def _article(self, file: Path, name: str) -> Tag:
        soup = BeautifulSoup(file.read_text(encoding="utf-8"), "lxml")
        article = soup.select_one("article.bd-article")
        assert article is not None, f"{file} has no article"
        for figure in article.select(".live-figure, .live-net"):
            _address(soup, figure, f"book/{name}.html#{figure.get('id', '')}")
        for ledger in article.select(".tag_ledger") if name != "claims" else ():
            ledger.decompose()  # its rows stand in the chapter on claims
        for part in article.select(LIVE_ONLY):
            part.decompose()
        for details in article.select("details"):
            details["open"] = ""
        self._rename(article, name)
        article["id"] = name
        for solution in article.select(".solution"):
            _refer(soup, solution)
            self.solutions.append(solution.extract())
        return article

    def _rename(self, article: Tag, name: str) -> None:
        for part in article.select("[id]"):
            part["id"] = f"{name}--{part['id']}"
        for attribute in ("for", "aria-labelledby", "aria-describedby"):
            for part in article.select(f"[{attribute}]"):
                part[attribute] = f"{name}--{part[attribute]}"
        for link in article.select("a[href]"):
            link["href"] = self._target(str(link["href"]), name)
            if not link["href"]:
                link.unwrap()

    def _target(self, address: str, name: str) -> str:
        """Where a link leads inside the document; nowhere if its page is not in it."""
        if re.match(r"[a-z]+:", address):
            return address
        page, _, anchor = address.partition("#")
        page = Path(page).stem or name
        if page not in self.pages:
            return ""
        return f"#{page}--{anchor}" if anchor else f"#{page}"


def _sections(article: Tag) -> Iterator[Tag]:
    for part in article.select("section[id]:has(> h2)"):
        if part.find_parent("section") in (article.section, None):
            yield part


def _entry(anchor: str, heading: Tag | None, numbers: dict[str, int], kind: str) -> str:
    assert heading is not None, f"{anchor} has no heading"
    words = "".join(str(part) for part in heading.contents)
    return f'<li class="{kind}"><a href="#{anchor}">{words}</a>{_number(anchor, numbers)}</li>'


def _number(anchor: str, numbers: dict[str, int]) -> str:
    return f'<span class="paper-page">{numbers.get(anchor, "")}</span>'


def _address(soup: BeautifulSoup, figure: Tag, address: str) -> None:
    line = soup.new_tag("p", attrs={"class": "paper-live"})
    line.string = f"It moves on the page {address}."
    figure.append(line)


def _refer(soup: BeautifulSoup, solution: Tag) -> None:
    line = soup.new_tag("p", attrs={"class": "paper-refer"})
    link = soup.new_tag("a", href=f"#{solution['id']}")
    link.string = "Solution"
    line.append(link)
    solution.insert_before(line)
