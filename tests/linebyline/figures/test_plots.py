"""Static plots: the numbers they draw, words that stay text, the same bytes each time, and their HTML."""

import io
import math
import re
import subprocess
import sys

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from lxml import etree

from linebyline.figures import loss_curves, means_with_bars, plot_style, training_run
from linebyline.figures.plot_html import plot_html

# Python as it is without the tools of notebooks.
PLAIN = """
import sys
sys.modules.update(dict.fromkeys(["IPython", "matplotlib_inline"]))
from linebyline.figures import means_with_bars, plot_style, training_run
plot_style()
"""


@pytest.fixture(scope="module")
def draw():
    """Draw a plot with a picture, a formula, markers and a clipped line, and return its SVG."""

    def svg():
        fig, (left, right) = plt.subplots(1, 2)
        left.loglog([1, 1000], [1e-3, 1e3], "o-", label="a & <b>")
        left.set(xlabel="the $d_k$ of a step", ylabel="loss, nats")
        left.legend()
        right.imshow([[0, 1], [1, 0]])
        file = io.BytesIO()
        fig.savefig(file, format="svg", bbox_inches="tight")
        plt.close(fig)
        return file.getvalue().decode()

    with matplotlib.rc_context():
        plt.switch_backend("agg")
        plot_style()
        yield svg


def words_of(svg):
    return ["".join(text.itertext()) for text in etree.fromstring(svg.encode()).iter("{*}text")]


def test_a_plot_is_the_same_bytes_each_time(draw):
    assert draw() == draw()


def test_a_plot_has_no_date_and_no_version(draw):
    assert not re.search(rf"date|{re.escape(matplotlib.__version__)}", draw())


def test_words_are_words_in_fonts_that_are_everywhere(draw):
    svg = draw()
    assert {"loss, nats", "a & <b>"} <= set(words_of(svg))
    fonts = re.findall(r'font-family: ([^";]*)', svg)
    assert len(fonts) > 20
    assert {font.rpartition(", ")[2] for font in fonts} == {"sans-serif"}


def test_letters_of_a_formula_are_one_word_in_a_page(draw):
    words = words_of(f'<a xmlns:xlink="x">{plot_html(draw(), "A plot.", "figure-1-0")}</a>')
    assert {"103", "the\u00a0dk\u00a0of\u00a0a\u00a0step", "loss, nats"} <= set(words)


def test_in_a_page_each_name_is_used_and_no_other_plot_has_it(draw):
    pages = [plot_html(draw(), "A plot.", f"figure-{number}-0") for number in (1, 2)]
    names, used = (
        [re.findall(pattern, page) for page in pages]
        for pattern in (r'\bid="([^"]*)"', r'(?:xlink:href="#|url\(#)([^")]*)')
    )
    assert len(names[0]) == len(set(names[0])) > 3
    assert [set(one) for one in names] == [set(one) for one in used]
    assert set(names[0]).isdisjoint(names[1])


def test_in_a_page_a_plot_has_no_stylesheet(draw):
    page = plot_html(draw(), "A plot.", "figure-1-0")
    assert "<style" in draw()
    assert "<style" not in page
    assert 'style="stroke-linejoin: round; stroke-linecap: butt"' in page.partition(">")[0]


def test_the_alternative_text_cannot_break_the_page(draw):
    page = plot_html(draw(), 'A "<plot>"\n of two.', "figure-1-0")
    assert 'role="img" aria-label="A &quot;&lt;plot&gt;&quot; of two."' in page
    with pytest.raises(ValueError, match="write `alt` under `mystnb: image:`"):
        plot_html(draw(), "\n", "figure-1-0")


def test_the_style_needs_no_notebook():
    subprocess.run([sys.executable, "-c", PLAIN], check=True)


@pytest.fixture(autouse=True)
def drawn_nowhere():
    matplotlib.use("agg")
    yield
    matplotlib.pyplot.close("all")


def test_a_training_run_shows_its_rate_above_known_and_unseen_text():
    checks = [(1000, 2.0, 2.2), (2000, 1.5, 1.9)]
    upper, lower = training_run(checks, [0.5, 1.0, 0.1], {"counting": 1.8}).axes
    np.testing.assert_allclose(upper.lines[0].get_xydata(), [(0, 0.5), (0.001, 1.0), (0.002, 0.1)])
    unseen, known, level = lower.lines
    np.testing.assert_allclose(unseen.get_xydata(), [(1, 2.2), (2, 1.9)])
    np.testing.assert_allclose(known.get_xydata(), [(1, 2.0), (2, 1.5)])
    assert set(level.get_ydata()) == {1.8} and unseen.get_color() != known.get_color()
    assert {text.get_text() for text in lower.texts} == {"unseen text", "known text", "counting: 1.80"}


def test_a_loss_curve_begins_at_the_first_loss_and_is_a_mean_over_some_steps():
    runs = {"slow": np.arange(1.0, 6.0), "right": np.full(4, 2.0), "fast": np.full(4, 3.0)}
    (axis,) = loss_curves(runs, level=1.5, level_name="counting", single=np.array([4.0, 3.0]), mean_of=2).axes
    low, high = axis.get_ylim()
    assert axis.get_yscale() == "log" and low < 1 and high > 3.5
    single, slow, right, fast, level = axis.lines
    np.testing.assert_allclose(single.get_xydata(), [(1, 4), (2, 3)])
    np.testing.assert_allclose(slow.get_xydata(), [(1, 1), (1, 1.5), (3, 3.5)])
    assert [line.get_ydata()[-1] for line in (right, fast, level)] == [2.0, 3.0, 1.5]


def test_points_and_bars_are_drawn_where_they_belong():
    curves = {"ours": {1.0: (5.0, 0.5), 10.0: (4.0, 0.25)}, "theirs": {1.0: (6.0, math.inf)}}
    fig = means_with_bars({("rate", "loss"): curves})
    ours, theirs = fig.axes[0].containers
    assert ours.lines[0].get_xydata().tolist() == [[1.0, 5.0], [10.0, 4.0]]
    [bars] = ours.lines[2]
    assert [segment[:, 1].tolist() for segment in bars.get_segments()] == [[4.5, 5.5], [3.75, 4.25]]
    [bars] = theirs.lines[2]
    assert np.ptp(bars.get_segments()[0][:, 1]) == 0
    assert [text.get_text() for text in fig.axes[0].get_legend().get_texts()] == ["ours", "theirs"]


@pytest.mark.parametrize(("other", "linked"), [("loss", True), ("noise", False)])
def test_panels_of_the_same_kind_have_one_scale(other, linked):
    curve = {"ours": {1.0: (5.0, 0.5)}}
    fig = means_with_bars({("rate", "loss"): curve, ("step", other): {"ours": {1.0: (50.0, 1.0)}}})
    left, right = fig.axes
    assert (left.get_ylim() == right.get_ylim()) == linked
    assert bool(right.get_ylabel()) != linked
    assert [tick.get_text() for tick in right.get_xticklabels()] == ["1"]
