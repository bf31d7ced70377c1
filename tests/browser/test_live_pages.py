"""Laws of every live model's page, alone and in a chapter: offline, light, for everybody, and clear in what fails."""

import gzip
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page

from tests.browser.live_controls import HTML, IDLE, enter, generate, opened, pages_with, start
from tests.browser.live_page import SENTENCES
from tests.browser.visit import violations, violations_of_colors

# Pictures inside a style sheet have no name.
LOADED = "performance.getEntriesByType('resource').map(r => r.name).filter(Boolean)"
SHORT, LONG, _ = next(iter(SENTENCES.values()))


class Kind(NamedTuple):
    """A live model: the class of its element, what it may load, and what is done with it."""

    element: str
    size: int  # bytes of all files of its page, compressed
    size_in_chapter: int
    use: Callable[[Page], None]  # what a reader does in any chapter
    states: dict[str, Callable[[Page], None]]  # what else its page may show

    @property
    def fixture(self) -> str:
        return self.element.replace("-", "_")


def rewrite(page):
    """Take back what the model writes, and let it write once more."""
    page.press(".lm-reset", "Enter")
    generate(page)


def search(page, text):
    """Translate a sentence, and open the search."""
    enter(page, text)
    page.click(".lm-search")


def hide_some(page):
    """Hide some words of a long sentence, one of them without a break and others unknown."""
    enter(page, "x" * 400 + " 你好 a" * 40)
    page.click(".lm-some")


TRANSLATIONS = {
    "short": lambda page: search(page, SHORT),
    "long": lambda page: search(page, LONG),
    "refused": lambda page: enter(page, "Dan loves robots."),
}
HIDDEN = {"hidden": lambda page: None, "long": hide_some, "refused": lambda page: enter(page, "")}
ASKED = {
    "asked": lambda page: enter(page, "what is 12+34? " * 9),
    "refused": lambda page: enter(page, "x" * 400),
}
KINDS = [
    Kind("live-model", 1_200_000, 2_000_000, rewrite, {}),
    Kind("live-translator", 750_000, 1_500_000, lambda page: page.click(".lm-search"), TRANSLATIONS),
    Kind("live-fill-in", 1_200_000, 1_500_000, lambda page: page.click(".lm-fill"), HIDDEN),
    Kind("live-assistant", 600_000, 1_500_000, lambda page: page.wait_for_function(IDLE), ASKED),
]
CHAPTERS = [pytest.param(kind, name, id=name) for kind in KINDS for name in pages_with(kind.element)]
STATES = [
    pytest.param(kind, act, id=f"{kind.element}-{name}")
    for kind in KINDS
    for name, act in {"still": None, "used": kind.use, **kind.states}.items()
]


@pytest.fixture(params=KINDS, ids=[kind.element for kind in KINDS])
def kind(request):
    return request.param


@pytest.fixture
def made(request, kind):
    """The folder of its page, and its address."""
    return request.getfixturevalue(kind.fixture)[:2]


def everything_open(page):
    """Open what is folded, and let what moves arrive."""
    page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
    page.evaluate("document.getAnimations().forEach(animation => animation.finish())")


def compressed(path):
    return len(gzip.compress(path.read_bytes(), mtime=0))


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_works_without_any_other_host_also_from_disk(visit, kind, made, scheme):
    folder, url = made
    seen = opened(visit, url if scheme == "http" else (folder / "index.html").as_uri(), kind.element)
    kind.use(seen.page)
    assert seen.page.inner_text(".lm-continuation, .lm-words, .lm-live .lm-tokens").strip()
    assert seen.outside == []
    assert seen.complaints == []


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize(("kind", "act"), STATES)
def test_is_accessible_and_does_not_scroll_sideways(visit, request, kind, act, width):
    _, url, _ = request.getfixturevalue(kind.fixture)
    page = (opened(visit, url, kind.element, width=width) if act else visit(url, width=width)).page
    if act:
        act(page)
    for theme, judge in (("light", violations), ("dark", violations_of_colors)):  # nothing else can differ
        page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
        everything_open(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, theme
        assert judge(page) == [], theme


def test_without_scripts_it_says_so_and_cannot_be_started(without_scripts, made):
    without_scripts.goto(made[1])
    assert without_scripts.is_disabled(".lm-start")
    assert without_scripts.is_visible("noscript p")
    assert without_scripts.is_visible(".lm-still")
    assert not without_scripts.is_visible(".lm-live")


def test_weights_are_loaded_when_asked_for_and_all_is_light(visit, kind, made):
    folder, url = made
    page = visit(url).page
    assert "weights.js" not in ",".join(page.evaluate(LOADED))
    start(page)
    assert "weights.js" in ",".join(page.evaluate(LOADED))
    sizes = {path: compressed(path) for path in folder.rglob("*") if path.is_file()}
    assert sum(sizes.values()) < kind.size
    assert sum(size for path, size in sizes.items() if path.name != "weights.js") < 30_000


def test_weights_that_cannot_be_loaded_are_reported(visit, kind, made):
    page = visit(made[1]).page
    page.evaluate(f"document.querySelector('.{kind.element}').dataset.weights = 'nowhere.js'")
    page.click(".lm-start")
    page.wait_for_function("document.querySelector('.lm-loading').textContent.includes('cannot load')")
    assert page.is_visible(".lm-still :is(table, ol)")


@pytest.mark.parametrize(("kind", "name"), CHAPTERS)
@pytest.mark.parametrize(("width", "first", "other"), [(320, "dark", "light"), (1280, "light", "dark")])
def test_a_chapter_is_accessible_with_it_running(visit, site, kind, name, width, first, other):
    seen = opened(visit, f"{site}/{name}", kind.element, width=width, theme=first)
    kind.use(seen.page)
    for theme, judge in ((first, violations), (other, violations_of_colors)):
        seen.change_theme(theme)
        everything_open(seen.page)
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width, theme
        # The rest of the page is judged with all pages.
        assert judge(seen.page, within=f".{kind.element}") == [], theme
    assert seen.complaints == []
    assert seen.outside == []


@pytest.mark.parametrize(("kind", "name"), CHAPTERS)
def test_a_chapter_and_it_load_little(visit, site, kind, name):
    page = opened(visit, f"{site}/{name}", kind.element).page
    urls = [re.sub(r"[?#].*", "", url.removeprefix(f"{site}/")) for url in page.evaluate(LOADED)]
    files = {HTML / name} | {HTML / url for url in urls}
    assert any(path.name.startswith(f"{Path(name).stem}-figure-") for path in files)
    assert sum(map(compressed, files)) <= kind.size_in_chapter
