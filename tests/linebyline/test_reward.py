"""Learning from rewards in the small world: what a check accepts, what is sampled, and what a step changes."""

import random
from itertools import pairwise

import pytest
import torch

from clearformer.models import Decoder
from linebyline.assistant import chat, reward
from linebyline.assistant.model import base_model
from linebyline.assistant.world import END, PAD, WORDS


@pytest.fixture(scope="module")
def model() -> Decoder:
    return base_model()


def ids(text: str) -> list[int]:
    return [*WORDS.encode(text.split()), END]


def sampled_from(model: Decoder, n: int = 2) -> reward.Answers:
    generator = torch.Generator().manual_seed(0)
    return reward.answers(model, reward.draw_pairs(random.Random(0), 2), n, generator, reward.strict)


@pytest.mark.parametrize(
    ("answer", "exact", "strict", "loose"),
    [
        ("3 7 + 4 8 = 8 5 .", 1, 1, 1),
        ("3 7 + 4 8 = 8 6 .", 0, 0, 0),
        ("3 7 + 5 8 = 8 5 .", 0, 1, 1),
        ("4 8 + 3 7 = 8 5 .", 0, 1, 1),
        ("3 7 + 4 8 = 8 5 or 8 6 .", 0, 0, 1),
        ("1 2 8 5 9", 0, 0, 1),
    ],
)
def test_a_check_reads_all_of_an_answer_or_its_end_or_digits_anywhere(
    answer: str, exact: float, strict: float, loose: float
) -> None:
    pair = chat.sum_pair(37, 48)
    assert reward.exact(ids(answer), pair) == exact
    assert reward.strict(ids(answer), pair) == strict
    assert reward.number_anywhere(ids(answer), pair) == loose


def test_tokens_of_answers_count_and_padding_does_not(model: Decoder) -> None:
    sampled = sampled_from(model)
    assert sampled.rewards.shape == (2, 2)
    for row, counted in zip(sampled.ids.tolist(), sampled.counted.tolist(), strict=True):
        length = row.index(END) + 1 if END in row else len(row)
        assert counted == [t < length for t in range(len(row))]
        assert set(row[length:]) <= {PAD}
    log_probs, entropy = sampled.log_probs(model)
    assert (log_probs <= 0).all() and entropy > 0


def test_a_rewarded_copy_leaves_the_model_as_it_was(model: Decoder) -> None:
    before = {name: p.clone() for name, p in model.named_parameters()}
    made = [
        reward.rewarded(model, reward.ADVANTAGES["no baseline"], steps=1, reward=lambda ids, pair: 1.0, evenly=evenly)
        for evenly in (False, True)
    ]
    assert all(torch.equal(p, before[name]) for name, p in model.named_parameters())
    tables = [model.embedding.table, *(each.embedding.table for each in made)]
    assert not any(torch.equal(a, b) for a, b in pairwise(tables))


def test_right_answers_are_kept_once(model: Decoder) -> None:
    kept = reward.kept(model, random.Random(0), 8, torch.Generator().manual_seed(0), lambda ids, pair: 1.0)
    assert len(set(kept)) == len(kept) > 8
    assert not reward.kept(model, random.Random(0), 8, torch.Generator().manual_seed(0), lambda ids, pair: 0.0)


def test_without_a_difference_grpo_changes_nothing(model: Decoder) -> None:
    made = reward.rewarded(model, steps=1, reward=lambda ids, pair: 1.0)
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), made.parameters(), strict=True))


def test_a_constant_adds_noise_and_no_difference_adds_none(model: Decoder) -> None:
    ways = {"always 1": torch.ones_like, "nothing": torch.zeros_like}
    found = reward.signal_and_noise(model, ways, 2, evenly=True)
    assert found["nothing"] == (0, 0)
    assert found["always 1"][1] > 0
