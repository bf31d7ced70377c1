"""Laws of the decoding explorer: every slider, moved by keyboard, has the effect of the library's pipeline."""

import numpy as np
import pytest
import torch

from clearformer.decoding import pipeline
from tests.browser.marks import marks

PAGE = "book/temperature_and_penalties.html"
RANGE = "input[type=range]"
TOP_K = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 100, 200)  # and then all
NAMES = ("context", "frequency", "presence", "repetition", "tau", "k_stop", "p", "min_p")
NEUTRAL = {"frequency": "0", "presence": "0", "repetition": "1", "tau": "1", "k_stop": "15", "p": "1", "min_p": "0"}
KEYS = ("ArrowRight", "ArrowLeft", "PageUp", "PageDown", "Home", "End")


@pytest.fixture
def explorer(page):
    return page.locator(f".live-figure:has({RANGE}[data-signal=min_p])")


def slider(explorer, name):
    return explorer.locator(f"{RANGE}[data-signal={name}]")


def settings(explorer):
    """The value of each slider."""
    return {name: float(slider(explorer, name).input_value()) for name in NAMES}


def source(explorer):
    """Logits (n_contexts, V) and counts (n_contexts, V) from the page's specification."""
    rows = explorer.evaluate("f => JSON.parse(f.querySelector('script').textContent).spec.data[0].values")
    return (np.array([row[name] for row in rows]).T for name in ("logits", "counts"))


def expected(explorer, logits, counts):
    """Probabilities before and after, which tokens are kept, and their share of the probability, by the package."""
    at = settings(explorer)
    row = torch.tensor(logits[int(at["context"])])[None]
    vocab_size = logits.shape[1]
    ids = torch.tensor(np.repeat(np.arange(vocab_size), counts[int(at["context"])]))[None]
    penalties = {name: at[name] for name in ("frequency", "presence", "repetition", "tau")}
    uncut = pipeline(**penalties)(row, ids).softmax(dim=-1)[0].numpy()
    process = pipeline(**penalties, k=(*TOP_K, vocab_size)[int(at["k_stop"])], p=at["p"], min_p=at["min_p"] or None)
    logits_after = process(row, ids)
    kept = logits_after.isfinite()[0].numpy()  # a probability may be 0 by rounding only
    return row.softmax(dim=-1)[0].numpy(), logits_after.softmax(dim=-1)[0].numpy(), kept, uncut[kept].sum()


def by_place(explorer, mark):
    return sorted(marks(explorer, mark), key=lambda item: item["place"])


def entropy(p):
    return -sum(x * np.log(x) for x in p if x > 0)


def compare(explorer, logits, counts):
    before, after, kept, mass = expected(explorer, logits, counts)
    bars = by_place(explorer, "afters_marks")
    ids = np.argsort(-before, kind="stable")[:16]
    assert [bar["id"] for bar in bars] == ids.tolist()
    np.testing.assert_allclose([bar["before"] for bar in bars], before[ids], rtol=0, atol=1e-12)
    np.testing.assert_allclose([bar["after"] for bar in bars], after[ids], rtol=0, atol=1e-12)
    sums = marks(explorer, "sums_0_marks")[0]
    assert sums["kept"] == kept.sum()
    got = [sums["mass"], sums["entropy_before"], sums["entropy"]]
    np.testing.assert_allclose(got, [mass, entropy(before), entropy(after)], rtol=0, atol=1e-11)


def test_random_settings_by_keyboard_equal_the_pipeline(explorer):
    logits, counts = source(explorer)
    rng = np.random.default_rng(0)
    for _ in range(40):
        for name in rng.choice(NAMES, size=3, replace=False):
            target = slider(explorer, str(name))
            if name in NEUTRAL and rng.random() < 0.4:
                target.fill(NEUTRAL[str(name)])
            for key in rng.choice(KEYS, size=3):
                target.press(str(key))
        compare(explorer, logits, counts)


@pytest.mark.parametrize("name", NAMES)
def test_each_slider_alone_changes_what_is_drawn(explorer, name):
    logits, counts = source(explorer)
    before = [bar["after"] for bar in marks(explorer, "afters_marks")]
    target = slider(explorer, name)
    target.press("Home" if name in ("k_stop", "p", "context") else "End")
    compare(explorer, logits, counts)
    assert before != [bar["after"] for bar in marks(explorer, "afters_marks")]


def test_a_constant_in_the_logits_shows_under_the_repetition_penalty_only(explorer):
    for name, same in (("frequency", True), ("presence", True), ("repetition", False)):
        slider(explorer, name).press("End")
        bars = []
        for context in ("2", "3"):
            slider(explorer, "context").fill(context)
            bars.append([bar["after"] for bar in marks(explorer, "afters_marks")])
        slider(explorer, name).fill(NEUTRAL[name])
        assert np.allclose(*bars, rtol=0, atol=1e-9) is same
