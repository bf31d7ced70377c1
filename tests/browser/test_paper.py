"""The PDF: all of the book is in it, its page numbers are right, and it can be searched, followed and read aloud."""

import re
from collections import Counter
from pathlib import Path

import chapters
import paper
import pikepdf
import pypdfium2
import pytest
import yaml
from joined import Joined
from lxml import html

from linebyline.claims import ledger
from linebyline.exercises import registry
from tests.browser.visit import violations

ROOT = Path(__file__).parents[2]
HTML = ROOT / "_build" / "html"
PAGES = [source.stem for source in chapters.pages()]
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
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
    return Joined(HTML, chapters.parts(), CONFIG)


@pytest.fixture(scope="module")
def document(book):
    return book.document({})


@pytest.fixture
def opened(browser):
    """Open a document as the printer does."""
    page = browser.new_page(viewport=paper.COLUMN)
    yield lambda text: (paper.serve(page, paper.NOWHERE, HTML, text), page)[1]
    page.close()


def built(pattern):
    """What stands in the built pages of the book."""
    return [
        found
        for name in PAGES
        for found in re.findall(pattern, (HTML / "book" / f"{name}.html").read_text(encoding="utf-8"))
    ]


def plots():
    """The plots of the book, as they stand in its pages."""
    return [html.fromstring(plot) for plot in built(r'(?s)<svg class="plot".*?</svg>')]


def test_every_figure_equation_and_exercise_of_the_book_is_in_it(document):
    parts = (
        'class="live-view"',
        "live-net",
        'class="plot"',
        "<figcaption",
        'class="eqno"',
        'class="exercise admonition"',
    )
    for part in parts:
        assert document.count(part) >= len(built(part)) > 0, part
    assert document.count('class="solution dropdown admonition"') == len(registry())
    assert all(claim.anchor in document for claim in ledger())
    order = [document.index(f'<article class="bd-article" id="{name}">') for name in PAGES]
    assert order == sorted(order)


def test_captions_and_exercises_stand_in_the_print(words, numbers):
    printed = _letters("".join(words[: numbers["solutions"] - 1]))
    captions = built(r"(?s)<figcaption>(.*?)</figcaption>")
    exercises = built(r'<p class="admonition-title">(<span class="caption-number">Exercise.*?)</p>')
    assert len(captions) > 50
    assert len(exercises) == len(registry())
    for title in [*captions, *exercises]:
        if "katex" not in title:
            assert _letters(html.fromstring(title).text_content()) in printed, title


def test_solutions_stand_in_the_appendix_only(document, words, numbers):
    main, _, appendix = document.partition('id="solutions">')
    assert 'class="solution' not in main
    assert appendix.count('class="solution') == len(registry()) == main.count(">Solution</a>")
    assert appendix.count(">The exercise</a>") == len(registry())
    assert "Solution to Exercise" not in " ".join(words[: numbers["solutions"] - 1])


def test_pages_without_solutions_make_a_book_without_them(tmp_path):
    tree = html.parse(str(HTML / "book" / "attention.html"), html.HTMLParser(encoding="utf-8")).getroot()
    for solution in tree.find_class("solution"):
        solution.drop_tree()
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "attention.html").write_bytes(html.tostring(tree, encoding="utf-8"))
    document = Joined(tmp_path, {"": ["attention"]}, CONFIG).document({})
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


def test_links_out_of_it_lead_to_the_live_figures_and_the_web(pdf):
    links = {str(link.A.URI) for page in pdf.pages for link in page.get("/Annots", []) if "/A" in link}
    near = {link for link in links if not link.startswith(("https://", "http://"))}
    assert len(links - near) > 50
    figures = set(built(r'<div class="live-[^"]*" id="([^"]*)"'))
    assert {link.partition("#")[2] for link in near} == figures
    for link in near:  # from beside the pages, where the PDF lies
        file, _, anchor = link.partition("#")
        assert f'id="{anchor}"' in (HTML / file).read_text(encoding="utf-8")


def test_the_contents_say_on_which_page_everything_stands(words, numbers, book):
    first = [numbers[name] for name in [*PAGES, "solutions", "terms"]]
    assert first == sorted(set(first))
    contents = _letters("".join(words[1 : first[0] - 1]))
    headings = {name: book.articles[name].find(".//h1") for name in PAGES}
    for page in book.articles.values():
        headings |= {heading.get("id"): heading for heading in page.xpath("./section/section/h2")}
    assert len(headings) > 300
    for place, heading in headings.items():
        if heading.find_class("katex"):
            continue
        title = _letters(heading.text_content())
        assert title in _letters(words[numbers[place] - 1]), (title, numbers[place])
        assert f"{title}{numbers[place]}" in contents


