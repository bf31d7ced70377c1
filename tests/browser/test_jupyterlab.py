"""The notebooks that pages offer, in JupyterLab: every cell runs, and figures answer and can be read in both themes."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, TimeoutError, expect

from tests.browser.visit import Visit

ROOT = Path(__file__).parents[2]
HTML = ROOT / "_build" / "html"
CHAPTERS = ["feed_forward", "a_real_model"]  # quick ones: with one plot and with six; all cells run with the chapters
ALL_CELLS = {"windowingMode": "none"}  # or cells out of sight are not in the page
OFFERED = re.compile(r'btn-download-notebook-button[^>]*?href="([^"]+)"|href="([^"]+\.ipynb)"')
DRAWING = ".jp-RenderedVegaCommon5 svg.marks"
BEGUN = "() => /\\d/.test(document.querySelector('.jp-CodeCell .jp-InputPrompt').innerText)"
DONE = """() => {
  const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(prompt => prompt.innerText);
  return prompts.length && prompts.every(prompt => /^\\[\\d+\\]:$/.test(prompt.trim()));
}"""
# How bright the words of a drawing are that do not stand on a mark, and the ground behind it, from 0 to 765.
BRIGHTNESS = """drawing => {
  const numbers = color => color.match(/[\\d.]+/g).map(Number);
  const bright = color => numbers(color).slice(0, 3).reduce((sum, part) => sum + part);
  let behind = drawing;
  while (numbers(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
  const words = [...drawing.querySelectorAll('text[fill=currentColor]')];
  return [words.map(word => bright(getComputedStyle(word).fill)), bright(getComputedStyle(behind).backgroundColor)];
}"""


class Lab:
    """A running JupyterLab with the settings of `make lab`, and some of its own."""

    def __init__(self, folder: Path) -> None:
        self.root, self.settings = folder / "root", folder / "settings"
        self.root.mkdir()
        self.set("notebook-extension/tracker", ALL_CELLS)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        own = ["JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_WORKSPACES_DIR"]
        environment = {kind: str(folder / kind.lower()) for kind in [*own, "IPYTHONDIR"]}
        environment |= {"JUPYTERLAB_SETTINGS_DIR": str(self.settings)}
        environment |= {"JUPYTER_CONFIG_PATH": str(ROOT / "book" / "_lab")}
        options = ["--no-browser", "--IdentityProvider.token=", "--allow-root", "--ServerApp.port_retries=0"]
        options += ["--ip=127.0.0.1", f"--port={port}", f"--ServerApp.root_dir={self.root}"]
        with (folder / "log").open("w") as log:
            command = [sys.executable, "-m", "jupyterlab", *options]
            self.process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=log, stderr=log)
        self.address = f"http://127.0.0.1:{port}"

    def set(self, name: str, settings: dict) -> None:
        """Write settings of an extension; a page takes them in when it is loaded."""
        file = self.settings / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings))

    def wait(self) -> None:
        """Return when it answers."""
        for _ in range(240):
            with suppress(OSError):
                urllib.request.urlopen(f"{self.address}/api").close()
                return
            assert self.process.poll() is None, "JupyterLab did not start"
            time.sleep(0.25)
        raise AssertionError("JupyterLab does not answer")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    lab = Lab(tmp_path_factory.mktemp("lab"))
    try:
        lab.wait()
        yield lab
    finally:
        lab.process.terminate()
        lab.process.wait(30)


@pytest.fixture
def seen(browser: Browser) -> Iterator[Visit]:
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        context.set_default_timeout(120_000)  # a kernel starts slowly on a busy machine
        yield Visit(context.new_page())


def download(chapter: str, folder: Path) -> list[dict]:
    """Put the notebook that a page offers into a folder, and return its code cells."""
    link = OFFERED.search((HTML / "book" / f"{chapter}.html").read_text(encoding="utf-8"))
    source = HTML / "book" / next(filter(None, link.groups()))
    shutil.copy(source, folder / f"{chapter}.ipynb")
    cells = json.loads(source.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def assert_legible(page: Page, dark: bool) -> None:
    """The words of a drawing stand out from what is behind them."""
    words, ground = page.locator(DRAWING).first.evaluate(BRIGHTNESS)
    assert (ground < 384) == dark
    assert len(words) > 5
    assert all(abs(word - ground) > 400 for word in words)


def run_all(page: Page) -> None:
    """Run every cell, to the end.

    JupyterLab forgets cells that it is given before its connection to the kernel is ready (its issue 8490), and shows
    no sign of either; then they are given once more.
    """
    for _ in range(3):
        page.locator(".lm-MenuBar-item", has_text="Run").click()
        page.locator(".lm-Menu-item[data-command='runmenu:run-all']").click()
        with suppress(TimeoutError):
            page.wait_for_function(BEGUN, timeout=20_000)
            break
    page.wait_for_function(DONE, timeout=120_000)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_offered_notebook_runs_and_its_figure_answers_in_both_themes(lab: Lab, seen: Visit, chapter: str) -> None:
    cells = download(chapter, lab.root)
    lab.set("apputils-extension/themes", {"theme": "JupyterLab Light"})
    page = seen.page
    page.goto(f"{lab.address}/lab/tree/{chapter}.ipynb?reset")
    expect(page.locator(".jp-CodeCell")).to_have_count(len(cells), timeout=60_000)
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]")  # the kernel has started
    run_all(page)
    failed = page.locator(".jp-OutputArea-output:is([data-mime-type$='.error'], [data-mime-type$='.stderr'])")
    assert failed.all_inner_texts() == []
    built = (HTML / "book" / f"{chapter}.html").read_text(encoding="utf-8")
    assert page.locator(DRAWING).count() == built.count('class="live-figure"') > 0
    pictures = built.count('class="plot"') + built.count('class="drawing"')
    assert page.locator(".jp-RenderedSVG img").count() == pictures
    assert_legible(page, dark=False)

    drawing, slider = page.locator(DRAWING).first, page.locator(".vega-bindings input[type=range]").first
    before, value = drawing.inner_html(), slider.input_value()
    slider.focus()  # the arrow keys are JupyterLab's, even there
    page.keyboard.press("Home" if value != slider.get_attribute("min") else "End")
    page.wait_for_function("([at, before]) => document.querySelector(at).innerHTML !== before", arg=[DRAWING, before])

    page.keyboard.press("Control+s")
    expect(page.locator(".jp-Document.jp-mod-dirty, .lm-TabBar-tab.jp-mod-dirty")).to_have_count(0, timeout=30_000)
    lab.set("apputils-extension/themes", {"theme": "JupyterLab Dark"})
    page.reload()
    page.wait_for_selector(f"body[data-jp-theme-light='false'] {DRAWING}", state="attached", timeout=60_000)
    assert_legible(page, dark=True)
    assert seen.outside == []
