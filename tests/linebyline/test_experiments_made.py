"""The models that experiments make: one that copies, blocks with a part left out or moved, other positions."""

import pytest
import torch

from linebyline import gpt2_to_llama, growing, pretrained
from linebyline.experiments import (
    blocks,
    copying,
    fixed_weights,
    longer_windows,
    questions,
    second_copy,
    swap_positions,
)
from linebyline.gpt2_to_llama import RECIPE
from linebyline.our_model import FeedForward

# --- copying ---


def test_after_a_skip_the_two_rules_disagree() -> None:
    ids, asked = copying.with_a_skip(50, torch.Generator().manual_seed(0))
    for row, there in zip(ids.tolist(), asked, strict=True):
        for t in there.nonzero().flatten().tolist():
            latest = {symbol: s for s, symbol in enumerate(row[: t + 1])}
            oldest = min(latest, key=latest.__getitem__)
            assert row[t + 1] == row[row.index(row[t]) + 1] != oldest == row[0]
    assert asked.any(dim=1).all()


def test_a_doubled_text_has_every_stretch_twice() -> None:
    low, high = second_copy.TWICE
    ids = second_copy.written_twice(torch.arange(1000)).tolist()
    while ids:
        length = ids.index(ids[0], 1)
        assert low <= length <= high and ids[:length] == ids[length : 2 * length]
        del ids[: 2 * length]


def test_what_can_be_known_was_there_before() -> None:
    ids, knowable = copying.sequences(50, torch.Generator().manual_seed(0))
    for row, known in zip(ids.tolist(), knowable.tolist(), strict=True):
        assert [symbol in row[1:t] for t, symbol in enumerate(row) if t] == known


def test_two_heads_of_a_given_layer_are_new_and_silent() -> None:
    trained, new = copying.AttentionOnly(2, seed=0), copying.AttentionOnly(2, seed=3)
    state = {name: values.clone() for name, values in trained.state_dict().items()}
    pair = copying.forget_look_back(state, trained, new)
    old, fresh = trained.state_dict(), new.state_dict()
    assert len(set(pair)) == 2
    for head in range(4):
        rows = slice(16 * head, 16 * (head + 1))
        source = fresh if head in pair else old
        for start in (0, 64, 128):
            columns = slice(start + rows.start, start + rows.stop)
            assert state["layers.0.w_qkv"][:, columns].equal(source["layers.0.w_qkv"][:, columns])
        expected = torch.zeros(16, 64) if head in pair else old["layers.0.w_o"][rows]
        assert state["layers.0.w_o"][rows].equal(expected)
    assert state["layers.1.w_qkv"].equal(old["layers.1.w_qkv"])


# --- two questions ---


def test_a_journey_names_each_week_after_its_word() -> None:
    ids, before, weeks = questions.journeys(50, torch.Generator().manual_seed(0))
    rows = zip(ids.tolist(), before.tolist(), weeks.tolist(), strict=True)
    for sentence, words_before, (first, last) in rows:
        assert words_before == [questions.START, *sentence[:-1]]
        assert sentence[-2:] == [questions.JANE, questions.VISITS]
        assert sentence[sentence.index(questions.FROM) + 1] == first
        assert sentence[sentence.index(questions.TO) + 1] == last
        assert len({first, last, sentence[sentence.index(questions.IN) + 1]}) == 3


def test_each_of_two_heads_answers_one_question_and_is_as_before_after_its_silence() -> None:
    run = questions.Prepared({"model": "2 heads", "rate": 1e-2, "seed": 0})
    run.run(300)
    kept = run.model.attention.w_o.clone()
    assert run.right()[2] > 0.95
    assert [[found < 0.05 for found in run.right(head)[:2]] for head in (0, 1)] == [[False, True], [True, False]]
    assert torch.equal(run.model.attention.w_o, kept)
    assert [[weight > 0.9 for weight in head] for head in run.looks()] == [[False, True], [True, False]]


@pytest.mark.parametrize("pairs", [False, True])
@torch.no_grad()
def test_with_equal_weights_only_vectors_for_pairs_tell_two_journeys_apart(pairs: bool) -> None:
    model = questions.Journeys(1, 32, pairs, seed=0)
    model.attention.w_qkv[:, :32] = 0  # no query, so all words have the same weight
    first = torch.tensor([[questions.FROM, 8, questions.TO, 35, questions.IN, 1, questions.JANE, questions.VISITS]])
    ids = torch.cat([first, first[:, [0, 3, 2, 1, 4, 5, 6, 7]]])  # from 9 to 36, and from 36 to 9
    before = torch.full_like(ids, questions.START)
    before[:, [1, 3, 5]] = ids[:, [0, 2, 4]]  # weeks alone have a mark
    one, other = model(ids, before)
    assert torch.allclose(one, other, atol=1e-5) != pairs


# --- the parts of a block ---


