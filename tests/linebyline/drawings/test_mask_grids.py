"""The grids show the masks that the package computes."""

import re

import numpy as np

from clearformer import functional as F
from linebyline.drawings import mask_grids, padding_sides


def test_checks_are_the_masks_of_the_package():
    drawn = np.array(re.findall(">([✓–])<", mask_grids().svg())).reshape(4, 4, 4) == "✓"
    causal, padding = F.causal_mask(4), F.padding_mask([3], 4)[0]
    for grid, mask in zip(drawn, (True, causal, padding, causal & padding), strict=True):
        np.testing.assert_array_equal(grid, np.broadcast_to(mask, (4, 4)))


def test_the_description_names_what_each_query_sees():
    seen = "both: I sees I; like sees I, like; tea sees I, like, tea; pad sees I, like, tea."
    assert seen in mask_grids().description


def test_the_side_of_the_padding_decides_who_sees_it():
    shown = np.array(re.findall(">([✓–!])<", padding_sides().svg())).reshape(4, 4, 4)
    right, right_both, left, left_both = shown
    assert (right[:3, 3] == "–").all() and (right_both[:3] == right[:3]).all()
    assert (left[1:, 0] == "!").all() and (left_both[0] == "–").all()
    assert (left_both[1:, 1:] == left[1:, 1:]).all()
