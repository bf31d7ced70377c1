"""The landing page: its map says what a chapter needs, and what was read stays with the reader."""

import chapters
import page_directives
import pytest

from linebyline.drawings.machine import BOXES

READ = "[...document.querySelectorAll('.map-read')].map(link => link.dataset.chapter)"
MARKED = "kind => [...document.querySelectorAll(kind)].map(link => link.dataset.chapter).sort()"


@pytest.fixture
def landing(visit, site):
    return visit(f"{site}/book/index.html").page


@pytest.mark.parametrize("how", ["hover", "focus"])
def test_a_box_of_the_machine_shows_its_equation_and_a_line_of_the_package(landing, how):
    package = "".join(path.read_text() for path in (chapters.ROOT / "src" / "clearformer").rglob("*.py"))
    boxes = landing.locator(".tag_tour a.part")
    assert boxes.count() == len(BOXES)
    assert landing.locator(".tour-panel").inner_text().startswith("Attention")  # it opens with the part that is lit
    for number, (name, chapter, *_) in enumerate(BOXES):
        boxes.nth(number).focus() if how == "focus" else boxes.nth(number).hover(position={"x": 10, "y": 8})
        assert boxes.nth(number).get_attribute("href") == f"{chapter}.html"
        panel = landing.locator(".tour-panel")
        assert panel.locator(".katex").count() == 1
        code = panel.locator("pre").inner_text().strip().splitlines()
        assert code and all(line.strip() in package for line in code)
        assert panel.inner_text().startswith(landing.locator(f".tour-{name} strong").first.text_content())
        lit = landing.evaluate(
            "[...document.querySelectorAll('.tag_tour .lit[data-part]')].map(box => box.dataset.part)"
        )
        assert set(lit) == {name}


def test_the_machine_is_a_list_for_those_who_do_not_see_it(landing):
    landing.locator(".tour-list .toggle-button, .tour-list summary").first.click()
    assert landing.locator(".tour-list .tour-part:visible").count() == len({name for name, *_ in BOXES})


@pytest.mark.parametrize("how", ["hover", "focus"])
def test_the_map_shows_what_a_chapter_needs_and_what_needs_it(landing, how):
    getattr(landing.locator("[data-chapter=language_model]"), how)()
    needed = page_directives.needs("language_model")
    given = [name for name in page_directives.CHAPTERS if "language_model" in page_directives.needs(name)]
    assert landing.evaluate(MARKED, ".map-needed") == sorted(needed)
    assert landing.evaluate(MARKED, ".map-given") == sorted(given)
    assert landing.locator(".map-lines .map-on").count() == len(needed) + len(given)
    told = landing.text_content(".map-told")
    assert told.startswith(f"A language model needs {page_directives.title(needed[0])}, ")
    assert all(page_directives.title(name) in told for name in [*needed, *given])


def test_lines_run_between_the_chapters_they_join(landing):
    landing.locator("[data-chapter=search]").focus()
    needed = page_directives.needs("search")
    ends = landing.evaluate(
        """(needed) => {
          const box = (name) => document.querySelector(`[data-chapter=${name}]`).getBoundingClientRect();
          const frame = document.querySelector(".chapter-map").getBoundingClientRect();
          const inside = (p, b) => p.x + frame.left >= b.left && p.x + frame.left <= b.right
            && p.y + frame.top >= b.top - 1 && p.y + frame.top <= b.bottom + 1;
          return [...document.querySelectorAll(".map-on")].map(path => needed.filter(
            name => inside(path.getPointAtLength(0), box(name))
              && inside(path.getPointAtLength(path.getTotalLength()), box("search"))));
        }""",
        needed,
    )
    given = [name for name in page_directives.CHAPTERS if "search" in page_directives.needs(name)]
    assert sorted(ends) == [[]] * len(given) + [[name] for name in sorted(needed)]


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
    assert page.text_content(".map-progress output") == f"1 of {len(page_directives.CHAPTERS)} chapters read"
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
