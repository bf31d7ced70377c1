"""What the drawings of the encoder show is what their numbers say."""

import numpy as np

from linebyline.drawings import pair_grid, read_outs, two_stages
from linebyline.drawings.kit import number
from linebyline.drawings.pair_grid import QUESTIONS, TEXTS, dot_products
from linebyline.drawings.two_stages import READS, STAGES


def test_embeddings_have_length_1_and_each_question_is_closest_to_its_text():
    np.testing.assert_allclose(np.linalg.norm([QUESTIONS, TEXTS], axis=-1), 1)
    assert dot_products().argmax(axis=1).tolist() == [0, 1, 2]
    assert all(f">{number(score)}<" in pair_grid().svg() for score in dot_products().flat)


def test_the_part_on_top_reads_the_token_that_is_outlined():
    assert all(token in stage[3] for token, stage in zip(READS, STAGES, strict=True))
    assert two_stages().svg().count('class="token lit"') == 2 * len(STAGES)  # the token and the answer


def test_a_span_has_an_input_of_its_own():
    """Both inputs are drawn, and of the second the passage and its best scores are outlined."""
    assert read_outs().svg().count('class="token"') == 5 + 5
    assert read_outs().svg().count('class="token lit"') == 3 + 2
