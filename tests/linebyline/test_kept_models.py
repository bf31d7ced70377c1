"""The models that are kept with the course: each is what its recipe makes of its text."""

import math

import pytest
import torch

from linebyline import corpora, train
from linebyline.kept_models import WEIGHTS
from linebyline.training_run import EXACT

SLOW = {"translator": 5}  # steps of the longest run


@pytest.mark.parametrize("kept", train.KEPT, ids=lambda kept: kept.name)
def test_a_kept_model_is_that_of_its_recipe_and_its_text(kept):
    trained, text = kept.load(), kept.corpus()[0]
    record = trained.record
    assert (record.recipe, record.text) == (kept.recipe, corpora.text_hash(text))
    if kept.tokenizer:
        again = kept.vocabulary(kept.recipe, text)
        assert (trained.tokenizer.vocab, getattr(trained.tokenizer, "merges", None)) == (
            again.vocab,
            getattr(again, "merges", None),
        )
    assert (WEIGHTS / f"{kept.name}.safetensors").stat().st_size < 2e6
    assert not trained.model.training
    assert {parameter.dtype for parameter in trained.model.parameters()} == {torch.float32}
    assert record.checks[-1][0] == kept.recipe.steps
    assert len(record.losses) == math.ceil(kept.recipe.steps / record.every)


@pytest.mark.parametrize(
    "kept", [pytest.param(kept, id=kept.name, marks=[pytest.mark.slow] * (kept.name in SLOW)) for kept in train.KEPT]
)
def test_the_first_losses_come_out_again(kept):
    text, steps = kept.corpus()[0], SLOW.get(kept.name, EXACT)
    losses = kept.trainer(kept.recipe, kept.vocabulary(kept.recipe, text), text).run(steps)
    assert losses == pytest.approx(kept.load().record.first[:steps], abs=1e-3)
