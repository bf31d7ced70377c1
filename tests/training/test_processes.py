"""Two processes train as one: the same losses, checkpoints that fit any number, and kills that change nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from clearformer.tensor_files import load_tensors
from clearformer.training import Processes
from tests.training.launch import KINDS, STEPS, counted
from tests.training.toys import weights


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the checkpoint of one process after ten steps, and with all that two processes have written."""
    folder, ours = tmp_path_factory.mktemp("checkpoints"), counted()
    ours.run(10)
    ours.save(folder / "of_one.safetensors")
    for name in ("whole", "killed"):
        (folder / name).mkdir()
    subprocess.run([sys.executable, "-m", "tests.training.launch", folder], check=True, timeout=240)
    return folder


@pytest.fixture(scope="module")
def of_two(folder: Path) -> list[dict]:
    return [torch.load(folder / f"{rank}.pt") for rank in range(2)]


@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_give_the_losses_of_one(kind: str, of_two: list[dict]) -> None:
    ours = KINDS[kind](processes=None)
    losses = ours.run(20)
    for results in of_two:
        assert results["trained"][kind][0] == pytest.approx(losses, abs=1e-6)
        torch.testing.assert_close(torch.tensor(results["trained"][kind][1]), weights(ours), rtol=0, atol=1e-4)
    assert of_two[0]["trained"][kind] == of_two[1]["trained"][kind]  # to the last bit


def test_process_0_decides_about_weights_and_batches(of_two: list[dict]) -> None:
    assert all(results["other seed"] == results["same seed"] for results in of_two)
    assert sorted(results["result"] for results in of_two) == [False, True]


def test_dropout_differs_between_processes_and_is_repeatable(of_two: list[dict]) -> None:
    (whole, part, seed), (other_whole, other_part, other_seed) = (results["dropout"] for results in of_two)
    assert whole == part == other_whole == other_part
    assert seed != other_seed


def test_continues_with_another_number_of_processes(folder: Path, of_two: list[dict]) -> None:
    losses, ours = counted().run(20)[10:], counted()
    assert all(results["continued"] == pytest.approx(losses, abs=1e-6) for results in of_two)
    ours.load(folder / "of_two.safetensors")
    assert ours.step == 10
    assert ours.run(10) == pytest.approx(losses, abs=1e-6)


def test_all_refuse_a_loss_that_is_nan_in_one(of_two: list[dict]) -> None:
    assert all(results["NaN"].startswith("at step 0 the loss is nan") for results in of_two)


def test_kills_change_nothing(folder: Path) -> None:
    """A process is killed before it draws, computes the loss, updates or saves, and once it has saved."""
    folders = folder / "whole", folder / "killed"
    expected, losses = ([json.loads(line) for line in (f / "losses.jsonl").read_text().splitlines()] for f in folders)
    assert [step for step, _ in expected] == list(range(1, STEPS + 1))
    assert len(losses) > STEPS  # some steps were taken twice
    assert {tuple(pair) for pair in losses} == {tuple(pair) for pair in expected}
    (tensors, _), (others, _) = (load_tensors(f / "checkpoint.safetensors") for f in folders)
    assert all(torch.equal(tensor, others[name]) for name, tensor in tensors.items())


def test_alone_without_torchrun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with Processes.from_environment() as processes:
        assert processes == Processes() == Processes(0, 1, "cpu")
    assert not torch.distributed.is_initialized()
