"""The drawings on running a model: codes are the nearest ones, and a token takes what is counted of its model."""

import re

import numpy as np
import pytest

from linebyline.decoder_sizes import PUBLISHED, DecoderSizes
from linebyline.drawings import four_bits, one_token
from linebyline.drawings.four_bits import CODES, LARGE, WEIGHTS, codes_of
from linebyline.drawings.one_token import BITS, CACHE, OPERATIONS, TOKENS
from linebyline.drawings.one_token import WEIGHTS as FETCHED


@pytest.mark.parametrize("last", [WEIGHTS[-1], LARGE])
def test_each_weight_gets_the_nearest_code(last):
    weights = (*WEIGHTS[:-1], last)
    step, codes = codes_of(weights)
    grid = step * np.arange(-CODES, CODES + 1)
    assert codes.tolist() == [int(np.abs(grid - weight).argmin()) - CODES for weight in weights]
    assert codes[-1] == CODES and step * CODES == pytest.approx(last)


def test_a_large_weight_turns_two_others_into_zero():
    assert (codes_of((*WEIGHTS[:-1], LARGE))[1] == 0).sum() == 2 and 0 not in codes_of(WEIGHTS)[1]
    words = re.findall(r"which mean ([^:]+?)(?:\. With|:)", four_bits().svg().replace("−", "-"))
    assert [[float(word) for word in each.split(", ")] for each in words] == [
        [-0.64, -0.26, 0.39, 0.9],
        [-1.29, 0, 0, 9],
    ]


def test_a_token_takes_what_is_counted_of_its_model():
    sizes = DecoderSizes.of(PUBLISHED["Llama 3.1 8B"])
    assert pytest.approx(sizes.matrices * BITS / 8 / 1e9, abs=0.005) == FETCHED
    assert pytest.approx(sizes.cache_bytes(TOKENS) / 1e9, abs=0.005) == CACHE
    assert pytest.approx(sizes.operations(TOKENS) / 1e9, abs=0.05) == OPERATIONS
    assert {"53 ms", "19 ms"} <= set(re.findall(r">(\d+ ms)<", one_token().svg()))
