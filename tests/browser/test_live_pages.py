"""Laws of every live model's page: it loads weights when it is asked to start, is light, and says what fails."""

import gzip

import pytest

# The fixture that makes the page, the class of the element, and how many compressed bytes all may take.
KINDS = [
    ("live", "live-model", 1_200_000),
    ("live_translator", "live-translator", 750_000),
    ("live_fill_in", "live-fill-in", 1_200_000),
]
LOADED = "performance.getEntriesByType('resource').map(r => r.name).join()"


@pytest.fixture(params=KINDS, ids=[kind for _, kind, _ in KINDS])
def made(request):
    """The folder of a page, its address, the class of its live model, and what it may weigh."""
    fixture, kind, weight = request.param
    folder, url, _ = request.getfixturevalue(fixture)
    return folder, url, kind, weight


def test_weights_are_loaded_when_asked_for_and_all_is_light(visit, made):
    folder, url, kind, weight = made
    page = visit(url).page
    assert "weights.js" not in page.evaluate(LOADED)
    page.click(".lm-start")
    page.wait_for_selector(f".{kind}[data-live=yes]")
    assert "weights.js" in page.evaluate(LOADED)
    files = {path: len(gzip.compress(path.read_bytes(), mtime=0)) for path in folder.rglob("*") if path.is_file()}
    assert sum(files.values()) < weight
    assert sum(size for path, size in files.items() if path.name != "weights.js") < 30_000


def test_weights_that_cannot_be_loaded_are_reported(visit, made):
    _, url, kind, _ = made
    page = visit(url).page
    page.evaluate(f"document.querySelector('.{kind}').dataset.weights = 'nowhere.js'")
    page.click(".lm-start")
    page.wait_for_function("document.querySelector('.lm-loading').textContent.includes('cannot load')")
    assert page.is_visible(".lm-still table")
