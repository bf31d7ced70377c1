"""The landing page: its map says what a chapter needs, and what was read stays with the reader."""

import page_directives
import pytest

READ = "[...document.querySelectorAll('.map-read')].map(link => link.dataset.chapter)"
MARKED = "kind => [...document.querySelectorAll(kind)].map(link => link.dataset.chapter).sort()"


@pytest.fixture
def landing(visit, site):
    return visit(f"{site}/book/index.html").page


@pytest.mark.parametrize("how", ["hover", "focus"])
def test_the_map_shows_what_a_chapter_needs_and_what_needs_it(landing, how):
    getattr(landing.locator("[data-chapter=language_model]"), how)()
    needed = page_directives.needs("language_model")
    given = [name for name in page_directives.CHAPTERS if "language_model" in page_directives.needs(name)]
    assert landing.evaluate(MARKED, ".map-needed") == sorted(needed)
    assert landing.evaluate(MARKED, ".map-given") == sorted(given)
    assert landing.locator(".map-lines .map-on").count() == len(needed) + len(given)
    told = landing.text_content(".map-told")
    assert told.startswith("A language model needs Tokenization, ")
    assert all(page_directives.title(name) in told for name in [*needed, *given])


def test_lines_run_between_the_chapters_they_join(landing):
    landing.locator("[data-chapter=sampling]").focus()
    ends = landing.evaluate(
        """() => {
          const box = (name) => document.querySelector(`[data-chapter=${name}]`).getBoundingClientRect();
          const frame = document.querySelector(".chapter-map").getBoundingClientRect();
          const inside = (p, b) => p.x + frame.left >= b.left && p.x + frame.left <= b.right
            && p.y + frame.top >= b.top - 1 && p.y + frame.top <= b.bottom + 1;
          return [...document.querySelectorAll(".map-on")].map(path => ["search", "temperature_and_penalties"].filter(
            name => inside(path.getPointAtLength(0), box(name))
              && inside(path.getPointAtLength(path.getTotalLength()), box("sampling"))));
        }"""
    )
    assert sorted(ends) == [["search"], ["temperature_and_penalties"]]


def test_a_chapter_counts_as_read_when_its_exercises_were_seen_and_can_be_forgotten(visit, site):
    page = visit(f"{site}/book/search.html").page
    page.wait_for_timeout(300)
    assert page.evaluate("localStorage.getItem('clearformer-read')") is None
    page.locator("#exercises h2").scroll_into_view_if_needed()
    page.wait_for_function("localStorage.getItem('clearformer-read') === '[\"search\"]'")
    # A second visit of the fixture would forget, as each is the first one.
    page.evaluate("location.href = 'index.html'")
    page.wait_for_selector(".map-progress")
    page.evaluate("localStorage.setItem('clearformer-read', '[\"search\"]')")
    page.evaluate("document.querySelector('.map-progress').remove()")
    page.add_script_tag(url="../_static/map.js")
    assert page.evaluate(READ) == ["search"]
    assert page.text_content(".map-progress output") == "1 of 22 chapters read"
    page.uncheck(".map-progress input")
    assert page.evaluate(READ) == []
    assert page.evaluate("localStorage.getItem('clearformer-read')") == '"no"'


def test_what_is_not_to_be_kept_is_not_noted(visit, site):
    page = visit(f"{site}/book/search.html").page
    page.evaluate("localStorage.setItem('clearformer-read', '\"no\"')")
    page.locator("#exercises h2").scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    assert page.evaluate("localStorage.getItem('clearformer-read')") == '"no"'


def test_each_chapter_says_how_long_it_takes(visit, site):
    page = visit(f"{site}/book/search.html").page
    reading, working = page_directives.minutes("search")
    assert f"Time: {reading} minutes to read, {working} for the exercises." in page.text_content(
        ".admonition-in-this-chapter"
    )
