"""Prints the built book as one PDF with Chromium: tagged, with page numbers, the same bytes each time."""

import io
import shutil
from pathlib import Path

import chapters
import pikepdf
import yaml
from joined import Joined
from playwright.sync_api import Browser, Page, Route, sync_playwright

from clearformer.files import write_whole

NAME = "transformers-line-by-line.pdf"
MADE = "D:20260101000000Z"  # the date of every build, to which the environment sets the clock of Sphinx, too
NOWHERE = "http://book.invalid/"  # where pages lie that are published nowhere; the PDF then names them from beside them
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
PATIENCE = 600_000  # milliseconds: a busy machine takes minutes for some five hundred pages
# 174 mm, the width of the column, in which what is wider is made smaller.
COLUMN = {"width": 658, "height": 900}
FIT = """() => {
  for (const one of document.querySelectorAll("div.math .katex-html, table, .live-view")) {
    const room = one.parentElement.getBoundingClientRect().width, needed = Math.max(one.scrollWidth, one.offsetWidth);
    if (needed > room + 1) one.style.zoom = room / needed;
  }
}"""


def write_paper(folder: Path, root: Path = chapters.ROOT) -> Path:
    """Print a built book beside its pages, and link to the PDF from each of them.

    Args:
        folder: The built pages.
        root: The book they were built from, whose table of contents gives the order.

    Raises:
        SystemExit: there is no Chromium.
    """
    if CHROMIUM is None:
        raise SystemExit("The PDF is printed by Chromium, and none was found: install chromium, and try again.")
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    book = Joined(folder, chapters.parts(root), config)
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS) as browser:
        print_paper(browser, folder, folder / NAME, book)
    link_from(folder)
    return folder / NAME


def print_paper(browser: Browser, folder: Path, target: Path, book: Joined) -> None:
    """Print pages of a built book until each number in it is that of the page where its place stands.

    The first print says on which page everything stands, and since a number takes the same room whatever it is, the
    second agrees.

    Raises:
        RuntimeError: numbers still moved what they count.
    """
    base = book.config["html"].get("baseurl") or NOWHERE
    with browser.new_page(viewport=COLUMN) as page:
        page.set_default_timeout(PATIENCE)
        numbers: dict[str, int] = {}
        for final in (False, True):
            serve(page, base, folder, book.document(numbers))
            printed = page.pdf(tagged=final, outline=final, prefer_css_page_size=True, print_background=True)
            before, numbers = numbers, pages_of(printed)
    if numbers != before:
        raise RuntimeError(f"page numbers moved: {sorted(set(numbers.items()) ^ set(before.items()))[:6]}")
    write_whole(target, finished(printed, base))


def serve(page: Page, base: str, folder: Path, document: str) -> None:
    """Open a document as if it lay among the published pages, whose links it has; nothing is fetched or written."""

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(base).partition("?")[0]
        if path == "book/paper.html":
            route.fulfill(body=document, content_type="text/html")
        else:
            route.fulfill(path=folder / path)

    page.unroute_all()
    page.route(f"{base}**", answer)
    page.goto(f"{base}book/paper.html")
    page.emulate_media(media="print", color_scheme="light")
    page.evaluate("Promise.all([...document.fonts].map((font) => font.load()))")  # far below, none is asked for yet
    page.evaluate(FIT)


def pages_of(printed: bytes) -> dict[str, int]:
    """The page of each place that something in a PDF links to, by its name, from 1."""
    with pikepdf.open(io.BytesIO(printed)) as pdf:
        numbers = {page.objgen: number for number, page in enumerate(pdf.pages, start=1)}
        return {name.lstrip("/"): numbers[place[0].objgen] for name, place in pdf.Root.Dests.items()}


def finished(printed: bytes, base: str) -> bytes:
    """A print without the hour and the browser that made it; formulas are told from figures."""
    with pikepdf.open(io.BytesIO(printed)) as pdf:
        for name in ("/CreationDate", "/ModDate"):
            pdf.docinfo[name] = MADE
        pdf.docinfo["/Creator"] = "clearformer"
        for one in pdf.objects:
            if not isinstance(one, pikepdf.Dictionary):
                continue
            if one.get("/S") == "/Figure" and str(one.get("/Alt", "")).startswith("Formula: "):
                one.S = pikepdf.Name.Formula
            action = one.get("/A")
            if isinstance(action, pikepdf.Dictionary) and base == NOWHERE and "/URI" in action:
                action.URI = str(action.URI).removeprefix(base)
        made = io.BytesIO()
        pdf.save(made, object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True)
    return made.getvalue()


def link_from(folder: Path) -> None:
    """Put a link to the PDF beside the other downloads of each page, once."""
    for file in folder.rglob("*.html"):
        page = file.read_text(encoding="utf-8")
        if NAME in page or '<footer class="prev-next-footer' not in page:
            continue
        way = "../" * (len(file.relative_to(folder).parts) - 1)
        link = f'<p class="paper-link"><a href="{way}{NAME}">The whole book as a PDF</a></p>\n'
        write_whole(file, page.replace('<footer class="prev-next-footer', f'{link}<footer class="prev-next-footer', 1))
