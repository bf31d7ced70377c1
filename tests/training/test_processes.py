"""Many processes train as one: the same losses, one writer, and a kill at any moment changes nothing."""

import json
from pathlib import Path

import pytest
import torch

from clearformer.tensor_files import load_tensors
from clearformer.training import Processes
from tests.training.killed import STEPS, train
from tests.training.many import (
    KINDS,
    broken_batch,
    everything,
    idle_parameter,
    in_processes,
    restarted,
    some_ignored_trainer,
    uneven_parts,
)
from tests.training.toys import weights


@pytest.fixture(scope="module")
def of_one(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[float]]:
    """A folder with a checkpoint that one process has left after ten steps, and the losses of twenty."""
    folder = tmp_path_factory.mktemp("checkpoints")
    ours = some_ignored_trainer(None)
    losses = list(ours.run(10))
    ours.save(folder / "of_one.safetensors")
    return folder, losses + list(ours.run(10))


@pytest.fixture(scope="module")
def of_two(of_one: tuple[Path, list[float]]) -> list[dict]:
    """What each of two processes says of all questions that need no more."""
    return in_processes(2, everything, of_one[0])


@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_give_the_losses_of_one(kind: str, of_two: list[dict]) -> None:
    ours = KINDS[kind](processes=None)
    losses = list(ours.run(50))
    for told in of_two:
        assert told["trained"][kind][0] == pytest.approx(losses, abs=1e-6)
        torch.testing.assert_close(torch.tensor(told["trained"][kind][1]), weights(ours), rtol=0, atol=1e-4)
    assert of_two[0]["trained"][kind] == of_two[1]["trained"][kind]  # to the last bit


def test_process_0_decides_where_a_training_begins(of_two: list[dict]) -> None:
    assert [told["other seeds"] for told in of_two] == [True, True]


def test_dropout_differs_between_processes_and_repeats_itself(of_two: list[dict]) -> None:
    (whole, part, seed), (other_whole, other_part, other_seed) = (told["dropout"] for told in of_two)
    assert whole == part == other_whole == other_part
    assert seed != other_seed


def test_goes_on_with_another_number_of_processes(of_one: tuple[Path, list[float]], of_two: list[dict]) -> None:
    folder, losses = of_one
    for told in of_two:
        assert told["continued"] == pytest.approx(losses[10:], abs=1e-6)
    ours = some_ignored_trainer(None)
    ours.load(folder / "of_two.safetensors")
    assert ours.step == 10
    assert list(ours.run(10)) == pytest.approx(losses[10:], abs=1e-6)


def test_a_full_disk_is_heard_by_all_and_leaves_the_last_checkpoint(of_two: list[dict]) -> None:
    first, other = (told["writing"].splitlines() for told in of_two)
    assert first[0] == "OSError: [Errno 28] No space left on device"
    assert "full.safetensors is as it was before these " in first[1]
    assert first[2] == other[-1] == "same: True"
    assert other[0] == "RuntimeError: process 0 has failed with OSError: [Errno 28] No space left on device"


def test_a_number_is_added_up(of_two: list[dict]) -> None:
    assert [told["sum"] for told in of_two] == [11, 11]


def written(folder: Path) -> list[tuple[int, int, float]]:
    """The number of the start, the step and the loss of all steps that were made."""
    return [tuple(json.loads(line)) for line in (folder / "losses.jsonl").read_text().splitlines()]


def test_twenty_kills_change_nothing(tmp_path: Path) -> None:
    """At a random step of a random process: while it draws, asks, follows, writes, or has just written."""
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for folder, n_kills in ((whole, 0), (killed, 20)):
        folder.mkdir()
        assert restarted(2, train, folder, n_kills, 0) == n_kills
    expected = {step: loss for _, step, loss in written(whole)}
    assert list(expected) == list(range(1, STEPS + 1))
    losses = written(killed)
    assert all(loss == expected[step] for _, step, loss in losses)  # also of steps that were made twice
    assert {step for _, step, _ in losses} == set(expected)
    assert len({start for start, _, _ in losses}) > 10
    (tensors, _), (others, _) = (load_tensors(folder / "checkpoint.safetensors") for folder in (whole, killed))
    assert all(torch.equal(tensor, others[name]) for name, tensor in tensors.items())


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (broken_batch, "FloatingPointError: at step 2 the loss is nan and its gradient has length nan: the weights"),
        (idle_parameter, "ValueError: 2 parameters get no gradient, pooler.weight among them: requires_grad_(False)"),
        (uneven_parts, "ValueError: a batch of shapes [(4, 3), (1, 3)] has no rows to divide"),
    ],
)
def test_all_refuse_what_one_has_seen(work, words: str) -> None:
    for told in in_processes(2, work):
        assert told.startswith(words)


def test_alone_where_nobody_has_started_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with Processes.from_environment() as processes:
        assert processes == Processes.alone() == Processes(0, 1, torch.device("cpu"))
    monkeypatch.setenv("WORLD_SIZE", "1")  # torchrun with a single one needs no group
    assert Processes.from_environment() == Processes.alone()
    assert not torch.distributed.is_initialized()


def test_more_processes_than_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"RANK": "5", "WORLD_SIZE": "7", "LOCAL_RANK": "2"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(ValueError, match="process 2 of this machine needs a GPU of its own, and there are 2"):
        Processes.from_environment("cuda")


def test_a_model_elsewhere() -> None:
    with pytest.raises(ValueError, match="process 1 computes on cpu, and its model is on meta"):
        Processes(1, 2, torch.device("cpu")).ask(torch.nn.Linear(2, 3, device="meta"), lambda model, batch: batch[0])
