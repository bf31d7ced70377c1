"""The live model of the book in Chromium, beside PyTorch on the same weights: python -m benchmarks.live_model.

Targets: the first token within a second of the click that loads the weights, 200 tokens a second while the page
shows each, and weights, scripts and a page that holds the model alone within two megabytes, compressed. PyTorch
runs on one thread and with a cache, as the page does.
"""

import gzip
import runpy
import statistics
import tempfile
from pathlib import Path

import torch
from playwright.sync_api import Browser, Page

from benchmarks.browser import launched
from benchmarks.harness import compare
from benchmarks.lines import Quantity
from benchmarks.records import machine, machine_line, record
from benchmarks.serving import served
from linebyline import pretrained

PAGE = Path(__file__).parents[1] / "tests" / "browser" / "live_page.py"
NOTE = "The model in the page writes 64 tokens in Chromium, beside PyTorch's cached decoder on the same weights."
TOKENS, ROUNDS = 64, 9
# Milliseconds from the click to the first token that the page shows.
FIRST = """() => new Promise(resolve => {
  const begun = performance.now(), root = document.querySelector('.live-model');
  root.querySelector('.lm-start').click();
  const wait = () => root.querySelector('.lm-new') ? resolve(performance.now() - begun) : setTimeout(wait);
  wait();
})"""
SHOWN = """async tokens => {
  const root = document.querySelector('.live-model');
  root.liveModel.stop();
  root.querySelector('.lm-count').value = tokens;
  const begun = performance.now();
  await root.liveModel.generate();
  return performance.now() - begun;
}"""
UNSEEN = """tokens => {
  const session = document.querySelector('.live-model').liveModel.session;
  session.read = []; // the prompt is read anew
  session.restart(0);
  for (let i = 0; i < tokens; i++) session.step();
}"""


def opened(browser: Browser, address: str) -> Page:
    """A page with nothing in its cache."""
    page = browser.new_context().new_page()
    page.goto(address, wait_until="load")
    return page


def main() -> None:
    """Print every figure as it is measured, then write them all."""
    torch.set_num_threads(1)
    facts = machine(["torch", "playwright"])
    print(machine_line(facts))
    trained = pretrained.language_model()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "page")
        folder.mkdir()
        reference = runpy.run_path(str(PAGE))["write_page"](
            folder, trained.model, trained.tokenizer, n_heads=trained.config.n_heads, context=trained.config.context
        )
        with served(folder) as address, launched() as browser:
            first = statistics.median(opened(browser, address).evaluate(FIRST) for _ in range(ROUNDS)) / 1000
            page = opened(browser, address)
            page.evaluate(FIRST)
            page.press(".lm-k", "Home")
            shown = statistics.median(page.evaluate(SHOWN, TOKENS) for _ in range(ROUNDS)) / 1000
            prompt = page.evaluate("document.querySelector('.live-model').liveModel.session.prompt")
            comparison = compare(
                f"live model, {TOKENS} tokens",
                "PyTorch, one thread",
                lambda: page.evaluate(UNSEEN, TOKENS),
                lambda: reference.greedy(prompt, TOKENS),
                rounds=ROUNDS,
            )
            facts["packages"]["Chromium"] = browser.version
        size = sum(len(gzip.compress(path.read_bytes(), mtime=0)) for path in folder.rglob("*") if path.is_file())
    quantities = [
        Quantity("live model, from the click to the first token", round(first, 3), "s", 1),
        Quantity("live model, tokens while the page shows each", round(TOKENS / shown, 1), "a second", 200, "least"),
        Quantity("live model, weights, scripts and page, compressed", round(size / 1e6, 3), "MB", 2),
    ]
    print(comparison, *quantities, sep="\n")
    print(f"\nwritten to {record('live_model', facts, NOTE, [comparison], quantities)}")


if __name__ == "__main__":
    main()