def test_terms_lead_to_the_pages_where_they_stand(words, numbers, book):
    index = _letters("".join(words[numbers["terms"] - 1 :]))
    assert len(book.uses) > 30
    for term, places in book.uses.items():
        assert _letters(term) + "".join(str(numbers[place]) for place in places) in index
        assert term in words[numbers[places[0]] - 1]


def test_words_and_formulas_can_be_searched_and_copied_where_they_stand(words):
    text = " ".join(words)
    assert "Attention is a weighted average of values" in text
    assert "def scaled_dot_product_attention(" in text
    (formula,) = re.findall(r"Vaswani et al\. \[2017\] then define (.{,80}) the softmax being taken", text)
    assert _letters(formula).startswith("AttentionQKVsoftmax")
    assert "of shape (dmodel, dk) and WV" in text.replace("𝑘", "k")


def test_the_words_of_plots_can_be_searched_and_copied(words, document):
    drawn = {" ".join(text.text_content().split()) for plot in plots() for text in plot.iter("text")}
    rest = html.fromstring(document)
    for plot in rest.find_class("plot"):
        plot.drop_tree()
    told = _letters(rest.text_content())
    only_drawn = {label for label in map(_letters, drawn) if label not in told}
    assert len(only_drawn) > 10
    printed = _letters("".join(words))
    assert [label for label in only_drawn if label not in printed] == []


def test_no_picture_holds_words(pdf):
    pictures = [one for one in pdf.objects if isinstance(one, pikepdf.Stream) and one.get("/Subtype") == "/Image"]
    assert 0 < len(pictures) <= sum(len(list(plot.iter("image"))) for plot in plots())  # the cells of maps


def test_it_is_tagged_and_small(pdf):
    assert pdf.Root.MarkInfo.Marked
    assert "/StructTreeRoot" in pdf.Root
    assert str(pdf.Root.Lang) == "en"
    assert str(pdf.docinfo["/Title"]) == "Transformers, Line by Line"
    assert "/Outlines" in pdf.Root
    assert (HTML / paper.NAME).stat().st_size < 25e6


def test_formulas_and_figures_are_said_to_who_cannot_see_them(pdf, document):
    dictionaries = [one for one in pdf.objects if isinstance(one, pikepdf.Dictionary) and "/Alt" in one]
    formulas = [str(one.Alt) for one in dictionaries if one.get("/S") == "/Formula"]
    assert r"Formula: \operatorname{Attention}(Q, K, V)" in "".join(formulas)
    assert len(formulas) == document.count('aria-label="Formula: ')
    figures = [str(one.Alt) for one in dictionaries if one.get("/S") == "/Figure"]
    assert any(alt.startswith("Map of eight queries by eight keys.") for alt in figures)


def test_printed_again_it_is_the_same(browser, tmp_path):
    files = [tmp_path / name for name in ("first.pdf", "again.pdf")]
    for file in files:
        paper.print_paper(browser, HTML, file, Joined(HTML, SMALL, CONFIG))
    assert files[0].read_bytes() == files[1].read_bytes()


def test_published_pages_are_named_by_their_address(browser, tmp_path):
    published = {**CONFIG, "html": {**CONFIG["html"], "baseurl": "https://book.example/course/"}}
    paper.print_paper(browser, HTML, tmp_path / "book.pdf", Joined(HTML, SMALL, published))
    with pikepdf.open(tmp_path / "book.pdf") as pdf:
        links = [str(link.A.URI) for page in pdf.pages for link in page.get("/Annots", []) if "/A" in link]
    assert any(re.fullmatch(r"https://book\.example/course/book/index\.html#figure-\d+-0", link) for link in links)


def test_nothing_crosses_the_margin(opened, document):
    assert opened(document).evaluate(BEYOND) == []


def test_without_a_browser_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(paper, "CHROMIUM", None)
    with pytest.raises(SystemExit, match="install chromium"):
        paper.write_paper(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("page", ["book/index.html", "book/attention.html"])
def test_pages_lead_to_it_once(page):
    (way,) = re.findall(rf'href="([./]*){paper.NAME}"', (HTML / page).read_text(encoding="utf-8"))
    assert ((HTML / page).parent / way / paper.NAME).exists()
    before = (HTML / page).read_bytes()
    paper.link_from(HTML)
    assert (HTML / page).read_bytes() == before


def test_the_source_of_the_tags_breaks_no_rule(opened):
    """What screen readers are told of the PDF is what the joined page says."""
    parts = {"": ["index"], "Two": ["attention", "encoder", "benchmarks", "glossary"]}
    found = violations(opened(Joined(HTML, parts, CONFIG).document({})))
    # Nobody presses on paper, so how large a target is does not matter.
    assert [one for one in found if not one.startswith("target-size")] == []


def _letters(text):
    return re.sub(r"\W", "", text)
