"""Recorded experiments: what was interrupted goes on, what is kept is what the command makes."""

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch

from linebyline.experiments import __main__ as command
from linebyline.experiments import model_size, results, small_decoders, studies, warmup
from linebyline.experiments.studies import Facts, Study, Texts

TEXTS = Texts(torch.arange(100), torch.arange(100), "letters")
MODULES = {name: import_module(f"linebyline.experiments.{name}") for name in command.STUDIES}


def drawn(setting: Facts, texts: Texts, device: str, progress: Callable[[Iterable[int]], Iterable[int]]) -> Facts:
    generator = torch.Generator().manual_seed(setting["seed"])
    return {"found": [torch.rand(1, generator=generator).item() for _ in progress(range(3))]}


TOY = Study("toy", {"rate": 0.5, "sizes": (2, 3)}, [{"seed": i} for i in range(5)], lambda setting: (3, 7), drawn)


@pytest.fixture(scope="module")
def texts() -> Texts:
    return studies.course_texts()


def runs(folder: Path) -> list[dict[str, Any]]:
    return studies.read("toy", folder)["runs"]


# --- the file ---


def test_an_interrupted_study_ends_as_one_in_one_go(tmp_path: Path) -> None:
    studies.complete(TOY, TEXTS, tmp_path / "whole")
    calls = list[int]()

    def interrupted(setting: Facts, *others: Any) -> Facts:
        calls.append(setting["seed"])
        if len(calls) in (3, 4):
            raise KeyboardInterrupt
        return drawn(setting, *others)

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            studies.complete(replace(TOY, measure=interrupted), TEXTS, tmp_path / "part")
        assert [run["setting"]["seed"] for run in runs(tmp_path / "part")] == [0, 1]
    studies.complete(replace(TOY, measure=interrupted), TEXTS, tmp_path / "part")
    assert calls == [0, 1, 2, 2, 2, 3, 4]
    assert (tmp_path / "part" / "toy.json").read_text() == (tmp_path / "whole" / "toy.json").read_text()
    studies.complete(replace(TOY, measure=interrupted), TEXTS, tmp_path / "part")
    assert len(calls) == 7


def test_seeds_that_are_added_later_find_their_place(tmp_path: Path) -> None:
    studies.complete(TOY, TEXTS, tmp_path / "whole")
    studies.complete(replace(TOY, settings=[TOY.settings[0], TOY.settings[3]]), TEXTS, tmp_path / "part")
    studies.complete(TOY, TEXTS, tmp_path / "part")
    assert (tmp_path / "part" / "toy.json").read_text() == (tmp_path / "whole" / "toy.json").read_text()


def test_a_record_is_replaced_in_one_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    studies.complete(replace(TOY, settings=TOY.settings[:2]), TEXTS, tmp_path)
    before, seen = (tmp_path / "toy.json").read_text(), list[str]()

    def killed(source: str, target: Path) -> None:
        seen.append(Path(target).read_text())
        assert len(json.loads(Path(source).read_text())["runs"]) == 3
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        studies.complete(TOY, TEXTS, tmp_path)
    assert seen == [before]
    assert [path.name for path in tmp_path.iterdir()] == ["toy.json"]
    assert (tmp_path / "toy.json").read_text() == before


@pytest.mark.parametrize(
    ("study", "texts", "message"),
    [
        (replace(TOY, recipe={**TOY.recipe, "rate": 0.25}), TEXTS, r"rate is 0\.5 there and 0\.25 here\. Delete it"),
        (replace(TOY, recipe={"rate": 0.5}), TEXTS, r"sizes is \[2, 3\] there and None here"),
        (TOY, TEXTS._replace(name="words"), "text is 'letters' there and 'words' here"),
        (replace(TOY, settings=TOY.settings[1:]), TEXTS, r"it has a run of \{'seed': 0\}"),
    ],
)
def test_a_record_that_was_begun_otherwise_stays(study: Study, texts: Texts, message: str, tmp_path: Path) -> None:
    studies.complete(TOY, TEXTS, tmp_path)
    before = (tmp_path / "toy.json").read_text()
    with pytest.raises(ValueError, match=message):
        studies.complete(study, texts, tmp_path)
    assert (tmp_path / "toy.json").read_text() == before


def test_a_record_of_another_machine_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    studies.complete(TOY, TEXTS, tmp_path)
    other = {"processor": "another", "cores": 1, "system": "", "python": "", "packages": {}}
    monkeypatch.setattr(studies, "machine", lambda packages: other)
    with pytest.raises(ValueError, match=r"processor is .* there and 'another' here"):
        studies.complete(TOY, TEXTS, tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is no record of a study: Expecting"),
        ("3", "is no record of a study: argument"),
        ('{"recipe": {}, "date": "", "text": ""}', "is no record of a study: it lacks machine, runs"),
    ],
)
def test_a_file_that_is_no_record_is_refused(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "toy.json").write_text(content)
    with pytest.raises(ValueError, match=message):
        studies.complete(TOY, TEXTS, tmp_path)


