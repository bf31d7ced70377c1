"""Recorded experiments: what was interrupted goes on, what is kept is what the command makes."""

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import training
from clearformer.course.experiments import __main__ as command
from clearformer.course.experiments import batch_size, model_size, noise_scale, records, trainings, warmup
from clearformer.course.experiments.records import Facts, Study, Texts

TEXTS = Texts(torch.arange(100), torch.arange(100), "letters")
MODULES = {"warmup": warmup, "batch_size": batch_size, "model_size": model_size}


def drawn(setting: Facts, texts: Texts, device: str, progress: Callable[[Iterable[int]], Iterable[int]]) -> Facts:
    generator = torch.Generator().manual_seed(setting["seed"])
    return {"found": [torch.rand(1, generator=generator).item() for _ in progress(range(3))]}


TOY = Study("toy", {"rate": 0.5, "sizes": (2, 3)}, [{"seed": i} for i in range(5)], lambda setting: (3, 7), drawn)


@pytest.fixture(scope="module")
def texts() -> Texts:
    return records.course_texts()


def runs(folder: Path) -> list[dict[str, Any]]:
    return records.read("toy", folder)["runs"]


# --- the file ---


def test_an_interrupted_study_ends_as_one_in_one_go(tmp_path: Path) -> None:
    records.complete(TOY, TEXTS, tmp_path / "whole")
    calls = list[int]()

    def interrupted(setting: Facts, *others: Any) -> Facts:
        calls.append(setting["seed"])
        if len(calls) in (3, 4):
            raise KeyboardInterrupt
        return drawn(setting, *others)

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            records.complete(replace(TOY, measure=interrupted), TEXTS, tmp_path / "part")
        assert [run["setting"]["seed"] for run in runs(tmp_path / "part")] == [0, 1]
    records.complete(replace(TOY, measure=interrupted), TEXTS, tmp_path / "part")
    assert calls == [0, 1, 2, 2, 2, 3, 4]
    assert (tmp_path / "part" / "toy.json").read_text() == (tmp_path / "whole" / "toy.json").read_text()
    records.complete(replace(TOY, measure=interrupted), TEXTS, tmp_path / "part")
    assert len(calls) == 7


def test_a_record_is_replaced_in_one_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records.complete(replace(TOY, settings=TOY.settings[:2]), TEXTS, tmp_path)
    before, seen = (tmp_path / "toy.json").read_text(), list[str]()

    def killed(source: str, target: Path) -> None:
        seen.append(Path(target).read_text())
        assert len(json.loads(Path(source).read_text())["runs"]) == 3
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        records.complete(TOY, TEXTS, tmp_path)
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
    records.complete(TOY, TEXTS, tmp_path)
    before = (tmp_path / "toy.json").read_text()
    with pytest.raises(ValueError, match=message):
        records.complete(study, texts, tmp_path)
    assert (tmp_path / "toy.json").read_text() == before


def test_a_record_of_another_machine_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records.complete(TOY, TEXTS, tmp_path)
    other = {"processor": "another", "cores": 1, "system": "", "python": "", "packages": {}}
    monkeypatch.setattr(records, "machine", lambda packages: other)
    with pytest.raises(ValueError, match=r"processor is .* there and 'another' here"):
        records.complete(TOY, TEXTS, tmp_path)


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
        records.complete(TOY, TEXTS, tmp_path)


# --- the command ---


def test_the_command_makes_the_studies_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "STUDIES", {"toy": TOY, "other": replace(TOY, name="other")})
    monkeypatch.setattr(records, "course_texts", lambda: TEXTS)
    command.main(["other", "--folder", str(tmp_path)])
    assert [path.name for path in tmp_path.iterdir()] == ["other.json"]
    command.main(["--folder", str(tmp_path)])
    assert len(runs(tmp_path)) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["warmth"], "no study warmth; there are warmup, batch_size, model_size"),
        (["--device", "gpu"], "--device gpu: "),
        (["--device", "cuda:99"], "--device cuda:99: "),
    ],
)
def test_the_command_refuses(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(arguments)
    last = capsys.readouterr().err.splitlines()[-1]
    assert message in last
    assert len(last) < 300


def test_the_command_says_why_a_record_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "STUDIES", {"toy": TOY})
    monkeypatch.setattr(records, "course_texts", lambda: TEXTS)
    (tmp_path / "toy.json").write_text("{")
    with pytest.raises(SystemExit, match="is no record of a study"):
        command.main(["--folder", str(tmp_path)])


