"""The project: weights from a dictionary make our model, and its bar separates what is right from what is not."""

import pytest
import torch

from linebyline import growing
from linebyline.experiments import studies
from linebyline.growing.mistakes import MISTAKES, decoder
from linebyline.our_model import gpt

BAR = 2.45  # as the page says
IDS = torch.tensor([[3, 1, 4, 1, 5], [2, 7, 1, 8, 2]])


def test_the_weights_are_those_of_our_model_by_other_names() -> None:
    """All of them are used, and none by two names."""
    w = growing.start(11, 8, 2, seed=3)
    model, given = gpt(11, 8, 2, 2), growing.Given(w, 2)
    model.load_state_dict(given._named())
    torch.testing.assert_close(given(IDS), model(IDS))
    given(IDS).square().sum().backward()
    assert all(given.w[name].grad.abs().sum() > 0 for name in w)
    assert sum(t.numel() for t in w.values()) == sum(p.numel() for p in model.parameters())


def test_a_decoder_without_a_mistake_is_our_model() -> None:
    torch.manual_seed(0)
    ours = gpt(11, 8, 2, 2)
    torch.manual_seed(0)
    assert torch.equal(decoder(11, 8, 2, 2)(IDS), ours(IDS))


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_changes_the_logits(mistake: str) -> None:
    w = growing.start(11, 8, 2)
    assert (growing.Given(w, 2, **MISTAKES[mistake])(IDS) - growing.Given(w, 2)(IDS)).abs().max() > 1e-2


def test_the_bar_is_between_what_is_right_and_what_is_not() -> None:
    runs = studies.read("own_decoder")["runs"]
    right = [run["setting"]["kind"] in ("no mistake", "given weights") for run in runs]
    bits = [run.get("in_use", run["bits"]) for run in runs]
    assert max(b for b, fine in zip(bits, right, strict=True) if fine) + 0.03 < BAR
    assert min(b for b, fine in zip(bits, right, strict=True) if not fine) - 0.06 > BAR
