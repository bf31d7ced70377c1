"""Laws of the figure of penalties, temperature and cuts: it draws what `clearformer.decoding.pipeline` computes."""

import numpy as np
import pytest
import torch

from clearformer.decoding import pipeline

TOP_K = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 100, 200)  # and then all
NEUTRAL = {"frequency": "0", "presence": "0", "repetition": "1", "tau": "1", "k_stop": "15", "p": "1", "min_p": "0"}
PENALTIES = ("frequency", "presence", "repetition")
CUTS = ("tau", "k_stop", "p", "min_p")


@pytest.fixture
def explorer(live_figure):
    """The figure of temperature and cuts, with a slider for each and a button for each of three contexts."""
    figure = live_figure("sampling")
    figure.root = figure.page.locator(".live-figure:has([data-signal=min_p])").last
    figure.named = {name: figure.root.locator(f"input[data-signal={name}]") for name in CUTS}
    return figure


def entropy(p):
    return -sum(x * np.log(x) for x in p if x > 0)


def compare_logits(explorer, context):
    """Compare probabilities, which tokens are kept, and how much of the probability, with the package."""
    neutral = {name: float(value) for name, value in NEUTRAL.items()}
    at = neutral | {name: float(slider.input_value()) for name, slider in explorer.named.items()}
    data = explorer.spec["data"][0]["values"]
    logits = torch.tensor([[token["logits"][context] for token in data]], dtype=torch.float64)
    counts = [token["counts"][context] for token in data]
    ids = torch.tensor(np.repeat(np.arange(len(data)), counts))[None]
    penalties = {name: at[name] for name in ("frequency", "presence", "repetition", "tau")}
    uncut = pipeline(**penalties)(logits, ids).softmax(dim=-1)[0].numpy()
    cuts = {"k": (*TOP_K, len(data))[int(at["k_stop"])], "p": at["p"], "min_p": at["min_p"] or None}
    processed = pipeline(**penalties, **cuts)(logits, ids)[0]
    before, after = logits.softmax(dim=-1)[0].numpy(), processed.softmax(dim=-1).numpy()
    kept = processed.isfinite().numpy()  # a probability may be 0 by rounding only
    n_shown = 10 if "k_stop" in explorer.named else 8
    best = np.argsort(-before, kind="stable")[:n_shown]
    explorer.expect("afters_marks", "place", id=best, before=before[best], after=after[best])
    sums = {"mass": uncut[kept].sum(), "entropy_before": entropy(before), "entropy": entropy(after)}
    explorer.expect("sums_2_marks", kept=kept.sum(), **sums, atol=1e-11)


def test_random_settings_by_keyboard_equal_the_pipeline(explorer):
    rng, keys = np.random.default_rng(0), ("ArrowRight", "ArrowLeft", "PageUp", "PageDown", "Home", "End")
    for _ in range(40):
        context = int(rng.integers(3))
        explorer.root.locator("input[type=radio]").nth(context).check()
        for name in rng.choice(CUTS, size=3, replace=False):
            if rng.random() < 0.4:
                explorer.named[name].fill(NEUTRAL[name])
            for key in rng.choice(keys, size=3):
                explorer.named[name].press(str(key))
        compare_logits(explorer, context)


@pytest.mark.parametrize("number, names, context", [(0, ("tau",), 1), (1, PENALTIES, 0)])
def test_steps_without_a_slider_change_nothing(live_figure, number, names, context):
    figure = live_figure("temperature_and_penalties", number)
    figure.named = {name: figure.root.locator(f"input[data-signal={name}]") for name in names}
    compare_logits(figure, context)
    for slider in figure.named.values():
        before = figure.values("afters_marks", "after")
        slider.press("End")
        compare_logits(figure, context)
        assert before != figure.values("afters_marks", "after")


@pytest.mark.parametrize("name", CUTS)
def test_each_slider_alone_changes_what_is_drawn(explorer, name):
    before = explorer.values("afters_marks", "after")
    explorer.named[name].press("Home" if name in ("k_stop", "p") else "End")
    compare_logits(explorer, context=1)
    assert before != explorer.values("afters_marks", "after")


def test_a_constant_in_the_logits_shows_under_the_repetition_penalty_only(live_figure):
    figure = live_figure("temperature_and_penalties", 1)
    sliders = {name: figure.root.locator(f"input[data-signal={name}]") for name in PENALTIES}
    for name, same in (("frequency", True), ("presence", True), ("repetition", False)):
        for other, slider in sliders.items():
            slider.fill(NEUTRAL[other])
        sliders[name].press("End")
        bars = []
        for context in range(2):
            figure.root.locator("input[type=radio]").nth(context).check()
            bars.append(figure.values("afters_marks", "after"))
        assert np.allclose(*bars, rtol=0, atol=1e-9) is same
