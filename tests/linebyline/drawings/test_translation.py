"""The drawings of the chapter on translation."""

import re

from linebyline.corpora import ENGLISH_SWEDISH
from linebyline.drawings import aligned, first_words, hidden_from, shifted, translator_shapes
from linebyline.drawings.aligned import SENTENCE


def test_there_is_a_line_for_each_link_of_the_alignment():
    pair = ENGLISH_SWEDISH.translate(SENTENCE)
    n_links = sum(len(belonging) for belonging in pair.alignment)
    assert len(re.findall(r'class="line weight"', aligned().svg())) == n_links


def test_another_text_can_be_shifted():
    svg = shifted(("<sos>", "Dan", "älskar", "glass", ".", "<eos>"), 2).svg()
    assert "glass is predicted from: &lt;sos&gt; Dan älskar" in svg


def test_cross_attention_has_a_row_for_each_target_word():
    svg = translator_shapes((4, 2, 8, 10)).svg()
    assert all(f"{shape}<" in svg for shape in ("(4, 8)", "(2, 8)", "weights (2, 4)", "weights (2, 2)", "(2, 10)"))


def test_each_word_that_is_written_is_read_from_then_on():
    svg = first_words(4).svg()
    assert [svg.count(f">{word}<") for word in ("&lt;Swedish&gt;", "Dan", "älskar", "glass")] == [3, 3, 2, 1]
    assert all(f"cross-attention ({t}, 4)" in svg for t in (1, 2, 3))


def test_a_word_that_only_the_decoder_cannot_read_is_carried_into_other_rows():
    svg = hidden_from().svg()
    counts = {kind: svg.count(f'class="{kind}"') for kind in ("cross", "line value", "cell value", "line weight")}
    assert counts == {"cross": 2, "line value": 2, "cell value": 2, "line weight": 4}
    assert svg.count(">old<") == 5  # two tokens, its row of H, and the rows that it was carried into
