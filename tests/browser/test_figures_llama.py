"""Laws of the live calculator: what it draws is what NumPy computes, and the keyboard moves everything."""

import numpy as np
import pytest

from linebyline.decoder_sizes import PUBLISHED, DecoderSizes
from tests.browser.marks import marks

PAGE = "book/llama.html"
RANGE, RADIO = "input[type=range]", "input[type=radio]"
SIZES = ("d_model", "n_layers", "n_heads", "n_kv_heads", "d_ff", "vocab_size")


def settings(figure):
    """The sizes, the tokens and the machine as the page shows them beside the sliders."""
    shown = [float(text) for text in figure.locator("output").all_text_contents()]
    return dict(zip((*SIZES, "tokens", "bits", "bandwidth", "rate"), shown, strict=True))


def expected(chosen, s):
    """The sums in float64, written out here: the parts of a block, one after the other."""
    form = DecoderSizes.of(PUBLISHED[chosen])
    d_k = np.floor(s["d_model"] / s["n_heads"])
    square, shared = s["d_model"] * s["n_heads"] * d_k, s["d_model"] * s["n_kv_heads"] * d_k
    wide, table = s["d_model"] * s["d_ff"], s["vocab_size"] * s["d_model"]
    matrices = s["n_layers"] * (2 * square + 2 * shared + (2 + form.gated) * wide) + table
    gains = (2 * s["n_layers"] + 1) * s["d_model"]
    vectors = gains
    if form.biases:
        of_a_block = (s["n_heads"] + 2 * s["n_kv_heads"]) * d_k + s["d_ff"] + 2 * s["d_model"]
        vectors = 2 * gains + s["n_layers"] * of_a_block
    parameters = matrices + (0 if form.tied else table) + form.positions * s["d_model"] + vectors
    cache = 2 * s["n_layers"] * s["n_kv_heads"] * d_k * s["tokens"] * 2
    operations = 2 * matrices + 4 * s["n_layers"] * s["n_heads"] * d_k * s["tokens"]
    seconds = (matrices * s["bits"] / 8 + cache) / (1e9 * s["bandwidth"]), operations / (1e12 * s["rate"])
    sums = [parameters / 1e6, parameters * s["bits"] / 8 / 2**30, cache / 2**30, operations / 1e9, 1 / max(seconds)]
    return sums, [1000 * each for each in seconds]


def compare(figure, chosen):
    sums, milliseconds = expected(chosen, settings(figure))
    np.testing.assert_allclose([row["value"] for row in marks(figure, "numbers_marks")], sums, rtol=1e-12)
    np.testing.assert_allclose([row["milliseconds"] for row in marks(figure, "times_marks")], milliseconds, rtol=1e-12)
    return [*sums, *milliseconds]


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_model_has_its_sums(figure, name):
    figure.locator(RADIO).nth(list(PUBLISHED).index(name)).check()
    *sums, fetch, compute = compare(figure, name)
    sizes = DecoderSizes.of(PUBLISHED[name])
    assert sums[0] == pytest.approx(sizes.parameters / 1e6, rel=1e-12)
    speed = sizes.tokens_per_second(4096, bits=16, bandwidth=1e11, rate=1e12)
    assert sums[-1] == pytest.approx(speed, rel=1e-12)
    assert 1000 / max(fetch, compute) == pytest.approx(speed, rel=1e-12)


def test_sums_follow_the_keyboard(figure):
    figure.locator(RADIO).nth(0).check()
    for number in range(figure.locator(RANGE).count()):
        seen = set()
        for key in ("End", "ArrowLeft", "ArrowLeft"):
            figure.locator(RANGE).nth(number).press(key)
            seen.add(tuple(compare(figure, "GPT-2")))
        assert len(seen) == 3


def test_the_left_end_of_a_size_is_as_published(figure):
    figure.locator(RADIO).nth(3).check()
    first = settings(figure)
    for number in range(len(SIZES)):
        figure.locator(RANGE).nth(number).press("End")
    assert all(settings(figure)[name] != first[name] for name in SIZES)
    for number in range(len(SIZES)):
        figure.locator(RANGE).nth(number).press("Home")
    assert settings(figure) == first


def test_heads_that_cannot_be_shared_are_named(figure):
    figure.locator(RADIO).nth(0).check()
    assert figure.get_by_text("cannot share").count() == 0
    figure.locator(RANGE).nth(SIZES.index("n_kv_heads")).press("End")
    assert figure.get_by_text("12 heads cannot share 128 evenly").count() == 1


def test_the_model_is_asked_for_first(figure):
    assert figure.locator("input").first.get_attribute("type") == "radio"
