"""The live model of the book in Chromium, beside PyTorch on the same weights: python -m benchmarks.live_model.

PyTorch runs on one thread and with a cache, as the page does.
"""

import gzip
import shutil
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

import torch
from playwright.sync_api import sync_playwright

from benchmarks.harness import Line, compare, main, quantity
from linebyline import pretrained
from tests.browser.live_page import write_model
from tests.browser.serving import served

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
NOT_SHOWN = """tokens => {
  const session = document.querySelector('.live-model').liveModel.session;
  session.read = []; // the prompt is read anew
  session.restart(0);
  for (let i = 0; i < tokens; i++) session.step();
}"""


def chromium() -> str:
    """The path of Chromium, or of Chrome."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))


def live_model() -> Iterator[Line]:
    """Time to the first token, tokens a second, and size."""
    torch.set_num_threads(1)
    kept = pretrained.language_model()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        reference = write_model(Path(name), kept.model, kept.tokenizer, kept.config)
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        with served(Path(name)) as address:
            first = []
            for _ in range(ROUNDS):
                page = browser.new_context().new_page()  # with nothing in its cache
                page.goto(address, wait_until="load")
                first.append(page.evaluate(FIRST) / 1000)
            page.press(".lm-k", "Home")
            shown = statistics.median(page.evaluate(SHOWN, TOKENS) for _ in range(ROUNDS)) / 1000
            prompt = page.evaluate("document.querySelector('.live-model').liveModel.session.prompt")
            calls = (lambda: page.evaluate(NOT_SHOWN, TOKENS)), (lambda: reference.greedy(prompt, TOKENS))
            yield compare(f"live model, {TOKENS} tokens", "PyTorch, one thread", *calls, rounds=ROUNDS)
        size = sum(len(gzip.compress(file.read_bytes())) for file in Path(name).rglob("*") if file.is_file())
    yield quantity("live model, from the click to the first token", statistics.median(first), "s")
    yield quantity("live model, tokens while the page shows each", TOKENS / shown, "a second", "least")
    yield quantity("live model, weights, scripts and page, compressed", size / 1e6, "MB")


if __name__ == "__main__":
    main("live_model", {"live_model": live_model}, ["torch", "playwright"], NOTE)
