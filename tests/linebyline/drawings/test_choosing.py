"""The numbers of the drawings on choosing a token are those that the chapters work out by hand."""

import re

import numpy as np
import pytest

from linebyline.drawings import choosing, cuts, dart, stretched, temperatures


def test_each_penalty_has_another_winner():
    after = [choosing.penalized(**{name: value}) for name, value in choosing.STRENGTHS.items()]
    assert after == [pytest.approx(row) for row in ((1.6, 2.2, 2.0), (2.5, 1.5, 2.0), (1.6, 1.2, 2.0))]
    assert [int(np.argmax(row)) for row in after] == [1, 0, 2]


def test_cuts_keep_as_many_tokens_as_the_text_says():
    both = choosing.SURE, choosing.UNSURE
    numbers = [[sum(choosing.kept(p, **cut)) for cut in choosing.CUTS.values()] for p in both]
    assert numbers == [[3, 1, 1], [3, 4, 6]]


def test_bars_show_probabilities_that_sum_to_one():
    widths = [float(width) for width in re.findall(r'width="([\d.]+)" height="22" class="filled', temperatures().svg())]
    assert np.reshape(widths, (3, 3)).sum(axis=1) == pytest.approx([62] * 3, abs=0.1)


def test_the_dart_hits_b():
    assert "hits the part of b," in dart().description
    assert sum(choosing.PARTS) == pytest.approx(1) and choosing.PARTS[0] < choosing.DART < sum(choosing.PARTS[:2])


def test_what_is_kept_is_stretched_to_the_whole_line():
    widths = [float(width) for width in re.findall(r'width="([\d.]+)" height="30" class="cell', stretched().svg())]
    before, after = np.reshape(widths, (2, 2))
    assert after.sum() == pytest.approx(320, abs=0.1)
    assert after / before == pytest.approx([1 / 0.75] * 2, abs=0.001)


def test_the_bars_below_a_prediction_are_as_long_as_what_is_kept():
    widths = [float(width) for width in re.findall(r'width="([\d.]+)" height="17"', cuts().svg())]
    assert [(width + 8) / 46 for width in widths] == [3, 1, 1, 3, 4, 6]
