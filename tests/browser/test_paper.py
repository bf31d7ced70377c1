"""The PDF: all of the book is in it, its contents are right, and it can be searched, followed and read aloud."""

import re
from collections import Counter
from pathlib import Path

import chapters
import paper
import pikepdf
import pypdfium2
import pytest
from lxml import html

from linebyline.exercises import registry
from tests.browser.visit import violations

ROOT = Path(__file__).parents[2]
HTML = ROOT / "_build" / "html"
PAGES = [source.stem for source in chapters.pages()]
SMALL = {"": ["index"], "Two": ["search", "glossary"]}
# Drawn things whose right edge is beyond that of the column; parts of formulas overlap by a hair.
BEYOND = """() => [...document.querySelectorAll("pre, table, .plot, svg.marks, .katex-html > .base, .in-page, dt")]
  .filter(part => part.getBoundingClientRect().right > innerWidth + 2)
  .map(part => `${part.closest("article")?.id}: ${part.textContent.slice(0, 60)}`)"""


@pytest.fixture(scope="module")
def pdf():
    with pikepdf.open(HTML / paper.NAME) as pdf:
        yield pdf


@pytest.fixture(scope="module")
def numbers():
    return paper.pages_of((HTML / paper.NAME).read_bytes())


@pytest.fixture(scope="module")
def words():
    """The words of each page."""
    with pypdfium2.PdfDocument(HTML / paper.NAME) as document:
        return [" ".join(page.get_textpage().get_text_range().split()) for page in document]


@pytest.fixture(scope="module")
def book():
    return paper.Paper(ROOT, chapters.parts())


@pytest.fixture(scope="module")
def document(book):
    return book.document({})


@pytest.fixture
def opened(browser):
    """Open a document as the printer does."""
    page = browser.new_page(viewport=paper.COLUMN)
    yield lambda text: (paper.serve(page, HTML, text), page)[1]
    page.close()


def letters(text):
    return re.sub(r"\W", "", text)


def test_every_figure_equation_and_exercise_of_the_book_is_in_it(document):
    pages = "".join((HTML / "book" / f"{name}.html").read_text(encoding="utf-8") for name in PAGES)
    for part in ('class="live-view"', "live-net", 'class="plot"', "<figcaption", 'class="eqno"', 'class="exercise '):
        assert document.count(part) >= pages.count(part) > 0, part
    order = [document.index(f'<article class="bd-article" id="{name}">') for name in PAGES]
    assert order == sorted(order)


def test_solutions_stand_at_the_end_only(document):
    main, _, solutions = document.partition("Solutions</h1>")
    assert 'class="solution' not in main
    assert solutions.count('class="solution') == len(registry())


def test_an_edition_without_solutions_makes_a_book_without_them(tmp_path):
    folder = tmp_path / "_build" / "html" / "book"
    folder.mkdir(parents=True)
    (tmp_path / "_config.yml").write_bytes((ROOT / "_config.yml").read_bytes())
    tree = html.parse(str(HTML / "book" / "attention.html"), html.HTMLParser(encoding="utf-8")).getroot()
    for solution in tree.find_class("solution"):
        solution.drop_tree()
    (folder / "attention.html").write_bytes(html.tostring(tree, encoding="utf-8"))
    document = paper.Paper(tmp_path, {"": ["attention"]}).document({})
    assert "solution" not in document.lower()
    assert "<script" not in document  # which knows the answers


def test_every_link_inside_leads_somewhere(document, pdf):
    names = Counter(re.findall(r'\sid="([^"]+)"', document))
    targets = set(re.findall(r'href="#([^"]*)"', document))
    assert len(targets) > 1_000
    assert targets - set(names) == set()
    assert [name for name in names if names[name] > 1] == []
    followed = {str(link.Dest) for page in pdf.pages for link in page.get("/Annots", []) if "/Dest" in link}
    assert followed == set(pdf.Root.Dests.keys())


def test_live_figures_are_named_by_where_they_are(pdf):
    links = {str(link.A.URI) for page in pdf.pages for link in page.get("/Annots", []) if "/A" in link}
    near = {link for link in links if not link.startswith(("https://", "http://"))}
    assert len(near) > 20
    for link in near:  # from beside the pages, where the PDF lies
        file, _, anchor = link.partition("#")
        assert f'id="{anchor}"' in (HTML / file).read_text(encoding="utf-8"), link


def test_the_contents_say_on_which_page_everything_stands(words, numbers, book):
    headings = [heading for page in book.articles.values() for heading in page.xpath(".//h1 | ./section/section/h2")]
    assert len(headings) > 300
    contents = letters("".join(words[1 : numbers[headings[0].get("id")] - 1]))
    for heading in headings:
        if not heading.find_class("katex"):
            title, number = letters(heading.text_content()), numbers[heading.get("id")]
            assert title in letters(words[number - 1]), (title, number)
            assert f"{title}{number}" in contents


def test_words_can_be_searched_and_copied_those_of_plots_too(words):
    text = " ".join(words)
    assert "Attention gives each word a weighted average" in text
    assert "class Head(nn.Module):" in text
    plots = [
        plot
        for page in HTML.glob("book/*.html")
        for plot in re.findall(r'(?s)<svg class="plot".*?</svg>', page.read_text())
    ]
    drawn = {letters(text.text_content()) for plot in plots for text in html.fromstring(plot).iter("text")}
    assert len(drawn) > 100
    printed = letters(text)
    assert [label for label in drawn if label not in printed] == []


def test_it_is_tagged_outlined_and_small(pdf):
    assert pdf.Root.MarkInfo.Marked
    assert "/StructTreeRoot" in pdf.Root
    assert str(pdf.Root.Lang) == "en"
    assert str(pdf.docinfo["/Title"]) == "Transformers, Line by Line"
    assert "/Outlines" in pdf.Root
    assert (HTML / paper.NAME).stat().st_size < 25e6


def test_formulas_and_figures_are_said_to_who_cannot_see_them(pdf):
    said = [str(one.Alt) for one in pdf.objects if isinstance(one, pikepdf.Dictionary) and "/Alt" in one]
    assert any(r"Formula: \operatorname{Attention}(Q, K, V)" in alt for alt in said)
    assert any(alt.startswith("Map of eight queries by eight keys.") for alt in said)


def test_nothing_crosses_the_margin(opened, document):
    assert opened(document).evaluate(BEYOND) == []


def test_without_a_browser_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(paper, "CHROMIUM", None)
    with pytest.raises(SystemExit, match="install chromium"):
        paper.write_paper()


def test_pages_lead_to_it_once():
    page = HTML / "book" / "attention.html"
    paper.link_from(HTML)
    assert page.read_text(encoding="utf-8").count(f'href="../{paper.NAME}"') == 1


def test_the_source_of_the_tags_breaks_no_rule(opened):
    """What screen readers are told of the PDF is what the printed document says."""
    parts = {"": ["index"], "Two": ["attention", "encoder", "benchmarks", "glossary"]}
    found = violations(opened(paper.Paper(ROOT, parts).document({})))
    # Nobody presses on paper, so how large a target is does not matter.
    assert [one for one in found if not one.startswith("target-size")] == []


def test_drawings_keep_their_colors(opened):
    page = opened(paper.Paper(ROOT, {"": ["attention"]}).document({}))
    fills = page.evaluate("[...document.querySelectorAll('.drawing .cell')].map(one => getComputedStyle(one).fill)")
    assert len(set(fills)) > 3 and "rgb(0, 0, 0)" not in fills