def test_a_layer_without_its_nonlinearity_is_one_matrix_and_has_the_same_weights() -> None:
    layer, stage = blocks.made("no nonlinearity", 11, seed=3)[2], growing.build("feed-forward", 11, seed=3)[2]
    for one, other in zip(layer.parameters(), stage.parameters(), strict=True):
        assert torch.equal(one, other)
    x, zero = torch.randn(2, 5, growing.D_MODEL), torch.zeros(1, 1, growing.D_MODEL)
    straight = layer(x) - layer(zero)  # linear: without the biases
    torch.testing.assert_close(layer(2 * x) - layer(zero), 2 * straight, rtol=1e-4, atol=1e-5)
    assert (stage(2 * x) - stage(zero) - 2 * (stage(x) - stage(zero))).abs().max() > 0.01


def test_blocks_differ_in_nothing_but_what_their_name_says() -> None:
    matrices = {
        name: [weight for weight in model.parameters() if weight.ndim == 2]
        for name, model in {
            "two blocks": growing.build("two blocks", 11, seed=3),
            **{name: blocks.made(name, 11, seed=3) for name in ("no residual", "post-norm")},
        }.items()
    }
    for weights in matrices.values():
        for one, other in zip(weights, matrices["two blocks"], strict=True):
            assert torch.equal(one, other)


def test_layers_are_in_the_order_that_their_name_says() -> None:
    for name, order in (("attention twice", "aa"), ("layer last", "aaf"), ("layer between", "afa")):
        _, *layers, _ = blocks.made(name, 11, seed=0)
        assert "".join("af"[isinstance(layer[0], FeedForward)] for layer in layers) == order


def test_post_norm_sends_every_row_on_with_unit_variance() -> None:
    model = blocks.made("post-norm", 11, seed=0)
    stream = torch.nn.Sequential(*list(model)[:-1])(torch.arange(11)[None])  # (B, T, d_model)
    torch.testing.assert_close(stream.var(-1, correction=0), torch.ones(1, 11), rtol=1e-3, atol=1e-3)
    lost = torch.nn.Sequential(*list(blocks.made("no residual", 11, seed=0))[:3])(torch.arange(11)[None])
    assert lost.var(-1).max() < 0.5  # what the first block answers, without what it was given


def test_positions_in_place_of_learned_ones_have_no_parameters_and_sines_are_as_long_as_tokens() -> None:
    made = {kind: gpt2_to_llama.decoder(parts, RECIPE, 8) for kind, parts in swap_positions.KINDS.items()}
    counts = {kind: sum(p.numel() for p in model.parameters()) for kind, model in made.items()}
    assert counts["none"] == counts["sines"]
    tokens = pretrained.zero_init(made["sines"]).embedding
    assert tokens.position.table.std().item() == pytest.approx(tokens.table.std().item(), rel=0.3)


def test_a_small_table_starts_as_the_table_of_the_swaps_and_a_fiftieth_as_long_as_tokens() -> None:
    kinds = gpt2_to_llama.SWIGLU, swap_positions.KINDS["small table"]
    large, small = (gpt2_to_llama.decoder(parts, RECIPE, 8, torch.Generator().manual_seed(0)) for parts in kinds)
    added, tokens = small.embedding.position.table, pretrained.zero_init(small).embedding.table
    torch.testing.assert_close(added * 32, large.embedding.position.table)
    assert 50 * added.std().item() == pytest.approx(tokens.std().item(), rel=0.1)


# --- longer windows ---


def test_the_ramp_keeps_fast_pairs_and_slows_slow_ones_as_the_package_does() -> None:
    ratio = longer_windows.speeds("slow pairs only") / longer_windows.speeds("as trained")
    assert ratio[0] == 1
    assert ratio[-1] == pytest.approx(1 / longer_windows.FACTOR)
    assert (ratio.diff() <= 0).all()
    assert ((ratio == 1).sum(), (ratio < 0.2501).sum()) == (5, 9)


@torch.no_grad()
def test_a_changed_model_reads_1024_tokens_and_is_the_kept_one_where_nothing_changed() -> None:
    kept, changed = pretrained.language_model().model, longer_windows.slowed("as trained")
    ids = torch.randint(1024, (1, 256), generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(changed(ids), kept(ids), rtol=1e-4, atol=1e-4)
    assert changed(ids.repeat(1, 4)).shape == (1, 1024, 1024)


# --- fixed weights ---


def test_a_fading_mean_worked_by_hand() -> None:
    """Weights of 4/7, 2/7 and 1/7, from the last token back, once there are three."""
    mean = fixed_weights.FadingMean(2)
    torch.nn.init.eye_(mean.w_v.weight)
    x = torch.tensor([[3.0, 0.0], [0.0, 3.0], [7.0, 7.0]])
    torch.testing.assert_close(mean(x), torch.tensor([[3.0, 0.0], [1.0, 2.0], [31 / 7, 34 / 7]]))