# --- the command ---


def test_the_command_makes_the_studies_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "STUDIES", {"toy": TOY, "other": replace(TOY, name="other")})
    monkeypatch.setattr(studies, "course_texts", lambda: TEXTS)
    command.main(["other", "--folder", str(tmp_path)])
    assert [path.name for path in tmp_path.iterdir()] == ["other.json"]
    command.main(["--folder", str(tmp_path)])
    assert len(runs(tmp_path)) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["warmth"],
            "no study warmth; there are first_network, our_model, positions, questions, heads, copying, second_copy, "
            "relative, blocks, warmup, batch_size, first_steps, model_size, own_decoder, swap_positions, "
            "longer_windows, quiet_start, answering, preferences",
        ),
        (["--device", "gpu"], "--device gpu: "),
        (["--device", "cuda:99"], "--device cuda:99: "),
    ],
)
def test_the_command_refuses(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(arguments)
    last = capsys.readouterr().err.splitlines()[-1]
    assert message in last
    assert len(last) < 400


def test_the_command_says_why_a_record_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "STUDIES", {"toy": TOY})
    monkeypatch.setattr(studies, "course_texts", lambda: TEXTS)
    (tmp_path / "toy.json").write_text("{")
    with pytest.raises(SystemExit, match="is no record of a study"):
        command.main(["--folder", str(tmp_path)])


# --- what is kept ---


@pytest.mark.parametrize("name", MODULES)
def test_what_is_kept_is_whole(name: str, texts: Texts) -> None:
    study, record = MODULES[name].STUDY, studies.read(name)
    assert record["recipe"] == json.loads(json.dumps(study.recipe))
    assert record["text"] == texts.name
    assert [run["setting"] for run in record["runs"]] == list(study.settings)
    assert set(record["machine"]) == {"processor", "cores", "system", "python", "packages", "device"}
    assert (studies.RECORDS / f"{name}.json").stat().st_size < 100_000
    numbers = torch.tensor([float(n) for run in record["runs"] for n in run["first"]])
    assert numbers.isfinite().all()


@pytest.mark.parametrize("name", MODULES)
def test_the_first_losses_are_made_again(name: str, texts: Texts) -> None:
    """On any machine: the first, the last and one in between of the settings."""
    runs = studies.read(name)["runs"]
    for run in (runs[0], runs[len(runs) // 2], runs[-1]):
        made = MODULES[name].prepared(run["setting"], texts)
        assert made.run(3) == pytest.approx(run["first"], abs=1e-3)


# --- what the claims read ---


def test_warm_up_decides_at_one_setting_and_not_at_another() -> None:
    """Beyond the intervals, which five seeds make."""
    gains = results.gains(studies.read("warmup"))
    decides, same = gains["post", 4, 1e-2], gains["pre", 4, 1e-2]
    assert decides.n == same.n == 5
    assert decides.mean - decides.half > max(0, same.mean + same.half)
    assert not same.decided


def test_deep_post_norm_stays_at_frequencies_in_every_run_and_pre_norm_does_not() -> None:
    runs = [run for run in studies.read("warmup")["runs"] if run["setting"]["n_layers"] > 4]
    high = [run for run in runs if run["setting"]["peak"] == max(warmup.RATES)]
    post, pre = ([run["unseen"] for run in high if run["setting"]["norm"] == norm] for norm in ("post", "pre"))
    assert max(pre) + 0.1 < min(post)
    assert max(post) - min(post) < 0.05


def test_the_best_size_grows_with_the_budget_seed_by_seed() -> None:
    record = studies.read("model_size")
    for seed in range(model_size.SEEDS):
        sizes = []
        for budget in model_size.BUDGETS:
            of_one = {"seed": seed, "budget": budget}
            runs = [run for run in record["runs"] if of_one.items() <= run["setting"].items()]
            sizes.append(model_size.best_size({run["parameters"]: run["unseen"] for run in runs}).parameters)
        assert 2 < sizes[1] / sizes[0] < 5


def test_the_noise_scale_begins_near_a_thousand_tokens_and_stays_below_a_thousand_windows() -> None:
    scales = results.noise_scales(studies.read("batch_size"))
    assert 500 < small_decoders.CONTEXT * scales[0].mean < 2000
    assert all(scale.mean < 500 for scale in scales.values())
