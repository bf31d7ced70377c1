"""The drawings of the chapter on translation."""

import re

from linebyline.corpora import ENGLISH_SWEDISH
from linebyline.drawings import (
    SideBySide,
    aligned,
    bottleneck,
    decoder_block,
    favorites,
    hidden_from,
    learned_weights,
    needed,
    ngrams,
    rows_needed,
    shifted,
    two_ways,
    waiting,
    weighted_sum,
    whole_translator,
)
from linebyline.drawings.aligned import SENTENCE
from linebyline.drawings.looked_at import LESS, NEEDED, heads_that_look
from linebyline.drawings.needed import CASES
from linebyline.drawings.ngrams import REFERENCE, WRITTEN, shared


def test_there_is_a_line_for_each_link_of_the_alignment():
    pair = ENGLISH_SWEDISH.translate(SENTENCE)
    n_links = sum(len(belonging) for belonging in pair.alignment)
    assert len(re.findall(r'class="line weight"', aligned().svg())) == n_links


def test_another_text_can_be_shifted():
    svg = shifted(("<sos>", "Dan", "älskar", "glass", ".", "<eos>"), 2).svg()
    assert "glass is predicted from: &lt;sos&gt; Dan älskar" in svg


def test_every_block_of_the_decoder_reads_the_output_of_the_encoder():
    svg = whole_translator(n_layers=3).svg()
    assert svg.count('class="head value"') == svg.count(">cross-attention<") == 3
    assert svg.count(">(5, 64)<") == svg.count(">(3, 64)<") == 4


def parts(drawing):
    kinds = ("cross", "line value", "line off value", "cell value", "line weight")
    return [drawing.svg().count(f'class="{kind}"') for kind in kinds]


def test_a_word_that_only_the_decoder_cannot_read_may_be_in_other_rows():
    assert parts(hidden_from()) == [2, 0, 2, 2, 4]
    assert hidden_from().svg().count(">+ old?<") == hidden_from().svg().count(">no old<") == 2
    assert hidden_from().svg().count(">old<") == 3  # two tokens and its row of H


def test_a_word_has_two_ways_to_the_decoder_and_each_can_be_cut():
    assert parts(two_ways())[0] == 2 and two_ways().svg().count('class="line value"') == 4
    assert all(f">cut {n}<" in two_ways().svg() for n in (1, 2))


def test_the_word_with_the_largest_weight_adds_little_and_is_a_backup():
    svg = weighted_sum().svg()
    sums = re.findall(r"sum is ([\d.]+), so the model writes &#x27;(\w+)", svg)
    assert sums == [("2.1", "den"), ("3.2", "den"), ("0.83", "den"), ("0", "bilen")]
    assert svg.count('class="cross"') == 4 + 4  # hidden words, and a rival in each panel


def test_every_head_looks_at_one_source_word_for_each_target_word():
    pair = ENGLISH_SWEDISH.translate(SENTENCE)
    heads = {t: "" for t in range(len(pair.target))}
    for (t, _), numbers in heads_that_look().items():
        heads[t] += "1234" if numbers == "all" else numbers
    assert {"".join(sorted(numbers)) for numbers in heads.values()} == {"1234"}
    n_links = sum(len(links) for links in pair.alignment)
    for drawing in (favorites(), rows_needed()):
        assert drawing.svg().count('class="empty query"') == n_links  # once in the key, but without the full stop
    assert rows_needed().svg().count(">.") == len(LESS | NEEDED) - 1


def test_two_maps_are_beside_each_other():
    bundle = SideBySide(favorites(), rows_needed())._repr_mimebundle_()
    assert bundle["image/svg+xml"].count("<svg xmlns") == 2 and bundle["text/plain"].count("A grid") == 2


def test_each_bar_is_cut_into_three_classes():
    svg = needed().svg()
    assert svg.count('class="cell weight"') == 3 + 3 * len(CASES)
    assert all(f"({sum(counts):,})" in svg for _, counts in CASES)


def test_an_n_gram_counts_as_often_as_the_reference_has_it():
    assert shared(1, ("den", "den", "den"), ("den", "bilen")) == [True, False, False]
    assert [sum(shared(n, WRITTEN, REFERENCE)) for n in (1, 2, 3, 4)] == [6, 4, 2, 1]
    assert ngrams().svg().count('class="cell weight"') == 6 + 4 + 2 + 1
    assert ngrams().svg().count('class="off"') == 1 + 2 + 3 + 3


def test_the_weights_of_two_models_are_beside_what_they_write():
    svg = learned_weights().svg()
    assert svg.count('class="cell weight"') == 2 * 3 * 5 and svg.count('class="line value"') == 2 * 3
    assert "after 80 steps, Dan puts 0.2 on Dan" in svg and ">alltid<" in svg


def test_only_cross_attention_reads_the_output_of_the_encoder():
    svg = decoder_block().svg()
    assert [svg.count(f'class="line {role}"') for role in ("query", "key", "value")] == [1, 1, 1]
    assert svg.count(">norm<") == svg.count('class="plus"') == 3


def test_each_step_of_the_second_network_has_an_input_and_attention_has_a_query():
    svg = bottleneck().svg()
    assert svg.count("&lt;Swedish&gt;<") == 2 and svg.count("compare, average") == 1
    assert svg.count('class="head key"') == 2 * 3 + 4  # from state to state, and from each to the comparison


def test_a_recurrent_network_waits_once_for_each_word_and_a_transformer_once_for_each_block():
    svg = waiting().svg()
    assert svg.count('class="line query"') == 19 + 2  # the first step has nothing to wait for
    assert svg.count('class="line"') == 2 * 20
