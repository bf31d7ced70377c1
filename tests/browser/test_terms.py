"""Terms lead to the glossary and show their definition; code can be hidden for good."""

import re
from pathlib import Path

import chapters
import links
import pytest

HTML = Path(__file__).parents[2] / "_build" / "html"
GLOSSARY = (HTML / "book" / "glossary.html").read_text(encoding="utf-8")
CHAPTERS = [page for page in chapters.executed() if "In this chapter" in page.read_text(encoding="utf-8")]


def test_each_term_is_defined_once_and_leads_to_its_chapter():
    source = (chapters.ROOT / "book" / "glossary.md").read_text(encoding="utf-8")
    entries = re.findall(
        r"^(\S.*)\n  (.*) See \[\]\((\w+)\.md\)\.$", source.partition("```{glossary}")[2], re.MULTILINE
    )
    names = [name for name, _, _ in entries]
    assert len(names) == len(set(names)) > 40
    assert GLOSSARY.count('<dt id="term-') == len(names)
    assert all(said[0].isupper() and said.endswith(".") for _, said, _ in entries)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda page: page.stem)
def test_a_chapter_links_each_term_once(chapter):
    text = (HTML / "book" / f"{chapter.stem}.html").read_text(encoding="utf-8")
    links = re.findall(r'<a class="term [^>]*href="glossary\.html#([^"]+)" title="([^"]+)"', text)
    anchors = [anchor for anchor, _ in links]
    assert len(anchors) == len(set(anchors)) >= 3
    assert all(f'id="{anchor}"' in GLOSSARY for anchor in anchors)


@pytest.mark.parametrize(("term", "home"), [("key", "attention"), ("block", "feed_forward")])
def test_a_word_that_means_other_things_is_linked_where_it_means_the_term(term, home):
    pages = {page.stem: (HTML / "book" / f"{page.stem}.html").read_text(encoding="utf-8") for page in CHAPTERS}
    linked = {name for name, text in pages.items() if f'href="glossary.html#term-{term}"' in text}
    assert home in linked
    assert linked <= set(links.AT_HOME[term])


@pytest.mark.parametrize("how", ["hover", "focus"])
def test_a_definition_is_shown_and_can_be_sent_away(visit, site, how):
    page = visit(f"{site}/book/search.html", awake=False).page
    term = page.locator("a.term").first
    getattr(term, how)()
    box = page.locator(".term-box")
    assert box.is_visible()
    assert box.text_content() == term.get_attribute("data-definition")
    assert term.get_attribute("aria-describedby") == box.get_attribute("id")
    page.keyboard.press("Escape")
    assert box.is_hidden()


def test_code_that_was_hidden_stays_hidden_but_in_exercises(browser, site):
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{site}/book/search.html")
        outside = page.locator(".cell_input:not(.exercise *):not(.solution *)")
        unfolded = page.locator(".cell_input:not(.exercise *):not(.solution *):not(details *)")
        assert unfolded.first.is_visible()
        page.click(".code-switch")
        for address in ("search", "sampling"):
            page.goto(f"{site}/book/{address}.html")
            assert outside.locator("visible=true").count() == 0
            assert page.locator(".exercise .cell_input").first.is_visible()
            assert page.text_content(".code-switch") == "Show the code"
        page.click(".code-switch")
        assert unfolded.first.is_visible()
