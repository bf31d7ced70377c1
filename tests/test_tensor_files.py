"""Tensors in files: what is read is what was written, and a tensor with two names is written once."""

from pathlib import Path

import pytest
import safetensors
import safetensors.torch
import torch
from torch import nn

from clearformer.tensor_files import load_tensors, load_weights, save_tensors


def test_reads_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "in" / "folders" / "tensors.safetensors"
    matrix = torch.arange(9.0).view(3, 3)  # square: turned, it has the same place and shape
    written = {"matrix": matrix, "turned": matrix.T, "row": torch.tensor([2**40, 3]), "half": matrix.bfloat16()}
    save_tensors(path, written, {"made": "here"})
    read, facts = load_tensors(path)
    assert facts == {"made": "here"}
    assert read.keys() == written.keys()
    assert all(torch.equal(read[name], tensor) and read[name].dtype == tensor.dtype for name, tensor in written.items())


def test_reads_files_of_others(tmp_path: Path) -> None:
    path = tmp_path / "theirs.safetensors"
    safetensors.torch.save_file({"x": torch.ones(2, 3)}, path)
    tensors, facts = load_tensors(path)
    assert torch.equal(tensors["x"], torch.ones(2, 3))
    assert facts == {}


class Pair(nn.Module):
    def __init__(self, *, tied: bool) -> None:
        super().__init__()
        self.one, self.other = nn.Embedding(5, 3), nn.Embedding(5, 3)
        if tied:
            self.other.weight = self.one.weight


@pytest.mark.parametrize("tied", [True, False])
def test_tied_table_is_in_the_file_once_and_fills_both(tmp_path: Path, tied: bool) -> None:
    path = tmp_path / "pair.safetensors"
    saved = Pair(tied=True)
    save_tensors(path, saved.state_dict(), {})
    with safetensors.safe_open(path, framework="pt") as file:
        assert list(file.keys()) == ["one.weight"]
    loaded = Pair(tied=tied)
    load_weights(path, loaded)
    assert torch.equal(loaded.one.weight, saved.one.weight)
    assert torch.equal(loaded.other.weight, saved.one.weight)
    assert (loaded.one.weight is loaded.other.weight) == tied


def test_equal_tensors_are_not_one(tmp_path: Path) -> None:
    path = tmp_path / "equal.safetensors"
    save_tensors(path, {"one": torch.ones(2, 3), "other": torch.ones(2, 3)}, {})
    tensors, _ = load_tensors(path)
    tensors["one"].zero_()
    assert tensors["other"].all()


def test_weights_of_another_model_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    save_tensors(path, {"weight": torch.zeros(3, 2), "gain": torch.zeros(7)}, {})
    model = nn.Linear(2, 3)
    before = [p.clone() for p in model.parameters()]
    with pytest.raises(ValueError, match=r"another model: bias is missing there and \(3,\) here \(2 tensors differ\)"):
        load_weights(path, model)
    assert all(torch.equal(p, was) for p, was in zip(model.parameters(), before, strict=True))
