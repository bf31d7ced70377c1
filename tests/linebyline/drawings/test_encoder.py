"""What the drawings of the encoder show is what their numbers say."""

import numpy as np

from linebyline.drawings import full_square, pair_grid, read_outs, span_sums, two_stages
from linebyline.drawings.full_square import weights
from linebyline.drawings.kit import number
from linebyline.drawings.pair_grid import QUESTIONS, TEXTS, dot_products
from linebyline.drawings.span_sums import ENDS, STARTS, sums
from linebyline.drawings.two_stages import READS, STAGES


def test_embeddings_have_length_1_and_each_question_is_closest_to_its_text():
    np.testing.assert_allclose(np.linalg.norm([QUESTIONS, TEXTS], axis=-1), 1)
    assert dot_products().argmax(axis=1).tolist() == [0, 1, 2]
    assert all(f">{number(score)}<" in pair_grid().svg() for score in dot_products().flat)


def test_the_part_on_top_reads_the_token_that_is_outlined():
    assert all(token in stage[3] for token, stage in zip(READS, STAGES, strict=True))
    assert two_stages().svg().count('class="token lit"') == 2 * len(STAGES)  # the token and the answer


def test_one_layer_reads_all_words():
    assert read_outs().svg().count("W<tspan") == 2


def test_the_best_start_and_the_best_end_are_not_the_best_span():
    """Taken separately they would end before they start; both inputs of the drawing show this."""
    start, end = np.argmax(STARTS), np.argmax(ENDS)
    assert end < start
    assert max(sums(), key=sums().get) == (start, start) == (2, 2)
    assert span_sums().svg().count('class="token lit"') == len(STARTS)
    assert all(f">{number(total)}<" in span_sums().svg() for total in sums().values())


def test_the_square_is_full_and_the_triangle_is_not():
    decoder, encoder = weights().values()
    np.testing.assert_allclose([decoder.sum(1), encoder.sum(1)], 1)
    assert encoder.min() > 0 and (decoder > 0).sum() == 6
    assert full_square().svg().count('class="off"') == 3
    assert "0.27, 0.73, none" in full_square().description
