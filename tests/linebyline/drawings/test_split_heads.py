"""Each head gets its weights from its own queries and keys and mixes its own values; then the results are joined."""

import re

import numpy as np

from clearformer import functional as F
from linebyline.drawings import joined_unswapped, split_heads, swapped_axes
from linebyline.drawings.head_sum import FOUND
from linebyline.drawings.whole_word import W_Q


def test_heads_own_columns():
    svg = split_heads().svg()
    read = np.array(re.findall(r'class="cell"[^>]*></rect><text[^>]*>(\d)<', svg), dtype=float).reshape(2, 4)
    cells = re.findall(r'class="(?:cell \w+|off)"[^>]*></rect><text[^>]*>([\d.–]+)<', svg)
    assert cells.count("–") == 2  # in each head, the word that the mask hides
    numbers = np.array([float(number.replace("–", "0")) for number in cells])
    tables, heads, joined = (
        numbers[:24].reshape(3, 2, 4),
        numbers[24:64].reshape(2, 5, 2, 2),
        numbers[64:].reshape(2, 4),
    )
    np.testing.assert_array_equal(read @ W_Q, tables[0])  # the next drawing has this matrix
    for i, (q, k, weights, values, found) in enumerate(heads):
        np.testing.assert_array_equal(tables[:, :, 2 * i : 2 * i + 2], [q, k, values])
        asked = F.scaled_dot_product_attention(q, k, values, F.causal_mask(2))[1]
        np.testing.assert_allclose(weights, asked, atol=0.005)
        np.testing.assert_array_equal(found, weights @ values)
        np.testing.assert_array_equal(joined[:, 2 * i : 2 * i + 2], found)
    np.testing.assert_array_equal(joined[1], FOUND.ravel())  # the next drawing continues with this word


def test_pieces_are_swapped_into_heads_and_back():
    cells = re.findall(r'class="cell \w+"[^>]*></rect><text[^>]*>([\d.]+)<', swapped_axes().svg())
    cut, by_head, results, by_word = np.array([float(number) for number in cells]).reshape(4, 2, 2, 2)
    np.testing.assert_array_equal(cut.swapaxes(0, 1), by_head)
    np.testing.assert_array_equal(results.swapaxes(0, 1), by_word)
    np.testing.assert_array_equal(by_word[1], FOUND)  # the results of the word that other drawings continue with


def test_a_join_without_a_swap_mixes_words():
    cells = re.findall(r'class="cell \w+"[^>]*></rect><text[^>]*>([\d.]+)<', joined_unswapped().svg())
    results, swapped, wrong = np.array([float(number) for number in cells]).reshape(3, 2, 2, 2)
    np.testing.assert_array_equal(results.swapaxes(0, 1), swapped)
    np.testing.assert_array_equal(results, wrong)
