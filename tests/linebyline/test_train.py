"""The command that trains what is kept: it can be interrupted anywhere, and leaves nothing half done."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from linebyline import corpora, evaluation, pretrained, resumed, train
from linebyline.pretrained import LanguageModel, Recipe

SMALL = Recipe(vocab_size=300, context=16, d_model=8, n_heads=2, n_layers=1, batch=2, steps=22, warmup=2)
TEXTS = corpora.pydoc_topics()[:60_000], corpora.pydoc_topics()[60_000:70_000]


def trained(checkpoint: Path, recipe: Recipe = SMALL, texts: tuple[str, str] = TEXTS) -> LanguageModel:
    return train.train(recipe, texts, checkpoint=checkpoint, every=4)


def test_an_interrupted_training_ends_as_one_in_one_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = trained(tmp_path / "whole.checkpoint.safetensors")
    checkpoint, measure, calls = tmp_path / "part.checkpoint.safetensors", evaluation.bits_per_byte, []

    def interrupted(*arguments: object) -> float:
        calls.append(arguments)
        if len(calls) in (3, 8):
            raise KeyboardInterrupt
        return measure(*arguments)

    monkeypatch.setattr(evaluation, "bits_per_byte", interrupted)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            trained(checkpoint)
    part = trained(checkpoint)
    assert len(calls) == 3 + 5 + 6
    assert part.record == whole.record
    for one, other in zip(part.model.parameters(), whole.model.parameters(), strict=True):
        assert torch.equal(one, other)
    assert [check[0] for check in whole.record.checks] == [4, 8, 12, 16, 20, 22]


def test_a_record_that_is_ahead_of_its_checkpoint_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = trained(tmp_path / "whole.checkpoint.safetensors")
    checkpoint, save, calls = tmp_path / "part.checkpoint.safetensors", resumed.Trainer.save, []

    def interrupted(*arguments: object) -> None:
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        save(*arguments)

    monkeypatch.setattr(resumed.Trainer, "save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        trained(checkpoint)
    assert trained(checkpoint).record == whole.record


def test_another_recipe_or_text_does_not_go_on(tmp_path: Path) -> None:
    checkpoint = tmp_path / "model.checkpoint.safetensors"
    trained(checkpoint)
    with pytest.raises(ValueError, match="begun with another recipe or text: delete it"):
        trained(checkpoint, replace(SMALL, peak=1e-3))
    with pytest.raises(ValueError, match="begun with another recipe or text: delete it"):
        trained(checkpoint, texts=(TEXTS[0] + "more", TEXTS[1]))


def test_the_command_keeps_the_model_and_clears_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "Recipe", lambda: SMALL)
    monkeypatch.setattr(corpora, "docstrings_split", lambda: TEXTS)
    train.main(["language_model", "--folder", str(tmp_path)])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["language_model.safetensors", "language_model.tokenizer.json"]
    kept = pretrained.load(tmp_path / "language_model.safetensors")
    assert kept.record.recipe == SMALL
    assert kept.record.source == corpora.docstrings_versions()
    assert kept.record.checks[-1][0] == SMALL.steps
    assert evaluation.bits_per_byte(kept, TEXTS[1]) == pytest.approx(kept.record.checks[-1][2], abs=1e-2)


def test_choices_are_written_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["the recipe", "learned positions", "half the batch"]
    monkeypatch.setattr(train, "Recipe", lambda: SMALL)
    monkeypatch.setattr(corpora, "docstrings_split", lambda: TEXTS)
    monkeypatch.setattr(train, "EPOCHS", 0.02)
    every = train.alternatives()
    monkeypatch.setattr(train, "alternatives", lambda: {name: every[name] for name in names})
    train.main(["choices", "--folder", str(tmp_path)])
    content = json.loads((tmp_path / "choices.json").read_text(encoding="utf-8"))
    assert content["text"] == corpora.text_hash(TEXTS[0])
    found = {choice["name"]: choice for choice in content["choices"]}
    assert list(found) == names
    assert found["learned positions"]["parameters"] == found["the recipe"]["parameters"] + 16 * 8
    assert found["half the batch"]["steps"] == pytest.approx(2 * found["the recipe"]["steps"], abs=1)
    assert all(1 < choice["bits_per_byte"] < 9 and abs(choice["gain"]) < 1 for choice in found.values())


def test_each_alternative_differs_in_one_choice_and_fits_the_page() -> None:
    recipes = [recipe for recipe, _ in train.alternatives().values()]
    assert recipes[0] == Recipe()
    for recipe, start in train.alternatives().values():
        model = start(recipe, torch.Generator().manual_seed(0))
        assert 0.6e6 < sum(parameter.numel() for parameter in model.parameters()) < 1e6


def test_kept_choices_are_those_of_the_command_on_the_text_of_the_kept_model() -> None:
    content = json.loads((pretrained.WEIGHTS / "choices.json").read_text(encoding="utf-8"))
    assert [choice["name"] for choice in content["choices"]] == list(train.alternatives())
    assert content["text"] == pretrained.language_model().record.text
    assert content["epochs"] == train.EPOCHS