# --- the noise scale ---


def test_the_noise_scale_worked_by_hand() -> None:
    """Mean (2, 0): |g_large|² is 4, and the small ones have 5 and 5, with 3 examples each."""
    found = noise_scale.noise_scale(torch.tensor([[2.0, 1.0], [2.0, -1.0]]), size=3)
    assert found == pytest.approx(((6 * 4 - 3 * 5) / 3, (5 - 4) / (1 / 3 - 1 / 6)))
    assert found.simple == pytest.approx(6 / 3)


@given(st.integers(2, 11), st.integers(1, 13), st.integers(1, 7), st.integers(0, 1000))
def test_both_lengths_follow_from_the_estimate(n: int, size: int, width: int, seed: int) -> None:
    """A mean over b examples is expected to have squared length |G|² + tr Σ / b: two lengths, two unknowns."""
    small = torch.randn(n, width, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    found = noise_scale.noise_scale(small, size)
    of_small, of_large = small.square().sum(1).mean().item(), small.mean(0).square().sum().item()
    assert found.squared + found.variance / size == pytest.approx(of_small, abs=1e-9)
    assert found.squared + found.variance / (n * size) == pytest.approx(of_large, abs=1e-9)


def test_the_estimate_is_right_in_the_mean_over_many_draws() -> None:
    """Gradients of single examples are normal, with known mean and known, unequal variances."""
    generator = torch.Generator().manual_seed(0)
    mean, deviations = torch.tensor([0.3, -0.4, 0.0]).double(), torch.tensor([1.0, 2.0, 3.0]).double()
    noise = torch.randn(20_000, 5, 3, generator=generator, dtype=torch.float64)
    small = mean + deviations * noise / 2  # the means of 4 examples each
    found = [noise_scale.noise_scale(of_one, 4) for of_one in small[:4000]]
    squared = torch.tensor([one.squared for one in found])
    variance = torch.tensor([one.variance for one in found])
    for estimates, truth in ((squared, 0.25), (variance, 14.0)):
        error = estimates.std().item() / len(found) ** 0.5
        assert estimates.mean().item() == pytest.approx(truth, abs=3 * error)
        assert error < 0.02 * truth + 0.02


def test_gradients_are_those_of_backward_and_change_nothing() -> None:
    model = torch.nn.Embedding(7, 7)
    batches = [(torch.tensor([1, 2]), torch.tensor([3, 4])), (torch.tensor([5]), torch.tensor([6]))]
    found = noise_scale.gradients(model, batches)
    assert model.weight.grad is None
    for row, batch in zip(found, batches, strict=True):
        model.zero_grad()
        training.next_token_loss(model, batch).backward()
        torch.testing.assert_close(row, model.weight.grad.flatten())


@pytest.mark.parametrize(("n", "size"), [(1, 4), (0, 4), (2, 0)])
def test_too_few_gradients_are_refused(n: int, size: int) -> None:
    with pytest.raises(ValueError, match=rf"{n} batches of size={size}: the estimate needs two batches"):
        noise_scale.noise_scale(torch.zeros(n, 3), size)


# --- the trainings ---


def test_updates_and_gradients_are_measured_block_by_block() -> None:
    recipe = trainings.sizes(8, 2, vocab_size=11, batch=2, steps=5, warmup=0, peak=1e-2)
    made = trainings.trainer(recipe, torch.arange(11).repeat(9), norm="post")
    before = warmup.matrices(made.model)
    list(made.run(1))
    with torch.no_grad():
        for number, block in enumerate(trainings.blocks(made.model)):
            for p, old in zip((p for p in block.parameters() if p.ndim == 2), before[number], strict=True):
                p.copy_(old * (1.5 + number))
                p.grad = torch.full_like(p, 3.0) if p is block.attention.w_o else torch.zeros_like(p)
    assert warmup.watched(made.model, before) == {"update": [0.5, 1.5], "gradient": [24.0, 24.0]}


def test_a_post_norm_decoder_has_no_last_norm_and_reads_the_same_windows() -> None:
    recipe = trainings.sizes(16, 2, vocab_size=37, batch=3, steps=5, warmup=0)
    post, pre = (trainings.trainer(recipe, torch.arange(37).repeat(9), norm=norm) for norm in ("post", "pre"))
    apart = {n for n, _ in pre.model.named_parameters()} ^ {n for n, _ in post.model.named_parameters()}
    assert apart == {"norm.gamma", "norm.beta"}
    assert torch.equal(post.batches(post.generator)[0], pre.batches(pre.generator)[0])


def test_unseen_text_costs_a_blind_guess_its_logarithm() -> None:
    blind = torch.nn.Embedding.from_pretrained(torch.zeros(100, 100))
    assert trainings.unseen_loss(blind, torch.arange(100)) == pytest.approx(4.6052)


def test_a_width_that_no_head_divides_is_refused() -> None:
    with pytest.raises(ValueError, match="d_model=12 must be a multiple of the width of a head, 8"):
        trainings.sizes(12, 1)


def test_the_budget_is_spent_by_the_rule_of_six() -> None:
    for setting in model_size.settings():
        tokens = model_size.steps_of(setting) * model_size.BATCH * trainings.CONTEXT
        spent = 6 * tokens * model_size.parameters(setting["d_model"], setting["n_layers"])
        assert spent == pytest.approx(setting["budget"], rel=0.01)


def test_operations_are_about_six_for_each_parameter_and_token() -> None:
    for shape in model_size.SIZES:
        assert 5.5 < model_size.counted(*shape) < 8


def test_the_lowest_point_of_a_parabola() -> None:
    """3 + (ln N - ln 5000)² has its lowest point at 5000."""
    losses = {n: 3 + torch.log(torch.tensor(n / 5000)).item() ** 2 for n in (1e3, 3e3, 2e4, 5e4)}
    assert model_size.best_size(losses) == pytest.approx((5000, 3), rel=1e-4)
    with pytest.raises(ValueError, match="bend downwards"):
        model_size.best_size({n: -loss for n, loss in losses.items()})
    with pytest.raises(ValueError, match="three sizes at least, got 2"):
        model_size.best_size({1e3: 4.0, 1e4: 3.0})


# --- what is kept ---


@pytest.mark.parametrize("name", MODULES)
def test_what_is_kept_is_whole(name: str, texts: Texts) -> None:
    study, record = MODULES[name].STUDY, records.read(name)
    assert record["recipe"] == json.loads(json.dumps(study.recipe))
    assert record["text"] == texts.name
    assert [run["setting"] for run in record["runs"]] == list(study.settings)
    assert set(record["machine"]) == {"processor", "cores", "system", "python", "packages", "device"}
    assert (records.RECORDS / f"{name}.json").stat().st_size < 100_000
    numbers = torch.tensor([float(n) for run in record["runs"] for n in run["first"]])
    assert numbers.isfinite().all()


@pytest.mark.parametrize("name", MODULES)
def test_the_first_losses_are_made_again(name: str, texts: Texts) -> None:
    """On any machine: the first, the last and one in between of the settings."""
    runs = records.read(name)["runs"]
    for run in (runs[0], runs[len(runs) // 2], runs[-1]):
        made = MODULES[name].prepared(run["setting"], texts)
        assert list(made.run(3)) == pytest.approx(run["first"], abs=1e-3)
