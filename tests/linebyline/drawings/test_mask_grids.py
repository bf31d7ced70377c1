"""The grids show the masks that the package computes."""

import re

import numpy as np

from clearformer import functional as F
from linebyline.drawings import mask_grids


def test_checks_are_the_masks_of_the_package():
    drawn = np.array(re.findall(">([✓–])<", mask_grids().svg())).reshape(4, 4, 4) == "✓"
    causal, padding = F.causal_mask(4), F.padding_mask([3], 4)[0]
    for grid, mask in zip(drawn, (True, causal, padding, causal & padding), strict=True):
        np.testing.assert_array_equal(grid, np.broadcast_to(mask, (4, 4)))


def test_the_description_names_what_each_query_sees():
    seen = "both: I sees I; like sees I, like; tea sees I, like, tea; pad sees I, like, tea."
    assert seen in mask_grids().description
