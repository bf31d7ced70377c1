"""What an encoder gains from both sides of a hidden token: what is drawn, and what the command has written."""

import json

import numpy as np
import pytest
import torch

from clearformer.training import IGNORE_INDEX
from linebyline import corpora
from linebyline import masked_language_model as mlm
from linebyline.encoder import practice, roles, two_sides
from linebyline.kept_models import WEIGHTS


def test_a_hidden_symbol_has_its_twin_in_sight() -> None:
    inputs, targets = two_sides.draw(torch.Generator().manual_seed(0), n=400)
    hidden = inputs == two_sides.MASK
    first, second = torch.split(hidden, two_sides.LENGTH, dim=1)
    assert not (first & second).any()
    assert hidden.float().mean().item() == pytest.approx(two_sides.RATE / 2, abs=0.02)
    twins = inputs.roll(two_sides.LENGTH, dims=1)
    assert torch.equal(twins[hidden], targets[hidden])
    assert (targets[~hidden] == IGNORE_INDEX).all()


@pytest.mark.parametrize(("turn", "share"), [(two_sides.LENGTH, 1.0), (0, 0.0)])
def test_who_says_the_twin_is_right_in_both_copies_and_who_says_what_is_read_in_none(turn: int, share: float) -> None:
    class Sayer(torch.nn.Module):
        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.one_hot(ids.roll(turn, dims=1), two_sides.SYMBOLS + 1).float()

    assert two_sides.right(Sayer()) == (share, share)


def test_both_models_start_alike_and_differ_in_what_they_see() -> None:
    models = two_sides.models(seed=3)
    one, other = (dict(model.named_parameters()) for model in models.values())
    for name, parameter in one.items():
        assert torch.equal(parameter, other[name.replace("head.", "lm_head.")])
    inputs, _ = two_sides.draw(torch.Generator().manual_seed(0), n=1)
    changed = inputs.clone()
    changed[0, -1] = inputs[0, -1] % two_sides.SYMBOLS + 1
    with torch.no_grad():
        moved = {
            name: bool((model(inputs) - model(changed))[0, 0].abs().max() > 1e-6) for name, model in models.items()
        }
    assert moved == {"both sides": True, "left only": False}


def test_what_was_measured_on_two_sides_holds() -> None:
    measured = json.loads((WEIGHTS / "encoder.json").read_text(encoding="utf-8"))["two_sides"]
    assert measured["steps"] == two_sides.STEPS and list(measured["found"]) == list(two_sides.models(0))
    assert len(measured["found"]["both sides"]) >= 5
    assert np.min(measured["found"]["both sides"]) >= 0.95
    assert np.max(np.array(measured["found"]["left only"])[:, 0]) <= 0.2


def test_some_hidden_symbols_are_read_in_a_mixture() -> None:
    (inputs, targets), (read, true) = (
        draw(torch.Generator().manual_seed(0), n=2000) for draw in (two_sides.draw, two_sides.mixed)
    )
    assert torch.equal(true, targets)
    asked = targets != IGNORE_INDEX
    assert torch.equal(read[~asked], inputs[~asked])
    shares = [(read[asked] == two_sides.MASK).float().mean(), (read[asked] == targets[asked]).float().mean()]
    np.testing.assert_allclose(shares, [0.8, 0.1], atol=0.02)


def test_a_wrong_symbol_gives_no_hint_of_the_true_one() -> None:
    read, targets = two_sides.places(0, n=4000)
    asked = targets != IGNORE_INDEX
    turns = ((read["another"] - targets) % two_sides.SYMBOLS)[asked].bincount(minlength=two_sides.SYMBOLS)
    assert turns[0] == 0 and turns[1:].min() > 0.7 * turns[1:].float().mean()


def test_a_token_is_hidden_between_its_neighbors_and_no_other() -> None:
    ids, places = torch.arange(100, 200), torch.tensor([50, 60])
    for left, right in practice.SIDES.values():
        read, asked = practice.around(ids, places, left, right)
        assert read.shape == (2, left + right + 3) and (read == mlm.MASK).sum() == 2
        assert asked[asked != IGNORE_INDEX].tolist() == [150, 160]
        assert read[0, 1 : left + 1].tolist() == list(range(150 - left, 150))
        assert read[0, left + 2 : -1].tolist() == list(range(151, 151 + right))


def test_what_was_measured_of_practice_holds() -> None:
    measured = json.loads((WEIGHTS / "encoder.json").read_text(encoding="utf-8"))["practice"]
    assert measured["steps"] == practice.STEPS and measured["places"] == 418
    kept, text = mlm.masked_language_model(), corpora.docstrings_split()[1]
    unseen, starts = mlm.passages(kept.tokenizer, text)
    places = practice.asked_for(unseen, starts)
    for sides, cost in measured["found"]["none"][0].items():
        assert practice.costs(kept.model, unseen, places, sides).mean().item() == pytest.approx(cost, abs=1e-3)
    left, both = (measured["found"][name] for name in practice.SIDES)
    assert max(run["left"] for run in left) < min(run["left"] for run in both)
    assert max(run["both"] for run in both) < min(run["left"] for run in left) - 0.9


def test_what_was_measured_of_masks_and_tags_holds() -> None:
    measured = json.loads((WEIGHTS / "encoder.json").read_text(encoding="utf-8"))
    masks, tags = measured["masks"], measured["tags"]
    assert masks["steps"] == two_sides.STEPS and tags["steps"] == roles.STEPS
    alone, mixed = (masks["found"][name] for name in ("masks alone", "80-10-10"))
    assert len(alone) == len(mixed) == 5
    assert max(run["another"] for run in alone) < min(run["another"] for run in mixed)
    assert min(tags["found"]["fine-tuned"]) > max(tags["found"]["from scratch"])
