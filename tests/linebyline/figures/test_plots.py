"""Laws of static plots: vectors whose words are words, the same bytes each time, and a part of their page."""

import io
import re
import subprocess
import sys

import matplotlib
import matplotlib.pyplot as plt
import pytest
from lxml import etree

from linebyline.figures import plot_style
from linebyline.figures.plot_page import plot_html

# Python as it is without the tools of notebooks.
PLAIN = """
import sys
sys.modules.update(dict.fromkeys(["IPython", "matplotlib_inline"]))
from linebyline.figures import plot_style
plot_style()
"""


@pytest.fixture(scope="module")
def draw():
    """Draw a plot with a picture, a formula, markers and a clipped line, and give its SVG."""

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


def test_a_plot_says_no_day_and_no_version(draw):
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


def test_in_a_page_a_plot_rules_no_other_part(draw):
    page = plot_html(draw(), "A plot.", "figure-1-0")
    assert "<style" in draw()
    assert "<style" not in page
    assert 'style="stroke-linejoin: round; stroke-linecap: butt"' in page.partition(">")[0]


def test_what_it_shows_is_said_and_cannot_break_the_page(draw):
    page = plot_html(draw(), 'A "<plot>"\n of two.', "figure-1-0")
    assert 'role="img" aria-label="A &quot;&lt;plot&gt;&quot; of two."' in page
    with pytest.raises(ValueError, match="write `alt` under `mystnb: image:`"):
        plot_html(draw(), "\n", "figure-1-0")


def test_the_style_needs_no_notebook():
    subprocess.run([sys.executable, "-c", PLAIN], check=True)
