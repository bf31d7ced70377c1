"""Laws of a figure before it is live: it costs nothing, answers the first touch, and does not move when it wakes."""

import pytest

PAGE = "book/attention.html"
LIVE = ".live-figure[data-live=yes]"
WEIGHTS = """figure => [...figure.querySelectorAll('g.cells_marks path')]
  .map(({__data__: {datum}}) => [datum.query, datum.key, datum.weight])"""


@pytest.fixture
def asleep(visit, figures_site):
    """The figures of the chapter, not yet touched."""
    return visit(f"{figures_site}/{PAGE}", awake=False).page


def vega(page):
    return page.evaluate("performance.getEntriesByType('resource').filter(e => e.name.includes('/vega/')).length")


def test_vega_is_loaded_at_the_first_touch_and_not_before(asleep):
    asleep.wait_for_timeout(300)
    assert vega(asleep) == 0
    asleep.locator(".live-view").first.hover()
    asleep.wait_for_selector(LIVE)
    assert vega(asleep) == 1


def test_the_keyboard_moves_the_drawing_as_the_first_thing_on_the_page_while_vega_is_on_its_way(asleep):
    held = []
    asleep.route("**/vega.min.js", lambda route: held.append(route))
    while asleep.evaluate("document.activeElement.dataset.signal") != "position":
        asleep.keyboard.press("Tab")
    asleep.keyboard.press("End")
    asleep.wait_for_timeout(100)
    assert asleep.locator(LIVE).count() == 0
    for route in held:
        route.continue_()
    asleep.wait_for_selector(LIVE)
    asleep.unroute("**/vega.min.js")
    slider = asleep.get_by_label("Factor on the scores")
    assert slider.input_value() == slider.get_attribute("max")
    weights = asleep.locator(".live-figure").first.evaluate(WEIGHTS)
    assert len(weights) > 4
    # With a factor of 0 all that is seen counts the same.
    assert all(weight == pytest.approx(1 / (1 + query)) for query, key, weight in weights if key <= query)


def test_the_drawing_stays_where_it_was(asleep):
    parts = "document.querySelectorAll('.live-figure > *, .live-view svg')"
    places = f"[...{parts}].map(p => p.getBoundingClientRect()).flatMap(p => [p.x, p.y, p.width, p.height])"
    before = asleep.evaluate(places)
    asleep.locator("input").first.focus()
    asleep.wait_for_selector(LIVE)
    assert asleep.evaluate(places) == pytest.approx(before)


def test_the_tap_that_wakes_a_figure_counts(asleep):
    page, heard = asleep, "window.heard = []; for (const type of ['pointerover', 'pointerdown']) "
    heard += "addEventListener(type, e => heard.push([e.type, !!e.target.closest('.live-figure[data-live=yes]')]))"
    page.evaluate(heard)
    box = page.locator(".live-view").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector(LIVE)
    assert page.evaluate("heard.filter(([type, live]) => live).length") >= 1
