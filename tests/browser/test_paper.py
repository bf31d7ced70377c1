"""The PDF: all of the book is in it, its page numbers are right, and it can be searched, followed and read aloud."""

import re
from collections import Counter
from pathlib import Path

import chapters
import paper
import pikepdf
import pypdfium2
import pytest
from visit import violations

from clearformer.course.claims import ledger
from clearformer.course.exercises import registry

HTML = Path(__file__).parents[2] / "_build" / "html"
PAGES = [source.stem for source in chapters.pages() if source.stem != "index"]


@pytest.fixture(scope="module")
def pdf():
    """The words of each page."""
    with pypdfium2.PdfDocument(HTML / paper.NAME) as document:
        yield [page.get_textpage().get_text_range() for page in document]


@pytest.fixture(scope="module")
def joined():
    return paper.Joined(HTML, PAGES)


def built(pattern):
    """How often something stands in the pages of the book."""
    return sum(len(re.findall(pattern, (HTML / "book" / f"{name}.html").read_text(encoding="utf-8"))) for name in PAGES)


def test_every_figure_equation_and_exercise_of_the_book_is_in_it(joined):
    document = joined.document({})
    for part in ('class="live-view"', "<figcaption", 'class="eqno"', 'class="exercise admonition"'):
        assert document.count(part) == built(part) > 0, part
    assert document.count('class="solution dropdown admonition"') == len(registry())
    assert document.count("<h1") == len(PAGES) + 2  # the title of the book, and the solutions
    assert all(claim.anchor in document for claim in ledger())


def test_solutions_stand_in_the_appendix_only(joined):
    chapters_alone, _, appendix = joined.document({}).partition('<article id="solutions">')
    assert 'class="solution' not in chapters_alone
    assert appendix.count('class="solution') == len(registry()) == chapters_alone.count(">Solution</a>")


def test_every_link_inside_leads_somewhere(joined):
    document = joined.document({})
    names = Counter(re.findall(r'\sid="([^"]+)"', document))
    targets = set(re.findall(r'href="#([^"]*)"', document))
    assert len(targets) > 1_000
    assert targets - set(names) == set()
    assert [name for name in targets if names[name] > 1] == []


def test_the_contents_say_on_which_page_everything_stands(pdf, joined):
    numbers = paper.pages_of(HTML / paper.NAME)
    first = [numbers[name] for name in PAGES]
    assert first == sorted(set(first))
    assert first[0] > 2
    contents = _letters("".join(pdf[1 : first[0] - 1]))
    for name in PAGES:
        title = _letters(joined.articles[name].h1.get_text())
        assert _letters(pdf[numbers[name] - 1]).startswith(title), (name, numbers[name])
        assert f"{title}{numbers[name]}" in contents
    assert len(pdf) > numbers["solutions"] > first[-1]


def test_words_can_be_searched_and_copied(pdf):
    text = " ".join(" ".join(pdf).split())
    assert "Attention is a weighted average of values" in text
    assert "def scaled_dot_product_attention(" in text


def test_it_is_tagged_and_small():
    with pikepdf.open(HTML / paper.NAME) as pdf:
        assert pdf.Root.MarkInfo.Marked
        assert "/StructTreeRoot" in pdf.Root
        assert str(pdf.Root.Lang) == "en"
        assert str(pdf.docinfo["/Title"]) == "Transformers, Line by Line"
        assert "/Outlines" in pdf.Root
    assert (HTML / paper.NAME).stat().st_size < 25e6


def test_printed_again_it_is_the_same(tmp_path):
    files = [tmp_path / name for name in ("first.pdf", "again.pdf")]
    for file in files:
        paper.print_paper(HTML, file, ["search", "training_at_scale"])
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("page", ["book/index.html", "book/attention.html"])
def test_pages_lead_to_it(page):
    (way,) = re.findall(rf'href="([./]*){paper.NAME}"', (HTML / page).read_text(encoding="utf-8"))
    assert ((HTML / page).parent / way / paper.NAME).exists()


def test_the_source_of_the_tags_breaks_no_rule(browser):
    """What screen readers are told of the PDF is what the joined page says."""
    part = paper.Joined(HTML, ["attention", "search"])
    source = HTML / "book" / "checked.part.html"
    source.write_text(part.document({}), encoding="utf-8")
    page = browser.new_page()
    try:
        page.goto(source.as_uri())
        # Nobody presses on paper, so how large a target is does not matter.
        assert [one for one in violations(page) if not one.startswith("target-size")] == []
    finally:
        page.close()
        source.unlink()


def _letters(text):
    return re.sub(r"\W", "", text)
