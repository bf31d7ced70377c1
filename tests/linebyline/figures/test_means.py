"""Means with bars: what is drawn is what was given."""

import math

import matplotlib
import numpy as np
import pytest

from linebyline.figures import means_with_bars

matplotlib.use("agg")


def test_points_and_bars_stand_where_they_were_given():
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


@pytest.mark.parametrize("panels", [{}, {("rate", "loss"): {}}])
def test_a_panel_without_curves_is_refused(panels):
    with pytest.raises(ValueError, match="need a curve in each panel, got"):
        means_with_bars(panels)
