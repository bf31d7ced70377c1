"""A browser on the built book: served over http from here or opened from disk, every other host out of reach."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
import torch
from paper import CHROMIUM, FLAGS
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from clearformer.models import Decoder, GPT2Config
from clearformer.tokenizers import BPETokenizer
from linebyline.corpora import pydoc_topics
from linebyline.pretrained import rotary_decoder
from tests.browser import fill_in_page, translator_page
from tests.browser.live_page import Reference, write_page
from tests.browser.serving import served
from tests.browser.visit import Visit

ROOT = Path(__file__).parents[2]
HTML = ROOT / "_build" / "html"
FIGURE = re.compile(r'<div class="live-figure".*?</script>\s*</div>', re.DOTALL)
# The sizes of the course's own model; what it has learnt does not matter to the arithmetic.
LIVE = GPT2Config(1024, 128, 128, n_heads=4, n_layers=4, d_ff=512, activation="gelu")
# What a reader has moved, chosen or opened goes back; what shows or hides something by hand is for the tests to undo.
AS_FOUND = """() => {
  document.activeElement.blur();
  for (const input of document.querySelectorAll('.live-figure input')) {
    if (input.type === 'radio' || input.type === 'checkbox' ? input.checked === input.defaultChecked
                                                            : input.value === input.defaultValue) continue;
    [input.checked, input.value] = [input.defaultChecked, input.getAttribute('value') ?? ''];
    input.dispatchEvent(new Event('input', {bubbles: true}));
  }
  document.querySelectorAll('details').forEach(each => (each.open = false));
  scrollTo(0, 0);
}"""
# Each visit is the first one.
FORGET = "try { localStorage.clear(); sessionStorage.clear(); } catch { /* an empty page has none */ }"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without Chromium the page tests are skipped, with one clear line; where it is required they fail instead."""
    if CHROMIUM is None and not os.environ.get("REQUIRE_BROWSER"):
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="no Chromium on this machine: install it to check the pages"))


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Address of the built book on this machine."""
    with served(HTML) as address:
        yield address


@pytest.fixture(scope="session")
def figures_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the chapters' live figures, with the head of their page and nothing else: quickly opened."""
    folder = tmp_path_factory.mktemp("figures")
    for name in ("_static", "libs"):
        (folder / name).symlink_to(HTML / name)
    (folder / "book").mkdir()
    for chapter in HTML.glob("book/*.html"):
        text = chapter.read_text(encoding="utf-8")
        body = "".join(FIGURE.findall(text))
        alone = f"{text[: text.index('<body')]}<body><main>{body}</main></body></html>"
        (folder / "book" / chapter.name).write_text(alone, encoding="utf-8")
    with served(folder) as address:
        yield address


def random_model() -> tuple[Decoder, BPETokenizer]:
    """A model that is sure of itself: its weights are larger than at the start of training."""
    model = rotary_decoder(LIVE, torch.Generator().manual_seed(0))
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            spread = 0.15 if name == "embedding.table" else 0.1
            parameter.add_(spread * torch.randn(parameter.shape, generator=generator))
    return model.eval(), BPETokenizer.train(pydoc_topics(), LIVE.vocab_size)


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str, Reference]]:
    """A page with a live model: its folder, its address, and PyTorch on the same weights."""
    folder = tmp_path_factory.mktemp("live")
    model, tokenizer = random_model()
    reference = write_page(folder, model, tokenizer, n_heads=LIVE.n_heads, context=LIVE.context)
    with served(folder) as address:
        yield folder, f"{address}/index.html", reference


@pytest.fixture(scope="session")
def live_translator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str, translator_page.Reference]]:
    """A page with the live translator: its folder, its address, and PyTorch on the same weights."""
    folder = tmp_path_factory.mktemp("live_translator")
    reference = translator_page.write_translator(folder)
    with served(folder) as address:
        yield folder, f"{address}/index.html", reference


@pytest.fixture(scope="session")
def live_fill_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str, fill_in_page.Reference]]:
    """A page with a live fill-in: its folder, its address, and PyTorch on the same weights."""
    folder = tmp_path_factory.mktemp("live_fill_in")
    reference = fill_in_page.write_fill_in(folder)
    with served(folder) as address:
        yield folder, f"{address}/index.html", reference


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS) as browser:
        yield browser


@pytest.fixture(scope="session")
def tab(browser: Browser) -> Iterator[Page]:
    """The one tab of all visits: a new one costs as much as opening a chapter."""
    with browser.new_context() as context:
        context.add_init_script(FORGET)
        yield context.new_page()


@pytest.fixture
def without_scripts(browser: Browser) -> Iterator[Page]:
    """A tab in which no script runs."""
    with browser.new_context(java_script_enabled=False) as context:
        yield context.new_page()


@pytest.fixture
def visit(tab: Page) -> Iterator[Callable[..., Visit]]:
    """Open a page for one test, its figures live unless told otherwise: visit(url, width=1280, theme="light")."""
    visits: list[Visit] = []

    def open_page(
        url: str, width: int = 1280, theme: Literal["light", "dark"] = "light", *, awake: bool = True
    ) -> Visit:
        tab.set_viewport_size({"width": width, "height": 800})
        tab.emulate_media(color_scheme=theme)
        visits.append(Visit(tab))
        tab.goto(url, wait_until="load")
        if awake:
            visits[-1].wake()
        return visits[-1]

    yield open_page
    for visited in visits:
        visited.leave()


@pytest.fixture(scope="module")
def keep(browser: Browser) -> Iterator[Callable[[str], Visit]]:
    """Open a page that the tests of a module share, its figures live: keep(url)."""
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:

        def open_page(url: str) -> Visit:
            seen = Visit(context.new_page())
            seen.page.goto(url, wait_until="load")
            seen.wake()
            return seen

        yield open_page


@pytest.fixture(scope="module")
def kept_figures(keep: Callable[[str], Visit], figures_site: str, request: pytest.FixtureRequest) -> Page:
    """The live figures of the chapter that the module of tests names PAGE, opened once for all its tests."""
    return keep(f"{figures_site}/{request.module.PAGE}").page


@pytest.fixture
def page(kept_figures: Page) -> Iterator[Page]:
    """They, as a reader finds them."""
    yield kept_figures
    kept_figures.mouse.move(0, 0)
    kept_figures.evaluate(AS_FOUND)


@pytest.fixture
def figures(page: Page) -> list[Locator]:
    """They, in the order of the chapter."""
    return page.locator(".live-figure").all()


@pytest.fixture
def figure(figures: list[Locator]) -> Locator:
    """The first of them."""
    return figures[0]
