"""What the record says of each stage of our model: the story that the chapters tell."""

from itertools import pairwise

import pytest

from linebyline import growing
from linebyline.growing.record import ALL

EQUAL = (("rotary positions",), ("two blocks", 350), ("two blocks",))
SEEING = ("no mask", "no mask with positions")  # controls that see the future


def test_each_part_helps_or_costs_nothing_that_seeds_would_not() -> None:
    """A table of vectors costs as much as the bigram table, in an eighth of the numbers; all others gain."""
    stages = [growing.kept(name) for name in growing.STAGES]
    assert [stage.seeds for stage in stages] == [3] * 10 + [1]
    for before, after in pairwise(stages):
        if after is stages[2]:
            assert after.parameters < before.parameters / 7
            assert abs(after.bits - before.bits) < 0.02
        else:
            assert after.bits + after.spread < before.bits - before.spread


def test_the_parameters_are_those_of_the_models() -> None:
    for name in ALL:
        model = growing.build(name, growing.text(name).vocab_size)
        assert growing.kept(name).parameters == sum(parameter.numel() for parameter in model.parameters())


def test_at_equal_time_depth_loses_and_at_equal_steps_it_wins() -> None:
    """The two blocks make 350 steps in the time that one head takes for 1,000, and are behind shallower models."""
    rotary, in_its_time, deep = (growing.kept(*run) for run in EQUAL)
    assert in_its_time.seconds < 1.2 * growing.kept("one head").seconds
    assert deep.bits + 0.1 < rotary.bits < in_its_time.bits - 0.1


def test_a_model_that_sees_the_answer_is_best_at_reading_and_worst_in_use() -> None:
    """Without positions it cannot tell which of the tokens is the answer, and gains less."""
    masked, seeing, placed = (growing.kept(name) for name in ("one head", *SEEING))
    assert placed.bits < 0.1 < 2 < seeing.bits < masked.bits
    assert placed.in_use > seeing.in_use > masked.bits + 0.5
    assert masked.in_use is None


def test_a_norm_pays_where_the_rate_is_high() -> None:
    """At the rate of all stages two blocks do not need it; at twice the rate two of three seeds fail without it."""
    two, bare, fast, bare_fast = (
        growing.kept(name)
        for name in ("two blocks", "two blocks without norm", "two blocks, fast", "two blocks without norm, fast")
    )
    assert abs(two.bits - bare.bits) < 0.05
    assert abs(fast.bits - two.bits) < 0.02
    assert bare_fast.bits - bare_fast.spread < fast.bits + 0.1
    assert bare_fast.bits + bare_fast.spread > 10


def test_a_head_in_place_of_the_token_is_no_better_than_no_head() -> None:
    lost, before = growing.kept("no residual"), growing.kept("embeddings")
    assert abs(lost.bits - before.bits) < 0.02


def test_a_small_run_in_a_page_agrees_with_the_record() -> None:
    now, kept = growing.small_run("characters")
    assert now == pytest.approx(kept, abs=0.02)


def test_the_table_ends_at_the_stage() -> None:
    lines = growing.stages_table("one head").splitlines()
    assert [line.split("|")[1].strip(" *") for line in lines[2:]] == list(growing.STAGES)[:5]
    assert "weights that queries and keys choose" in lines[-1]
    assert lines[-1].count("**") == 8
    assert "**" not in "".join(lines[:-1])
    brief = growing.stages_table("one head", brief=True).splitlines()
    assert brief[0] == "| stage | parameters | bits per byte |"
    assert [line.split("|")[1] for line in brief] == [line.split("|")[1] for line in lines]
    with pytest.raises(ValueError, match="is not in list"):
        growing.stages_table("no mask")


def test_what_a_stage_wrote_fits_a_page() -> None:
    for name in growing.STAGES:
        written = growing.written(name)
        assert max(map(len, written.splitlines())) <= 76
        assert 150 < len(written) < 220
    last = growing.runs_table("no residual", ("two blocks", 350)).splitlines()[-1]
    assert last.startswith("| two blocks | 350 | ")
    with pytest.raises(KeyError, match="no run of"):
        growing.kept("one head", 7)
