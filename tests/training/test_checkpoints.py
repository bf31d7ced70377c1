"""Checkpoints: training continues from them bit by bit the same, and a failed write leaves the old file."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from clearformer.tensor_files import load_tensors
from clearformer.training import Trainer
from tests.training.toys import trainer, weights


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "checkpoint.safetensors"


def continued(path: Path, **options) -> None:
    """Training that stopped after five steps gives the same twelve losses and weights as training that did not."""
    torch.manual_seed(7)  # where dropout draws from
    whole = trainer(**options)
    expected = whole.run(12)
    torch.manual_seed(7)
    first = trainer(**options)
    losses = first.run(5)
    first.save(path)
    torch.manual_seed(8)
    second = trainer(seed=9, **options)
    second.load(path)
    assert second.step == 5
    assert losses + second.run(7) == expected
    assert torch.equal(weights(second), weights(whole))


@pytest.mark.parametrize(
    "options",
    [
        {"dropout": 0.5, "accumulate": 2},
        {"optimizer": torch.optim.SGD},  # without state
        {"optimizer": partial(torch.optim.SGD, momentum=0.9)},
        {"optimizer": torch.optim.Adafactor},
    ],
)
def test_continues_as_if_never_interrupted(options: dict[str, Any], path: Path) -> None:
    continued(path, **options)


def test_optimizer_state_finds_its_parameter_by_name(path: Path) -> None:
    """One optimizer numbers the parameters forwards, the other backwards."""
    first, second = (
        trainer(optimizer=lambda named, turn=turn: torch.optim.AdamW([p for _, p in named][::turn])) for turn in (1, -1)
    )
    expected = first.run(5)
    first.save(path)
    expected = first.run(3)
    second.load(path)
    assert second.run(3) == expected


def test_tied_table_is_written_once(path: Path) -> None:
    ours = trainer()
    ours.run(1)
    ours.save(path)
    assert list(ours.model.state_dict()) == ["turn", "read.weight", "norm.weight", "norm.bias", "write.weight"]
    assert path.stat().st_size > 2 * 11 * 5 * 4
    tensors, _ = load_tensors(path)
    assert torch.equal(tensors["model.write.weight"], ours.model.read.weight)
    assert tensors["model.write.weight"] is tensors["model.read.weight"]
    assert not any(name.startswith("optimizer.write") for name in tensors)


def refused(path: Path, other: Trainer, error: str) -> None:
    other.run(2)
    before, state, step = weights(other), other.generator.get_state(), other.step
    with pytest.raises(ValueError, match=error):
        other.load(path)
    assert torch.equal(weights(other), before)
    assert torch.equal(other.generator.get_state(), state)
    assert other.step == step


def test_checkpoint_of_another_model(path: Path) -> None:
    trainer().save(path)
    refused(path, trainer(d_model=7), r"another model: norm.bias is \(5,\) there and \(7,\) here \(5 tensors differ\)")


def test_checkpoint_of_another_optimizer(path: Path) -> None:
    ours = trainer()
    ours.run(1)
    ours.save(path)
    refused(path, trainer(optimizer=torch.optim.SGD), "holds the state of AdamW, not of SGD")
    fewer = trainer(optimizer=lambda named: torch.optim.AdamW([p for name, p in named if name != "turn"]))
    refused(path, fewer, "holds the optimizer state of turn, which is not trained here")


def test_optimizer_state_that_is_not_a_tensor(path: Path) -> None:
    ours = trainer(optimizer=torch.optim.SGD)
    ours.optimizer.state[ours.model.turn] = {"age": 3}
    with pytest.raises(TypeError, match="the state of SGD holds age=3 for turn, not a tensor"):
        ours.save(path)
    assert not list(path.parent.iterdir())


def test_failed_write_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = trainer()
    ours.save(path)
    before = path.read_bytes()
    ours.run(1)
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        ours.save(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
