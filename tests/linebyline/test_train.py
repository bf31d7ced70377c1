"""The command that trains the kept models: it can be interrupted anywhere, and leaves nothing half done."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from linebyline import ablations, corpora, evaluation, pretrained, train, training_run
from linebyline import masked_language_model as mlm
from linebyline.kept_models import WEIGHTS, KeptModel
from linebyline.pretrained import LANGUAGE_MODEL, Recipe
from linebyline.training_run import EXACT

TEXTS = corpora.pydoc_topics()[:60_000], corpora.pydoc_topics()[60_000:70_000]
RECIPE = Recipe(vocab_size=300, context=16, d_model=8, n_heads=2, n_layers=1, batch=2, steps=22, warmup=2)
SMALL = replace(LANGUAGE_MODEL, recipe=RECIPE, corpus=lambda: TEXTS, every=4)


def interrupted_at(*numbers: int, of: object) -> object:
    """The function, which is interrupted at some of its calls, counted from 1."""
    calls = []

    def interrupted(*arguments: object, **options: object) -> object:
        calls.append(arguments)
        if len(calls) in numbers:
            raise KeyboardInterrupt
        return of(*arguments, **options)

    return interrupted


def test_an_interrupted_run_ends_as_one_in_one_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = SMALL.train(tmp_path / "whole.safetensors")
    monkeypatch.setattr(evaluation, "bits_per_byte", interrupted_at(3, 8, of=evaluation.bits_per_byte))
    # The third interruption leaves a record that is ahead of its checkpoint.
    monkeypatch.setattr(training_run.Trainer, "save", interrupted_at(4, of=training_run.Trainer.save))
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            SMALL.train(tmp_path / "part.safetensors")
    part = SMALL.train(tmp_path / "part.safetensors")
    assert part.record == whole.record
    for one, other in zip(part.model.parameters(), whole.model.parameters(), strict=True):
        assert torch.equal(one, other)
    assert [check[0] for check in whole.record.checks] == [4, 8, 12, 16, 20, 22]


def test_a_run_of_another_recipe_or_text_does_not_continue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KeptModel, "save", interrupted_at(1, of=None))
    with pytest.raises(KeyboardInterrupt):
        SMALL.train(tmp_path / "model.safetensors")
    others = {"recipe": replace(RECIPE, peak=1e-3)}, {"corpus": lambda: (TEXTS[0] + "more", TEXTS[1])}
    for other in others:
        with pytest.raises(ValueError, match="begun with another recipe or text: delete it"):
            replace(SMALL, **other).train(tmp_path / "model.safetensors")


def small_masked() -> KeptModel[mlm.MaskedLanguageModel]:
    sizes = {"context": 20, "shortest": 5, "d_model": 16, "n_heads": 2, "n_layers": 1, "d_ff": 32}
    recipe = mlm.Recipe(vocab_size=400, tokens=200, steps=22, warmup=4, **sizes)
    return replace(mlm.model.MASKED_LANGUAGE_MODEL, recipe=recipe, corpus=lambda: TEXTS)


@pytest.mark.parametrize("small", [SMALL, small_masked()], ids=lambda small: small.name)
def test_the_command_keeps_the_model_and_clears_up(
    small: KeptModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train, "KEPT", [small])
    train.main([small.name, "--folder", str(tmp_path)])
    path = tmp_path / f"{small.name}.safetensors"
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name, f"{small.name}.tokenizer.json"]
    kept = small.load(path)
    assert kept.record.recipe == small.recipe and len(kept.record.first) == EXACT
    assert kept.record.source == corpora.docstrings_versions()
    assert kept.record.first == pytest.approx(kept.record.losses[:EXACT], abs=0.1)  # which may be in bfloat16
    assert kept.record.checks[-1][0] == small.recipe.steps
    assert kept.record.checks[-1][1:] == pytest.approx(small.measure(kept, TEXTS), abs=1e-2)


def test_choices_are_written_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["the recipe", "learned positions", "half the batch"]
    every = ablations.alternatives(RECIPE)
    monkeypatch.setattr(pretrained, "LANGUAGE_MODEL", SMALL)
    monkeypatch.setattr(ablations, "EPOCHS", 0.02)
    monkeypatch.setattr(ablations, "alternatives", lambda recipe: {name: every[name] for name in names})
    train.main(["choices", "--folder", str(tmp_path)])
    content = json.loads((tmp_path / "choices.json").read_text(encoding="utf-8"))
    assert content["text"] == corpora.text_hash(TEXTS[0])
    found = {choice["name"]: choice for choice in content["choices"]}
    assert list(found) == names
    assert found["learned positions"]["parameters"] == found["the recipe"]["parameters"] + 16 * 8
    assert found["half the batch"]["steps"] == pytest.approx(2 * found["the recipe"]["steps"], abs=1)
    assert all(1 < choice["bits_per_byte"] < 9 and abs(choice["gain"]) < 1 for choice in found.values())


def test_kept_choices_are_those_of_the_command_on_the_text_of_the_kept_model() -> None:
    content = json.loads((WEIGHTS / "choices.json").read_text(encoding="utf-8"))
    every = ablations.alternatives(Recipe())
    assert [choice["name"] for choice in content["choices"]] == list(every)
    assert content["text"] == pretrained.language_model().record.text
    assert content["epochs"] == ablations.EPOCHS
    for recipe, start, *_ in every.values():  # each fits the page
        model = start(recipe, torch.Generator().manual_seed(0))
        assert 0.6e6 < sum(parameter.numel() for parameter in model.parameters()) < 1e6
